import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { checkPackage, createPackageFromTarballData, type Package } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAllowed } from '../scripts/package-files.js'
import { vectors as cryptoVectors, type SignCase } from './core/crypto/cases.ts'
import { todaysOf } from './helpers/todays-cases.ts'
import { vectors } from './helpers/vectors.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string
  exports: { readonly [entry: string]: { readonly default: string } | string }
}

/** What `import` is given for each entry point, and the file behind it. */
const entries = Object.entries(exports).flatMap(([entry, target]) =>
  typeof target === 'string' ? [] : [{ entry: entry.replace('.', name), file: target.default }],
)

/** All but the one with the addon and those for a database, which no browser can load. */
const forBrowsers = entries
  .map(({ entry }) => entry)
  .filter((entry) => entry !== 'avmkit/native' && !entry.startsWith('avmkit/custody'))

let folder: string
let tarball: Uint8Array<ArrayBuffer>
let shipped: Package

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    timeout: 50_000,
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`)
  return stdout
}

/** The paths of the packed files, from the package's root. */
function files(): string[] {
  return shipped.listFiles().map((path) => path.replace(`/node_modules/${name}/`, ''))
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'avmkit-packaging-'))
  run('npm', ['pack', '--offline', '--ignore-scripts', '--pack-destination', folder])
  tarball = new Uint8Array(readFileSync(join(folder, readdirSync(folder)[0]!)))
  shipped = createPackageFromTarballData(tarball)
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package', () => {
  it('contains the code, its sources, documents and examples, and nothing else', () => {
    const top = new Set(files().map((path) => path.replace(/\/.*/, '/')))
    const texts = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']
    expect(top).toEqual(
      new Set([
        ...texts,
        'benchmarks/',
        'deploy/',
        'dist/',
        'docs/',
        'examples/',
        'networks/',
        'src/',
      ]),
    )
    expect(files().filter((path) => !isAllowed(path))).toEqual([])
    expect(
      files()
        .filter((path) => /^dist\/.*(?<!\.(js|d\.ts)(\.map)?)$/.test(path))
        .sort(),
    ).toEqual([
      'dist/avmkit.1',
      'dist/avmkit.html',
      'dist/avmkit.html.sha256',
      'dist/avmkit.mjs',
      'dist/page/elements/view.css',
    ])
  })

  it('contains every file that its README links', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1]!)
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((link) => !files().includes(link))).toEqual([])
  })

  it('exports at most 80 values at its root', async () => {
    expect(Object.keys(await import('../src/index.ts')).length).toBeLessThanOrEqual(80)
  })

  it('was built from exactly its sources', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
      // The command line and the page are in one file each.
      .filter((path) => !/^(cli|page(?![\\/]elements))[\\/]/.test(path))
      .map((path) => `dist/${path.replaceAll('\\', '/').replace(/\.ts$/, '.js')}`)
    expect(
      files()
        .filter((path) => /^dist\/.*\.js$/.test(path))
        .sort(),
    ).toEqual(sources.sort())
  })

  it('has nothing that publint would change', async () => {
    const { messages } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
    expect(messages).toEqual([])
  })

  it('has types that are correct for every module resolution', async () => {
    // A style sheet has no types.
    const entrypoints = todaysOf(Object.keys(exports).filter((entry) => entry !== './view.css'))
    const { types, ...result } = await checkPackage(shipped, { entrypoints })
    expect(types).toMatchObject({ kind: 'included' })
    expect(result).toMatchObject({
      entrypoints: Object.fromEntries(entrypoints.map((entry) => [entry, { hasTypes: true }])),
    })
    const problems = 'problems' in result ? result.problems : []
    // Two of the findings are what an ES module is. `node10` knows no `exports`; no supported Node resolves
    // so. And that `require` meets a module is an error no more: the next test does it.
    const others = problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' &&
        !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    )
    expect(others).toEqual([])
  })

  it('has declarations that compile without exactOptionalPropertyTypes, which few projects set', () => {
    const declarations = entries.map(({ file }) => file.replace(/\.js$/, '.d.ts'))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const settings = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    const lib = ['--lib', 'ES2023,DOM,DOM.Iterable']
    const args = ['--ignoreConfig', '--noEmit', '--skipLibCheck', 'false', ...settings, ...lib]
    const { stdout } = spawnSync(process.execPath, [tsc, ...args, ...declarations], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
  })

  it.each(entries)('exports all of $entry to import and to require', async ({ entry, file }) => {
    const source = file.replace('./dist/', './src/').replace(/\.js$/, '.ts')
    const names = Object.keys(await import(pathToFileURL(join(root, source)).href)).sort()
    const program = `import('${entry}').then((imported) => {
      const required = require('${entry}')
      console.log(JSON.stringify([Object.keys(imported).sort(), Object.keys(required).sort()]))
    })`
    const printed = run(process.execPath, ['--input-type=commonjs', '--eval', program])
    expect(JSON.parse(printed)).toEqual([names, names])
  })
})

describe('a bundle for browsers', () => {
  const settings = {
    platform: 'browser',
    // Where the package is installed, there is no tsconfig.json of its own.
    tsconfigRaw: {},
    format: 'esm',
    target: 'es2022',
    define: { Buffer: 'undefined' },
    bundle: true,
    logLevel: 'silent',
  } as const

  /** Stops with an error where a module of Node would have to be in it. */
  async function bundle(code: string): Promise<string> {
    const stdin = { contents: code, resolveDir: root }
    const { outputFiles } = await build({ ...settings, stdin, write: false })
    return outputFiles[0]!.text
  }

  it.each(forBrowsers)('can be made of %s', async (entry) => {
    await expect(bundle(`export * from '${entry}'`)).resolves.toMatch(/^export \{/m)
  })

  /** What a bundle prints where there is no `process`. */
  function printed(code: string): string {
    const path = join(folder, 'browser.mjs')
    writeFileSync(path, `delete globalThis.process\n${code}`)
    return run(process.execPath, [path])
  }

  it('signs and recovers like the node, with the smaller curve module', async () => {
    const signed = cryptoVectors<SignCase>('generated/sign.json')
    const cases = signed.filter(({ what }) => what === 'hash' || what === 'message')
    const code = await bundle(`
      import { hex, publicKeyOf, recoverPublicKey, signHash } from 'avmkit'
      for (const { hash, privateKey } of ${JSON.stringify(cases)}) {
        const signature = signHash(hex.decode(hash), hex.decode(privateKey))
        const publicKey = publicKeyOf(hex.decode(privateKey))
        const recovered = recoverPublicKey(hex.decode(hash), signature)
        console.log(hex.encode(signature), hex.encode(publicKey), hex.encode(recovered))
      }
    `)
    expect(code).toContain('node_modules/@noble/secp256k1/index.js')
    expect(code).not.toContain('weierstrass')
    expect(cases.length).toBeGreaterThan(10)
    expect(printed(code).trim().split('\n')).toEqual(
      cases.map(({ signature, publicKey }) => `${signature} ${publicKey} ${publicKey}`),
    )
  })

  it('pays from a wallet, and reports that files need Node', async () => {
    const code = await bundle(`
      import { formatID, KeyChain, requireSigned } from 'avmkit'
      import { createNodeClient } from 'avmkit/client'
      import { createDevNode } from 'avmkit/devnode'
      import { fileStore, memoryStore } from 'avmkit/store'
      import { createWallet } from 'avmkit/wallet'
      const node = await createDevNode()
      const client = createNodeClient({ url: 'http://localhost', fetch: node.fetch })
      const keys = new KeyChain(['PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'])
      const wallet = createWallet({ client, keys, store: memoryStore() })
      const to = await wallet.receiveAddress()
      const { draft } = await wallet.prepare.transfer({ to, amount: 1n })
      const signed = requireSigned(await wallet.sign(draft))
      const { txID } = await wallet.submit(signed)
      console.log(formatID(txID) === formatID(signed.txID), await client.avm.getHeight())
      try {
        await fileStore('payments').list().next()
      } catch ({ code }) {
        console.log(code)
      }
      await node.close()
    `)
    expect(printed(code)).toBe('true 1n\nSTORE_UNREADABLE\n')
  })

  it('runs the development node without process and Buffer', async () => {
    const { events } = vectors<{ events: { bytes: string; txID: string }[] }>('node-sequence.json')
    const [{ bytes, txID }] = events as [{ bytes: string; txID: string }]
    const code = await bundle(`
      import { formatID, hex } from 'avmkit'
      import { createNodeClient } from 'avmkit/client'
      import { createDevNode } from 'avmkit/devnode'
      const node = await createDevNode()
      const client = createNodeClient({ url: 'http://localhost', fetch: node.fetch })
      const { txID } = await client.issueTx(hex.decode('${bytes}'))
      const refusals = [() => node.listen(), () => createDevNode({ folder: 'chain' })]
      const codes = await Promise.all(refusals.map((run) => run().catch(({ code }) => code)))
      console.log(formatID(txID), await client.avm.getHeight(), ...codes)
    `)
    expect(printed(code)).toBe(`${txID} 1n BAD_OPTION BAD_OPTION\n`)
  })
})
