import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../src/core/base/bytes/compare.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { FundsError } from '../../../src/core/coins/errors.ts'
import type { Selection, SelectOptions, Strategy } from '../../../src/core/coins/need.ts'
import { UTXOSet } from '../../../src/core/coins/utxo-set.ts'
import { runs } from '../../helpers/runs.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { alice, bob, coin, coins, idOf, trio } from './samples.ts'

const now = 1000n
const gold = idOf('gold')
const silver = idOf('silver')
const size = { baseSize: 138, changeSize: 80 }

type Wish = Partial<SelectOptions> & { readonly gold?: bigint; readonly silver?: bigint }

function select(list: readonly UTXO[], wish: Wish): Selection {
  const set = new UTXOSet()
  set.add(list)
  return choose(set, wish)
}

function choose(set: UTXOSet, { gold: g = 0n, silver: s = 0n, ...options }: Wish): Selection {
  const amounts = [
    { assetID: gold, amount: g },
    { assetID: silver, amount: s },
  ]
  return set.select({ owners: [alice], now, need: { amounts, ...size }, ...options })
}

const amount = ({ output }: UTXO) => (output as TransferOutput).amount
const amounts = ({ coins: list }: Selection) =>
  list.map(({ utxo }) => amount(utxo)).sort((a, b) => (a < b ? -1 : 1))
const golden = (...list: bigint[]) => list.map((value, i) => coin(`${i}`, value, { assetID: gold }))

function failure(run: () => unknown): FundsError {
  try {
    run()
  } catch (error) {
    if (error instanceof FundsError) return error
    throw error
  }
  throw new Error('expected a FundsError')
}

describe('select by strategy', () => {
  const list = golden(1n, 2n, 3n, 5n, 8n, 13n)

  it('takes the largest for the fewest inputs', () => {
    expect(amounts(select(list, { gold: 14n }))).toEqual([8n, 13n])
    expect(amounts(select(list, { gold: 13n }))).toEqual([13n])
  })

  it('takes the smallest first', () => {
    expect(amounts(select(list, { gold: 9n, strategy: 'smallest' }))).toEqual([1n, 2n, 3n, 5n])
  })

  it('takes them in the given order, and no others', () => {
    const order = [list[2]!, list[0]!, list[5]!, list[4]!]
    expect(amounts(select(list, { gold: 4n, strategy: 'given', order }))).toEqual([1n, 3n])
    expect(amounts(select(list, { gold: 5n, strategy: 'given', order }))).toEqual([1n, 3n, 13n])
    const failed = failure(() => select(list, { gold: 26n, strategy: 'given', order }))
    expect(failed.assets).toMatchObject([{ needed: 26n, available: 25n }])
  })

  it('finds UTXOs without change if there are any', () => {
    const found = select(list, { gold: 26n, strategy: 'exact' })
    expect(found.change).toEqual([])
    expect(amounts(found).reduce((sum, value) => sum + value)).toBe(26n)
    expect(select(golden(4n, 6n), { gold: 5n, strategy: 'exact' }).change).toEqual([
      { assetID: gold, amount: 1n },
    ])
  })

  it('takes all UTXOs of the needed assets', () => {
    const other = coin('silver', 9n, { assetID: silver })
    expect(amounts(select([...list, other], { gold: 1n, strategy: 'all' }))).toHaveLength(6)
  })

  it('breaks ties by transaction ID, then by index', () => {
    const twins = coins(50, 7n, { assetID: gold })
    const first = [...twins].sort((a, b) => compareBytes(a.txID, b.txID))[0]!
    expect(select(twins, { gold: 7n }).coins[0]!.utxo).toEqual(first)
    const sisters = [3, 1, 2].map((outputIndex) => ({ ...twins[0]!, outputIndex }))
    expect(select(sisters, { gold: 7n }).coins[0]!.utxo.outputIndex).toBe(1)
    expect(select(sisters, { gold: 7n, strategy: 'smallest' }).coins[0]!.utxo.outputIndex).toBe(1)
  })
})

describe('select by owner and time', () => {
  it('signs with the first of the owned addresses, as many as the threshold', () => {
    const shared = coin('shared', 5n, { assetID: gold, threshold: 2, addresses: trio })
    const indices = (owners: Uint8Array[]) =>
      select([shared], { gold: 5n, owners }).coins[0]!.signatureIndices
    expect(indices(trio)).toEqual([0, 1])
    expect(indices([trio[2]!, trio[0]!])).toEqual([0, 2])
    expect(indices([trio[2]!, trio[1]!])).toEqual([1, 2])
    const failed = failure(() => select([shared], { gold: 5n, owners: [trio[1]!] }))
    expect(failed.assets).toMatchObject([{ available: 0n, shortOfSigners: 5n }])
  })

  it('spends at the locktime, not before', () => {
    const locked = [coin('locked', 5n, { assetID: gold, locktime: now })]
    expect(select(locked, { gold: 5n }).coins).toHaveLength(1)
    const failed = failure(() => select(locked, { gold: 5n, now: now - 1n }))
    expect(failed.assets).toMatchObject([{ locked: 5n, nextUnlock: now, lastUnlock: now }])
  })

  it('always spends pinned UTXOs, never excluded ones, and only those in `only`', () => {
    const list = golden(1n, 2n, 3n, 5n)
    expect(amounts(select(list, { gold: 4n, pinned: [list[0]!] }))).toEqual([1n, 5n])
    expect(amounts(select(list, { gold: 1n, pinned: [list[1]!, list[1]!] }))).toEqual([2n])
    expect(amounts(select(list, { gold: 4n, excluded: [list[3]!] }))).toEqual([2n, 3n])
    expect(amounts(select(list, { gold: 3n, only: [list[0]!, list[1]!] }))).toEqual([1n, 2n])
    const alien = coin('alien', 1n, { assetID: gold, addresses: [bob] })
    expect(codeOf(() => select([alien], { pinned: [alien] }))).toBe('UTXO_NOT_SPENDABLE')
    expect(codeOf(() => select(list, { pinned: [alien] }))).toBe('UTXO_NOT_FOUND')
  })

  it('returns all of a pinned asset that is not needed', () => {
    const list = [coin('silver', 9n, { assetID: silver }), ...golden(5n)]
    const found = select(list, { gold: 5n, pinned: [list[0]!] })
    expect(found.change).toEqual([{ assetID: silver, amount: 9n }])
    expect(found.size).toBe(138 + 80 + 2 * 161)
  })

  it('does not select reserved UTXOs until they are released', () => {
    const set = new UTXOSet()
    const list = golden(3n, 5n)
    set.add(list)
    const first = choose(set, { gold: 1n })
    set.reserve(
      first.coins.map(({ utxo }) => utxo),
      { now, until: now + 60n },
    )
    expect(amounts(choose(set, { gold: 1n }))).toEqual([3n])
    expect(failure(() => choose(set, { gold: 8n })).assets).toMatchObject([
      { available: 3n, reserved: 5n },
    ])
    expect(amounts(choose(set, { gold: 1n, now: now + 60n }))).toEqual([5n])
    expect(codeOf(() => choose(set, { pinned: [list[1]!] }))).toBe('UTXO_RESERVED')
  })
})

describe('select and the size', () => {
  it('reports how much did not fit', () => {
    const list = coins(10, 10n, { assetID: gold })
    const maxSize = 138 + 80 + 5 * 161
    expect(select(list, { gold: 49n, maxSize }).coins).toHaveLength(5)
    const failed = failure(() => select(list, { gold: 51n, maxSize }))
    expect(failed.code).toBe('FUNDS_DO_NOT_FIT')
    expect(failed.assets).toMatchObject([{ needed: 51n, available: 100n, didNotFit: 50n }])
    expect(failure(() => select(list, { gold: 1n, maxSize, strategy: 'all' })).code).toBe(
      'FUNDS_DO_NOT_FIT',
    )
  })

  it('distinguishes too many outputs from too many UTXOs', () => {
    const list = coins(10, 10n, { assetID: gold })
    const amounts = [{ assetID: gold, amount: 51n }]
    const failed = (baseSize: number) =>
      failure(() => select(list, { need: { amounts, baseSize, changeSize: 80 }, maxSize: 1_000 }))
    expect(failed(138)).toMatchObject({ hint: expect.stringContaining('consolidate') })
    expect(failed(1_001)).toMatchObject({
      code: 'FUNDS_DO_NOT_FIT',
      hint: expect.stringContaining('fewer'),
    })
  })

  it('fits 405 inputs with change and 406 without', () => {
    const list = coins(500, 10n, { assetID: gold })
    expect(select(list, { gold: 4049n }).size).toBe(138 + 80 + 405 * 161)
    expect(select(list, { gold: 4060n }).size).toBe(138 + 406 * 161)
    expect(failure(() => select(list, { gold: 4051n })).code).toBe('FUNDS_DO_NOT_FIT')
  })

  it('takes UTXOs with fewer signatures if others do not fit', () => {
    const wide = { assetID: gold, threshold: 3, addresses: trio }
    const list = [...coins(3, 11n, wide), ...coins(6, 10n, { assetID: gold })]
    const owners = trio
    const roomy = select(list, { gold: 30n, owners })
    expect(roomy.coins).toHaveLength(3)
    expect(roomy.coins[0]!.signatureIndices).toHaveLength(3)
    const tight = select(list, { gold: 30n, owners, maxSize: 138 + 3 * 161 })
    expect(amounts(tight)).toEqual([10n, 10n, 10n])
  })

  it('fills the remaining space with the smallest if these alone do not suffice', () => {
    const list = [...golden(1n, 2n, 3n, 4n, 5n), coin('big', 1000n, { assetID: gold })]
    const found = select(list, { gold: 900n, strategy: 'smallest', maxSize: 138 + 80 + 3 * 161 })
    expect(amounts(found)).toEqual([1n, 2n, 1000n])
  })

  it('consolidates small UTXOs within limits', () => {
    const list = golden(1n, 2n, 3n, 5n, 100n)
    const gathered = (consolidate: object) => amounts(select(list, { gold: 50n, consolidate }))
    expect(gathered({})).toEqual([1n, 2n, 3n, 5n, 100n])
    expect(gathered({ maxInputs: 3 })).toEqual([1n, 2n, 100n])
    expect(gathered({ maxSize: 138 + 80 + 2 * 161 })).toEqual([1n, 100n])
    // There is no change yet, so the first small UTXO adds a change output.
    const even = (maxSize: number) =>
      amounts(select(list, { gold: 100n, consolidate: { maxSize } }))
    expect(even(138 + 79 + 2 * 161)).toEqual([100n])
    expect(even(138 + 80 + 2 * 161)).toEqual([1n, 100n])
  })

  it('avoids sums above 64 bits if possible', () => {
    const most = 2n ** 64n - 1n
    const list = golden(most - 20n, most - 20n, 15n, 40n)
    expect(amounts(select(list, { gold: most - 10n }))).toEqual([15n, most - 20n])
    expect(codeOf(() => select(list.slice(0, 2), { gold: most - 10n }))).toBe('AMOUNT_OVERFLOW')
  })

  it('reports every reason why funds are unavailable', () => {
    const set = new UTXOSet()
    const of = { assetID: gold }
    set.add([
      coin('free', 1n, of),
      coin('locked', 2n, { ...of, locktime: 5000n }),
      coin('short', 4n, { ...of, threshold: 2, addresses: trio }),
      coin('foreign', 8n, { ...of, addresses: [bob] }),
      coin('reserved', 16n, of),
      coin('broken', 0n, of),
    ])
    set.reserve([coin('reserved', 16n, of)], { now })
    const failed = failure(() => choose(set, { gold: 100n, silver: 3n }))
    expect(failed.code).toBe('BUILDER_INSUFFICIENT_FUNDS')
    expect(failed.assets).toEqual([
      {
        assetID: gold,
        needed: 100n,
        available: 1n,
        didNotFit: 0n,
        locked: 2n,
        nextUnlock: 5000n,
        lastUnlock: 5000n,
        shortOfSigners: 4n,
        reserved: 16n,
        otherOwners: 8n,
        opaque: 1,
      },
      {
        assetID: silver,
        needed: 3n,
        available: 0n,
        didNotFit: 0n,
        locked: 0n,
        shortOfSigners: 0n,
        reserved: 0n,
        otherOwners: 0n,
        opaque: 0,
      },
    ])
  })
})

type Spec = { value: bigint; asset: 'gold' | 'silver'; threshold: number }

const anySpec: fc.Arbitrary<Spec> = fc.record({
  value: fc.bigInt({ min: 1n, max: 12n }),
  asset: fc.constantFrom('gold' as const, 'gold' as const, 'silver' as const),
  threshold: fc.constantFrom(1, 1, 2, 3),
})
const anyStrategy = fc.constantFrom<Strategy>('fewest', 'smallest', 'given', 'exact')
const anyWish = fc.record({
  gold: fc.bigInt({ min: 0n, max: 40n }),
  silver: fc.bigInt({ min: 0n, max: 15n }),
  maxSize: fc.integer({ min: 300, max: 1500 }),
})

const toCoins = (specs: readonly Spec[]) =>
  specs.map(({ value, asset, threshold }, i) =>
    coin(`${i}`, value, {
      assetID: asset === 'gold' ? gold : silver,
      threshold,
      addresses: threshold === 1 ? [alice] : trio,
    }),
  )

/** The number of inputs of every sufficient selection, by brute force. */
function feasible(
  specs: readonly Spec[],
  wish: { gold: bigint; silver: bigint; maxSize: number },
): number[] {
  const found: number[] = []
  for (let mask = 0; mask < 1 << specs.length; mask++) {
    const picked = specs.filter((_, i) => mask & (1 << i))
    const sum = (asset: string) =>
      picked.reduce((total, spec) => (spec.asset === asset ? total + spec.value : total), 0n)
    if (sum('gold') < wish.gold || sum('silver') < wish.silver) continue
    let bytes = 138
    for (const { threshold } of picked) bytes += 92 + 69 * threshold
    if (sum('gold') > wish.gold) bytes += 80
    if (sum('silver') > wish.silver) bytes += 80
    if (bytes <= wish.maxSize) found.push(picked.length)
  }
  return found
}

describe('select on generated sets', () => {
  const options = { owners: trio }

  test.prop([fc.array(anySpec, { maxLength: 8 }), anyWish, anyStrategy], runs(1000))(
    'succeeds if and only if some selection suffices',
    (specs, wish, strategy) => {
      const list = toCoins(specs)
      const possible = feasible(specs, wish)
      if (possible.length === 0) {
        failure(() => select(list, { ...options, ...wish, strategy, order: list }))
        return
      }
      const {
        coins: picked,
        change,
        size: bytes,
      } = select(list, {
        ...options,
        ...wish,
        strategy,
        order: list,
      })
      expect(bytes).toBeLessThanOrEqual(wish.maxSize)
      // Value in = value out + change, per asset; no coin twice.
      for (const [assetID, need] of [[gold, wish.gold] as const, [silver, wish.silver] as const]) {
        const of = (id: Uint8Array) => compareBytes(id, assetID) === 0
        const sum = picked.reduce((t, { utxo }) => (of(utxo.assetID) ? t + amount(utxo) : t), 0n)
        expect(sum).toBe(need + (change.find((entry) => of(entry.assetID))?.amount ?? 0n))
      }
      expect(new Set(picked.map(({ utxo }) => utxo.txID.join())).size).toBe(picked.length)
      if (strategy === 'fewest' && specs.every(({ threshold }) => threshold === 1))
        expect(picked).toHaveLength(Math.min(...possible))
    },
  )

  test.prop([
    fc.array(anySpec, { maxLength: 40 }),
    anyWish,
    anyStrategy,
    fc.infiniteStream(fc.nat()),
    fc.constantFrom({}, { consolidate: {} }),
  ])('does not depend on the order of the pages', (specs, wish, strategy, random, extra) => {
    const list = toCoins(specs)
    const shuffled = [...list]
    for (let i = shuffled.length - 1; i > 0; i--) {
      const k = random.next().value % (i + 1)
      ;[shuffled[i], shuffled[k]] = [shuffled[k]!, shuffled[i]!]
    }
    const outcome = (page: readonly UTXO[]) => {
      try {
        return select(page, { ...options, ...wish, strategy, order: list, ...extra })
      } catch (error) {
        return (error as FundsError).assets
      }
    }
    expect(outcome(shuffled)).toEqual(outcome(list))
  })

  test.prop([fc.array(anySpec, { minLength: 1, maxLength: 14 }), fc.nat()])(
    'finds a selection without change if one exists',
    (specs, mask) => {
      const onlyGold = specs.map((spec) => ({ ...spec, asset: 'gold' as const }))
      const target = onlyGold
        .filter((_, i) => mask & (1 << i))
        .reduce((sum, { value }) => sum + value, 0n)
      const found = select(toCoins(onlyGold), { ...options, gold: target, strategy: 'exact' })
      expect(found.change).toEqual([])
    },
  )
})
