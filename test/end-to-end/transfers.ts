import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCChainClient, createPChainClient } from '../../src/node/index.ts'
import { createCrossChainWallet } from '../../src/wallet/moves/index.ts'
import { type ChainAlias, Mover } from '../core/sign/chains/mover.ts'
import type { TestEnvironment } from './environment.ts'

/** Two rounds that pass every pair of chains in both directions. */
const ROUNDS: readonly (readonly ChainAlias[])[] = [
  ['X', 'P', 'C', 'X'],
  ['X', 'C', 'P', 'X'],
]

const MAX_LISTINGS = 60

/** AVAX on its way from chain to chain, with all fees on the books. */
export function transferTests(env: () => TestEnvironment): void {
  describe('transfers between chains', () => {
    it('move AVAX around all three chains in both directions', async ({ skip }) => {
      const { context, url, fee } = env()
      const now = () => BigInt(Math.floor(Date.now() / 1000))
      const payer = env().fundedAccount()
      const mover = new Mover({ context, now, url }, payer.keys)
      const served = await mover.c.eth
        .baseFee()
        .then(() => mover.p.fees())
        .catch(() => undefined)
      if (served === undefined) skip('the node serves no P- and C-Chain')
      for (const round of ROUNDS) {
        let amount = 10n * fee
        for (const [i, from] of round.slice(0, -1).entries()) {
          const to = round[i + 1]!
          const before = await mover.balance(to)
          const exported = await mover.export(from, to, amount)
          await listed(mover, from, to)
          const paid = await mover.import(from, to, exported.utxos)
          expect(await mover.balance(to)).toBe(before + amount - paid)
          // What the next export costs comes out of what has arrived.
          amount -= paid + 2n * fee
        }
      }
    })

    it('move AVAX around all three chains in both directions, with one call each', async ({
      skip,
    }) => {
      const { url, fee, client } = env()
      const { keys } = env().fundedAccount()
      const pChain = createPChainClient({ url })
      const cChain = createCChainClient({ url })
      const served = await cChain.eth
        .baseFee()
        .then(() => pChain.fees())
        .catch(() => undefined)
      if (served === undefined) skip('the node serves no P- and C-Chain')
      const wallet = createCrossChainWallet({ client, pChain, cChain, keys })
      for (const round of ROUNDS)
        for (const [i, from] of round.slice(0, -1).entries()) {
          // Each move leaves enough behind it for the fees of the next one.
          const amount = BigInt(10 - 3 * i) * fee
          const to = round[i + 1]!
          const { quote } = await wallet.move(
            { from, to, amount },
            { key: `${round.join('')} ${i}` },
          )
          expect(quote!.arrives[0]!.amount).toBeGreaterThanOrEqual(amount)
        }
      expect(await wallet.moves()).toEqual([])
    })
  })
}

/** Waits until the destination lists what was exported; since Helicon that may take a moment. */
async function listed(mover: Mover, from: ChainAlias, to: ChainAlias): Promise<void> {
  const list = () =>
    to === 'X' ? mover.xUTXOs(from) : to === 'P' ? mover.pUTXOs(from) : mover.cUTXOs(from)
  for (let i = 0; i < MAX_LISTINGS; i++) {
    if ((await list()).length > 0) return
    await setTimeout(500)
  }
  throw new Error(`the ${to}-Chain lists nothing from ${from}`)
}
