import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { encodeUnsignedTx } from '../../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import type { Plan } from '../../../../src/core/draft/plan.ts'
import type { CoinSource, SpendableSet } from '../../../../src/core/draft/x/funds.ts'
import { planSweep, type SweepOptions } from '../../../../src/core/draft/x/sweep.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { addressNamed, alice, bob, carol, coin, coins, idOf, trio } from '../../coins/samples.ts'
import { addressText, context, expectSound, fee, funds, native, now } from './sound.ts'

const token = idOf('token')
const other = idOf('other')
const nativeCoins = (count: number, amount: bigint) =>
  coins(count, amount, { assetID: context.assetID })

function plan(
  list: readonly UTXO[],
  { owners = [alice], ...options }: Partial<SweepOptions & Pick<SpendableSet, 'owners'>> = {},
): Plan {
  return planSweep({
    context,
    funds: { ...funds(...list), owners },
    to: addressText(bob),
    ...options,
  })
}

const sizes = (made: Plan) => [...made.drafts()].map(({ utxos }) => utxos.length)
const reasons = ({ leftBehind }: Plan) =>
  leftBehind.map(({ reason, amount, count }) => ({ reason, amount, count }))

describe('planSweep', () => {
  it('refuses lists with holes', () => {
    for (const name of ['assets', 'withoutAssets'])
      expect(codeOf(() => plan(nativeCoins(1, fee), { [name]: Array(1) }))).toBe('MISSING_OPTION')
  })

  it('makes the fewest transactions that fit', () => {
    expect(sizes(plan(nativeCoins(406, fee)))).toEqual([406])
    expect(sizes(plan(nativeCoins(407, 2n * fee)))).toEqual([406, 1])
    const made = plan(nativeCoins(1219, 2n * fee))
    expect(made.transactions).toBe(4)
    for (const draft of made.drafts()) {
      expectSound(draft)
      expect(draft.unsignedTx.outputs).toHaveLength(1)
      expect(draft.change).toEqual([])
    }
    expect(made.leftBehind).toEqual([])
  })

  it('groups owners in the same way, whichever of them comes first', () => {
    const list = [
      ...coins(30, fee, { addresses: trio, threshold: 2 }),
      ...coins(30, 2n * fee, { addresses: trio, threshold: 3 }),
      ...coins(30, 3n * fee, { addresses: trio, threshold: 3, locktime: 5n }),
      ...coins(30, 4n * fee, { addresses: trio.slice(0, 2), threshold: 2 }),
    ].map((utxo) => ({ ...utxo, assetID: context.assetID }))
    const txs = (order: readonly UTXO[]) =>
      [...plan(order, { owners: [...trio], maxSize: 4_000, clearSign: true }).drafts()].map(
        ({ unsignedTx }) => unsignedTx,
      )
    expect(txs(list).length).toBeGreaterThan(3)
    expect(txs(list.toReversed())).toEqual(txs(list))
  })

  it('leaves dust that is worth less than its fee, but includes what fits for free', () => {
    // 406 utxos of 2463 bring less than the fee of a transaction, 406 of 2464 more.
    expect(reasons(plan(nativeCoins(406, 2463n)))).toEqual([
      { reason: 'dust', amount: 406n * 2463n, count: 406 },
    ])
    expect(plan(nativeCoins(406, 2464n)).transactions).toBe(1)
    const mixed = plan([...nativeCoins(10, fee), ...nativeCoins(500, 1n)])
    expect(sizes(mixed)).toEqual([406])
    expect(reasons(mixed)).toEqual([{ reason: 'dust', amount: 104n, count: 104 }])
    const line = plan([...nativeCoins(10, fee), ...nativeCoins(500, 1n)], { dustThreshold: 2n })
    expect(sizes(line)).toEqual([10])
    expect(reasons(line)).toEqual([{ reason: 'dust', amount: 500n, count: 500 }])
  })

  it('does not spend UTXOs that only pay for themselves', () => {
    expect(reasons(plan([native('a', fee)]))).toEqual([{ reason: 'dust', amount: fee, count: 1 }])
    expect(plan([native('a', fee + 1n)]).transactions).toBe(1)
  })

  it('sweeps several assets, each transaction with UTXOs that pay its fee', () => {
    const list = [
      ...coins(500, 5n, { assetID: token }),
      ...coins(500, 6n, { assetID: other }),
      ...nativeCoins(3, 2n * fee),
    ]
    const made = plan(list)
    expect(made.transactions).toBe(3)
    const drafts = [...made.drafts()]
    for (const draft of drafts) expectSound(draft)
    expect(drafts.flatMap(({ utxos }) => utxos)).toHaveLength(1003)
    expect(made.leftBehind).toEqual([])
  })

  it('leaves tokens if nothing can pay their fee', () => {
    const list = [...coins(500, 5n, { assetID: token }), native('a', 2n * fee)]
    const made = plan(list)
    // 58 bytes and two outputs leave room for 405 inputs.
    expect(sizes(made)).toEqual([405])
    expect(reasons(made)).toEqual([{ reason: 'fee', amount: 96n * 5n, count: 96 }])
  })

  it('takes the largest amounts of a token first, whoever owns them', () => {
    const tokens = coins(500, 1n, { assetID: token }).map((utxo, i) => ({
      ...utxo,
      output: { ...utxo.output, amount: BigInt(i + 1), addresses: [i % 2 === 0 ? alice : bob] },
    }))
    const made = plan([...tokens, native('a', 2n * fee)], {
      owners: [alice, bob],
      to: addressText(carol),
    })
    expect(sizes(made)).toEqual([405])
    // The smallest ones, of 1 to 96, are left.
    expect(reasons(made)).toEqual([{ reason: 'fee', amount: 4656n, count: 96 }])
  })

  it('pays with large UTXOs, however many small ones there are', () => {
    const shared = { assetID: context.assetID, threshold: 2, addresses: trio }
    const list = [
      ...coins(3, 5n, { assetID: token }),
      ...coins(400, 1n, shared),
      native('rich', 9n * fee),
    ]
    const made = plan(list, { owners: trio })
    const [draft] = [...made.drafts()]
    expectSound(draft!)
    // The tokens, the large coin, and as many of the small ones as fit.
    const ofToken = draft!.utxos.filter(({ assetID }) => compareBytes(assetID, token) === 0)
    expect(ofToken).toHaveLength(3)
    expect(made.leftBehind.map(({ reason }) => reason)).toEqual(['dust'])
    const alone = plan(list.slice(3), { owners: trio })
    expect(alone.transactions).toBe(1)
  })

  it('sweeps a single asset and pays with AVAX, with change to the owner', () => {
    const list = [...coins(3, 5n, { assetID: token }), native('a', 3n * fee), native('b', fee)]
    const made = plan(list, { assets: [token] })
    const [draft] = [...made.drafts()]
    expectSound(draft!)
    expect(draft!.change).toEqual([{ assetID: context.assetID, amount: 2n * fee }])
    expect(draft!.unsignedTx.outputs.map(({ output }) => output.addresses)).toContainEqual([alice])
    expect(made.leftBehind).toEqual([])
    expect(plan(list, { withoutAssets: [token] }).transactions).toBe(1)
  })

  it('reports what is left behind and why', () => {
    const set = new UTXOSet()
    const right = {
      type: 'secp256k1fx.MintOutput',
      locktime: 0n,
      threshold: 1,
      addresses: [alice],
    } as const
    set.add([
      native('free', 2n * fee),
      native('locked', 10n, { locktime: now + 5n }),
      native('short', 20n, { threshold: 2, addresses: trio }),
      native('foreign', 30n, { addresses: [bob] }),
      native('reserved', 40n),
      native('broken', 0n),
      { ...native('right', 0n), output: right },
    ])
    set.reserve([native('reserved', 40n)], { now })
    const made = planSweep({ context, funds: { utxos: set, owners: [alice], now }, to: bob })
    expect(made.transactions).toBe(1)
    const assetID = context.assetID
    expect(made.leftBehind).toEqual([
      { reason: 'shortOfSigners', assetID, amount: 20n },
      { reason: 'reserved', assetID, amount: 40n },
      { reason: 'otherOwners', assetID, amount: 30n },
      { reason: 'locked', assetID, amount: 10n, until: now + 5n },
      { reason: 'otherOutputs', assetID, amount: 0n, count: 1 },
      { reason: 'opaque', assetID, amount: 0n, count: 1 },
    ])
  })

  it('keeps transactions small enough for a hardware wallet to display', () => {
    // 54 + 80 bytes, 9 for the one path, 88 for each input: 91 fit in 8192.
    const made = plan(nativeCoins(200, fee), { clearSign: true })
    expect(sizes(made)).toEqual([91, 91, 18])
    for (const { unsignedTx } of made.drafts())
      expect(encodeUnsignedTx(unsignedTx).length + 9).toBeLessThanOrEqual(8192)
  })

  it('counts a path for each key, and groups the UTXOs of a key', () => {
    const owners = Array.from({ length: 20 }, (_, i) => addressNamed(`owner ${i}`))
    const list = Array.from({ length: 400 }, (_, i) =>
      native(`${i}`, fee + BigInt(i), { addresses: [owners[i % 20]!] }),
    )
    const made = plan(list, { clearSign: true, owners })
    expect(made.transactions).toBe(5)
    for (const { unsignedTx, utxos } of made.drafts()) {
      const keys = new Set(utxos.map(({ output }) => hex.encode(output.addresses[0]!)))
      expect(encodeUnsignedTx(unsignedTx).length + 9 * keys.size).toBeLessThanOrEqual(8192)
      expect(keys.size).toBeLessThanOrEqual(6)
    }
  })

  it('takes funds that also state how to select UTXOs, and spends all the same', () => {
    const list = [native('a', 5n * fee), native('b', 3n * fee), native('c', fee)]
    const source: CoinSource = {
      ...funds(...list),
      pinned: [list[1]!],
      strategy: 'given',
      order: [list[0]!],
      consolidate: { maxInputs: 1 },
    }
    const made = planSweep({ context, funds: source, to: bob })
    expect(sizes(made)).toEqual([3])
    expect(made.leftBehind).toEqual([])
  })

  it('creates drafts one by one, and again from the start', () => {
    const made = plan(nativeCoins(1000, 2n * fee))
    const first = made.drafts().next().value
    expect(made.drafts().next().value).toEqual(first)
    expect(first!.signedSize).toBe(65_504)
  })

  it('rejects a fee above maxFee before planning', () => {
    expect(codeOf(() => plan([], { maxFee: fee - 1n }))).toBe('FEE_ABOVE_MAX')
  })

  it('does not let sums of an asset exceed 64 bits', () => {
    const most = 2n ** 64n - 1n
    const list = [native('a', 9n * fee), native('b', 8n * fee), native('c', 8n * fee)]
    const huge = ['x', 'y', 'z'].map((name) => coin(name, most, { assetID: token }))
    const drafts = [...plan([...list, ...huge]).drafts()]
    expect(drafts).toHaveLength(3)
    for (const draft of drafts) expectSound(draft)
  })

  const anyCoin = fc.record({
    amount: fc.oneof(
      fc.bigInt({ min: 1n, max: 5000n }),
      fc.bigInt({ min: fee / 2n, max: 3n * fee }),
    ),
    of: fc.constantFrom(0, 0, 0, 1, 2),
    threshold: fc.constantFrom(1, 1, 1, 2, 3),
    owner: fc.constantFrom(alice, alice, bob, carol),
  })

  test.prop([
    fc.array(anyCoin, { maxLength: 40 }),
    fc.integer({ min: 700, max: 2500 }),
    fc.boolean(),
    fc.infiniteStream(fc.nat()),
  ])(
    'spends or reports every UTXO exactly once, in any order of pages',
    (specs, maxSize, clearSign, random) => {
      const assets = [context.assetID, token, other]
      const list = specs.map(({ amount, of, threshold, owner }, i) =>
        coin(`${i}`, amount, {
          assetID: assets[of]!,
          threshold,
          addresses: threshold === 1 ? [owner] : trio,
        }),
      )
      const owners = [...trio]
      const made = plan(list, { owners, maxSize, clearSign })
      const drafts = [...made.drafts()]
      expect(drafts).toHaveLength(made.transactions)
      for (const draft of drafts) {
        expectSound(draft)
        expect(draft.signedSize).toBeLessThanOrEqual(maxSize)
      }
      const spent = drafts.flatMap(({ utxos }) => utxos.map(({ txID }) => hex.encode(txID)))
      expect(new Set(spent).size).toBe(spent.length)
      const left = made.leftBehind.reduce((sum, { count = 0 }) => sum + count, 0)
      expect(spent.length + left).toBe(list.length)
      const shuffled = list
        .map((utxo) => ({ utxo, at: random.next().value }))
        .sort((a, b) => a.at - b.at)
        .map(({ utxo }) => utxo)
      const again = plan(shuffled, { owners, maxSize, clearSign })
      expect([...again.drafts()].map(({ unsignedTx }) => unsignedTx)).toEqual(
        drafts.map(({ unsignedTx }) => unsignedTx),
      )
      expect(again.leftBehind).toEqual(made.leftBehind)
    },
  )
})
