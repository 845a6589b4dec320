import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAllowed } from './package-files.js'

// Checks a release and writes it to the folder release: builds the committed and changed files twice, in folders with
// different names, and compares package, single file and page byte by byte; compares the contents of the package with
// an allow-list; writes the bill of materials and SHA256SUMS. It publishes nothing.

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'release')

const run = (command, args, cwd) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
    shell: process.platform === 'win32',
  })

const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

/** Copies the files of the repository. */
function copyTo(folder, files) {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  // The dependencies are those of the lock file, which `npm ci` has installed and verified.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
}

/** Builds and packs a copy, and returns the paths of what is released. */
function buildIn(folder) {
  run('npm', ['run', 'build', '--silent'], folder)
  const [{ filename, files: packed }] = JSON.parse(
    run('npm', ['pack', '--json', '--offline', '--ignore-scripts'], folder),
  )
  return {
    packed: packed.map(({ path }) => path),
    paths: [filename, 'dist/avmkit.mjs', 'dist/avmkit.html'].map((path) => join(folder, path)),
  }
}

/** The bill of materials without its random number and time, so that it can be made again. */
function billOfMaterials() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
  const { serialNumber: _serialNumber, metadata, ...rest } = JSON.parse(run('npm', args, root))
  const { timestamp: _timestamp, ...described } = metadata
  return `${JSON.stringify({ ...rest, metadata: described }, null, 2)}\n`
}

const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], root)
  .split('\n')
  .filter((file) => file !== '')
const place = mkdtempSync(join(tmpdir(), 'avmkit-release-'))
const problems = []
try {
  const folders = ['a', 'another-folder/deeper'].map((name) => join(place, name))
  // Both copies come first, so that a change during the builds concerns neither.
  for (const folder of folders) copyTo(folder, files)
  const [first, second] = folders.map(buildIn)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out)
  for (const [i, path] of first.paths.entries()) {
    const name = path.split(/[/\\]/).pop()
    if (!readFileSync(path).equals(readFileSync(second.paths[i])))
      problems.push(`${name} differs between two builds`)
    cpSync(path, join(out, name))
  }
  for (const path of first.packed)
    if (!isAllowed(path))
      problems.push(`the package contains ${path}, which is not in the allow-list`)
  writeFileSync(join(out, 'sbom.cdx.json'), billOfMaterials())
  const names = [...first.paths.map((path) => path.split(/[/\\]/).pop()), 'sbom.cdx.json'].sort()
  const sums = names.map((name) => `${sha256(join(out, name))}  ${name}\n`).join('')
  writeFileSync(join(out, 'SHA256SUMS'), sums)
  console.log(`${first.packed.length} files in the package`)
  console.log(sums.trimEnd())
} finally {
  rmSync(place, { recursive: true, force: true })
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
