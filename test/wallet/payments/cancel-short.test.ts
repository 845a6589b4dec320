import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, fee, people, produceBlocks, scene } from '../setup.ts'

const [me, you] = people
const to = addressOf(you!)

/** A wallet that owns 100 units of a token, and one UTXO that is worth exactly the fee of a transaction. */
async function shortScene() {
  const state = { makesBlocks: true }
  const at = await scene({
    blocks: 'manual',
    intercept: (_, next) => {
      if (state.makesBlocks) produceBlocks(at.node)
      return next()
    },
  })
  const { node, wallet } = at
  node.fund(to, 100n * fee)
  const holders = [{ to: addressOf(me!), amount: 100n }]
  const { txID } = await wallet({ keys: you! }).createAsset({
    name: 'Token',
    symbol: 'TOK',
    denomination: 0,
    holders,
  })
  node.fund(addressOf(me!), fee)
  state.makesBlocks = false
  const mine = wallet({ store: memoryStore(), wait: { timeoutMs: 500 } })
  return { node, mine, state, assetID: txID }
}

describe('cancel without funds beyond the fee', () => {
  it('of a payment of a token returns the token', async () => {
    const { node, mine, state, assetID } = await shortScene()
    const paying = mine.transfer({ to, amount: 40n, assetID }, { key: 'a' })
    await expect(paying).rejects.toMatchObject({ code: 'TX_PENDING' })
    node.restart() // it has forgotten the payment
    state.makesBlocks = true
    const { status } = await mine.cancel('a', { wait: { timeoutMs: 60_000 } })
    expect(status).toBe('canceled')
  })

  it('of one of several payments is CANNOT_CANCEL, because each of the others needs an output', async () => {
    const { mine, state, assetID } = await shortScene()
    const outputs = [40n, 50n, 10n].map((amount) => ({ to, amount, assetID }))
    const keys = ['a', 'b', 'c']
    const paying = mine.transfer({ outputs }, { keys })
    await expect(paying).rejects.toMatchObject({ code: 'TX_PENDING' })
    const canceling = mine.cancel('a', { wait: { timeoutMs: 60_000 } })
    await expect(canceling).rejects.toMatchObject({ code: 'CANNOT_CANCEL', keys })
    expect(await mine.payments(keys)).toMatchObject(keys.map(() => ({ status: 'pending' })))
    state.makesBlocks = true
    await mine.resume()
    expect(await mine.payments(keys)).toMatchObject(keys.map(() => ({ status: 'accepted' })))
  })
})
