import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

type Size = {
  readonly name: string
  readonly gzipped: number
  readonly budget: number
}

/** Where documents state sizes in KB. */
const stated: { readonly [file: string]: { readonly [name: string]: RegExp } } = {
  'README.md': {
    'client and wallet': /client and wallet ([0-9.]+) KB/,
    'moves, HD and IndexedDB': /moves, HD and IndexedDB ([0-9.]+) KB/,
  },
  'docs/entry-points.md': {
    'client and wallet': /\| client and wallet \| ([0-9.]+) KB/,
    'moves, HD and IndexedDB': /with IndexedDB \| ([0-9.]+) KB/,
  },
}

it('stays within the size limits for browsers', () => {
  const script = fileURLToPath(new URL('../scripts/size.js', import.meta.url))
  const { stdout, status } = spawnSync(process.execPath, [script, '--json'], { encoding: 'utf8' })
  const sizes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Size)
  expect(sizes.map((size) => [size.name, size.budget / 1024])).toEqual([
    ['decode a transaction', 8],
    ['addresses and IDs', 8],
    ['build and sign a transfer', 31.5],
    ['the same, coins selected', 44.2],
    ['client', 40],
    ['client and wallet', 134.1],
    ['moves, HD and IndexedDB', 200.1],
    ['signer and screens of Ledger', 5],
    ['Keystone', 5.4],
    ['policy of a signer', 8.2],
  ])
  // A bundle without code would hold any budget.
  expect(sizes.filter(({ gzipped }) => gzipped < 1000)).toEqual([])
  expect(sizes.filter(({ gzipped, budget }) => gzipped > budget)).toEqual([])
  expect(status).toBe(0)
  // The documents state both sizes that a wallet developer asks for; other versions of zlib differ a little.
  for (const [file, patterns] of Object.entries(stated)) {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
    for (const [name, pattern] of Object.entries(patterns)) {
      const { gzipped } = sizes.find((size) => size.name === name)!
      const difference = Number(pattern.exec(text)?.[1]) - gzipped / 1024
      expect([file, name, Math.abs(difference) < 1]).toEqual([file, name, true])
    }
  }
})
