import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/**
 * Which folders of src each one may import from, beside itself. Imports flow one way: from left to right. A
 * subfolder that may import more than its folder has an entry of its own.
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
  sign: ['errors', 'bytes', 'hash', 'encoding', 'codec', 'crypto', 'chain', 'build'],
  // What the builders and signers of the P- and C-Chain share.
  atomic: ['errors', 'bytes', 'hash', 'encoding', 'crypto', 'chain', 'coins', 'build', 'sign'],
  'p-chain/build': [
    'errors',
    'bytes',
    'encoding',
    'codec',
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
  // It judges builders, signer and client from outside, so it shares no code with them.
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
  ],
  cli: [
    'errors',
    'bytes',
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
    'devnode',
  ],
  // Entry points only name what others hold.
  index: ['errors', 'encoding', 'codec', 'crypto', 'chain', 'coins', 'build', 'sign'],
}

/** Only these may use Node's modules, so that all else runs in a browser. */
const mayUseNode = /^(devnode\/(builtin|http|storage)\.ts|store\/file\/builtin\.ts|cli\/)/

const src = fileURLToPath(new URL('../src', import.meta.url))

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? files(path) : [path]
  })
}

/** What a file imports, types included, however it does. */
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

describe('imports', () => {
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
})
