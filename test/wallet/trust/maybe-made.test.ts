import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { errorFor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

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
})
