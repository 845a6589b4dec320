import { expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { type Claim, memoryStore, type StoreBinding } from '../../../src/wallet/store/index.ts'
import { addressOf, direct, fee, people, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]

it('a new store is told the newest block that another one follows before a claim, and then that of the payment', async () => {
  const { node, wallet } = await scene()
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 5n * fee)
  const store = memoryStore()
  const told: bigint[] = []
  let toldBefore: readonly bigint[] = []
  const bind = (binding: StoreBinding) => {
    if (binding.block !== undefined) told.push(binding.block.height)
    return store.bind(binding)
  }
  const claim = (one: Claim) => {
    toldBefore = [...told]
    return store.claim(one)
  }
  const height = await direct(node).avm.getHeight()
  await wallet({ store: { ...store, bind, claim } }).transfer({ to: addressOf(you), amount: 5n })
  expect(toldBefore).toEqual([height - 1n])
  expect(told.at(-1)).toBe(height + 1n)
})
