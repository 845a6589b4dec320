import { setImmediate } from 'node:timers/promises'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { FaultKind } from '../../../src/devnode/index.ts'
import { BatchError, type BatchPreview } from '../../../src/wallet/index.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { runs } from '../../helpers/runs.ts'
import {
  AVAX,
  addressOf,
  balanceOf,
  fee,
  hiding,
  people,
  poison,
  type Scene,
  scatter,
  scene,
  utxosOf,
} from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const to = addressOf(you)

/** What arrived, and with how many transactions: each has one output. */
async function arrived({ node }: Scene): Promise<{ amount: bigint; transactions: number }> {
  const utxos = await utxosOf(node, you)
  const amounts = utxos.map(({ output }) => ('amount' in output ? output.amount : 0n))
  return { amount: amounts.reduce((sum, amount) => sum + amount, 0n), transactions: utxos.length }
}

describe('sweep', () => {
  it('distinguishes UTXOs that the target owns already from those of others', async () => {
    const at = await scene()
    const both = at.wallet({ keys: new KeyChain([1, 2].map((b) => new Uint8Array(32).fill(b))) })
    await scatter(at, you, [5n * fee, 7n * fee])
    await scatter(at, me, [3n * fee])
    const { transactions, leftBehind } = await both.prepare.sweep({ to })
    expect(transactions).toBe(1)
    expect(leftBehind).toEqual([{ reason: 'arrived', assetID: AVAX, amount: 12n * fee }])
    const stranger = at.wallet({ addresses: [you, third].map((keys) => keys.addresses[0]!) })
    expect((await stranger.prepare.sweep({ to: addressOf(third) })).leftBehind).toEqual([])
    expect((await stranger.prepare.sweep({ to })).leftBehind).toEqual([
      { reason: 'arrived', assetID: AVAX, amount: 12n * fee },
    ])
  })

  it('moves several hundred UTXOs in as few transactions as fit', async () => {
    const at = await scene()
    const amounts = Array.from({ length: 900 }, (_, i) => 50_000n + BigInt(i))
    await scatter(at, me, amounts)
    const progress: number[] = []
    const preview = await at.wallet().prepare.sweep({ to })
    expect(preview).toMatchObject({ transactions: 3, unspendable: [] })
    const result = await at.wallet().sweep(
      { to },
      {
        onProgress: ({ accepted }) => progress.push(accepted),
        inFlight: 2,
      },
    )
    const sum = amounts.reduce((a, b) => a + b)
    expect(result).toMatchObject({ utxoCount: 900, resumed: [], leftBehind: [] })
    expect(result.moved).toEqual([{ assetID: AVAX, amount: sum - 3n * fee }])
    expect(await arrived(at)).toEqual({ amount: sum - 3n * fee, transactions: 3 })
    expect(await utxosOf(at.node, me)).toEqual([])
    expect(progress).toEqual([0, 1, 2, 3])
  })

  it('refuses options of another type before anything is resumed or signed', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const options = [Number.NaN, 'x', Number.POSITIVE_INFINITY, 0, 1.5, 2 ** 33].map(
      (inFlight) => ({
        inFlight: inFlight as number,
      }),
    )
    const callbacks = [{ confirm: 5 }, { confirmPlan: 'yes' }, { onProgress: {} }]
    for (const option of [...options, ...callbacks])
      await expect(wallet().sweep({ to }, option as object)).rejects.toMatchObject({
        code: 'ENC_INVALID',
      })
    expect(await balanceOf(node, me)).toBe(3n * fee)
  })

  it('takes UTXOs of many addresses', async () => {
    const at = await scene()
    for (const keys of [me, third]) at.node.fund(addressOf(keys), 4n * fee)
    const keys = new KeyChain([1, 3].map((byte) => new Uint8Array(32).fill(byte)))
    const both = at.wallet({ keys })
    await both.sweep({ to })
    expect(await balanceOf(at.node, you)).toBe(7n * fee)
  })

  it('sets UTXOs aside that can never be spent, and moves the rest', async () => {
    const at = await scene()
    await scatter(at, me, [...Array(500).fill(100_000n), 9n * fee])
    const mine = at.wallet()
    const bait = await poison(mine, me, 77n)
    const { txID: good } = await mine.createAsset({
      name: 'Coupon',
      symbol: 'CPN',
      holders: [{ to: addressOf(me), amount: 30n }],
    })
    const result = await mine.sweep({ to })
    expect(result.unspendable).toEqual([
      { assetID: bait, amount: 77n, utxoCount: 1, code: 'INCOMPATIBLE_FX' },
    ])
    expect(await balanceOf(at.node, you, good)).toBe(30n)
    const left = await utxosOf(at.node, me)
    expect(left.map(({ assetID }) => assetID)).toEqual([bait])
    // Running it again finds nothing to do.
    expect(await mine.sweep({ to })).toMatchObject({
      txIDs: [],
      unspendable: [{ code: 'INCOMPATIBLE_FX' }],
    })
  })

  it('keeps AVAX for the fees of the other assets until they are moved', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 60n * fee)
    // The change of the wallet goes to an address that is not swept.
    const changeTo = addressOf(third)
    const mine = wallet({ changeTo })
    const holders = Array.from({ length: 30 }, () => ({ to: addressOf(me), amount: 5n }))
    const token = { name: 'Token', symbol: 'TOK', holders }
    const { txID: assetID } = await mine.createAsset({ ...token, changeTo: addressOf(me) })
    const before = await balanceOf(node, me)
    const call = { to, maxSize: 2_000 }
    const total = (await mine.prepare.sweep(call)).total()
    const result = await mine.sweep(call)
    const fees = BigInt(result.txIDs.length) * fee
    expect(result.txIDs.length).toBeGreaterThan(2)
    expect(result).toMatchObject({ utxoCount: 31, leftBehind: [] })
    expect(total).toEqual({
      transactions: result.txIDs.length,
      utxoCount: 31,
      fee: fees,
      moved: result.moved,
    })
    expect(await balanceOf(node, you, assetID)).toBe(150n)
    expect(await balanceOf(node, you)).toBe(before - fees)
    expect(await utxosOf(node, me)).toEqual([])
  })

  it('takes as many rounds as are needed', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 60n * fee)
    const mine = wallet()
    const holders = Array.from({ length: 60 }, () => ({ to: addressOf(me), amount: 5n }))
    const { txID: assetID } = await mine.createAsset({ name: 'Token', symbol: 'TOK', holders })
    const call = { to, maxSize: 800 }
    const { transactions } = (await mine.prepare.sweep(call)).total()
    let asked = 0
    const confirmPlan = ({ total }: BatchPreview) => {
      asked++
      return total().transactions === transactions
    }
    expect((await mine.sweep(call, { confirmPlan })).txIDs).toHaveLength(transactions)
    expect(transactions).toBeGreaterThan(20)
    expect(asked).toBe(1)
    expect(await balanceOf(node, you, assetID)).toBe(300n)
    expect(await utxosOf(node, me)).toEqual([])
  })

  it('pays the fees of all transactions from one UTXO, if AVAX is not swept', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 60n * fee)
    const mine = wallet()
    const holders = Array.from({ length: 30 }, () => ({ to: addressOf(me), amount: 5n }))
    const { txID: assetID } = await mine.createAsset({ name: 'Token', symbol: 'TOK', holders })
    const before = await balanceOf(node, me)
    const { txIDs } = await mine.sweep({ to, maxSize: 2_000, assets: [assetID] })
    expect(await balanceOf(node, you, assetID)).toBe(150n)
    expect(await balanceOf(node, me)).toBe(before - BigInt(txIDs.length) * fee)
  })

  it('leaves assets alone that cannot be looked up', async () => {
    const hidden: Uint8Array[] = []
    const at = await scene({
      through: (fetch) => (url, init) => hiding(hidden)(fetch)(url, init),
    })
    await scatter(at, me, Array(30).fill(1_500_000n))
    const mine = at.wallet()
    const holders = [{ to: addressOf(me), amount: 30n }]
    const { txID: good } = await mine.createAsset({ name: 'Coupon', symbol: 'CPN', holders })
    const { txID: unseen } = await mine.createAsset({ name: 'Unseen', symbol: 'UNS', holders })
    const bait = await poison(mine, me, 2n)
    hidden.push(bait, unseen)
    const result = await at.wallet().sweep({ to, maxSize: 2_000 })
    const aside = result.unspendable.map(({ assetID, code }) => `${formatID(assetID)} ${code}`)
    expect(aside.sort()).toEqual(
      hidden.map((assetID) => `${formatID(assetID)} ASSET_NOT_FOUND`).sort(),
    )
    expect(await balanceOf(at.node, you, good)).toBe(30n)
    const left = await utxosOf(at.node, me)
    expect(left.map(({ assetID }) => formatID(assetID)).sort()).toEqual(hidden.map(formatID).sort())
  })

  it('asks for confirmation once before anything is signed', async () => {
    const at = await scene()
    await scatter(at, me, Array(450).fill(100_000n))
    const plans: number[] = []
    const confirmPlan = ({ transactions }: { transactions: number }) => {
      plans.push(transactions)
      return false
    }
    await expect(at.wallet().sweep({ to }, { confirmPlan })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
    expect(plans).toEqual([2])
    await expect(at.wallet().sweep({ to }, { confirm: () => false })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
    expect(await utxosOf(at.node, me)).toHaveLength(450)
  })

  it('reports why nothing could be issued', async () => {
    const at = await scene()
    at.node.fund(addressOf(me), 4n * fee)
    const watching = at.wallet({ keys: third, addresses: [addressOf(me)] })
    await expect(watching.sweep({ to })).rejects.toMatchObject({ code: 'INCOMPLETE' })
    expect(await watching.balances()).toMatchObject([{ spendable: 4n * fee, reserved: 0n }])
  })

  it('leaves what the target owns already', async () => {
    const at = await scene()
    at.node.fund(addressOf(me), 4n * fee)
    at.node.fund(to, 6n * fee)
    const keys = new KeyChain([1, 2].map((byte) => new Uint8Array(32).fill(byte)))
    const result = await at.wallet({ keys }).sweep({ to })
    expect(result).toMatchObject({ utxoCount: 1, moved: [{ amount: 3n * fee }] })
    expect(await balanceOf(at.node, you)).toBe(9n * fee)
  })

  it('does not spend UTXOs of concurrent payments', async () => {
    const at = await scene()
    await scatter(at, me, Array(420).fill(50_000n))
    at.node.fund(addressOf(me), 30n * fee)
    const mine = at.wallet()
    const amounts = [1n, 2n, 3n]
    const paying = amounts.map((amount) => mine.transfer({ to: addressOf(third), amount }))
    const [, ...ends] = await Promise.allSettled([mine.sweep({ to }), ...paying])
    const paid = amounts.filter((_, i) => ends[i]!.status === 'fulfilled')
    for (const end of ends)
      if (end.status === 'rejected')
        expect(end.reason).toMatchObject({ code: 'BUILDER_INSUFFICIENT_FUNDS' })
    expect(await balanceOf(at.node, third)).toBe(paid.reduce((sum, amount) => sum + amount, 0n))
    // What the payments left over is there for another sweep.
    await mine.sweep({ to })
    expect(await utxosOf(at.node, me)).toEqual([])
  })

  it('plans again if somebody else spends the UTXOs meanwhile', async () => {
    const at = await scene()
    await scatter(at, me, Array(600).fill(50_000n))
    const rival = at.wallet()
    let once = true
    const result = await at.wallet().sweep(
      { to },
      {
        inFlight: 1,
        confirm: async () => {
          if (!once) return true
          once = false
          await rival.transfer({
            outputs: [{ to: addressOf(third), amount: 1n }],
            choose: { strategy: 'smallest' },
          })
          return true
        },
      },
    )
    expect(result.resumed).toEqual([])
    expect(await balanceOf(at.node, third)).toBe(1n)
    const { amount, transactions } = await arrived(at)
    expect(amount + BigInt(transactions) * fee + fee + 1n).toBe(600n * 50_000n)
  })
})

describe('import', () => {
  it('sets aside what is no asset of this chain, and imports the rest', async () => {
    const { node, wallet } = await scene()
    const address = me.addresses[0]!
    const asset = new Uint8Array(32).fill(0x77)
    node.exportFrom('P', { address, amount: 9n, asset }, { address, amount: 4n * fee })
    const result = await wallet().import({ sourceChain: 'P', to })
    expect(result.unspendable).toEqual([
      { assetID: asset, amount: 9n, utxoCount: 1, code: 'ASSET_NOT_FOUND' },
    ])
    expect(await balanceOf(node, you)).toBe(3n * fee)
  })

  it('uses several transactions if one is too small', async () => {
    const { node, wallet } = await scene()
    const grants = Array.from({ length: 30 }, () => ({ address: me.addresses[0]!, amount: fee }))
    node.exportFrom('C', ...grants)
    const { txIDs, utxoCount } = await wallet().import({ sourceChain: 'C', maxSize: 2_000 })
    expect({ txIDs: txIDs.length, utxoCount }).toEqual({ txIDs: 3, utxoCount: 30 })
    expect(await balanceOf(node, me)).toBe(27n * fee)
  })

  it('pays the fees of all transactions from one UTXO of the wallet', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 60n * fee)
    const mine = wallet()
    const holders = [{ to: addressOf(me), amount: 5n }]
    const { txID: asset } = await mine.createAsset({ name: 'Token', symbol: 'TOK', holders })
    const grant = { address: me.addresses[0]!, amount: 2n, asset }
    node.exportFrom('P', ...Array(30).fill(grant))
    const before = await balanceOf(node, me)
    const call = { sourceChain: 'P', maxSize: 2_000, to }
    const total = (await mine.prepare.import(call)).total()
    const { txIDs } = await mine.import(call)
    expect(total).toMatchObject({ transactions: txIDs.length, moved: [{ amount: 60n }] })
    expect(await balanceOf(node, you, asset)).toBe(60n)
    expect(await balanceOf(node, me)).toBe(before - BigInt(txIDs.length) * fee)
  })
})

describe('consolidate', () => {
  it('merges many UTXOs into one', async () => {
    const at = await scene()
    await scatter(at, me, Array(850).fill(50_000n))
    const mine = at.wallet()
    const result = await mine.consolidate()
    // Three transactions, and one for their three outputs.
    expect(result.txIDs).toHaveLength(4)
    const left = await utxosOf(at.node, me)
    expect(left.map(({ output }) => 'amount' in output && output.amount)).toEqual([
      850n * 50_000n - 4n * fee,
    ])
    expect(result).toMatchObject({
      utxoCount: 850,
      moved: [{ assetID: AVAX, amount: 850n * 50_000n - 4n * fee }],
    })
    expect(await mine.prepare.consolidate()).toMatchObject({ transactions: 0 })
    expect(await mine.consolidate()).toMatchObject({ txIDs: [] })
  })

  it('shows the sums of all its rounds before it begins, and asks once', async () => {
    const at = await scene()
    await scatter(at, me, Array(850).fill(50_000n))
    const mine = at.wallet()
    const whole = {
      transactions: 4,
      utxoCount: 850,
      fee: 4n * fee,
      moved: [{ assetID: AVAX, amount: 850n * 50_000n - 4n * fee }],
    }
    const preview = await mine.prepare.consolidate()
    expect([preview.transactions, preview.total()]).toEqual([3, whole])
    const told: object[] = []
    const confirmPlan = ({ total }: BatchPreview) => told.push(total()) > 0
    expect((await mine.consolidate({}, { confirmPlan })).txIDs).toHaveLength(4)
    expect(told).toEqual([whole])
  })

  it('asks again before it does more than it showed', async () => {
    const at = await scene()
    await scatter(at, me, Array(850).fill(50_000n))
    const told: number[] = []
    const confirmPlan = ({ transactions }: BatchPreview) => told.push(transactions) < 2
    const failure = await at
      .wallet()
      .consolidate({}, { confirmPlan })
      .catch((error) => error)
    expect(told).toEqual([3, 1])
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED', cause: { code: 'NOT_CONFIRMED' } })
    expect(await utxosOf(at.node, me)).toHaveLength(3)
  })

  it('counts amounts of assets once, and the UTXOs that pay their fees not at all', async () => {
    const at = await scene()
    await scatter(at, me, [20n * fee])
    const mine = at.wallet()
    const holders = Array.from({ length: 60 }, () => ({ to: addressOf(me), amount: 1n }))
    const { txID } = await mine.createAsset({ name: 'Coupon', symbol: 'CPN', holders })
    await scatter(at, me, Array(4).fill(2n * fee))
    const result = await mine.consolidate({ assets: [txID], maxSize: 4_000 })
    expect(result.txIDs.length).toBeGreaterThan(2)
    expect(result.moved).toEqual([{ assetID: txID, amount: 60n }])
  })

  it('sends nothing to an address outside the wallet', async () => {
    const at = await scene()
    await scatter(at, me, [fee * 5n, fee * 5n])
    const rejection = { code: 'FOREIGN_CHANGE' }
    await expect(at.wallet().consolidate({ to })).rejects.toMatchObject(rejection)
    await expect(at.wallet().prepare.consolidate({ to })).rejects.toMatchObject(rejection)
    await expect(at.wallet({ changeTo: to }).consolidate()).rejects.toMatchObject(rejection)
    expect(await utxosOf(at.node, me)).toHaveLength(2)
    expect(await at.wallet().consolidate({ to: addressOf(me) })).toMatchObject({ utxoCount: 2 })
  })
})

describe('a sweep that is interrupted', () => {
  it('names what is pending, and continues where it stopped', async () => {
    const at = await scene({ blocks: 'manual' })
    const store = memoryStore()
    const funding = scatter(at, me, Array(450).fill(50_000n))
    await blockFor(at)
    await funding
    const early = at.wallet({ store, wait: { timeoutMs: 300 } })
    const failure = await early.sweep({ to }).catch((error) => error)
    expect(failure).toBeInstanceOf(BatchError)
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED', result: { txIDs: [] } })
    expect(failure.cause).toMatchObject({ code: 'TX_PENDING' })
    expect(failure.pending).toHaveLength(2)
    // While it is pending, another run moves nothing, and says so.
    const again = await early.sweep({ to }).catch((error) => error)
    expect(again).toMatchObject({ code: 'BATCH_UNFINISHED', result: { txIDs: [] } })
    expect(again.pending).toHaveLength(2)
    at.node.produceBlock()
    const result = await at.wallet({ store }).sweep({ to })
    expect(result).toMatchObject({ txIDs: [], leftBehind: [] })
    expect(result.resumed).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }])
    expect(await arrived(at)).toEqual({ amount: 450n * 50_000n - 2n * fee, transactions: 2 })
  })

  test.prop(
    [
      fc.infiniteStream(fc.nat(40)),
      fc.infiniteStream(fc.constantFrom('request', 'before claim', 'after claim')),
      fc.infiniteStream(
        fc.constantFrom<FaultKind>('vanished', 'lost', 'bad-gateway', 'false-refusal', 'latency'),
      ),
      fc.integer({ min: 1, max: 3 }),
    ],
    runs(8),
  )('moves every UTXO exactly once, wherever it stops', async (lives, deaths, faults, inFlight) => {
    let left = Number.POSITIVE_INFINITY
    let death = 'request'
    /** Counts down to the end of the process; the last step is one of the kind of `death`. */
    const ends = (step: string) => {
      if (left > 1 || (left === 1 && death.endsWith(step))) left--
      return left <= 0
    }
    const at = await scene({
      intercept: (_, next) => {
        if (ends('request')) throw new TypeError('the process has ended')
        return next()
      },
    })
    const amounts = Array.from({ length: 300 }, (_, i) => 2n * fee + BigInt(i))
    await scatter(at, me, [...amounts, 20n * fee])
    const sum = amounts.reduce((a, b) => a + b) + 20n * fee
    const bait = await poison(at.wallet(), me, 7n)
    const inner = memoryStore()
    const store: Store = {
      ...inner,
      claim: async (claim) => {
        const isEnd = ends('claim')
        if (isEnd && death === 'before claim') throw new Error('the process has ended')
        await inner.claim(claim)
        if (isEnd) throw new Error('the process has ended')
      },
    }
    let isDone = false
    for (let run = 0; run < 60 && !isDone; run++) {
      left = run < 50 ? 1 + lives.next().value : Number.POSITIVE_INFINITY
      death = deaths.next().value
      at.node.injectFault({ kind: faults.next().value, on: 'avm.issueTx', after: run % 3 })
      const options = { inFlight, wait: { timeoutMs: 200 } }
      isDone = await at
        .wallet({ store })
        .sweep({ to, maxSize: 10_000 }, options)
        .then(
          () => true,
          () => false,
        )
    }
    expect(isDone).toBe(true)
    left = Number.POSITIVE_INFINITY
    await at.wallet({ store }).resume()
    const { amount, transactions } = await arrived(at)
    // Creating the unspendable asset cost a fee.
    expect(amount + BigInt(transactions + 1) * fee).toBe(sum)
    const rest = await utxosOf(at.node, me)
    expect(rest.map(({ assetID }) => assetID)).toEqual([bait])
    for await (const _ of store.attempts()) expect.unreachable('nothing should be pending')
  })
})

/** Waits for a transaction in the mempool, and makes a block of it. */
async function blockFor({ node }: Scene): Promise<void> {
  for (let i = 0; i < 100_000; i++) {
    try {
      node.produceBlock()
      return
    } catch {
      await setImmediate()
    }
  }
}
