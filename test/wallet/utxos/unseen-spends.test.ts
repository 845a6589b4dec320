import { describe, expect, it } from 'vitest'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import { consumedUTXOs } from '../../../src/core/chain/x/spends.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { UnseenSpends } from '../../../src/wallet/utxos/unseen-spends.ts'
import { errorFor, resultFor } from '../requests.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** A server that returns accepted transactions, but no new block. */
async function withoutBlocks() {
  const sent: string[][] = []
  let height: number | undefined
  const at = await scene({
    intercept: (call, next) => {
      if (call.tx) sent.push(consumedUTXOs(decodeTx(call.tx).unsignedTx).map(utxoKey))
      if (height === undefined) return next()
      if (call.method === 'avm.getHeight') return resultFor(call, { height: String(height) })
      const isNew = call.method === 'avm.getBlockByHeight' && Number(call.params.height) > height
      return isNew ? errorFor(call, 'not found') : next()
    },
  })
  for (let i = 0; i < 3; i++) at.node.fund(addressOf(me), 3n * fee)
  return {
    ...at,
    sent,
    hideBlocks: async (hides: boolean) => {
      height = hides ? Number(await at.client.avm.getHeight({})) : undefined
    },
  }
}

describe('an acceptance that no block has shown yet', () => {
  it('keeps the next draft from spending the same inputs', async () => {
    const { node, wallet, sent, hideBlocks } = await withoutBlocks()
    const mine = wallet()
    await mine.balances()
    await hideBlocks(true)
    await mine.transfer(payment, { key: 'a' })
    await mine.transfer(payment, { key: 'b' })
    const [first, second] = [new Set(sent[0]!), new Set(sent.at(-1)!)]
    expect([...second].filter((id) => first.has(id))).toEqual([])
    expect(await balanceOf(node, you)).toBe(10n)
    await hideBlocks(false)
    expect(await mine.checkUTXOs()).toEqual({ missing: [], extra: [] })
  })

  it('is forgotten if no block shows it for long', async () => {
    const { node, wallet, clock, hideBlocks, client } = await withoutBlocks()
    const mine = wallet()
    await mine.balances()
    const [before] = await mine.balances()
    await hideBlocks(true)
    const state = node.snapshot()
    await mine.transfer(payment, { key: 'a' })
    const [meanwhile] = await mine.balances()
    expect(meanwhile!.spendable).toBeLessThan(before!.spendable)
    // The server has lied: the chain never gets the block.
    node.restore(state)
    clock.advance(20_000)
    expect(await mine.balances()).toEqual([before])
    expect(await client.avm.getHeight({})).toBeGreaterThan(0n)
  })
})

it.each([
  ['not doubtful soon', 15_000, false],
  ['doubtful after a while', 15_001, true],
  ['doubtful if the clock was set back', -15_001, true],
])('is %s', (_, ms, isDoubtful) => {
  let at = 1_000_000
  const unseen = new UnseenSpends({ now: () => at, sleep: async () => {}, random: () => 0 })
  unseen.add([{ txID: new Uint8Array(32), outputIndex: 0 }])
  at += ms
  expect(unseen.isDoubtful).toBe(isDoubtful)
})
