import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { FALSE_ENTRIES, falsified } from '../false-entries.ts'
import { errorFor, resultFor } from '../requests.ts'
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

for (const [name, entriesOf] of Object.entries(FALSE_ENTRIES)) {
  describe(`importStray after a listing with ${name}`, () => {
    for (const to of ['P', 'C', 'X'] as const)
      it(`imports to ${to} what there is, once the listing is right`, async () => {
        let isFalse = true
        const { wallet, ledger } = await moveScene({
          store: memoryStore(),
          intercept: ({ method, params }, next) =>
            isFalse && method === LISTING[to] && params.sourceChain !== undefined
              ? falsified(next, entriesOf)
              : next(),
        })
        const from = to === 'P' ? 'C' : 'P'
        await ledger.export(from, to, 3n * AVAX)
        const before = await ledger.balance(to)
        const call = { sourceChain: from, destinationChain: to } as const
        const early = wallet({ wait: { timeoutMs: 3000 } })
        await expect(early.importStray(call)).rejects.toMatchObject({ code: 'MOVE_UNFINISHED' })
        isFalse = false
        expect(await wallet().resume()).toMatchObject([{ status: 'accepted' }])
        const gained = (await ledger.balance(to)) - before
        expect(gained > 2n * AVAX && gained <= 3n * AVAX).toBe(true)
        expect(await wallet().moves()).toEqual([])
      })
  })

  describe(`a move after a listing with ${name}`, () => {
    for (const from of ['P', 'X'] as const)
      for (const amount of [70n * AVAX, 'all'] as const)
        it(`of ${amount === 'all' ? amount : 'an amount'} from ${from} is made once the listing is right`, async () => {
          let isFalse = true
          const { wallet, ledger } = await moveScene({
            store: memoryStore(),
            intercept: ({ method, params }, next) =>
              isFalse && method === LISTING[from] && params.sourceChain === undefined
                ? falsified(next, entriesOf)
                : next(),
          })
          const call = { from, to: 'C', amount } as const
          const early = wallet({ wait: { timeoutMs: 3000 } })
          await expect(early.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
          isFalse = false
          await wallet().move(call, { key: 'a' })
          const arrived = (await ledger.balance('C')) - 100n * AVAX
          const least = amount === 'all' ? 99n * AVAX : amount
          expect(arrived >= least && arrived <= 100n * AVAX).toBe(true)
          expect(await wallet().moves()).toEqual([])
        })
  })
}

describe('a server that contradicts itself about the fee', () => {
  for (const [from, name, priceOf] of [
    ['P', 'rises without end', (n: number) => n],
    ['C', 'is high and low in turn', (n: number) => (n % 2 === 0 ? 1000 : 1_000_000_000)],
  ] as const)
    it(`on ${from}, where it ${name}, causes few signatures`, async () => {
      let asked = 0
      let claims = 0
      const store = memoryStore()
      const { wallet } = await moveScene({
        store: {
          ...store,
          claim: async (claim) => {
            claims++
            await store.claim(claim)
          },
        },
        intercept: (call, next) => {
          if (/^(platform|avax)\.issueTx$/.test(call.method))
            return errorFor(call, 'insufficient funds')
          if (call.method === 'eth_baseFee')
            return resultFor(call, `0x${priceOf(asked++).toString(16)}`)
          if (call.method !== 'platform.getFeeState') return next()
          const timestamp = '2023-11-14T22:13:20Z'
          return resultFor(call, {
            capacity: 1e6,
            excess: 0,
            price: 1 + priceOf(asked++),
            timestamp,
          })
        },
      })
      const mover = wallet({ wait: { timeoutMs: 300_000 } })
      await expect(mover.move({ from, to: 'X', amount: AVAX })).rejects.toMatchObject({
        code: 'TX_PENDING',
      })
      expect(claims).toBeLessThanOrEqual(32)
    })
})
