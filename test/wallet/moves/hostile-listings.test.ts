import { describe, expect, it } from 'vitest'
import { encodeUTXO } from '../../../src/chain/index.ts'
import { checkedHex } from '../../../src/encoding/index.ts'
import { resultFor } from '../requests.ts'
import { AVAX, keys, moveScene } from './setup.ts'

const LISTING = { X: 'avm.getUTXOs', P: 'platform.getUTXOs', C: 'avax.getUTXOs' } as const

describe('a listing without end', () => {
  const PAGE_SIZE = 1024

  for (const [name, chain, isAtomic] of [
    ['own UTXOs of P', 'P', false],
    ['UTXOs exported to P', 'P', true],
    ['UTXOs exported to C', 'C', true],
  ] as const)
    it(`of ${name} ends at the time limit of the call`, async () => {
      let pages = 0
      const scene = await moveScene({
        intercept: async (call, next) => {
          const isListing = call.method === LISTING[chain]
          if (!isListing || (call.params.sourceChain !== undefined) !== isAtomic) return next()
          await scene.clock.sleep(100)
          const first = PAGE_SIZE * pages++
          const utxos = Array.from({ length: PAGE_SIZE }, (_, i) =>
            checkedHex.encode(
              encodeUTXO({
                txID: new Uint8Array(32).fill(9),
                outputIndex: first + i,
                assetID: scene.node.context.assetID,
                output: {
                  type: 'secp256k1fx.TransferOutput',
                  amount: 5n,
                  locktime: 0n,
                  threshold: 1,
                  addresses: [keys.addresses[0]!],
                },
              }),
            ),
          )
          const endIndex = { address: `P-local1${pages}`, utxo: `u${pages}` }
          return resultFor(call, {
            numFetched: String(PAGE_SIZE),
            utxos,
            endIndex,
            encoding: 'hex',
          })
        },
      })
      const wallet = scene.wallet({ wait: { timeoutMs: 1000 } })
      const from = isAtomic ? 'X' : 'P'
      const to = isAtomic ? chain : 'C'
      await expect(wallet.move({ from, to, amount: AVAX })).rejects.toMatchObject(
        isAtomic ? { code: 'MOVE_UNFINISHED' } : { code: 'RPC_TIMEOUT' },
      )
      expect(pages).toBeLessThanOrEqual(10)
      if (!isAtomic) return
      const call = { sourceChain: from, destinationChain: to } as const
      await expect(wallet.importStray(call)).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
      expect(pages).toBeLessThanOrEqual(20)
    })
})
