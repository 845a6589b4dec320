import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Packs the package as it would be published, installs it in a separate folder and tests it there: runs the programs of
// runtimes/ on every runtime, and compiles its types with several versions and settings of TypeScript.

const root = fileURLToPath(new URL('..', import.meta.url))
const runtimes = join(root, 'runtimes')
const quietly = ['--no-audit', '--no-fund', '--loglevel=error']

/** The runtimes that runtimes/package.json pins, with the command and arguments that run a file. */
function pinned(arch) {
  const installed = join(runtimes, 'node_modules')
  const node = (major) => ({
    name: `Node ${major}`,
    command: join(installed, `node-${major}-${arch}`, 'bin/node'),
    args: [],
  })
  const bun = `@oven/bun-linux-${arch === 'arm64' ? 'aarch64' : arch}`
  return [
    node(20),
    node(22),
    node(24),
    node(26),
    { name: 'Bun', command: join(installed, bun, 'bin/bun'), args: [] },
    {
      name: 'Deno',
      command: join(installed, `@deno/linux-${arch}-glibc`, 'deno'),
      args: ['run', '--allow-all', '--node-modules-dir=manual'],
    },
  ]
}

function run(command, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 300_000,
    // Deno would look for updates, and keep what it compiles in the user's home.
    env: {
      ...process.env,
      DENO_DIR: join(cwd, '.deno'),
      DENO_NO_UPDATE_CHECK: '1',
      NO_COLOR: '1',
    },
  })
  return { ok: status === 0, stdout: stdout ?? '', problem: error?.message ?? (stderr || stdout) }
}

/** Runs a command, throws if it fails, and returns its output. */
function runOrThrow(command, args, cwd) {
  const { ok, stdout, problem } = run(command, args, cwd)
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed\n${problem}`)
  return stdout
}

const readJSON = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** Expected values from test vectors: a transaction and its block as a node recorded them, and a derived address. */
function details(entries) {
  const { events, keys, network } = readJSON('test-vectors/node-sequence.json')
  const [tx, block] = events
  const [sender, recipient] = keys
  const derived = readJSON('test-vectors/addresses.json').find((address) => address.hd?.mnemonic)
  return { tx, block, sender, recipient, fee: network.txFee, derived, entries }
}

function install(folder, entries) {
  runOrThrow('npm', ['run', 'build', '--silent'], root)
  const packed = runOrThrow('npm', ['pack', '--pack-destination', folder, ...quietly], root)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  runOrThrow('npm', ['install', `./${packed.trim()}`, ...quietly], folder)
  for (const file of ['smoke.js', 'require.cjs', 'consumer.ts'])
    copyFileSync(join(runtimes, file), join(folder, file))
  copyFileSync(join(runtimes, 'consumer.ts'), join(folder, 'consumer.cts'))
  const lines = entries.map((entry, i) => `export * as entry${i} from '${entry}'\n`).join('')
  for (const file of ['entries.ts', 'entries.cts']) writeFileSync(join(folder, file), lines)
}

/** Each program prints the names of the checks that passed; its exit code says whether all of them did. */
function tryRuntime({ name, command, args }, folder, known) {
  const text = JSON.stringify(known)
  const main = join(folder, 'node_modules/avmkit/dist/avmkit.mjs')
  const cli = run(command, [...args, main, 'decode', known.tx.bytes, '--json'], folder)
  const version = run(command, ['--version'], folder).stdout
  return report(name, /\d+\.\d+\.\d+/.exec(version)?.[0] ?? '?', [
    run(command, [...args, 'smoke.js', text], folder),
    run(command, [...args, 'require.cjs', text], folder),
    withCheckName('cli', { ...cli, ok: cli.ok && cli.stdout.includes(known.tx.txID) }),
  ])
}

/** The result with the name of its check as output, if it passed. */
const withCheckName = (check, result) => ({ ...result, stdout: result.ok ? check : '' })

/** Folders of the TypeScript versions; runtimes/package.json pins those that the project itself does not use. */
const compilers = [
  'runtimes/node_modules/typescript-5.4',
  'runtimes/node_modules/typescript-5.9',
  'node_modules/typescript',
]

/**
 * Compiles a program and the declarations of every entry point, without `skipLibCheck`, so that errors inside the
 * declarations count.
 */
function tryTypes(compiler, folder) {
  const compile = (extension, module, resolution, exact, ...more) => {
    const strict = ['--noEmit', '--strict', '--target', 'es2022']
    if (exact) strict.push('--exactOptionalPropertyTypes')
    const how = ['--module', module, '--moduleResolution', resolution]
    const tsc = join(root, compiler, 'bin/tsc')
    const files = [`consumer.${extension}`, `entries.${extension}`]
    const result = run(process.execPath, [tsc, ...strict, ...how, ...more, ...files], folder)
    return withCheckName(`${resolution}:${extension}${exact ? ':exact' : ''}`, result)
  }
  const browser = ['--lib', 'es2022,dom']
  const node = ['--lib', 'es2022', '--types', 'node', '--typeRoots', `${root}node_modules/@types`]
  const results = [true, false].flatMap((exact) => [
    compile('ts', 'node16', 'node16', exact, ...browser),
    compile('ts', 'nodenext', 'nodenext', exact, ...node),
    compile('ts', 'esnext', 'bundler', exact, ...browser),
  ])
  // Only newer releases allow `require` of an ES module.
  if (!compiler.endsWith('5.4')) results.push(compile('cts', 'nodenext', 'nodenext', true, ...node))
  return report('types', readJSON(`${compiler}/package.json`).version, results)
}

function report(name, version, results) {
  const passed = results.flatMap(({ stdout }) => stdout.split(/\s+/)).filter(Boolean)
  const failed = results.filter(({ ok }) => !ok)
  const verdict = failed.length === 0 ? 'ok    ' : 'FAILED'
  console.log(`${name.padEnd(8)}${version.padEnd(9)}${verdict}  ${passed.join(' ')}`)
  for (const { problem } of failed) console.error(problem.trimEnd())
  return failed.length === 0
}

if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
  console.error('runtimes: npm has all of the runtimes only for Linux on x64 and arm64')
  process.exit(1)
}
if (!existsSync(join(runtimes, 'node_modules')))
  runOrThrow('npm', ['ci', '--ignore-scripts', ...quietly], runtimes)

const folder = mkdtempSync(join(tmpdir(), 'avmkit-runtimes-'))
try {
  const manifest = readJSON('package.json')
  const entries = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([entry]) => entry.replace('.', manifest.name))
  install(folder, entries)
  const known = details(entries)
  console.log('runtime version  result  passed')
  const passed = [
    ...pinned(process.arch).map((runtime) => tryRuntime(runtime, folder, known)),
    ...compilers.map((compiler) => tryTypes(compiler, folder)),
  ]
  if (passed.includes(false)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
