import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { FundsError } from '../../../src/core/coins/errors.ts'
import type { SelectOptions, Strategy } from '../../../src/core/coins/need.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { runs } from '../../helpers/runs.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { addressNamed, alice, bob, coin, idOf, trio } from './samples.ts'
import { type Outcome, ScanSet } from './scan.ts'

const assets = [idOf('gold'), idOf('silver')] as const

const strategies: readonly Strategy[] = ['fewest', 'smallest', 'given', 'exact', 'all']
const owners = [[alice], [alice, bob], trio, [addressNamed('stranger')]]
/** Owners of which some can sign, and locktimes of which some have passed. */
const conditions = [
  { addresses: [alice], threshold: 1 },
  { addresses: [alice], threshold: 1 },
  { addresses: [bob], threshold: 1 },
  { addresses: [alice], threshold: 1, locktime: 1010n },
  { addresses: trio, threshold: 2 },
  { addresses: trio, threshold: 3, locktime: 1005n },
  { addresses: [], threshold: 0 },
]
/** Few and many different amounts, below and above 2^53. */
const amountKinds: readonly ((n: number) => bigint)[] = [
  (n) => BigInt(1 + (n % 9)),
  (n) => BigInt(1 + n),
  (n) => 2n ** 60n + BigInt(n % 40),
]

const number = fc.nat(1_000_000)
const step = fc.record({
  change: fc.constantFrom('add', 'add', 'remove', 'reserve', 'release', 'none'),
  size: fc.nat(160),
  at: number,
  now: fc.bigInt({ min: 995n, max: 1030n }),
  until: fc.option(fc.bigInt({ min: 995n, max: 1030n }), { nil: undefined }),
  owners: fc.constantFrom(...owners),
  strategy: fc.constantFrom(...strategies),
  /** Of what is spendable, in thousandths. */
  shares: fc.tuple(fc.constantFrom(0, 1, 10, 300, 999, 1001), fc.constantFrom(0, 5, 1000)),
  maxSize: fc.constantFrom(600, 1500, 4000, 65_536),
  extra: fc.constantFrom('excluded', 'pinned', 'only', 'none', 'none'),
  consolidate: fc.constantFrom(undefined, undefined, {}, { maxInputs: 4 }, { maxSize: 1200 }),
})
type Step = Parameters<Parameters<typeof step.map>[0]>[0]

/** A deterministic pseudo-random number. */
const scrambled = (n: number) => Math.imul(n ^ (n >>> 13), 0x9e3779b1) >>> 0

function outcome(set: UTXOSet, options: SelectOptions): Outcome {
  try {
    const { coins, change, size } = set.select(options)
    return {
      ids: coins.map(({ utxo }) => utxoKey(utxo)),
      change: change.map(({ amount }) => String(amount)),
      size,
    }
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return { code: error.code, shortfalls: error instanceof FundsError ? [...error.assets] : [] }
  }
}

describe('UTXOSet', () => {
  test.prop([fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(2), fc.nat()], runs(60))(
    'agrees with a scan of all UTXOs after any operations',
    (steps, kind, salt) => {
      const set = new UTXOSet()
      const oracle = new ScanSet()
      const known: UTXO[] = []
      const some = ({ at, size }: Step) =>
        known.filter((_, i) => scrambled(i + at) % 997 < 4 * size && scrambled(i) % 3 === at % 3)
      for (const one of steps) {
        if (one.change === 'add') {
          const page = Array.from({ length: one.size }, () => {
            const n = scrambled(known.length + salt)
            const words = conditions[n % conditions.length]!
            const utxo = coin(`${known.length}`, amountKinds[kind]!(n >>> 8), {
              ...words,
              assetID: assets[n % 5 === 0 ? 1 : 0]!,
            })
            known.push(utxo)
            return utxo
          })
          set.add(page)
          oracle.add(page)
        }
        const chosen = some(one)
        if (one.change === 'remove') {
          set.remove(chosen)
          oracle.remove(chosen)
          expect(set.add(chosen).added).toBe(0)
        }
        if (one.change === 'release') {
          set.release(chosen)
          oracle.release(chosen)
        }
        if (one.change === 'reserve') {
          const { now, until } = one
          const time = { now, ...(until !== undefined && { until }) }
          expect(codeOf(() => set.reserve(chosen, time))).toBe(oracle.reserve(chosen, now, until))
        }
        expect(set.size()).toBe(oracle.size)
        const view = { owners: one.owners, now: one.now }
        const balances = set.balances(view)
        for (const balance of balances)
          expect(balance).toMatchObject(oracle.balance(balance.assetID, view))
        const options: SelectOptions = {
          ...view,
          need: {
            amounts: assets.map((assetID, i) => ({
              assetID,
              amount: (oracle.balance(assetID, view).spendable * BigInt(one.shares[i]!)) / 1000n,
            })),
            baseSize: 138,
            changeSize: 80,
          },
          strategy: one.strategy,
          maxSize: one.maxSize,
          ...(one.consolidate && { consolidate: one.consolidate }),
          ...(one.extra === 'excluded' && { excluded: chosen }),
        }
        const free = assets.flatMap((assetID) =>
          oracle.candidates(assetID, { ...options, strategy: 'all' }).map(({ utxo }) => utxo),
        )
        const named = {
          order: free.filter((_, i) => scrambled(i + one.at) % 4 === 0),
          ...(one.extra === 'pinned' && { pinned: free.slice(0, 2) }),
          ...(one.extra === 'only' && { only: free.filter((_, i) => i % 2 === 0) }),
        }
        const usable = { ...options, ...named }
        expect(outcome(set, usable)).toEqual(oracle.select(usable))
      }
    },
  )
})
