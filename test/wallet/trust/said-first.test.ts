import { describe, expect, it } from 'vitest'
import { txID as idOf } from '../../../src/core/chain/x/ids.ts'
import { consumedUTXOs } from '../../../src/core/chain/x/spends.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, fee, people } from '../setup.ts'
import { type LyingServer, lyingServer } from './lying-server.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const wait = { timeoutMs: 20_000 }
const briefly = { timeoutMs: 100 }
const toYou = { to: addressOf(you), amount: 5n }

/** Shows a transaction that spends the inputs of another one and has no output of the wallet. */
async function showRivalOf(at: LyingServer, bytes: Uint8Array): Promise<Uint8Array> {
  const holder = at.wallet({ wait })
  const only = consumedUTXOs(decodeTx(bytes).unsignedTx)
  const draft = await holder.prepare.sendAll({ to: addressOf(third), choose: { only } })
  const signed = requireSigned(await holder.sign(draft))
  await at.show(signed.bytes)
  return signed.txID
}

/** A payment that its caller was told is pending, and that only a lying server has shown as rejected since. */
async function rejectedByOne() {
  const at = await lyingServer()
  for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 5n * fee)
  const store = memoryStore()
  at.lie(true)
  const early = at.wallet({ store, wait: briefly })
  await expect(early.transfer(toYou, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
  const [first] = at.withheld as [Uint8Array]
  const txID = await showRivalOf(at, first)
  const noticing = at.wallet({ store, wait })
  expect(await noticing.resume()).toMatchObject([{ status: 'rejected', txID }])
  return { at, store, first, txID, noticing }
}

describe('a rejection that only one server has shown', () => {
  it('is said before a further call pays, although another call noticed it', async () => {
    const { at, store, first, txID } = await rejectedByOne()
    const sent = at.withheld.length
    const mine = at.wallet({ store, wait })
    await expect(mine.transfer(toYou, { key: 'a' })).rejects.toMatchObject({
      code: 'PAYMENT_REJECTED',
      txID,
    })
    expect(at.withheld.length).toBe(sent)
    // It was a lie.
    at.lie(false)
    at.forget()
    await at.release(first)
    at.clock.advance(100_000)
    expect((await mine.transfer(toYou, { key: 'a' })).txID).toEqual(idOf(first))
    expect(await balanceOf(at.node, you)).toBe(5n)
  })

  it('is said by every wallet that has not said it', async () => {
    const { at, store } = await rejectedByOne()
    for (let i = 0; i < 2; i++)
      await expect(at.wallet({ store, wait }).transfer(toYou, { key: 'a' })).rejects.toMatchObject({
        code: 'PAYMENT_REJECTED',
      })
  })

  it('lets the payment be made by a caller who was told, or with again', async () => {
    for (const isTold of [true, false]) {
      const { at, store, noticing } = await rejectedByOne()
      const sent = at.withheld.length
      const mine = isTold ? noticing : at.wallet({ store, wait })
      const again = isTold ? undefined : true
      await expect(mine.transfer(toYou, { key: 'a', again, wait: briefly })).rejects.toMatchObject({
        code: 'TX_PENDING',
      })
      expect(at.withheld.length).toBeGreaterThan(sent)
    }
  })

  it('is said again if a later attempt was rejected, too', async () => {
    const { at, store, noticing } = await rejectedByOne()
    const early = at.wallet({ store, wait: briefly })
    await expect(early.transfer(toYou, { key: 'a', again: true })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    const txID = await showRivalOf(at, at.withheld.at(-1)!)
    expect(await at.wallet({ store, wait }).resume()).toMatchObject([{ status: 'rejected', txID }])
    await expect(noticing.transfer(toYou, { key: 'a' })).rejects.toMatchObject({
      code: 'PAYMENT_REJECTED',
      txID,
    })
  })
})

describe('a cancellation that only one server has shown', () => {
  it('is said before the key is paid if nothing is left that shows it', async () => {
    const at = await lyingServer()
    for (let i = 0; i < 2; i++) at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet({ wait: briefly })
    const pending = { code: 'TX_PENDING' }
    at.lie(true)
    await expect(mine.transfer(toYou, { key: 'a' })).rejects.toMatchObject(pending)
    await expect(mine.cancel('a')).rejects.toMatchObject(pending)
    const [first, cancellation] = at.withheld as [Uint8Array, Uint8Array]
    await at.show(cancellation)
    expect(await mine.cancel('a', { wait })).toMatchObject({ status: 'canceled' })
    // Its output goes to others, without change.
    const only = [{ txID: idOf(cancellation), outputIndex: 0 }]
    const all = mine.sendAll({ to: addressOf(third), choose: { only } }, { key: 'b' })
    await expect(all).rejects.toMatchObject(pending)
    await at.show(at.withheld.at(-1)!)
    expect(await mine.resume({ wait })).toMatchObject([{ status: 'accepted' }])
    const sent = at.withheld.length
    const again = mine.transfer(toYou, { key: 'a' })
    await expect(again).rejects.toMatchObject({ code: 'PAYMENT_CANCELED' })
    expect(at.withheld.length).toBe(sent)
    // It was a lie.
    at.lie(false)
    at.forget()
    await at.release(first)
    at.clock.advance(100_000)
    await mine.transfer(toYou, { key: 'a', wait })
    expect(await balanceOf(at.node, you)).toBe(5n)
  })
})
