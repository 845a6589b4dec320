import { describe, expect, it } from 'vitest'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { memoryStore, StoreError } from '../../../src/wallet/store/index.ts'
import { errorFor } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, people, scene } from '../setup.ts'
import { lyingServer } from './lying-server.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

describe('a payment with a key', () => {
  it('is made after an equal one without a key, whose block was read late', async () => {
    let isHidden = false
    const at = await scene({
      intercept: (call, next) =>
        isHidden && call.method === 'avm.getBlockByHeight'
          ? errorFor(call, "couldn't get block at height: not found")
          : next(),
    })
    for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 5n * fee)
    const mine = at.wallet()
    await mine.balances()
    isHidden = true
    // Its acceptance is known from getTx.
    await mine.transfer(payment)
    isHidden = false
    at.node.fund(addressOf(third), 1n)
    await mine.balances()
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(at.node, you)).toBe(10n)
  })

  it('is not told to be in doubt by a process that has lost the store to the one that made it', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 5n * fee)
    let isLost = false
    const assertOwned = async () => {
      if (isLost) throw new StoreError('STORE_LOST', 'the lock was taken over')
    }
    const mine = wallet({ store: { ...memoryStore(), assertOwned } })
    await mine.balances()
    await wallet({ store: memoryStore() }).transfer(payment, { key: 'a' })
    await mine.balances()
    isLost = true
    const again = () => mine.transfer(payment, { key: 'a' })
    await expect(again()).rejects.toMatchObject({ code: 'STORE_LOST' })
    isLost = false
    await expect(again()).rejects.toMatchObject({ code: 'PAYMENT_MAYBE_MADE' })
  })

  it('is made although a false block has shown an equal one of the store, which a rival ended', async () => {
    const { node, wallet, lie, show, forget, withheld } = await lyingServer()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const store = memoryStore()
    const mine = wallet({ store, wait: { timeoutMs: 500 } })
    const other = wallet({ store })
    await other.balances()
    lie(true)
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    await show(withheld[0]!)
    await other.balances()
    forget()
    lie(false)
    await createWallet({ client: direct(node), keys: me }).transfer({
      to: addressOf(third),
      amount: 7n,
      choose: { pinned: decodeTx(withheld[0]!).unsignedTx.inputs },
    })
    await mine.resume()
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'rejected' }])
    await other.transfer(payment, { key: 'b' })
    expect(await balanceOf(node, you)).toBe(5n)
  })
})
