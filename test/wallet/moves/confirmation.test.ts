import { describe, expect, it } from 'vitest'
import { evmAddressOf } from '../../../src/c-chain/index.ts'
import { memoryStore } from '../../../src/store/index.ts'
import type { MoveQuote } from '../../../src/wallet/moves/index.ts'
import { resultFor } from '../requests.ts'
import { AVAX, keys, moveScene, stranger } from './setup.ts'

const [address] = keys.addresses
const account = evmAddressOf(keys.publicKeys[0]!)

describe('a move of everything whose fee rises while more arrives', () => {
  const recipient = stranger.addresses[0]!

  for (const from of ['C', 'P'] as const)
    it(`from ${from} exports no more than was confirmed`, async () => {
      const methods = { C: 'avax.issueTx', P: 'platform.issueTx' }
      let isRaised = true
      const scene = await moveScene({
        intercept: async ({ method }, answer) => {
          if (method === methods[from] && !isRaised) {
            isRaised = true
            scene.node.cChain.setBaseFee(50_000_000_000n)
            scene.node.cChain.fund(account, 900n * AVAX)
            scene.node.pChain.setFeeState({ capacity: 1_000_000n, excess: 9_500_000n })
            scene.node.pChain.fund({ address: address!, amount: 900n * AVAX })
          }
          return answer()
        },
      })
      scene.node.cChain.setBaseFee(25_000_000_000n)
      // A block of now, from which on the excess counts.
      await scene.ledger.export('P', 'C', AVAX)
      isRaised = false
      let confirmed: MoveQuote | undefined
      await scene.wallet().move(
        { from, to: 'X', amount: 'all', recipient },
        {
          confirm: (quote) => {
            confirmed = quote
            return true
          },
        },
      )
      expect(confirmed!.exported[0]!.amount).toBeGreaterThan(98n * AVAX)
      expect(await scene.ledger.balance(from)).toBe(900n * AVAX)
    })

  it('from X exports no more than was confirmed', async () => {
    let isWrong = true
    const store = memoryStore()
    const { wallet, ledger, node } = await moveScene({
      store,
      intercept: (call, next) =>
        isWrong && call.method === 'avm.getTxFee'
          ? resultFor(call, { txFee: '500000', createAssetTxFee: '500000' })
          : next(),
    })
    const call = { from: 'X', to: 'P', amount: 'all', recipient } as const
    const early = wallet({ wait: { timeoutMs: 2000 } })
    await expect(early.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    isWrong = false
    node.fund(address!, 900n * AVAX)
    await wallet().move(call, { key: 'a' })
    expect(await ledger.balance('X')).toBe(900n * AVAX)
  })
})
