import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../../../src/core/base/bytes/compare.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { AssetSums } from '../../../../src/core/chain/amounts.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import type { Page } from '../../../../src/core/coins/utxo-set.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import type { LeftBehind } from '../../../../src/core/draft/plan.ts'
import { planSweep } from '../../../../src/core/draft/x/sweep.ts'
import { type SweepPagesOptions, sweepPages } from '../../../../src/core/draft/x/sweep-pages.ts'
import { codeOf } from '../../../helpers/vectors.ts'
import { alice, bob, carol, coin, idOf, trio } from '../../coins/samples.ts'
import { context, expectSound, fee, native, now } from './sound.ts'

const token = idOf('token')
const other = idOf('other')
const nativeCoins = (count: number, amount: bigint, name = 'n') =>
  Array.from({ length: count }, (_, i) => native(`${name}${i}`, amount))
const tokens = (count: number, name = 't') =>
  Array.from({ length: count }, (_, i) => coin(`${name}${i}`, 5n, { assetID: token }))

const base = { context, owners: [alice], now, to: bob }

type Swept = { readonly drafts: readonly Draft[]; readonly leftBehind: readonly LeftBehind[] }

async function swept(
  pages: readonly Page[],
  options: Partial<SweepPagesOptions> = {},
): Promise<Swept> {
  const sweep = sweepPages(pages, { ...base, ...options })
  const drafts: Draft[] = []
  for await (const draft of sweep.drafts) drafts.push(draft)
  return { drafts, leftBehind: sweep.leftBehind() }
}

function planned(list: readonly UTXO[], options: Partial<SweepPagesOptions> = {}): Swept {
  const { owners, now, excluded, feePayers: _, ...rules } = { ...base, ...options }
  const plan = planSweep({ ...rules, funds: { utxos: list, owners, now, excluded } })
  return { drafts: [...plan.drafts()], leftBehind: plan.leftBehind }
}

/** Pages of at most `size` UTXOs. */
function cut(list: readonly UTXO[], size: number): UTXO[][] {
  const pages: UTXO[][] = []
  for (let at = 0; at < list.length; at += size) pages.push(list.slice(at, at + size))
  return pages
}

const sizes = ({ drafts }: Swept) => drafts.map(({ utxos }) => utxos.length)

/** What is left behind, in an order of its own. */
const sorted = (list: readonly LeftBehind[]) =>
  list
    .map(({ assetID, ...rest }) => ({ ...rest, assetID: hex.encode(assetID) }))
    .sort((a, b) => (a.reason + a.assetID < b.reason + b.assetID ? -1 : 1))

/** What the recipient gets, by asset. */
function received(drafts: readonly Draft[]): AssetSums {
  const sums = new AssetSums()
  for (const { unsignedTx } of drafts)
    for (const { assetID, output } of unsignedTx.outputs)
      if (equalBytes(output.addresses[0]!, bob)) sums.add(assetID, output.amount)
  return sums
}

/** The units of an asset that are received, paid as fees or left behind. */
function accounted({ drafts, leftBehind }: Swept, assetID: Uint8Array): bigint {
  const isAVAX = equalBytes(assetID, context.assetID)
  const left = leftBehind.filter((one) => equalBytes(one.assetID, assetID))
  const sum = received(drafts).get(assetID) + (isAVAX ? BigInt(drafts.length) * fee : 0n)
  return left.reduce((total, { amount }) => total + amount, sum)
}

const isUnspendable = ({ reason }: LeftBehind) =>
  ['locked', 'shortOfSigners', 'otherOwners'].includes(reason)

describe('sweepPages', () => {
  it('returns a draft as soon as its transaction is full, before it reads on', async () => {
    let pagesRead = 0
    function* pages() {
      for (const page of cut(nativeCoins(3000, 2n * fee), 1000)) {
        pagesRead++
        yield page
      }
    }
    const sweep = sweepPages(pages(), { ...base, assets: [context.assetID] })
    const read: number[] = []
    for await (const draft of sweep.drafts) {
      expectSound(draft)
      read.push(pagesRead)
    }
    // 406 fit. The last transaction of each page waits for the next page.
    expect(read).toEqual([1, 1, 2, 2, 3, 3, 3, 3])
    expect(sweep.leftBehind()).toEqual([])
  })

  it('makes as many transactions as planSweep if one asset is swept', async () => {
    for (const options of [{ assets: [context.assetID] }, {}]) {
      const list = nativeCoins(5000, 2n * fee)
      expect(sizes(await swept(cut(list, 700), options))).toHaveLength(13)
    }
    const list = [...tokens(3000), ...nativeCoins(20, 9n * fee)]
    expect(sizes(await swept(cut(list, 700)))).toHaveLength(planned(list).drafts.length)
  })

  it('keeps other assets until AVAX pays their fees', async () => {
    const pages = [...cut(tokens(1000), 300), nativeCoins(3, 2n * fee)]
    const { drafts, leftBehind } = await swept(pages)
    expect(drafts).toHaveLength(3)
    expect(leftBehind).toEqual([])
  })

  it('keeps AVAX for the fees of other assets on later pages', async () => {
    const pages = [...cut(nativeCoins(2000, 2n * fee), 500), ...cut(tokens(4000), 500)]
    const list = pages.flat()
    const made = await swept(pages)
    expect(made.leftBehind).toEqual([])
    expect(received(made.drafts).get(token)).toBe(20_000n)
    expect(made.drafts.length - planned(list).drafts.length).toBeLessThanOrEqual(1)
    // 4,000 tokens take more transactions of 14 than there are AVAX UTXOs in one, and one more.
    const poor = await swept(pages, { feePayers: 1, maxSize: 2500 })
    expect(poor.leftBehind.map(({ reason }) => reason)).toEqual(['fee'])
  })

  it('returns the change of fees that only pay for other assets', async () => {
    const options = { withoutAssets: [context.assetID] }
    const pages = [...cut(nativeCoins(2000, 3n * fee), 500), ...cut(tokens(1000), 500)]
    const { drafts, leftBehind } = await swept(pages, options)
    expect(drafts).toHaveLength(3)
    for (const draft of drafts) {
      expectSound(draft)
      expect(draft.change).toEqual([{ assetID: context.assetID, amount: 2n * fee }])
    }
    expect(leftBehind).toEqual([])
    const poor = await swept(pages, { ...options, feePayers: 2 })
    expect(poor.drafts).toHaveLength(2)
    expect(poor.leftBehind.map(({ reason }) => reason)).toEqual(['fee'])
  })

  it('fills only the last transaction with dust, and leaves the rest', async () => {
    const dust = nativeCoins(3000, 1n, 'dust')
    const rich = nativeCoins(500, 2n * fee)
    const list = dust.flatMap((one, i) => (i % 6 === 0 ? [one, rich[i / 6]!] : [one]))
    const made = await swept(cut(list, 200), { assets: [context.assetID] })
    const { drafts, leftBehind } = planned(list, { assets: [context.assetID] })
    expect(sizes(made)).toEqual(sizes({ drafts, leftBehind }))
    expect(made.leftBehind).toEqual(leftBehind)
    const above = { assets: [context.assetID], dustThreshold: 2n }
    expect((await swept(cut(list, 200), above)).leftBehind).toEqual(planned(list, above).leftBehind)
  })

  it('spends a UTXO that is on two pages once', async () => {
    const list = nativeCoins(3000, 2n * fee)
    const pages = cut(list, 500).flatMap((page) => [page, page])
    expect(sizes(await swept([...pages, list])).reduce((sum, size) => sum + size)).toBe(3000)
  })

  it('does not hold what no transaction can spend', async () => {
    const locked = (until: bigint, name: string) =>
      Array.from({ length: 50 }, (_, i) => native(name + i, 1n, { locktime: now + until }))
    const pages: Page[] = [locked(5n, 'a'), locked(9n, 'b'), ['0x00'], nativeCoins(3, fee)]
    const list = [...locked(5n, 'a'), ...locked(9n, 'b'), ...nativeCoins(3, fee)]
    const made = await swept(pages)
    expect(sizes(made)).toEqual([3])
    expect(sorted(made.leftBehind)).toEqual(sorted(planned(list).leftBehind))
  })

  it('counts what it cannot spend once, however many pages follow', async () => {
    const invalid = [native('invalid', 0n)]
    const { leftBehind } = await swept([invalid, ...cut(nativeCoins(1000, fee), 100)])
    expect(leftBehind).toEqual([
      { reason: 'opaque', assetID: context.assetID, amount: 0n, count: 1 },
    ])
  })

  it('passes on what reading a page throws, after the drafts until then', async () => {
    async function* pages() {
      yield nativeCoins(1000, 2n * fee)
      throw new TypeError('offline')
    }
    const { drafts } = sweepPages(pages(), { ...base, assets: [context.assetID] })
    let count = 0
    const all = async () => {
      for await (const _ of drafts) count++
    }
    await expect(all()).rejects.toThrow('offline')
    expect(count).toBe(2)
  })

  it('refuses options before it reads a page', () => {
    for (const [options, code] of [
      [{ maxSize: 200 }, 'TX_TOO_LARGE'],
      [{ maxFee: fee - 1n }, 'FEE_ABOVE_MAX'],
      [{ feePayers: -1 }, 'ENC_INVALID'],
      [{ funds: [] }, 'UNKNOWN_OPTION'],
    ] as const)
      expect(codeOf(() => sweepPages([], { ...base, ...options } as never))).toBe(code)
    expect(codeOf(() => sweepPages(7 as never, base))).toBe('ENC_INVALID')
  })

  type AnyCoin = Record<'amount' | 'locktime', bigint> &
    Record<'of' | 'threshold', number> & { readonly owner: Uint8Array }
  const anyCoin: fc.Arbitrary<AnyCoin> = fc.record({
    amount: fc.oneof(
      fc.bigInt({ min: 1n, max: 5000n }),
      fc.bigInt({ min: fee / 2n, max: 3n * fee }),
    ),
    of: fc.constantFrom(0, 0, 0, 1, 2),
    threshold: fc.constantFrom(1, 1, 1, 2, 3),
    owner: fc.constantFrom(alice, alice, bob, carol),
    locktime: fc.constantFrom(0n, 0n, 0n, 0n, now + 7n),
  })
  const assetIDs = [context.assetID, token, other]
  const listOf = (specs: readonly AnyCoin[]) =>
    specs.map(({ amount, of, threshold, owner, locktime }, i) =>
      coin(`${i}`, amount, {
        assetID: assetIDs[of]!,
        threshold,
        locktime,
        addresses: threshold === 1 ? [owner] : trio,
      }),
    )
  const anySweep = fc.record(
    {
      owners: fc.constantFrom([...trio], [alice, bob]),
      maxSize: fc.integer({ min: 700, max: 2500 }),
      clearSign: fc.boolean(),
      dustThreshold: fc.constantFrom(0n, 100n, fee),
      assets: fc.subarray(assetIDs, { minLength: 1 }),
      withoutAssets: fc.subarray(assetIDs, { maxLength: 1 }),
    },
    { requiredKeys: ['owners', 'maxSize'] },
  )

  const isSwept = ({ assets, withoutAssets }: Partial<SweepPagesOptions>, id: Uint8Array) =>
    (assets?.includes(id) ?? true) && !withoutAssets?.includes(id)

  test.prop([
    fc.array(anyCoin, { maxLength: 60 }),
    anySweep,
    fc.integer({ min: 1, max: 20 }),
    fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  ])(
    'spends each UTXO once, or reports it, like planSweep',
    async (specs, options, size, payers) => {
      const list = listOf(specs)
      const made = await swept(cut(list, size), { ...options, feePayers: payers })
      for (const draft of made.drafts) {
        expectSound(draft)
        expect(draft.signedSize).toBeLessThanOrEqual(options.maxSize)
      }
      const spent = made.drafts.flatMap(({ utxos }) => utxos.map(({ txID }) => hex.encode(txID)))
      expect(new Set(spent).size).toBe(spent.length)
      const plan = planned(list, options)
      // AVAX that is not swept only pays fees, and what is left of it is not reported.
      for (const assetID of assetIDs.filter((id) => isSwept(options, id)))
        expect(accounted(made, assetID)).toBe(accounted(plan, assetID))
      expect(sorted(made.leftBehind.filter(isUnspendable))).toEqual(
        sorted(plan.leftBehind.filter(isUnspendable)),
      )
    },
  )

  test.prop([
    fc.array(anyCoin, { maxLength: 100 }),
    anySweep.filter((options) => isSwept(options, context.assetID)),
    fc.integer({ min: 1, max: 20 }),
    fc.infiniteStream(fc.nat()),
  ])(
    'sweeps what planSweep sweeps, if there is AVAX for fees',
    async (specs, options, size, at) => {
      const list = listOf(specs)
      for (const one of nativeCoins(40, 3n * fee, 'payer'))
        list.splice(at.next().value % (list.length + 1), 0, one)
      const [made, plan] = [await swept(cut(list, size), options), planned(list, options)]
      const more = Math.max(0, made.drafts.length - plan.drafts.length)
      expect(more).toBeLessThanOrEqual(assetIDs.length)
      const [ours, theirs] = [received(made.drafts), received(plan.drafts)]
      for (const assetID of [token, other]) expect(ours.get(assetID)).toBe(theirs.get(assetID))
      // Each further transaction costs a fee, and the last may leave dust that is worth at most one.
      const least = theirs.get(context.assetID) - BigInt(more + 1) * fee
      expect(ours.get(context.assetID)).toBeGreaterThanOrEqual(least)
    },
  )
})
