import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import {
  decodeTx,
  encodeTx,
  evmAddressOf,
  hashToSign,
  type SignedTx,
} from '../../../src/core/c-chain.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type Fetch,
} from '../../../src/node/index.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { errorFor, intercepted, resultFor } from '../requests.ts'
import { AVAX, keys, moveScene } from './setup.ts'

const ACCOUNT = evmAddressOf(keys.publicKeys[0]!)

/** Transactions with nonce 0 that micro-eth-signer 0.7.2 signed with the key of the account. */
const EVM_TX =
  '02f87582a86880843b9aca00850ba43b7400825208948db97c7cece249c2b98bdc0226cc4c2a57bf52fc880de0b6b3a764000080c080a0e583c512b032a55ac698cd6a3cf59d987b2665aabd589e5e5514e59da4472187a00df87b6da66856f83ea2525a5335186bed1e6fca795a1e5af6cb9df4883dbfbf'
const EVM_HASH = 'e349d45d6bfcf77f5f4f8fa738f0ec4970da0a9841dcf9b07be4c2bc850379f8'
const TX_OF_ETHEREUM =
  '02f8730180843b9aca00850ba43b7400825208948db97c7cece249c2b98bdc0226cc4c2a57bf52fc880de0b6b3a764000080c080a08f715feedcbe24bb00c5c2215a18926dee1316414659b2283b907cecc28e37a6a061e48ca628baed6e5e5f09e88b369e3a8393ba882353384ad215abe8e549409e'
/** The same with nonce 300. */
const OTHER_NONCE =
  '02f87782a86882012c843b9aca00850ba43b7400825208948db97c7cece249c2b98bdc0226cc4c2a57bf52fc880de0b6b3a764000080c080a0039639abc8f9f74b8f72b6d7acd644e5dfd5a03ff16e31930a8751274454bd43a04bd390d191e2ca51111c129826c45697a89f6de96e53cb8d18d6496fa9ea04ea'

const HEIGHT = 1_000n
const USED_AT = 871n

/** What a node shows of the block in which a transaction used the nonce. */
type Shown = { readonly raw?: string; readonly extraData?: string; readonly hasOldStates?: boolean }

/** A scene with a pending move from the C-Chain whose nonce is used by a transaction that the node shows. */
async function sceneWith(shown: () => Shown) {
  let isBroken = true
  const store = memoryStore()
  const scene = await moveScene({
    store,
    intercept: async (call, next) => {
      const { method } = call
      const { raw, extraData = '0x', hasOldStates = true } = shown()
      const params = call.params as unknown as readonly string[]
      if (method === 'avax.issueTx' && isBroken) throw new TypeError('fetch failed')
      if (method === 'eth_blockNumber') return resultFor(call, `0x${HEIGHT.toString(16)}`)
      if (method === 'eth_getTransactionCount' && params[1] !== 'latest') {
        if (!hasOldStates) return errorFor(call, 'missing trie node')
        return resultFor(call, BigInt(params[1]!) < USED_AT ? '0x0' : '0x1')
      }
      if (method === 'eth_getBlockByNumber') {
        expect(BigInt(params[0]!)).toBe(USED_AT)
        const other = { from: `0x${'11'.repeat(20)}`, nonce: '0x0' }
        const own = raw === undefined ? [] : [{ from: ACCOUNT, nonce: '0x0' }]
        return resultFor(call, { transactions: [other, ...own], blockExtraData: extraData })
      }
      if (method === 'eth_getRawTransactionByBlockNumberAndIndex') {
        expect(params[1]).toBe('0x1')
        return resultFor(call, `0x${raw}`)
      }
      return next()
    },
  })
  const early = scene.wallet({ wait: { timeoutMs: 2000 } })
  await expect(early.move(CALL, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
  isBroken = false
  return { ...scene, store }
}

const CALL = { from: 'C', to: 'X', amount: AVAX } as const

describe('a move from the C-Chain whose nonce another transaction has used', () => {
  it('is rejected by an ordinary transaction, and can be made again under its key', async () => {
    const { wallet, node, ledger } = await sceneWith(() => ({ raw: EVM_TX }))
    node.cChain.setAccount(ACCOUNT, { nonce: 1n, balance: 99n * AVAX * AVAX })
    const txID = hex.decode(EVM_HASH)
    const mine = wallet()
    expect(await mine.resume()).toMatchObject([{ keys: ['a'], status: 'rejected', txID }])
    await mine.move(CALL, { key: 'a' })
    expect(node.cChain.account(ACCOUNT).nonce).toBe(2n)
    expect(await ledger.balance('X')).toBe(101n * AVAX)
    expect(await wallet().moves()).toEqual([])
  })

  it('is made by a further call with its key, in another wallet with again', async () => {
    const { wallet, node, ledger } = await sceneWith(() => ({ raw: EVM_TX }))
    node.cChain.setAccount(ACCOUNT, { nonce: 1n, balance: 99n * AVAX * AVAX })
    for (let i = 0; i < 2; i++)
      await expect(wallet().move(CALL, { key: 'a' })).rejects.toMatchObject({
        code: 'PAYMENT_REJECTED',
      })
    await wallet().move(CALL, { key: 'a', again: true })
    expect(node.cChain.account(ACCOUNT).nonce).toBe(2n)
    expect(await ledger.balance('X')).toBe(101n * AVAX)
  })

  it('is rejected by an export of another holder of the keys', async () => {
    let extraData = '0x'
    const { wallet, node, ledger } = await sceneWith(() => ({ extraData }))
    const { utxos } = await ledger.export('C', 'P', AVAX)
    const { txID } = utxos[0]!
    const reply = await node.fetch('http://node.test/ext/bc/C/avax', {
      method: 'POST',
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'avax.getAtomicTx',
        params: { txID: formatID(txID), encoding: 'hexnc' },
      }),
      headers: { 'content-type': 'application/json' },
    })
    const { result } = await reply.json()
    // A list of one transaction, with a single codec version before it.
    extraData = `0x000000000001${result.tx.slice(6)}`
    const mine = wallet()
    expect(await mine.resume()).toMatchObject([{ keys: ['a'], status: 'rejected', txID }])
    await mine.move(CALL, { key: 'a' })
    expect(node.cChain.account(ACCOUNT).nonce).toBe(2n)
  })

  for (const [name, change] of [
    [
      'a second signature',
      ({ credentials: [only], ...tx }: SignedTx) => ({
        ...tx,
        credentials: [{ ...only!, signatures: [...only!.signatures, only!.signatures[0]!] }],
      }),
    ],
    [
      'a second credential',
      ({ credentials: [only], ...tx }: SignedTx) => ({ ...tx, credentials: [only!, only!] }),
    ],
    [
      'a second input, which another account had to sign',
      ({ unsignedTx, credentials: [only] }: SignedTx) => {
        if (unsignedTx.type !== 'ExportTx') throw new Error('no export')
        const [input] = unsignedTx.inputs
        const other = { ...input!, address: new Uint8Array(20).fill(255), nonce: 7n }
        const changed = { ...unsignedTx, inputs: [input!, other] }
        const signature = keys.sign(keys.addresses[0]!, hashToSign(changed))
        const credential = { ...only!, signatures: [signature] }
        return { unsignedTx: changed, credentials: [credential, credential] }
      },
    ],
  ] as const)
    it(`is not rejected by its own export with ${name}`, async () => {
      let extraData = '0x'
      const { wallet, node, store } = await sceneWith(() => ({ extraData }))
      node.cChain.setAccount(ACCOUNT, { nonce: 1n, balance: 99n * AVAX * AVAX })
      for await (const { bytes } of store.attempts())
        extraData = `0x000000000001${hex.encode(encodeTx(change(decodeTx(bytes)))).slice(4)}`
      expect(await wallet().resume()).toMatchObject([{ status: 'pending' }])
    })

  for (const [name, shown] of [
    ['a transaction of another EVM chain', { raw: TX_OF_ETHEREUM }],
    ['a transaction with another nonce', { raw: OTHER_NONCE }],
    ['a transaction that the account has not signed', { raw: `${EVM_TX.slice(0, -2)}00` }],
    ['a block without such a transaction', {}],
    ['no old states', { raw: EVM_TX, hasOldStates: false }],
  ] as const)
    it(`stays pending if the node shows ${name}, and does not use up the time of the call`, async () => {
      const { wallet, node, clock } = await sceneWith(() => shown)
      node.cChain.setAccount(ACCOUNT, { nonce: 1n, balance: 99n * AVAX * AVAX })
      const start = clock.now()
      expect(await wallet().resume({ wait: { timeoutMs: 600_000 } })).toMatchObject([
        {
          status: 'pending',
          error: { code: 'TX_PENDING', move: { nonce: { export: 0n, next: 1n } } },
        },
      ])
      expect(clock.now() - start).toBeLessThan(60_000)
      await expect(
        wallet({ wait: { timeoutMs: 20_000 } }).move(CALL, { key: 'a' }),
      ).rejects.toMatchObject({ code: 'TX_PENDING' })
      expect(node.cChain.account(ACCOUNT).nonce).toBe(1n)
    })

  it('stays pending if fewer servers than the quorum show the transaction', async () => {
    const { wallet, node, clock } = await sceneWith(() => ({ raw: EVM_TX }))
    node.cChain.setAccount(ACCOUNT, { nonce: 1n, balance: 99n * AVAX * AVAX })
    const fetch: Fetch = (url, init) => node.fetch(url.replace(/node\d/, 'node'), init)
    const shows = intercepted(fetch, (call, next) => {
      const params = call.params as unknown as readonly string[]
      if (call.method === 'eth_getTransactionCount' && params[1] !== 'latest')
        return resultFor(call, BigInt(params[1]!) < USED_AT ? '0x0' : '0x1')
      if (call.method === 'eth_blockNumber') return resultFor(call, `0x${HEIGHT.toString(16)}`)
      if (call.method === 'eth_getBlockByNumber')
        return resultFor(call, { transactions: [{ from: ACCOUNT, nonce: '0x0' }] })
      if (call.method === 'eth_getRawTransactionByBlockNumberAndIndex')
        return resultFor(call, `0x${EVM_TX}`)
      return next()
    })
    const walletWith = (showing: number) => {
      const at = {
        url: ['http://node1.test', 'http://node2.test'],
        fetch: ((url, init) =>
          (Number(url.match(/node(\d)/)![1]) <= showing ? shows : fetch)(url, init)) as Fetch,
        clock,
      }
      return wallet({
        client: createNodeClient(at),
        pChain: createPChainClient(at),
        cChain: createCChainClient(at),
        quorum: 2,
      })
    }
    expect(await walletWith(1).resume()).toMatchObject([{ status: 'pending' }])
    expect(await walletWith(2).resume()).toMatchObject([{ status: 'rejected' }])
  })
})

describe('a move from the C-Chain while the nonce of another one is pending', () => {
  it('waits for it, and ends if that takes too long', async () => {
    let isBroken = true
    const { wallet, node } = await moveScene({
      store: memoryStore(),
      intercept: async ({ method }, next) => {
        if (method === 'avax.issueTx' && isBroken) throw new TypeError('fetch failed')
        return next()
      },
    })
    const early = wallet({ wait: { timeoutMs: 2000 } })
    await expect(early.move(CALL, { key: 'a' })).rejects.toMatchObject({ code: 'TX_PENDING' })
    await expect(early.move(CALL, { key: 'b' })).rejects.toMatchObject({ code: 'UTXO_RESERVED' })
    isBroken = false
    const mine = wallet()
    await Promise.all([mine.move(CALL, { key: 'b' }), mine.move(CALL, { key: 'a' })])
    expect(node.cChain.account(ACCOUNT).nonce).toBe(2n)
  })
})
