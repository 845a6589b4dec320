import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/**
 * The folders of src that each folder may import from, besides itself. A subfolder that may import more than its folder
 * has its own entry.
 */
const allowed: { readonly [layer: string]: readonly string[] } = {
  errors: [],
  bytes: ['errors'],
  hash: ['errors', 'bytes'],
  encoding: ['errors', 'bytes', 'hash'],
  codec: ['errors', 'encoding'],
  crypto: ['errors', 'bytes', 'hash', 'encoding'],
  chain: ['errors', 'bytes', 'hash', 'encoding', 'codec'],
  'p-chain': ['errors', 'bytes', 'hash', 'encoding', 'codec', 'chain'],
  'c-chain': ['errors', 'bytes', 'hash', 'encoding', 'codec', 'crypto', 'chain'],
  coins: ['errors', 'bytes', 'hash', 'encoding', 'codec', 'chain'],
  build: ['errors', 'bytes', 'encoding', 'codec', 'chain', 'coins'],
  // The exports of other chains prove what an ImportTx imports.
  sign: [
    'errors',
    'bytes',
    'hash',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'p-chain',
    'c-chain',
    'build',
  ],
  // Shared by the builders and signers of the P-Chain and C-Chain.
  atomic: [
    'errors',
    'bytes',
    'hash',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'coins',
    'build',
    'sign',
  ],
  'p-chain/build': [
    'errors',
    'bytes',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'p-chain',
    'coins',
    'build',
    'sign',
    'atomic',
  ],
  'c-chain/build': [
    'errors',
    'bytes',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'c-chain',
    'coins',
    'build',
    'sign',
    'atomic',
  ],
  'p-chain/index': ['p-chain', 'p-chain/build', 'atomic'],
  'c-chain/index': ['c-chain', 'c-chain/build', 'atomic'],
  rpc: ['errors', 'bytes', 'encoding', 'codec', 'chain', 'p-chain', 'c-chain'],
  store: ['errors', 'bytes', 'hash', 'encoding', 'codec', 'chain'],
  wallet: [
    'errors',
    'bytes',
    'hash',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'coins',
    'build',
    'sign',
    'rpc',
    'store',
  ],
  discovery: ['errors', 'bytes', 'encoding', 'codec', 'crypto', 'chain', 'rpc'],
  keyfile: ['errors', 'hash', 'encoding', 'codec'],
  // Moves between chains, an entry point of its own.
  'wallet/moves': [
    'errors',
    'bytes',
    'hash',
    'encoding',
    'crypto',
    'chain',
    'p-chain',
    'p-chain/build',
    'c-chain',
    'c-chain/build',
    'atomic',
    'coins',
    'build',
    'sign',
    'rpc',
    'store',
    'wallet',
  ],
  custody: [
    'errors',
    'bytes',
    'hash',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'coins',
    'build',
    'sign',
    'rpc',
    'store',
    'wallet',
  ],
  // It verifies what builders, signers and clients produce, so it does not use them.
  devnode: [
    'errors',
    'bytes',
    'hash',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'p-chain',
    'c-chain',
    'store',
  ],
  cli: [
    'errors',
    'bytes',
    'hash',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'coins',
    'build',
    'sign',
    'rpc',
    'store',
    'wallet',
    'discovery',
    'keyfile',
    'wallet/moves',
    'custody',
    'atomic',
    'p-chain',
    'p-chain/index',
    'c-chain',
    'c-chain/index',
    'devnode',
  ],
  // Types only.
  'error-codes': [
    'errors',
    'coins',
    'crypto',
    'build',
    'sign',
    'rpc',
    'store',
    'wallet',
    'custody',
    'discovery',
    'keyfile',
    'devnode',
  ],
  // Entry points only name the exports of other files.
  index: [
    'errors',
    'error-codes',
    'encoding',
    'codec',
    'crypto',
    'chain',
    'coins',
    'build',
    'sign',
  ],
}

/** Only these files may import Node's modules, so that all others run in a browser. */
const mayUseNode =
  /^(devnode\/(builtin|http|storage)\.ts|store\/file\/builtin\.ts|rpc\/send-node\.ts|custody\/http\.ts|cli\/)/

/** What the offline page, which stands outside src, takes from it: offline work, and the texts of the program. */
const usedByPage =
  /^(errors\.ts|(bytes|encoding|codec|crypto|chain|atomic|p-chain|c-chain|hash|sign|keyfile)\/|cli\/(detect|errors|key-text|networks|other-chain-(explain|requests)|request-chain|request-json|secrets|texts)\.ts$)/

const src = fileURLToPath(new URL('../src', import.meta.url))
const page = fileURLToPath(new URL('../page', import.meta.url))

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? files(path) : [path]
  })
}

/** All import targets of a file, including types and dynamic imports. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'([^']+)'/g)
  return [...found].map((match) => match[1]!)
}

function layerOf(path: string): string {
  const parts = relative(src, path).replace(/\.ts$/, '').split('/')
  const inner = parts.slice(0, 2).join('/')
  return inner in allowed ? inner : parts[0]!
}

/** A path of imports that leads from a file back to itself, if there is one. */
function cycleFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): string[] {
  const reachedFrom = new Map<string, string>()
  const queue = [start]
  for (const path of queue)
    for (const target of imports.get(path) ?? []) {
      if (target === start) {
        const cycle = [start]
        for (let at = path; at !== start; at = reachedFrom.get(at)!) cycle.unshift(at)
        return [start, ...cycle].map((file) => relative(src, file))
      }
      if (reachedFrom.has(target)) continue
      reachedFrom.set(target, path)
      queue.push(target)
    }
  return []
}

describe('imports', () => {
  it('have no cycles, also inside folders and for types', () => {
    const imports = new Map(
      files(src).map((path) => {
        const own = importsOf(path).filter((target) => target.startsWith('.'))
        return [path, own.map((target) => join(path, '..', target))] as const
      }),
    )
    expect(
      files(src).flatMap((path) => [cycleFrom(path, imports)].filter((c) => c.length > 0)),
    ).toEqual([])
  })

  for (const path of files(src)) {
    const name = relative(src, path)
    it(`of ${name} follow the layers`, () => {
      const layer = layerOf(path)
      const layers = importsOf(path)
        .filter((target) => target.startsWith('.'))
        .map((target) => layerOf(join(path, '..', target)))
        .filter((target) => target !== layer)
      expect(allowed[layer], `${layer} is not a known layer`).toBeDefined()
      expect(layers.filter((target) => !allowed[layer]!.includes(target))).toEqual([])
    })

    it(`of ${name} keep Node's modules out of the browser`, () => {
      const nodeImports = importsOf(path).filter((target) => target.startsWith('node:'))
      if (!mayUseNode.test(name)) expect(nodeImports).toEqual([])
    })
  }

  for (const path of files(page).filter((name) => name.endsWith('.ts')))
    it(`of the page's ${relative(page, path)} stay offline`, () => {
      const targets = importsOf(path)
        .filter((target) => target.startsWith('.') || target.startsWith('node:'))
        .map((target) => relative(src, join(path, '..', target)))
        .filter((target) => !target.startsWith('../page/'))
      expect(targets.filter((target) => !usedByPage.test(target))).toEqual([])
    })
})
