import { describe, expect, it } from 'vitest'
import type { Wallet } from '../../../src/wallet/index.ts'
import { addressOf, fee, scene } from '../setup.ts'
import { me, you } from './setup.ts'

const CALLS: { readonly [name: string]: (wallet: Wallet) => Promise<unknown> } = {
  balances: (wallet) => wallet.balances(),
  transfer: (wallet) => wallet.transfer({ to: addressOf(you), amount: 5n }),
  sweep: (wallet) => wallet.sweep({ to: addressOf(you) }),
}

/** The parameters of the network, read once. */
const CONTEXT = {
  'info.getNetworkID': 1,
  'info.getBlockchainID': 2,
  'avm.getAssetDescription': 1,
  'avm.getTxFee': 1,
}

/** What a new wallet reads before its first blocks. */
const OPENING = { ...CONTEXT, 'avm.getHeight': 1, 'avm.getUTXOs': 1 }

const ISSUE = { 'avm.issueTx': 1 }

/** The requests of calls with one server, except those for blocks: of a new wallet, and of one that has read before. */
const WITH_ONE: { readonly [name: string]: readonly object[] } = {
  balances: [OPENING, {}],
  transfer: [{ ...OPENING, ...ISSUE }, ISSUE],
  // Everything is listed, and the fee read, again.
  sweep: [
    { ...OPENING, ...ISSUE },
    { ...CONTEXT, 'avm.getUTXOs': 1, ...ISSUE },
  ],
}

/** The requests of a call, by method. */
async function requestsOf(
  servers: number,
  call: (wallet: Wallet) => Promise<unknown>,
  isNew: boolean,
): Promise<{ readonly [method: string]: number }> {
  const counts: { [method: string]: number } = {}
  let isCounting = isNew
  const { node, wallet } = await scene({
    url: Array.from({ length: servers }, (_, i) => `http://node${i}.test`),
    intercept: ({ method }, next) => {
      if (isCounting) counts[method] = (counts[method] ?? 0) + 1
      return next()
    },
  })
  for (let i = 0; i < 3; i++) node.fund(addressOf(me), 5n * fee)
  const mine = wallet()
  if (!isNew) await mine.balances()
  isCounting = true
  await call(mine)
  return counts
}

for (const [name, call] of Object.entries(CALLS))
  describe(`the requests of ${name}`, () => {
    for (const isNew of [true, false]) {
      const which = isNew ? 'a new wallet' : 'a wallet that has read before'
      it(`are not repeated by ${which} with one server`, async () => {
        const { 'avm.getBlockByHeight': blocks, ...others } = await requestsOf(1, call, isNew)
        expect(others).toEqual(WITH_ONE[name]![isNew ? 0 : 1])
        expect(blocks).toBeGreaterThan(0)
      })

      // With a quorum of 2, as is the default.
      it(`are at most three times as many for ${which} with three servers`, async () => {
        const one = await requestsOf(1, call, isNew)
        const three = await requestsOf(3, call, isNew)
        expect(Object.keys(three).sort()).toEqual(Object.keys(one).sort())
        for (const [method, count] of Object.entries(three)) {
          const most = (method === 'avm.issueTx' ? 1 : 3) * one[method]!
          expect(`${method} ${Math.max(count, most)}`).toBe(`${method} ${most}`)
        }
      })
    }
  })
