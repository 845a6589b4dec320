import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/core/base/bytes/compare.ts'
import { formatAmount } from '../../../src/core/base/encoding/amount.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { formatID, formatUTXOID } from '../../../src/core/base/encoding/ids.ts'
import { evmAddressBytes, evmAddressOf } from '../../../src/core/c-chain.ts'
import { exportedUTXOs } from '../../../src/core/chain/x/created.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { nobleBackend } from '../../../src/core/crypto/secp256k1.ts'
import * as pChain from '../../../src/core/p-chain.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import { requireSigned, signDraft } from '../../../src/index.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type Fetch,
} from '../../../src/node/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { type MoveError, StrayError } from '../../../src/wallet/moves/index.ts'
import { variantOf } from '../../../src/wallet/recovery/variant.ts'
import { memoryStore, type Store, StoreError } from '../../../src/wallet/store/index.ts'
import { isRunToday } from '../../helpers/todays-cases.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { errorFor, intercepted, resultFor, withResult } from '../requests.ts'
import { AVAX, keys, moveScene, PAIRS, stranger } from './setup.ts'

/** A store whose operation with this number fails, before or after its effect, as if the process ended there. */
function failingStore(
  store: Store,
  at: number,
  isAfter: boolean,
): Store & { readonly count: () => number } {
  let count = 0
  const op = async <T>(work: () => Promise<T>): Promise<T> => {
    count++
    const error = new StoreError('STORE_LOST', 'the process ended')
    if (count >= at && !(isAfter && count === at)) throw error
    const result = await work()
    if (count >= at) throw error
    return result
  }
  return {
    ...store,
    bind: (binding) => op(() => store.bind(binding)),
    claim: (claim) => op(() => store.claim(claim)),
    assertOwned: () => op(() => store.assertOwned()),
    recordAcceptance: (acceptance) => op(() => store.recordAcceptance(acceptance)),
    payments: (list) => op(() => store.payments(list)),
    count: () => count,
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

describe('a move that is interrupted', () => {
  for (const [from, to] of [
    ['C', 'X'],
    ['X', 'P'],
  ] as const)
    it(`from ${from} to ${to} at any store operation is completed by another process, once`, async () => {
      const call = { from, to, amount: AVAX } as const
      for (const isAfter of [false, true])
        for (let at = 1; ; at++) {
          if (!isRunToday(at)) continue
          const store = memoryStore()
          const { wallet, ledger } = await moveScene({ store })
          const broken = failingStore(store, at, isAfter)
          const first = await wallet({ store: broken, wait: { timeoutMs: 3000 } })
            .move(call, { key: 'a' })
            .catch((error) => error)
          const isDone = 'txID' in first && !(first instanceof Error)
          await wallet().move(call, { key: 'a' })
          expect(await wallet().moves()).toEqual([])
          const arrived = (await ledger.balance(to)) - 100n * AVAX
          expect([at, arrived >= AVAX && arrived < 2n * AVAX]).toEqual([at, true])
          const left = 100n * AVAX - (await ledger.balance(from))
          expect([at, left < 2n * AVAX]).toEqual([at, true])
          if (isDone && broken.count() < at) break
        }
    })

  it('at any request is completed, once', async () => {
    const call = { from: 'P', to: 'C', amount: AVAX } as const
    for (let at = 1; ; at++) {
      if (!isRunToday(at)) continue
      const store = memoryStore()
      let count = 0
      const { wallet, ledger } = await moveScene({
        store,
        intercept: async (_request, answer) => {
          const reply = await answer()
          // The request has its effect, and the answer is lost.
          if (++count === at) throw new TypeError('terminated')
          return reply
        },
      })
      await wallet({ wait: { timeoutMs: 3000 } })
        .move(call, { key: 'a' })
        .catch(() => {})
      await wallet().move(call, { key: 'a' })
      const arrived = (await ledger.balance('C')) - 100n * AVAX
      expect([at, arrived >= AVAX && arrived < 2n * AVAX]).toEqual([at, true])
      if (count < at) break
    }
  })

  it('from P keeps its UTXOs, and the next one names their amount as reserved', async () => {
    const { wallet } = await moveScene({
      store: memoryStore(),
      intercept: async ({ method }, answer) => {
        if (method === 'platform.issueTx') throw new TypeError('fetch failed')
        return answer()
      },
    })
    const mover = wallet({ wait: { timeoutMs: 2000 } })
    await mover.move({ from: 'P', to: 'X', amount: 50n * AVAX }, { key: 'a' }).catch(() => {})
    const failure = await mover
      .move({ from: 'P', to: 'X', amount: 50n * AVAX }, { key: 'b' })
      .catch((error) => error)
    expect(failure).toMatchObject({ code: 'BUILDER_INSUFFICIENT_FUNDS' })
    expect(failure.assets).toMatchObject([{ reserved: 60n * AVAX, available: 40n * AVAX }])
  })

  it('is reported with the location of its funds and resumed by the key, by resume, or never by a plain wallet', async () => {
    const store = memoryStore()
    let isBroken = true
    const { wallet, ledger, clock, node } = await moveScene({
      store,
      intercept: async ({ method }, answer) => {
        if (isBroken && method === 'platform.issueTx') throw new TypeError('fetch failed')
        return answer()
      },
    })
    const call = { from: 'X', to: 'P', amount: AVAX } as const
    const failure: MoveError = await wallet({ wait: { timeoutMs: 2000 } })
      .move(call, { key: 'a' })
      .catch((error) => error)
    expect(failure).toMatchObject({ name: 'MoveError', code: 'MOVE_UNFINISHED', keys: ['a'] })
    expect(failure.move).toMatchObject({ stage: 'importing', from: 'X', to: 'P', amount: AVAX })
    expect(failure.move.location).toContain('exported from the X-Chain')
    expect(failure.move.utxos).toEqual([{ txID: failure.move.exportTxID, outputIndex: 1 }])
    expect(await wallet().moves()).toMatchObject([{ key: 'a', stage: 'importing' }])
    expect(await wallet().payments(['a'])).toMatchObject([{ status: 'pending' }])

    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch, clock })
    const plain = createWallet({ client, keys, store, clock })
    expect(await plain.resume()).toMatchObject([
      { keys: ['a'], status: 'pending', error: { code: 'MOVE_UNFINISHED' } },
    ])
    // What the move has spent is not chosen again.
    await plain.transfer({ to: stranger.addresses[0]!, amount: 50n * AVAX })
    expect(await wallet().payments(['a'])).toMatchObject([{ status: 'pending' }])

    isBroken = false
    const resumed = await wallet().resume()
    expect(resumed).toMatchObject([{ keys: ['a'], status: 'accepted' }])
    expect(await wallet().move(call, { key: 'a' })).toEqual({ txID: resumed[0]!.txID })
    expect(formatAmount(await ledger.balance('P'))).toMatch(/^101\.0000/)
  })

  it('after its export is not imported to another recipient by a batch of a plain wallet', async () => {
    const store = memoryStore()
    let isBroken = true
    const { wallet, ledger, clock, node } = await moveScene({
      store,
      intercept: async ({ method, params }, answer) => {
        if (isBroken && method === 'avm.getUTXOs' && params.sourceChain !== undefined)
          throw new TypeError('fetch failed')
        return answer()
      },
    })
    const [recipient] = stranger.addresses
    const call = { from: 'P', to: 'X', amount: AVAX, recipient: recipient! } as const
    await expect(
      wallet({ wait: { timeoutMs: 2000 } }).move(call, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'MOVE_UNFINISHED', move: { stage: 'exported' } })
    await ledger.export('P', 'X', 3n * AVAX)
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch, clock })
    const plain = createWallet({ client, keys, store, clock })
    const imported = await plain.import({ sourceChain: 'P' }).catch((error) => error)
    expect(imported).toMatchObject({
      code: 'BATCH_UNFINISHED',
      result: { utxoCount: 1, leftBehind: [{ reason: 'reserved', amount: AVAX + 1_000_000n }] },
    })
    const [balance] = await plain.balances({ sourceChain: 'P' })
    expect(balance).toMatchObject({ spendable: AVAX + 1_000_000n })
    isBroken = false
    await wallet().move(call, { key: 'a' })
    expect(await client.avm.getBalance({ address: recipient!, assetID: 'AVAX' })).toMatchObject({
      balance: AVAX,
    })
  })

  for (const [from, to] of PAIRS)
    it(`from ${from} to ${to} after its export goes on with the import in the same wallet`, async () => {
      const methods = { X: 'avm', P: 'platform', C: 'avax' }
      let isBroken = true
      let issued: string[] = []
      const { wallet: create, ledger } = await moveScene({
        intercept: async ({ method, params }, answer) => {
          const isListing = method === `${methods[to]}.getUTXOs` && params.sourceChain !== undefined
          if (isBroken && isListing) throw new TypeError('fetch failed')
          if (/issueTx$/.test(method)) issued.push(method)
          return answer()
        },
      })
      const wallet = create()
      const call = { from, to, amount: AVAX } as const
      const failure = await wallet
        .move(call, { key: 'a', wait: { timeoutMs: 2000 } })
        .catch((error) => error)
      expect(failure).toMatchObject({ code: 'MOVE_UNFINISHED', move: { stage: 'exported' } })
      expect(await wallet.moves()).toMatchObject([{ key: 'a', stage: 'exported' }])
      isBroken = false
      issued = []
      await wallet.move(call, { key: 'a' })
      expect(issued).toEqual([`${methods[to]}.issueTx`])
      const arrived = (await ledger.balance(to)) - 100n * AVAX
      expect(arrived >= AVAX && arrived < 2n * AVAX).toBe(true)
    })
})

describe('a move whose fee rises', () => {
  it('is rebuilt with the same inputs, on P', async () => {
    let isRaised = false
    const claimed: Uint8Array[] = []
    const store = memoryStore()
    const scene = await moveScene({
      store: {
        ...store,
        claim: async (claim) => {
          claimed.push(claim.leg!.inputs[0]!.txID)
          await store.claim(claim)
        },
      },
      intercept: async ({ method }, answer) => {
        if (method === 'platform.issueTx' && !isRaised) {
          isRaised = true
          scene.node.pChain.setFeeState({ capacity: 1_000_000n, excess: 1_600_000n })
        }
        return answer()
      },
    })
    // A block of now, from which on the excess counts.
    await scene.ledger.export('P', 'C', AVAX)
    const before = await scene.ledger.balance('P')
    isRaised = false
    const { quote } = await scene.wallet().move({ from: 'P', to: 'X', amount: AVAX })
    expect(claimed).toHaveLength(3)
    expect(claimed[1]).toEqual(claimed[0])
    // Twice the price of the quote.
    const burned = before - (await scene.ledger.balance('P')) - quote!.exported[0]!.amount
    expect(burned).toBe(2n * quote!.exportFee)
  })

  it('is rebuilt on P with its inputs and others, also if a larger UTXO arrived meanwhile', async () => {
    let isRaised = true
    const store = memoryStore()
    const scene = await moveScene({
      store,
      intercept: async ({ method }, answer) => {
        if (method === 'platform.issueTx' && !isRaised) {
          isRaised = true
          scene.node.pChain.setFeeState({ capacity: 1_000_000n, excess: 9_500_000n })
          scene.node.pChain.fund({ address: keys.addresses[0]!, amount: 200n * AVAX })
        }
        return answer()
      },
    })
    await scene.ledger.export('P', 'C', AVAX)
    isRaised = false
    // The UTXO that the first export spends has no room for a higher fee.
    const amount = 58n * AVAX + 998_900_000n
    await scene.wallet().move({ from: 'P', to: 'X', amount }, { key: 'a' })
    expect((await scene.ledger.balance('X')) - 100n * AVAX).toBe(amount)
    const left = await scene.ledger.balance('P')
    expect(left < 299n * AVAX - amount && left > 298n * AVAX - amount).toBe(true)
  })

  for (const helicon of [false, true])
    it(`is rebuilt with the same nonce, on C${helicon ? ' after Helicon' : ''}`, async () => {
      let isRaised = false
      const store = memoryStore()
      const scene = await moveScene({
        store,
        helicon,
        intercept: async ({ method }, answer) => {
          if (method === 'avax.issueTx' && !isRaised) {
            isRaised = true
            scene.node.cChain.setBaseFee(50_000_000_000n)
          }
          return answer()
        },
      })
      scene.node.cChain.setBaseFee(25_000_000_000n)
      await scene.wallet().move({ from: 'C', to: 'P', amount: AVAX })
      const { nonce } = scene.node.cChain.account(evmAddressOf(keys.publicKeys[0]!))
      expect(nonce).toBe(1n)
      expect(await scene.ledger.balance('P')).toBeGreaterThan(101n * AVAX - 1n)
    })

  it('waits above the maximum with the funds reported, and goes on with a higher one', async () => {
    const store = memoryStore()
    const scene = await moveScene({
      store,
      intercept: async ({ method }, answer) => {
        const reply = await answer()
        if (method === 'avm.issueTx') scene.node.cChain.setBaseFee(2n * 10n ** 13n)
        return reply
      },
    })
    const call = { from: 'X', to: 'C', amount: AVAX } as const
    const failure: MoveError = await scene
      .wallet({ wait: { timeoutMs: 5000 } })
      .move(call, { key: 'a' })
      .catch((error) => error)
    expect(failure).toMatchObject({
      code: 'MOVE_UNFINISHED',
      cause: { code: 'FEE_ABOVE_MAX' },
      move: { stage: 'exported' },
    })
    expect(await scene.wallet().importStray({ sourceChain: 'X', destinationChain: 'C' })).toEqual({
      txIDs: [],
      leftBehind: [],
    })
    // The import costs more than was exported.
    scene.node.cChain.setBaseFee(10n ** 14n)
    const poor = await scene
      .wallet({ wait: { timeoutMs: 2000 } })
      .move({ ...call, maxFee: 2n * AVAX }, { key: 'a' })
      .catch((error) => error)
    expect(poor).toMatchObject({ cause: { code: 'BUILDER_INSUFFICIENT_FUNDS' } })
    scene.node.cChain.setBaseFee(10n ** 13n)
    await scene.wallet().move({ ...call, maxFee: 2n * AVAX }, { key: 'a' })
    expect(await scene.wallet().moves()).toEqual([])
  })
})

describe('a move', () => {
  it('from X is canceled while its export is pending', async () => {
    const store = memoryStore()
    const { wallet, node, ledger } = await moveScene({ store, blocks: 'manual' })
    const mine = wallet({ wait: { timeoutMs: 1000 } })
    await expect(
      mine.move({ from: 'X', to: 'P', amount: AVAX }, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'TX_PENDING', move: { stage: 'exporting' } })
    // The node loses what is pending, so that the cancellation is not refused as a conflict.
    node.restart()
    await mine.cancel('a').catch(() => {})
    node.produceBlock()
    expect(await wallet().cancel('a')).toMatchObject({ status: 'canceled' })
    expect(await wallet().payments(['a'])).toMatchObject([{ status: 'canceled' }])
    expect(await ledger.balance('X')).toBe(100n * AVAX - 1_000_000n)
  })

  it('is not reported as made if another process cancels it after a server has shown its export', async () => {
    const store = memoryStore()
    const { wallet, node, ledger, clock } = await moveScene({ store })
    const withheld = new Map<string, Uint8Array>()
    let canceled: unknown
    // Does not forward the export, and shows it as accepted.
    const fetch = intercepted(
      (to, init) => node.fetch(to, init),
      async (call, next) => {
        const { method, txID = '', tx } = call
        if (method === 'avm.issueTx') {
          withheld.set(txID, tx!)
          return resultFor(call, { txID })
        }
        const shown = method === 'avm.getTx' && withheld.get(txID)
        if (shown) return resultFor(call, { tx: checkedHex.encode(shown), encoding: 'hex' })
        if (method === 'platform.getUTXOs' && withheld.size > 0)
          canceled ??= await wallet().cancel('a')
        return next()
      },
    )
    const at = { url: 'http://dishonest.test', fetch, clock }
    const clients = {
      client: createNodeClient(at),
      pChain: createPChainClient(at),
      cChain: createCChainClient(at),
    }
    const moving = wallet(clients).move({ from: 'X', to: 'P', amount: AVAX }, { key: 'a' })
    await expect(moving).rejects.toMatchObject({ code: 'PAYMENT_CANCELED' })
    expect(canceled).toMatchObject({ status: 'canceled' })
    expect(await ledger.balance('P')).toBe(100n * AVAX)
  })

  it('is not made again if another holder of the keys imports what it exported', async () => {
    const store = memoryStore()
    let isBroken = true
    const scene = await moveScene({
      store,
      intercept: async ({ method }, answer) => {
        if (isBroken && method === 'avm.issueTx') throw new TypeError('fetch failed')
        return answer()
      },
    })
    const call = { from: 'C', to: 'X', amount: AVAX } as const
    await expect(
      scene.wallet({ wait: { timeoutMs: 2000 } }).move(call, { key: 'a' }),
    ).rejects.toMatchObject({ code: 'MOVE_UNFINISHED' })
    isBroken = false
    await scene.wallet({ store: memoryStore() }).import({ sourceChain: 'C' })
    expect(await scene.wallet().resume()).toMatchObject([{ keys: ['a'], status: 'accepted' }])
    await scene.wallet().move(call, { key: 'a' })
    expect(scene.node.cChain.account(evmAddressOf(keys.publicKeys[0]!)).nonce).toBe(1n)
  })

  for (const from of ['P', 'C'] as const)
    it(`from ${from} to X ends if another holder of the keys imports before its own import is claimed`, async () => {
      let isHidden = true
      const { wallet } = await moveScene({
        store: memoryStore(),
        intercept: (request, answer) => {
          const { method, params } = request
          if (!isHidden || method !== 'avm.getUTXOs' || params.sourceChain === undefined)
            return answer()
          const endIndex = { address: 'X-local1', utxo: 'u' }
          return resultFor(request, { numFetched: '0', utxos: [], endIndex, encoding: 'hex' })
        },
      })
      const call = { from, to: 'X', amount: AVAX } as const
      const early = wallet({ wait: { timeoutMs: 2000 } })
      const failure: MoveError = await early.move(call, { key: 'a' }).catch((error) => error)
      expect(failure).toMatchObject({ code: 'MOVE_UNFINISHED', move: { stage: 'exported' } })
      isHidden = false
      const other = wallet({ store: memoryStore() })
      await other.import({ sourceChain: from })
      // More blocks than a wallet reads that has nothing to search for.
      for (let i = 0; i < 12; i++) await other.transfer({ to: keys.addresses[0]!, amount: AVAX })
      const txID = failure.move.exportTxID!
      expect(await wallet().resume()).toMatchObject([{ keys: ['a'], status: 'accepted', txID }])
      expect(await early.move(call, { key: 'a' })).toEqual({ txID })
      expect(await wallet().moves()).toEqual([])
    })

  for (const from of ['X', 'C'] as const)
    for (const stage of ['exported', 'importing'] as const)
      it(`from ${from} to P ends if another holder of the keys imports while it is ${stage}`, async () => {
        let isBroken = true
        const { wallet } = await moveScene({
          store: memoryStore(),
          intercept: async ({ method, params }, answer) => {
            const isListing = method === 'platform.getUTXOs' && params.sourceChain !== undefined
            const isIssue = method === 'platform.issueTx'
            if (isBroken && (stage === 'exported' ? isListing : isIssue))
              throw new TypeError('fetch failed')
            return answer()
          },
        })
        const call = { from, to: 'P', amount: AVAX } as const
        const early = wallet({ wait: { timeoutMs: 2000 } })
        const failure: MoveError = await early.move(call, { key: 'a' }).catch((error) => error)
        expect(failure).toMatchObject({ code: 'MOVE_UNFINISHED', move: { stage } })
        isBroken = false
        const other = wallet({ store: memoryStore() })
        await other.importStray({ sourceChain: from, destinationChain: 'P' })
        const { utxos } = failure.move
        if (stage === 'importing')
          expect(await wallet().moves()).toMatchObject([{ key: 'a', utxos, missing: utxos }])
        // Spends what the import paid.
        await other.move({ from: 'P', to: 'X', amount: 100n * AVAX })
        const txID = failure.move.exportTxID!
        expect(await wallet().resume()).toMatchObject([{ keys: ['a'], status: 'accepted', txID }])
        expect(await wallet().move(call, { key: 'a' })).toEqual({ txID })
        expect(await wallet().moves()).toEqual([])
      })

  it('to P does not end by an import that a node has invented', async () => {
    let forged: Uint8Array | undefined
    const { wallet, ledger, node } = await moveScene({
      store: memoryStore(),
      intercept: async (call, answer) => {
        const { method, params } = call
        if (method === 'platform.getTx' && forged && params.txID === formatID(pChain.txID(forged)))
          return resultFor(call, { tx: checkedHex.encode(forged), encoding: 'hex' })
        if (method !== 'platform.getUTXOs') return answer()
        const created = forged ? pChain.createdUTXOs(pChain.decodeTx(forged)) : []
        const utxos = params.sourceChain === undefined ? created : []
        const endIndex = { address: 'P-local1', utxo: 'u' }
        return resultFor(call, {
          numFetched: String(utxos.length),
          utxos: utxos.map((utxo) => checkedHex.encode(pChain.encodeUTXO(utxo))),
          endIndex,
          encoding: 'hex',
        })
      },
    })
    const call = { from: 'X', to: 'P', amount: AVAX } as const
    const early = wallet({ wait: { timeoutMs: 2000 } })
    const { move }: MoveError = await early.move(call, { key: 'a' }).catch((error) => error)
    const utxos = exportedUTXOs(await ledger.x.avm.getTx({ txID: move.exportTxID! }))
    const { signedTx } = requireSigned(
      signDraft(
        pChain.buildImport({
          context: node.context,
          fees: await ledger.p.fees(),
          funds: { utxos: utxos as pChain.UTXO[], owners: keys.addresses, now: node.now() },
          sourceChain: 'X',
          to: keys.addresses[0]!,
        }),
        keys,
      ),
    )
    const { unsignedTx } = signedTx
    // The signatures are those of another transaction.
    forged = pChain.encodeTx({ ...signedTx, unsignedTx: { ...unsignedTx, networkID: 1 } })
    expect(await wallet().resume()).toMatchObject([
      { status: 'pending', error: { move: { missing: move.utxos } } },
    ])
  })

  for (const stage of ['exported', 'importing'] as const)
    it(`to C names its UTXOs as missing if another holder of the keys imports while it is ${stage}`, async () => {
      let isBroken = true
      const { wallet } = await moveScene({
        store: memoryStore(),
        intercept: async ({ method }, answer) => {
          if (isBroken && method === (stage === 'exported' ? 'avax.getUTXOs' : 'avax.issueTx'))
            throw new TypeError('fetch failed')
          return answer()
        },
      })
      const call = { from: 'X', to: 'C', amount: AVAX } as const
      const early = wallet({ wait: { timeoutMs: 2000 } })
      const failure: MoveError = await early.move(call, { key: 'a' }).catch((error) => error)
      expect(failure.move).toMatchObject({ stage, missing: [] })
      isBroken = false
      const other = wallet({ store: memoryStore() })
      await other.importStray({ sourceChain: 'X', destinationChain: 'C' })
      const { utxos } = failure.move
      const [resumed] = await wallet().resume()
      expect(resumed).toMatchObject({
        status: 'pending',
        error: { code: 'MOVE_UNFINISHED', move: { utxos, missing: utxos } },
      })
      expect((resumed!.error as MoveError).hint).toContain(formatUTXOID(utxos[0]!))
    })

  it('is not over when a variant of its export is accepted that another process claimed', async () => {
    const store = memoryStore()
    const { wallet, node, ledger, client } = await moveScene({ store, blocks: 'manual' })
    const mine = wallet({ wait: { timeoutMs: 1000 } })
    const call = { from: 'X', to: 'P', amount: AVAX } as const
    await expect(mine.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    const [attempt] = await collect(store.attempts('a'))
    const [{ digest } = {}] = await store.payments(['a'])
    const bytes = variantOf(decodeTx(attempt!.bytes), keys, nobleBackend)!
    const { kind, fromHeight, leg } = attempt!
    const payments = [{ key: 'a', digest: digest! }]
    await store.claim({ kind, fromHeight, leg, payments, bytes })
    node.restart()
    await client.avm.issueTx({ tx: bytes })
    node.produceBlock()
    const pace = setInterval(() => node.pChain.produceBlock(), 1)
    // This wallet has not read the claim of the other process.
    const { txID } = await mine.move(call, { key: 'a', wait: { timeoutMs: 60_000 } })
    clearInterval(pace)
    expect(await wallet().payments(['a'])).toMatchObject([{ status: 'accepted', txID }])
    expect(await ledger.balance('P')).toBeGreaterThan(100n * AVAX)
  })

  it('finds the export that was accepted among its variants, also in another process', async () => {
    const store = memoryStore()
    let issued = 0
    let isBroken = true
    const { wallet, node } = await moveScene({
      store,
      intercept: async (call, answer) => {
        if (isBroken && call.method === 'avax.issueTx') throw new TypeError('fetch failed')
        // A rejection that the node remembers and that the UTXOs do not explain: the wallet signs the export again.
        if (call.method === 'platform.issueTx' && issued++ < 1)
          return errorFor(call, 'failed to get UTXO x: not found')
        return answer()
      },
    })
    const call = { from: 'P', to: 'C', amount: AVAX } as const
    const mine = wallet({ wait: { timeoutMs: 5000 } })
    await expect(mine.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'MOVE_UNFINISHED' })
    const attempts = await collect(store.attempts('a'))
    expect(attempts.map(({ kind }) => kind)).toEqual(['export', 'export', 'import'])

    // The import is rebuilt from what the export left.
    isBroken = false
    node.cChain.setBaseFee(200_000_000_000n)
    const other = wallet({ wait: { timeoutMs: 60_000 } })
    const exportTxID = attempts[1]!.txID
    expect(await other.move(call, { key: 'a' })).toMatchObject({ exportTxID })
    expect(await other.moves()).toEqual([])
  })

  it('is signed by external signers', async () => {
    const { wallet, ledger } = await moveScene()
    const mine = wallet({
      keys: undefined,
      signers: [keyChainSigner(keys)],
      publicKeys: keys.publicKeys,
    })
    await mine.move({ from: 'C', to: 'P', amount: AVAX })
    await mine.move({ from: 'P', to: 'X', amount: AVAX })
    await mine.move({ from: 'X', to: 'C', amount: AVAX })
    expect(await ledger.balance('P')).toBeGreaterThan(99n * AVAX)
    const without = wallet({ keys: undefined, signers: [keyChainSigner(keys)] })
    await expect(without.move({ from: 'C', to: 'P', amount: AVAX })).rejects.toMatchObject({
      code: 'NO_ADDRESSES',
    })
  })

  it('can be quoted without reserving anything', async () => {
    const { wallet } = await moveScene()
    const mine = wallet()
    const quote = await mine.quoteMove({ from: 'X', to: 'P', amount: AVAX })
    expect(quote).toMatchObject({ exportFee: 1_000_000n, importFee: 4135n })
    expect((await mine.balances()).some(({ reserved }) => reserved > 0n)).toBe(false)
  })
})

describe('importStray', () => {
  for (const to of ['P', 'C', 'X'] as const)
    it(`imports to ${to} what others exported to the wallet`, async () => {
      const { wallet, ledger } = await moveScene()
      const from = to === 'P' ? 'C' : 'P'
      await ledger.export(from, to, AVAX)
      await ledger.export(from, to, 2n * AVAX)
      const before = await ledger.balance(to)
      const { txIDs, leftBehind } = await wallet().importStray({
        sourceChain: from,
        destinationChain: to,
      })
      expect([txIDs.length, leftBehind]).toEqual([1, []])
      const gained = (await ledger.balance(to)) - before
      expect(gained > 3n * AVAX - 2_000_000n && gained <= 3n * AVAX).toBe(true)
      expect(await wallet().moves()).toEqual([])
    })
})

describe('importStray to the X-Chain', () => {
  it('says what was imported before an error', async () => {
    let issued = 0
    const scene = await moveScene({
      intercept: ({ method }, next) => {
        if (method === 'avm.issueTx' && ++issued > 1) throw new TypeError('fetch failed')
        return next()
      },
    })
    const [address] = keys.addresses
    const recipients = Array.from({ length: 900 }, () => ({ address: address!, amount: AVAX }))
    scene.node.exportFrom('P', ...recipients)
    const call = { sourceChain: 'P', destinationChain: 'X' } as const
    const wallet = scene.wallet()
    const error = await wallet
      .importStray(call, { wait: { timeoutMs: 20_000 } })
      .catch((reason) => reason)
    expect(error).toBeInstanceOf(StrayError)
    expect(error.code).toBe('BATCH_UNFINISHED')
    // The second transaction was claimed, and may still be accepted.
    expect(error.cause.code).toMatch(/^(TX_PENDING|MOVE_UNFINISHED)$/)
    expect(error.txID).toEqual(error.cause.txID)
    expect(error.txID).toBeInstanceOf(Uint8Array)
    expect(error.result.txIDs).toHaveLength(1)
    const client = createNodeClient({ url: 'http://node.test', fetch: scene.node.fetch })
    expect(await client.avm.getTx({ txID: error.result.txIDs[0] })).toMatchObject({
      unsignedTx: { type: 'ImportTx' },
    })
  })

  it('tells why it leaves UTXOs behind', async () => {
    const scene = await moveScene()
    const [address] = keys.addresses
    const { context } = scene.node
    const locktime = 2n ** 40n
    const draft = pChain.buildExport({
      context,
      funds: { utxos: await scene.ledger.pUTXOs(), owners: keys.addresses, now: 1_700_000_000n },
      fees: await scene.ledger.p.fees(),
      destinationChain: 'X',
      outputs: [
        { to: address!, amount: AVAX, locktime },
        { to: address!, amount: 1000n },
        { to: [address!, stranger.addresses[0]!], amount: AVAX, threshold: 2 },
      ],
    })
    const { bytes } = requireSigned(signDraft(draft, keys))
    await scene.ledger.p.issueTx(bytes)
    await scene.ledger.p.waitForTx(bytes)
    const call = { sourceChain: 'P', destinationChain: 'X' } as const
    const { txIDs, leftBehind } = await scene.wallet().importStray(call)
    expect(txIDs).toEqual([])
    expect(leftBehind.map(({ reason }) => reason).sort()).toEqual([
      'fee',
      'locked',
      'shortOfSigners',
    ])
  })
})

describe('importStray to the P-Chain', () => {
  it('imports tokens with the AVAX that was exported beside them, and leaves others', async () => {
    const { wallet, ledger } = await moveScene()
    const mine = wallet()
    const [to] = keys.addresses
    const { txID: assetID } = await mine.createAsset({
      name: 'Token',
      symbol: 'TKN',
      denomination: 0,
      holders: [{ to: to!, amount: 500n }],
    })
    const outputs = [
      { to: to!, assetID, amount: 3n },
      { to: to!, amount: AVAX },
    ]
    await mine.export({ destinationChain: 'P', outputs })
    await mine.export({ destinationChain: 'P', to: to!, assetID, amount: 4n })
    const call = { sourceChain: 'X', destinationChain: 'P' } as const
    const { txIDs, leftBehind } = await mine.importStray(call)
    expect(txIDs).toHaveLength(1)
    expect(leftBehind).toMatchObject([{ reason: 'fee', amount: 4n, count: 1 }])
    const tokens = (await ledger.pUTXOs()).filter((utxo) => equalBytes(utxo.assetID, assetID))
    expect(tokens).toMatchObject([{ output: { amount: 3n } }])
  })
})

describe('a move whose cancellation pays too little', () => {
  it('is finished by an export with the right fee', async () => {
    let isWrong = true
    const store = memoryStore()
    const { wallet, ledger } = await moveScene({
      store,
      intercept: (call, next) => {
        if (!isWrong || call.method !== 'avm.getTxFee') return next()
        return resultFor(call, { txFee: '500000', createAssetTxFee: '500000' })
      },
    })
    const call = { from: 'X', to: 'P', amount: AVAX } as const
    const early = wallet({ wait: { timeoutMs: 2000 } })
    await expect(early.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    await expect(early.cancel('a')).rejects.toMatchObject({ code: 'TX_PENDING' })
    isWrong = false
    await wallet().move(call, { key: 'a' })
    const arrived = (await ledger.balance('P')) - 100n * AVAX
    expect(arrived >= AVAX && arrived < 2n * AVAX).toBe(true)
    expect(await wallet().moves()).toEqual([])
    expect(await wallet().balances()).toMatchObject([{ reserved: 0n }])
  })
})

describe('a move of everything from the C-Chain', () => {
  it('exports what the account holds, also if the node first reported a higher balance', async () => {
    let isWrong = true
    const store = memoryStore()
    const { wallet, ledger } = await moveScene({
      store,
      intercept: (_call, next, init) =>
        isWrong
          ? withResult('eth_getBalance', `0x${(200n * AVAX * AVAX).toString(16)}`, next, init)
          : next(),
    })
    const call = { from: 'C', to: 'X', amount: 'all' } as const
    const early = wallet({ wait: { timeoutMs: 2000 } })
    await expect(early.move(call, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    isWrong = false
    await wallet().move(call, { key: 'a' })
    expect(await ledger.balance('C')).toBe(0n)
    expect(await wallet().moves()).toEqual([])
  })
})

describe('a move from the C-Chain with a nonce that a node reported too high', () => {
  it('reports what its export needs, does not block the account, and ends when the nonce is reached', async () => {
    let isWrong = true
    const store = memoryStore()
    const { wallet, ledger, node } = await moveScene({
      store,
      intercept: (_call, next, init) =>
        isWrong ? withResult('eth_getTransactionCount', '0x2', next, init) : next(),
    })
    const account = evmAddressOf(keys.publicKeys[0]!)
    const call = { from: 'C', to: 'X', amount: AVAX } as const
    const one = wallet({ wait: { timeoutMs: 70_000 } })
    const pending = { code: 'TX_PENDING', move: { stage: 'exporting' } }
    await expect(one.move(call, { key: 'a' })).rejects.toMatchObject(pending)
    isWrong = false
    const nonce = { account, export: 2n, next: 0n }
    expect(await one.moves()).toMatchObject([
      { nonce, location: expect.stringMatching(/^on the C-Chain/), needs: expect.any(String) },
    ])
    // Another process with the same store does not sign another export for it.
    await expect(
      wallet({ wait: { timeoutMs: 2000 } }).move(call, { key: 'a' }),
    ).rejects.toMatchObject({ ...pending, move: { nonce } })
    await one.move(call, { key: 'b' })
    await wallet().move(call, { key: 'c' })
    expect(node.cChain.account(account).nonce).toBe(2n)
    expect(await one.resume()).toMatchObject([{ keys: ['a'], status: 'accepted' }])
    expect(await one.moves()).toEqual([])
    expect(node.cChain.account(account).nonce).toBe(3n)
    const arrived = (await ledger.balance('X')) - 100n * AVAX
    expect(arrived >= 3n * AVAX && arrived < 4n * AVAX).toBe(true)
  })

  it('is not begun if fewer servers than the quorum report it', async () => {
    const { wallet, node } = await moveScene()
    const account = evmAddressOf(keys.publicKeys[0]!)
    const fetch: Fetch = (url, init) => {
      const next = async () => node.fetch(url.replace(/node\d/, 'node'), init)
      return url.includes('node2')
        ? withResult('eth_getTransactionCount', '0x9', next, init)
        : next()
    }
    const url = ['http://node1.test', 'http://node2.test', 'http://node3.test']
    const cChain = createCChainClient({ url, fetch })
    const pChain = createPChainClient({ url, fetch })
    const client = createNodeClient({ url, fetch })
    await wallet({ client, pChain, cChain, quorum: 2 }).move({ from: 'C', to: 'X', amount: AVAX })
    expect(node.cChain.account(account).nonce).toBe(1n)
  })
})

describe('a move from the C-Chain with several servers', () => {
  const url = ['http://node1.test', 'http://node2.test', 'http://node3.test']
  /** A wallet whose servers fail if their host contains one of these names. */
  const moverWith = async (down: readonly string[], quorum: number) => {
    const { wallet, node } = await moveScene()
    const fetch: Fetch = async (to, init) => {
      if (down.some((name) => to.includes(name))) throw new TypeError('fetch failed')
      return node.fetch(to.replace(/node\d/, 'node'), init)
    }
    const at = { url, fetch, clock: virtualClock() }
    return wallet({
      client: createNodeClient(at),
      pChain: createPChainClient(at),
      cChain: createCChainClient(at),
      clock: at.clock,
      quorum,
    })
  }

  it('is made while as many answer as the quorum', async () => {
    const mover = await moverWith(['node2'], 2)
    await mover.move({ from: 'C', to: 'X', amount: AVAX })
    expect(await mover.moves()).toEqual([])
  })

  it('is not begun while fewer answer', async () => {
    const mover = await moverWith(['node1', 'node2'], 2)
    await expect(mover.move({ from: 'C', to: 'P', amount: AVAX })).rejects.toMatchObject({
      code: 'NO_QUORUM',
    })
    await expect(mover.payments()).rejects.toMatchObject({ code: 'NO_QUORUM' })
  })
})

describe('a move of everything from the C-Chain that a wallet with its keys in another order resumes', () => {
  it('exports what its own account holds', async () => {
    const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(7)]
    const reordered = new KeyChain([other, one])
    let refusals = Number.POSITIVE_INFINITY
    const { wallet, ledger, node } = await moveScene({
      store: memoryStore(),
      intercept: (call, next) =>
        call.method === 'avax.issueTx' && refusals-- > 0
          ? errorFor(call, 'export tx flow check failed due to: insufficient funds')
          : next(),
    })
    node.cChain.fund(evmAddressOf(reordered.publicKeys[0]!), AVAX)
    const early = wallet({ keys: new KeyChain([one, other]), wait: { timeoutMs: 500 } })
    await expect(early.move({ from: 'C', to: 'X', amount: 'all' })).rejects.toMatchObject({
      code: 'TX_PENDING',
    })
    refusals = 1
    expect(await wallet({ keys: reordered }).resume()).toMatchObject([{ status: 'accepted' }])
    expect(await ledger.balance('C')).toBe(0n)
    expect(node.cChain.account(evmAddressOf(reordered.publicKeys[0]!)).balance).toBe(AVAX * AVAX)
  })
})

describe('the recipient of a move', () => {
  it('is not an address of the wallet in place of an account, nor an account in place of an address', async () => {
    const { wallet } = await moveScene()
    const [address] = keys.addresses
    const account = evmAddressBytes(keys.publicKeys[0]!)
    const refused = { code: 'STUCK_EXPORT' }
    const move = (to: 'C' | 'P', recipient: Uint8Array) =>
      wallet().move({ from: 'X', to, amount: AVAX, recipient })
    await expect(move('C', address!)).rejects.toMatchObject(refused)
    await expect(move('P', account)).rejects.toMatchObject(refused)
  })
})
