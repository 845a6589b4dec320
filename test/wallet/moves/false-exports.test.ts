import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import * as cChain from '../../../src/core/c-chain.ts'
import { exportedUTXOs } from '../../../src/core/chain/x/created.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { encodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import * as pChain from '../../../src/core/p-chain.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type Fetch,
} from '../../../src/node/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import type { ChainAlias } from '../../core/sign/chains/mover.ts'
import { intercepted, resultFor } from '../requests.ts'
import { AVAX, moveScene, PAIRS, stranger } from './setup.ts'

const METHODS = {
  X: { issue: 'avm.issueTx', get: 'avm.getTx', list: 'avm.getUTXOs' },
  P: { issue: 'platform.issueTx', get: 'platform.getTx', list: 'platform.getUTXOs' },
  C: { issue: 'avax.issueTx', get: 'avax.getAtomicTx', list: 'avax.getUTXOs' },
} as const

const EXPORTED = {
  X: (bytes) => exportedUTXOs(decodeTx(bytes)),
  P: (bytes) => pChain.exportedUTXOs(pChain.decodeTx(bytes)) as UTXO[],
  C: (bytes) => cChain.exportedUTXOs(cChain.decodeTx(bytes)),
} satisfies { readonly [chain: string]: (bytes: Uint8Array) => UTXO[] }

/** A scene whose server withholds an export and shows it as accepted until `becomeHonest` is called. */
async function falseScene(from: ChainAlias, to: ChainAlias, listsExported: boolean) {
  let isFalse = true
  let withheld: Uint8Array | undefined
  const scene = await moveScene({
    store: memoryStore(),
    intercept: (call, next) => {
      const { method, params } = call
      if (!isFalse) return next()
      if (method === METHODS[from].issue) {
        withheld = checkedHex.decode(params.tx as string)
        return resultFor(call, { txID: formatID(cChain.txID(withheld)) })
      }
      if (withheld === undefined) return next()
      if (method === METHODS[from].get) {
        const tx = checkedHex.encode(withheld)
        return resultFor(call, { tx, encoding: 'hex', blockHeight: '0' })
      }
      const isListing = method === METHODS[to].list && params.sourceChain !== undefined
      if (!isListing || !listsExported) return next()
      const utxos = EXPORTED[from](withheld).map((utxo) => checkedHex.encode(encodeUTXO(utxo)))
      const endIndex = { address: `${to}-local1`, utxo: 'u' }
      const numFetched = String(utxos.length)
      return resultFor(call, { numFetched, utxos, endIndex, encoding: 'hex' })
    },
  })
  const becomeHonest = () => {
    isFalse = false
  }
  return { ...scene, becomeHonest }
}

describe('a move whose export a server withheld and showed as accepted', () => {
  for (const [from, to] of PAIRS)
    it(`from ${from} to ${to} is made once the server is honest`, async () => {
      const { wallet, ledger, becomeHonest } = await falseScene(from, to, true)
      const call = { from, to, amount: AVAX } as const
      const early = wallet({ wait: { timeoutMs: 10_000 } })
      await expect(early.move(call, { key: 'a' })).rejects.toMatchObject({
        code: 'MOVE_UNFINISHED',
        move: { stage: 'importing' },
      })
      becomeHonest()
      expect(await wallet().resume()).toMatchObject([{ keys: ['a'], status: 'accepted' }])
      const arrived = (await ledger.balance(to)) - 100n * AVAX
      expect(arrived >= AVAX && arrived < 2n * AVAX).toBe(true)
      expect(await wallet().moves()).toEqual([])
    })

  it('is not reported as accepted if another holder of the keys spends its inputs', async () => {
    const { wallet, ledger, becomeHonest } = await falseScene('X', 'P', true)
    const call = { from: 'X', to: 'P', amount: AVAX } as const
    const early = wallet({ wait: { timeoutMs: 10_000 } })
    await early.move(call, { key: 'a' }).catch(() => {})
    becomeHonest()
    const other = wallet({ store: memoryStore() })
    await other.sendAll({ to: stranger.addresses[0]! })
    const mine = wallet()
    expect(await mine.resume()).toMatchObject([{ keys: ['a'], status: 'pending' }])
    // This call reads the blocks.
    await mine.balances()
    expect(await mine.payments(['a'])).toMatchObject([{ status: 'pending' }])
    expect(await ledger.balance('P')).toBe(100n * AVAX)
  })

  it('is made by the same wallet if its UTXOs were never listed', async () => {
    const { wallet, ledger, becomeHonest } = await falseScene('P', 'X', false)
    const call = { from: 'P', to: 'X', amount: AVAX } as const
    const mover = wallet()
    await expect(mover.move(call, { key: 'a', wait: { timeoutMs: 10_000 } })).rejects.toMatchObject(
      { code: 'MOVE_UNFINISHED', move: { stage: 'exported' } },
    )
    becomeHonest()
    await mover.move(call, { key: 'a' })
    const arrived = (await ledger.balance('X')) - 100n * AVAX
    expect(arrived >= AVAX && arrived < 2n * AVAX).toBe(true)
  })
})

describe('a move with three servers, two of which do not forward transactions', () => {
  for (const [from, to] of PAIRS)
    it(`from ${from} to ${to} is made by the third`, async () => {
      const { wallet, node, clock, ledger } = await moveScene()
      const before = await ledger.balance(to)
      const reach: Fetch = (url, init) => node.fetch(url.replace(/node\d/, 'node'), init)
      const at = {
        url: [1, 2, 3].map((n) => `http://node${n}.test`),
        fetch: intercepted(reach, (call, next) => {
          // Requests of several calls have no method.
          if (call.host === 'node3.test' || !call.method?.endsWith('.issueTx')) return next()
          const txID = formatID(cChain.txID(checkedHex.decode(call.params.tx as string)))
          return resultFor(call, { txID })
        }),
        clock,
      }
      const mine = wallet({
        client: createNodeClient(at),
        pChain: createPChainClient(at),
        cChain: createCChainClient(at),
      })
      await mine.move({ from, to, amount: AVAX }, { wait: { timeoutMs: 120_000 } })
      expect((await ledger.balance(to)) - before >= AVAX).toBe(true)
    })
})
