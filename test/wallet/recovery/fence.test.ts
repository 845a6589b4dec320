import { expect, it } from 'vitest'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import { consumedUTXOs } from '../../../src/core/chain/x/spends.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { errorFor } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, people, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

it('a fence ends although the node refuses a pending payment, whose inputs it leaves', async () => {
  let isRefusing = true
  const refused: Uint8Array[] = []
  const { node, wallet } = await scene({
    intercept: (call, next) => {
      const { outputs } = call.tx ? decodeTx(call.tx).unsignedTx : { outputs: [] }
      if (!isRefusing || !outputs.some(({ output }) => output.amount === payment.amount))
        return next()
      refused.push(call.tx!)
      return errorFor(call, 'mempool is full')
    },
  })
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
  const store = memoryStore()
  const wait = { timeoutMs: 2000 }
  await expect(wallet({ store, wait }).transfer(payment, { key: 'a' })).rejects.toMatchObject({
    code: 'TX_PENDING',
  })
  const inputs = consumedUTXOs(decodeTx(refused[0]!).unsignedTx).map(utxoKey)
  const mine = wallet({ store, wait })
  const { fenceTxIDs, leftBehind } = await mine.recover({ fromHeight: 0n, fence: true })
  expect(leftBehind).toEqual([])
  expect(fenceTxIDs).toHaveLength(1)
  const spent = await direct(node).avm.getTx({ txID: fenceTxIDs[0]! })
  const spentByFence = consumedUTXOs(spent.unsignedTx).map(utxoKey)
  expect(spentByFence).toHaveLength(3 - inputs.length)
  for (const id of inputs) expect(spentByFence).not.toContain(id)
  // The payment is still possible, and made once.
  isRefusing = false
  expect(await mine.resume()).toMatchObject([{ keys: ['a'], status: 'accepted' }])
  expect(await balanceOf(node, you)).toBe(5n)
})
