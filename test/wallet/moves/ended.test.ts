import { expect, it } from 'vitest'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { AVAX, keys, moveScene, stranger } from './setup.ts'

it('makes a move again from what another holder of the keys left, who ended its export', async () => {
  let isBroken = true
  const store = memoryStore()
  const { wallet, node, ledger } = await moveScene({
    store,
    intercept: (call, next) => {
      if (call.tx !== undefined && isBroken) throw new TypeError('fetch failed')
      return next()
    },
  })
  const call = { from: 'X', to: 'P', amount: AVAX } as const
  const early = wallet({ wait: { timeoutMs: 2000 } })
  await expect(early.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
  const pinned: UTXOID[] = []
  for await (const { inputs } of store.attempts('a')) pinned.push(...inputs)
  isBroken = false
  const other = wallet({ store: memoryStore() })
  await other.transfer({ to: stranger.addresses[0]!, amount: AVAX, choose: { pinned } })
  // Larger than the change of the other holder, and so preferred.
  node.fund(keys.addresses[0]!, 70n * AVAX)
  await wallet().move(call, { key: 'a' })
  const arrived = (await ledger.balance('P')) - 100n * AVAX
  expect(arrived >= AVAX && arrived < 2n * AVAX).toBe(true)
})
