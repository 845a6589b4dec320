import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('keeps what a browser loads within its budgets', () => {
  const script = fileURLToPath(new URL('../scripts/size.js', import.meta.url))
  const { stdout } = spawnSync(process.execPath, [script, '--json'], { encoding: 'utf8' })
  const sizes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; gzipped: number; budget: number })
  expect(sizes.map(({ name }) => name)).toEqual([
    'decode a transaction',
    'addresses and IDs',
    'build and sign a transfer',
    'client and wallet',
  ])
  // A bundle without code would hold any budget.
  expect(sizes.filter(({ gzipped }) => gzipped < 1000)).toEqual([])
  expect(sizes.filter(({ gzipped, budget }) => gzipped > budget)).toEqual([])
})
