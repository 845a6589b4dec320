import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { type Call, errorFor, intercepted, resultFor } from '../requests.ts'
import { addressOf, balanceOf, direct, fee, people, utxosOf } from '../setup.ts'
import { me, startedNode, UNIT, urls, you } from './setup.ts'

const to = addressOf(you)
const stranger = addressOf(people[2]!)

/**
 * A wallet with one UTXO, all earlier ones being spent. `fallBack` makes the first server return to the height before that,
 * and the second one list what the first does.
 */
async function behindScene(lag: number) {
  const { node } = await startedNode()
  const clock = virtualClock()
  const spent = await utxosOf(node, me)
  const height = await direct(node).avm.getHeight({})
  const other = createWallet({ client: direct(node), keys: me, clock: virtualClock() })
  await other.sendAll({ to: stranger })
  node.fund(addressOf(me), UNIT)
  for (let i = 2; i < lag; i++) node.fund(stranger, 1n)
  const oldList = (call: Call) => {
    const utxos = spent.map((utxo) => checkedHex.encode(encodeUTXO(utxo)))
    const endIndex = { address: to, utxo: '' }
    return resultFor(call, { utxos, numFetched: `${utxos.length}`, endIndex, encoding: 'hex' })
  }
  let isBehind = false
  let issued = 0
  const fetch = intercepted(node.fetch, async (call, next) => {
    await clock.sleep(3)
    if (call.method === 'avm.issueTx') issued++
    if (!isBehind || call.host === 'c.test') return next()
    if (call.method === 'avm.getUTXOs' && call.params.sourceChain === undefined)
      return oldList(call)
    if (call.host === 'b.test') return next()
    if (call.method === 'avm.getHeight') return resultFor(call, { height: `${height}` })
    const isNewer = BigInt((call.params.height as string | undefined) ?? 0n) > height
    return isNewer ? errorFor(call, "couldn't get block: not found") : next()
  })
  const client = createNodeClient({ url: urls, fetch, clock })
  const mine = createWallet({ client, keys: me, clock })
  expect(await mine.balances()).toMatchObject([{ spendable: UNIT }])
  return {
    node,
    mine,
    issued: () => issued,
    fallBack: () => {
      isBehind = true
    },
  }
}

describe('an honest server that falls behind, and one that lists the same spent UTXOs', () => {
  it('do not make a sweep spend them: blocks since then are agreed', async () => {
    const at = await behindScene(20)
    at.fallBack()
    expect(await at.mine.sweep({ to })).toMatchObject({ utxoCount: 1, leftBehind: [] })
    expect(at.issued()).toBe(1)
    expect(await balanceOf(at.node, you)).toBe(UNIT - fee)
  })

  it('are too few for a sweep, which names what is disputed, if the first is far behind', async () => {
    const at = await behindScene(120)
    at.fallBack()
    const { txIDs, leftBehind } = await at.mine.sweep({ to })
    expect([txIDs, at.issued()]).toEqual([[], 0])
    expect(leftBehind).toHaveLength(4)
    for (const one of leftBehind) expect(one).toMatchObject({ reason: 'disputed' })
    await expect(at.mine.sendAll({ to })).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
    })
  })
})
