import { expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { addressOf, direct, fee, people, scene } from '../setup.ts'

it('a wallet notices a UTXO in a block that others may spend, too', async () => {
  const { node, wallet } = await scene()
  const [me, you] = people as [KeyChain, KeyChain]
  node.fund(addressOf(me), 5n * fee)
  node.fund(addressOf(you), 5n * fee)
  const mine = wallet()
  const spendable = async () => (await mine.balances())[0]!.spendable
  expect(await spendable()).toBe(5n * fee)
  const to = [addressOf(you), addressOf(me)]
  await wallet({ client: direct(node), keys: you }).transfer({
    outputs: [{ to, threshold: 1, amount: 2n * fee }],
  })
  expect(await spendable()).toBe(7n * fee)
})
