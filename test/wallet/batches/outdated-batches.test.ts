import { describe, expect, it } from 'vitest'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { BatchPreview, Wallet } from '../../../src/wallet/index.ts'
import { memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { FALSE_ENTRIES, falsified } from '../false-entries.ts'
import { resultFor } from '../requests.ts'
import { AVAX, addressOf, balanceOf, fee, people, type Scene, scene, utxosOf } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const to = addressOf(you)
const UNIT = 10n * fee
const unfinished = { code: 'BATCH_UNFINISHED', cause: { code: 'TX_PENDING' } }
const wait = { timeoutMs: 5_000 }

type Lies = {
  /** Falsifies the first UTXO of a listing. */
  entriesOf?: ((utxo: UTXO) => UTXO[]) | undefined
  /** Whether atomic UTXOs are falsified, or those of the chain. */
  readonly isAtomic?: boolean
  fee?: bigint | undefined
  /** Number of listings that are falsified. */
  times?: number
}

/** A scene whose node is honest once the properties of `lies` are undefined. */
function lyingScene(lies: Lies): Promise<Scene> {
  return scene({
    intercept: async (call, next) => {
      const { method, params } = call
      if (method === 'avm.getTxFee' && lies.fee !== undefined)
        return resultFor(call, { txFee: String(lies.fee), createAssetTxFee: String(lies.fee) })
      const isListing =
        method === 'avm.getUTXOs' && (params.sourceChain !== undefined) === (lies.isAtomic ?? false)
      if (!isListing || lies.entriesOf === undefined) return next()
      lies.times = (lies.times ?? Number.POSITIVE_INFINITY) - 1
      const { entriesOf } = lies
      if (lies.times === 0) lies.entriesOf = undefined
      return falsified(next, (utxo, i) => (i === 0 ? entriesOf(utxo) : [utxo]))
    },
  })
}

async function attemptsOf(store: Store) {
  const attempts = []
  for await (const attempt of store.attempts()) attempts.push(attempt)
  return attempts
}

/** A store, and the bytes of the transactions that were claimed in it. */
function watchedStore(): { readonly store: Store; readonly claimed: readonly Uint8Array[] } {
  const store = memoryStore()
  const claimed: Uint8Array[] = []
  const claim: Store['claim'] = async (claim) => {
    await store.claim(claim)
    claimed.push(claim.bytes)
  }
  return { store: { ...store, claim }, claimed }
}

/** Creates a token of the wallet. */
async function tokenOf(wallet: Wallet): Promise<Uint8Array> {
  const holders = [{ to: addressOf(me), amount: 50n }]
  return (await wallet.createAsset({ name: 'Token', symbol: 'TOK', holders })).txID
}

for (const [name, entriesOf] of Object.entries(FALSE_ENTRIES))
  describe(`a batch after a listing with ${name}`, () => {
    for (const kind of ['sweep', 'consolidate'] as const)
      it(`completes in another process once the listing is right (${kind})`, async () => {
        const lies: Lies = { entriesOf }
        const { node, wallet } = await lyingScene(lies)
        // More blocks than are read again after the walk.
        for (let i = 0; i < 12; i++) node.fund(addressOf(me), UNIT)
        const store = memoryStore()
        const run = (mine: Wallet) => (kind === 'sweep' ? mine.sweep({ to }) : mine.consolidate())
        await expect(run(wallet({ store, wait }))).rejects.toMatchObject(unfinished)
        lies.entriesOf = undefined
        const { resumed } = await run(wallet({ store }))
        expect(resumed).toMatchObject([{ status: 'accepted' }])
        expect(await balanceOf(node, kind === 'sweep' ? you : me)).toBe(12n * UNIT - fee)
        expect(await attemptsOf(store)).toEqual([])
      })

    it('completes in the same call if the listing becomes right meanwhile', async () => {
      const { node, wallet } = await lyingScene({ entriesOf, times: 2 })
      for (let i = 0; i < 12; i++) node.fund(addressOf(me), UNIT)
      const result = await wallet().sweep({ to })
      expect(result).toMatchObject({ utxoCount: 12, moved: [{ amount: 12n * UNIT - fee }] })
      expect(result.txIDs).toHaveLength(1)
      expect(await balanceOf(node, you)).toBe(12n * UNIT - fee)
    })

    it('is completed by resume if it is an import', async () => {
      const lies: Lies = { entriesOf, isAtomic: true }
      const { node, wallet } = await lyingScene(lies)
      for (let i = 0; i < 3; i++) node.exportFrom('C', { address: me.addresses[0]!, amount: UNIT })
      const store = memoryStore()
      const call = { sourceChain: 'C', to }
      await expect(wallet({ store, wait }).import(call)).rejects.toMatchObject(unfinished)
      lies.entriesOf = undefined
      expect(await wallet({ store }).resume()).toMatchObject([{ status: 'accepted' }])
      expect(await balanceOf(node, you)).toBe(3n * UNIT - fee)
      expect(await wallet({ store }).import(call)).toMatchObject({ txIDs: [], resumed: [] })
    })

    it('can be canceled if it is an import', async () => {
      const lies: Lies = { entriesOf, isAtomic: true }
      const { node, wallet } = await lyingScene(lies)
      for (let i = 0; i < 3; i++) node.exportFrom('C', { address: me.addresses[0]!, amount: UNIT })
      const store = memoryStore()
      await expect(wallet({ store, wait }).import({ sourceChain: 'C', to })).rejects.toMatchObject(
        unfinished,
      )
      lies.entriesOf = undefined
      const [attempt] = await attemptsOf(store)
      const key = attempt!.keys[0]!
      expect(await wallet({ store }).cancel(key)).toMatchObject({ status: 'canceled' })
      expect([await balanceOf(node, you), await balanceOf(node, me)]).toEqual([0n, 3n * UNIT - fee])
      expect(await attemptsOf(store)).toEqual([])
    })
  })

describe('a batch planned with too low a fee', () => {
  for (const kind of ['sweep', 'import'] as const)
    it(`completes once the node reports the right fee (${kind})`, async () => {
      const lies: Lies = { fee: fee - 1n }
      const { node, wallet } = await lyingScene(lies)
      const store = memoryStore()
      if (kind === 'sweep') node.fund(addressOf(me), UNIT)
      else node.exportFrom('P', { address: me.addresses[0]!, amount: UNIT })
      const run = (mine: Wallet) =>
        kind === 'sweep' ? mine.sweep({ to }) : mine.import({ sourceChain: 'P', to })
      await expect(run(wallet({ store, wait }))).rejects.toMatchObject(unfinished)
      lies.fee = undefined
      expect(await run(wallet({ store }))).toMatchObject({ resumed: [{ status: 'accepted' }] })
      expect(await balanceOf(node, you)).toBe(UNIT - fee)
    })

  it('is planned again after the first transaction', async () => {
    const lies: Lies = { fee: fee - 1n }
    const { node, wallet } = await lyingScene(lies)
    for (let i = 0; i < 30; i++) node.fund(addressOf(me), UNIT)
    const confirm = () => {
      lies.fee = undefined
      return true
    }
    let asked = 0
    const confirmPlan = () => {
      asked++
      return true
    }
    const { store, claimed } = watchedStore()
    const mine = wallet({ store })
    const result = await mine.sweep({ to, maxSize: 2_000 }, { inFlight: 1, confirm, confirmPlan })
    const fees = BigInt(result.txIDs.length) * fee
    expect(result).toMatchObject({ utxoCount: 30, moved: [{ amount: 30n * UNIT - fees }] })
    expect(await balanceOf(node, you)).toBe(30n * UNIT - fees)
    expect(await mine.balances()).toEqual([])
    // The second plan has a higher fee.
    expect(asked).toBe(2)
    // Only the first transaction of the first plan was signed.
    expect(claimed).toHaveLength(result.txIDs.length + 1)
  })
})

describe('a transaction of a batch that is drafted again', () => {
  for (const kind of ['sweep', 'import'] as const)
    it(`${kind}: never pays more than maxFee`, async () => {
      const lies: Lies = { fee: fee - 1n }
      const { node, wallet } = await lyingScene(lies)
      if (kind === 'sweep') node.fund(addressOf(me), UNIT)
      else node.exportFrom('P', { address: me.addresses[0]!, amount: UNIT })
      const store = memoryStore()
      const mine = wallet({ store, wait })
      const run = (maxFee: bigint) => {
        const confirm = () => {
          lies.fee = undefined
          return true
        }
        const call = { to, maxFee }
        if (kind === 'sweep') return mine.sweep(call, { confirm })
        return mine.import({ ...call, sourceChain: 'P' }, { confirm })
      }
      const low = fee - 1n
      await expect(run(low)).rejects.toMatchObject(unfinished)
      await expect(run(low)).rejects.toMatchObject({ code: 'FEE_ABOVE_MAX' })
      expect(await mine.resume({ maxFee: low })).toMatchObject([{ status: 'pending' }])
      expect(await balanceOf(node, you)).toBe(0n)
      expect(await mine.resume({ maxFee: fee })).toMatchObject([{ status: 'accepted' }])
      expect(await balanceOf(node, you)).toBe(UNIT - fee)
    })

  it('is shown as a plan of its own, before anything is signed', async () => {
    const lies: Lies = { fee: fee - 1n }
    const { node, wallet } = await lyingScene(lies)
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), UNIT)
    const store = memoryStore()
    const sweep = (answers: readonly unknown[]) => {
      const fees: bigint[] = []
      const confirmPlan = ({ transactions, total }: BatchPreview) => {
        expect(transactions).toBe(1)
        lies.fee = undefined
        return answers[fees.push(total().fee) - 1] as boolean
      }
      const done = wallet({ store, wait }).sweep({ to }, { confirmPlan })
      return done.then(
        () => fees,
        (error) => [...fees, error.code],
      )
    }
    expect(await sweep([true, undefined])).toEqual([fee - 1n, fee, 'BATCH_UNFINISHED'])
    lies.fee = fee
    expect((await sweep([false])).slice(0, 1)).toEqual([fee])
    expect(await balanceOf(node, you)).toBe(0n)
    expect(await sweep([true, true])).toContain(fee)
    expect(await balanceOf(node, you)).toBe(3n * UNIT - fee)
  })

  it('is confirmed by an option of resume', async () => {
    const lies: Lies = { fee: fee - 1n }
    const { node, wallet } = await lyingScene(lies)
    node.fund(addressOf(me), UNIT)
    const mine = wallet({ wait })
    await expect(mine.sweep({ to })).rejects.toMatchObject(unfinished)
    lies.fee = undefined
    expect(await mine.resume({ confirm: () => false })).toMatchObject([{ status: 'pending' }])
    expect(await mine.resume({ confirm: () => true })).toMatchObject([{ status: 'accepted' }])
    await expect(mine.resume({ maxFee: 1 as never })).rejects.toMatchObject({ code: 'ENC_INVALID' })
  })

  it('leaves AVAX that only pays the fee with the wallet', async () => {
    const lies: Lies = {}
    const { node, wallet } = await lyingScene(lies)
    node.fund(addressOf(me), 5n * UNIT)
    const assetID = await tokenOf(wallet())
    lies.fee = fee - 1n
    const store = memoryStore()
    const call = { to, assets: [assetID] }
    await expect(wallet({ store, wait }).sweep(call)).rejects.toMatchObject(unfinished)
    lies.fee = undefined
    await wallet({ store }).sweep(call)
    expect([await balanceOf(node, you, assetID), await balanceOf(node, you)]).toEqual([50n, 0n])
    expect(await balanceOf(node, me)).toBe(5n * UNIT - 2n * fee)
  })

  it('imports the whole amount if the wallet pays the fee', async () => {
    const lies: Lies = { fee: fee - 1n }
    const { node, wallet } = await lyingScene(lies)
    node.fund(addressOf(me), 3n * UNIT)
    node.exportFrom('C', { address: me.addresses[0]!, amount: UNIT })
    const store = memoryStore()
    const call = { sourceChain: 'C', to, feeFrom: 'local', changeTo: addressOf(third) } as const
    const accept = ['FOREIGN_CHANGE'] as const
    await expect(wallet({ store, wait, accept }).import(call)).rejects.toMatchObject(unfinished)
    lies.fee = undefined
    await wallet({ store, accept }).import(call)
    expect(await balanceOf(node, you)).toBe(UNIT)
    expect(await balanceOf(node, third)).toBe(3n * UNIT - fee)
  })

  for (const [target, change] of [
    [you, third],
    [third, you],
  ] as const)
    it(`never pays change to the target, even of the same amount: ${addressOf(target)}`, async () => {
      const lies: Lies = {
        isAtomic: true,
        entriesOf: (utxo) => {
          // As much is imported as is left of 9 units.
          const output = { ...utxo.output, amount: 8n * UNIT - fee }
          return [utxo, { ...utxo, outputIndex: 77, output } as UTXO]
        },
      }
      const { node, wallet } = await lyingScene(lies)
      node.fund(addressOf(me), 9n * UNIT)
      node.exportFrom('C', { address: me.addresses[0]!, amount: UNIT })
      const store = memoryStore()
      const parties = { to: addressOf(target), changeTo: addressOf(change) }
      const call = { sourceChain: 'C', feeFrom: 'local', ...parties } as const
      const accept = ['FOREIGN_CHANGE'] as const
      await expect(wallet({ store, wait, accept }).import(call)).rejects.toMatchObject(unfinished)
      lies.entriesOf = undefined
      await wallet({ store, accept }).import(call)
      const left = 9n * UNIT - 2n * fee
      expect([await balanceOf(node, target), await balanceOf(node, change)]).toEqual([UNIT, left])
    })

  it('returns the UTXOs that pay the fee to the wallet if nothing is left to import', async () => {
    const lies: Lies = {
      isAtomic: true,
      entriesOf: (utxo) => [{ ...utxo, outputIndex: 77 }],
    }
    const { node, wallet } = await lyingScene(lies)
    node.fund(addressOf(me), 3n * UNIT)
    node.exportFrom('C', { address: me.addresses[0]!, amount: UNIT })
    const store = memoryStore()
    const call = { sourceChain: 'C', to, feeFrom: 'local' } as const
    await expect(wallet({ store, wait }).import(call)).rejects.toMatchObject(unfinished)
    lies.entriesOf = undefined
    await wallet({ store }).import(call)
    expect([await balanceOf(node, you), await balanceOf(node, me)]).toEqual([
      UNIT,
      3n * UNIT - 2n * fee,
    ])
    expect(await attemptsOf(store)).toEqual([])
  })

  it('conflicts with the first one', async () => {
    const lies: Lies = { fee: fee - 1n }
    const { node, wallet } = await lyingScene(lies)
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), UNIT)
    const { store, claimed } = watchedStore()
    await expect(wallet({ store, wait }).sweep({ to })).rejects.toMatchObject(unfinished)
    lies.fee = undefined
    await wallet({ store }).sweep({ to })
    const [first, last] = [claimed[0]!, claimed.at(-1)!].map((bytes) => decodeTx(bytes).unsignedTx)
    expect(last!.outputs).not.toEqual(first!.outputs)
    expect(last!.inputs).toEqual(first!.inputs)
    expect(await utxosOf(node, you)).toMatchObject([{ assetID: AVAX }])
  })

  it('is not replaced while it is being canceled', async () => {
    const lies: Lies = { fee: fee - 1n }
    const { node, wallet } = await lyingScene(lies)
    node.fund(addressOf(me), UNIT)
    const store = memoryStore()
    const early = wallet({ store, wait })
    await expect(early.sweep({ to })).rejects.toMatchObject(unfinished)
    const [attempt] = await attemptsOf(store)
    await expect(early.cancel(attempt!.keys[0]!)).rejects.toMatchObject({ code: 'TX_PENDING' })
    lies.fee = undefined
    expect(await wallet({ store, wait }).resume()).toMatchObject([{ status: 'pending' }])
    expect(await wallet({ store }).cancel(attempt!.keys[0]!)).toMatchObject({ status: 'canceled' })
    expect(await balanceOf(node, you)).toBe(0n)
  })
})
