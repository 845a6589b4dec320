import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import { decodeTx, encodeUnsignedTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { type Claim, memoryStore, type Store } from '../../../src/wallet/store/index.ts'
import { AVAX, moveScene } from '../moves/setup.ts'
import { errorFor, type Interceptor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, produceBlocks, scene } from '../setup.ts'
import { collect } from '../store/samples.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/**
 * Refuses one transaction for ever, so that the wallet signs a variant of it: the first one, or the first for which
 * `isStarted` is true; those before it do not arrive.
 */
function refusal(isStarted: (nth: number) => boolean = () => true) {
  const seen: string[] = []
  let refused: string | undefined
  const intercept: Interceptor = (call, next) => {
    if (call.tx === undefined) return next()
    if (!seen.includes(call.txID!)) seen.push(call.txID!)
    if (isStarted(seen.length)) refused ??= call.txID
    if (call.txID === refused) return errorFor(call, 'tx conflicts with other tx: x')
    if (!isStarted(seen.length)) throw new TypeError('fetch failed')
    return next()
  }
  return intercept
}

/** A store, and a copy of it that was made after its nth claim. */
async function withBackup(nth: number): Promise<{ readonly store: Store; readonly backup: Store }> {
  const [store, backup] = [memoryStore(), memoryStore()]
  const { networkID, chainID } = networks.local
  await backup.bind({ networkID, chainID })
  let claims = 0
  const claim = async (one: Claim) => {
    await store.claim(one)
    if (claims++ < nth) await backup.claim(one)
  }
  return { store: { ...store, claim }, backup }
}

describe('a store that was restored from a backup', () => {
  it('takes the accepted variant of a pending attempt for the payment', async () => {
    const { node, wallet } = await scene({ intercept: refusal() })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const { store, backup } = await withBackup(1)
    const { txID } = await wallet({ store }).transfer(payment, { key: 'a' })
    const mine = wallet({ store: backup })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'pending' }])
    const resumed = await mine.resume({ fromHeight: 1n })
    expect(resumed).toMatchObject([{ keys: ['a'], status: 'accepted', txID }])
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
    expect(await mine.transfer(payment, { key: 'a' })).toEqual({ txID })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('takes the accepted variant of a cancellation for the cancellation', async () => {
    // The first transaction is the payment, which never arrives; the second its cancellation.
    const { node, wallet } = await scene({ intercept: refusal((nth) => nth > 1) })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const { store, backup } = await withBackup(2)
    const early = wallet({ store })
    const paying = early.transfer(payment, { key: 'a', wait: { timeoutMs: 100 } })
    await expect(paying).rejects.toMatchObject({ code: 'TX_PENDING' })
    const { txID } = await early.cancel('a')
    const mine = wallet({ store: backup })
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'pending' }])
    expect(await mine.resume({ fromHeight: 1n })).toMatchObject([{ status: 'canceled', txID }])
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'canceled', txID }])
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('does not take an equal payment of another store for its own', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    const other = wallet({ wait: { timeoutMs: 500 } })
    const prepared = await other.prepare.transfer(payment)
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    node.restart()
    const [attempt] = await collect(store.attempts())
    const signed = requireSigned(await other.sign(prepared))
    const { unsignedTx } = decodeTx(attempt!.bytes)
    expect(encodeUnsignedTx(signed.signedTx.unsignedTx)).toEqual(encodeUnsignedTx(unsignedTx))
    await expect(other.submit(signed)).rejects.toMatchObject({ code: 'TX_PENDING' })
    produceBlocks(node)
    expect(await mine.resume()).toMatchObject([{ status: 'rejected', txID: signed.txID }])
  })

  it('continues a move whose export was accepted as a variant', async () => {
    const { wallet, ledger, client } = await moveScene({ intercept: refusal() })
    const { store, backup } = await withBackup(1)
    const call = { from: 'X', to: 'P', amount: AVAX } as const
    // The first process ends before the import.
    const claim = async (one: Claim) => {
      if (one.kind === 'import') throw new Error('crash')
      await store.claim(one)
    }
    const early = wallet({ store: { ...store, claim } })
    await expect(early.move(call, { key: 'a' })).rejects.toThrow('crash')
    const [onX, onP] = [await ledger.balance('X'), await ledger.balance('P')]
    const { exportTxID } = await wallet({ store: backup }).move(call, { key: 'a' })
    expect(await client.avm.getTx({ txID: exportTxID! })).toBeDefined()
    expect(await ledger.balance('X')).toBe(onX)
    const moved = (await ledger.balance('P')) - onP
    // The export contains a reserve for the fee of the import.
    expect(moved >= AVAX && moved < 2n * AVAX).toBe(true)
  })
})
