import { fc, test } from '@fast-check/vitest'
import { afterEach, describe, expect, it } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { AvmError } from '../../src/core/base/errors.ts'
import * as cChain from '../../src/core/c-chain.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import * as pChain from '../../src/core/p-chain.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'
import { requireSigned, signDraft } from '../../src/index.ts'
import {
  avaxMethods,
  createCChainClient,
  createPChainClient,
  ethMethods,
  type Fetch,
  platformMethods,
} from '../../src/node/index.ts'
import { Mover } from '../core/sign/chains/mover.ts'
import { ewoq } from '../devnode/txs.ts'
import { type CrossChainVector, crossChain } from '../helpers/cross-chain.ts'
import { runs } from '../helpers/runs.ts'
import { fakeClock } from './fake-clock.ts'

const keys = new KeyChain([ewoq.privateKey])
const account = cChain.evmAddressOf(keys.publicKeys[0]!)

/** Clients of a server that answers everything with one body. */
function answering(body: (id: number) => string) {
  const options = {
    url: 'http://localhost',
    clock: fakeClock(),
    retry: { retries: 0 },
    fetch: async (_: string, init: RequestInit) => {
      const { id } = JSON.parse(String(init.body)) as { id: number }
      return new Response(body(id), { headers: { 'content-type': 'application/json' } })
    },
  }
  return { p: createPChainClient(options), c: createCChainClient(options) }
}

type Call = (params: object) => Promise<unknown>

/** The client's method for a recorded exchange, and its parameters. */
function callOf(v: CrossChainVector): (() => Promise<unknown>) | undefined {
  const { p, c } = answering((id) =>
    (v.replyText ?? JSON.stringify(v.reply)).replace(/"id": ?1\b/, `"id":${id}`),
  )
  const params = v.params as { encoding?: string; tx?: string; txID?: string }
  if (
    params.encoding === 'json' ||
    (/Tx/.test(v.method) && !/issue/.test(v.method) && !params.txID)
  )
    return undefined
  // Issuing is tested elsewhere: here the request would have to equal the recorded one.
  if (/issueTx$/.test(v.method)) return undefined
  const [service, name] = v.method.startsWith('eth_')
    ? ['eth', v.method.slice(4)]
    : (v.method.split('.') as [string, string])
  const tables: { [service: string]: { [name: string]: Call } } = {
    platform: p.platform as never,
    avax: c.avax as never,
    eth: c.eth as never,
  }
  const call = tables[service!]?.[name!]
  if (call === undefined) return undefined
  if (!Array.isArray(v.params)) return () => call(v.params as object)
  const hasAccount = name === 'getBalance' || name === 'getTransactionCount'
  return () => call(hasAccount ? { address: (v.params as string[])[0] ?? account } : {})
}

describe('the P- and C-Chain clients', () => {
  it('read every recorded reply of the methods they know', async () => {
    const counts = { read: 0, rejected: 0 }
    for (const v of crossChain('reply')) {
      const call = callOf(v)
      // The list of the page at 278 was omitted from the vector.
      if (call === undefined || v.seq === '278') continue
      const outcome = await call().then(
        () => 'read' as const,
        (error: AvmError) => {
          const isAnswer = v.reply.error !== undefined && error.code !== 'MISSING_OPTION'
          expect([v.name, error.name]).toEqual([v.name, isAnswer ? 'RpcError' : 'ArgumentError'])
          return 'rejected' as const
        },
      )
      // An unknown source is rejected by the node, an invalid address or a missing source by the client.
      if (v.reply.error === undefined) expect([v.name, outcome]).toEqual([v.name, 'read'])
      counts[outcome]++
    }
    expect(counts.read).toBeGreaterThan(80)
    expect(counts.rejected).toBeGreaterThan(5)
  })

  it('tell what is not accepted apart from what is not known', async () => {
    const txID = new Uint8Array(32).fill(1)
    const answer = (error: string) =>
      answering((id) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"${error}"}}`)
    const missing = answer(
      'could not find tx 4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi: not found',
    )
    expect(await missing.p.isAccepted(txID)).toBe(false)
    const failing = answer('database closed')
    for (const client of [failing.p, failing.c])
      await expect(client.isAccepted(txID)).rejects.toMatchObject({
        nodeMessage: 'database closed',
      })
  })

  it('classify every recorded rejection', async () => {
    const classes = new Set<string>()
    for (const v of crossChain('reply')) {
      const message = v.reply.error?.message
      const { tx, encoding } = v.params as { tx?: string; encoding?: string }
      if (!/^(platform|avax)\.issueTx$/.test(v.method) || message === undefined) continue
      if (tx === undefined || encoding !== 'hex' || v.name.includes('bad checksum')) continue
      const fetch = async (_: string, init: RequestInit) => {
        const { id, method } = JSON.parse(String(init.body)) as { id: number; method: string }
        const body = method.endsWith('issueTx')
          ? { error: { code: -32000, message } }
          : method === 'platform.getTxStatus'
            ? { result: { status: 'Unknown' } }
            : { error: { code: -32000, message: 'could not find tx x' } }
        return new Response(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
      }
      const options = { url: 'http://localhost', clock: fakeClock(), fetch }
      const pending = v.method.startsWith('platform')
        ? createPChainClient(options).issueTx(pBytes)
        : createCChainClient(options).issueTx(cBytes)
      const error = (await pending.catch((e) => e)) as { code: string; class: string }
      expect([v.name, error.code]).not.toEqual([v.name, 'UNRECOGNIZED'])
      expect(error).toMatchObject({ status: 'rejected', nodeMessage: message })
      classes.add(error.class)
    }
    expect([...classes].sort()).toEqual(['give-up', 'rebuild', 'retry-later'])
  })

  // Answers of avalanchego (commit 1cf1fc3d, network local) to `avax.issueTx` after Helicon.
  it.each([
    [
      'state verification: nonce mismatch: address 0x4a62316623ad457F02cDC5D997deD67a383EC569 has nonce 0 but needs 1',
      'WRONG_NONCE',
    ],
    [
      'state verification: insufficient funds: address 0x4a62316623ad457F02cDC5D997deD67a383EC569 has balance 20000000001000000000 but needs 900000000000001000000000',
      'INSUFFICIENT_FUNDS',
    ],
    [
      'credential verification: signature does not match address (0): want 0x4a62316623ad457F02cDC5D997deD67a383EC569, got 0x2980dBaDb4e857A51C19BaB4CCa68A6e99D2fd6e',
      'WRONG_SIGNER',
    ],
    [
      'credential verification: incorrect number of credentials: want 1, got 0',
      'WRONG_NUMBER_OF_CREDENTIALS',
    ],
    [
      'credential verification: incorrect number of signatures (0): want 1, got 2',
      'CREDENTIAL_SIGNERS_MISMATCH',
    ],
    ['sanity check: wrong network ID: want 12345, got 5', 'WRONG_NETWORK_ID'],
    ['sanity check: no outputs', 'NO_EVM_OUTPUTS'],
    ['sanity check: no inputs', 'NO_EVM_INPUTS'],
    ['sanity check: invalid input (0): zero amount', 'INPUT_ZERO_AMOUNT'],
    ['sanity check: invalid output (0): output has no value', 'OUTPUT_ZERO_AMOUNT'],
    ['sanity check: flow check failed: insufficient funds', 'INSUFFICIENT_FUNDS'],
    ['sanity check: inputs not sorted and unique', 'INPUTS_NOT_SORTED_UNIQUE'],
    [
      'credential verification: fetching UTXOs from 2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed: not found',
      'ATOMIC_UTXO_NOT_FOUND',
    ],
    [
      'credential verification: verifying transfer (0): utxo amount and input amount are not equal: 3000000000 != 2',
      'MISMATCHED_AMOUNTS',
    ],
    ['insufficient fee', 'MEMPOOL_CONFLICT'],
  ])('classify %s', async (text, code) => {
    const message = `issuing tx: ${text}`
    const missing = 'fetching tx: reading tx: not found'
    const fetch = async (_: string, init: RequestInit) => {
      const { id, method } = JSON.parse(String(init.body)) as { id: number; method: string }
      const error = { code: -32000, message: method === 'avax.issueTx' ? message : missing }
      return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    const client = createCChainClient({ url: 'http://localhost', clock: fakeClock(), fetch })
    const error = await client.issueTx(cBytes).catch((e) => e)
    expect(error).toMatchObject({ status: 'rejected', code, nodeMessage: message })
  })

  const names = [
    ...Object.keys(platformMethods).map((name) => ['p', 'platform', name] as const),
    ...Object.keys(avaxMethods).map((name) => ['c', 'avax', name] as const),
    ...Object.keys(ethMethods).map((name) => ['c', 'eth', name] as const),
  ]

  test.prop([fc.constantFrom(...names), fc.json()], runs(300))(
    'read any result or reject it with a typed error',
    async ([chain, service, name], result) => {
      const clients = answering((id) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`)
      const tables = clients[chain] as unknown as { [s: string]: { [n: string]: Call } }
      const params = {
        addresses: [new Uint8Array(20)],
        sourceChain: 'X',
        address: account,
        txID: new Uint8Array(32),
        tx: new Uint8Array(80),
      }
      const outcome = await tables[service]![name]!(params).catch((error) => error)
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AvmError)
    },
  )

  it('read times as Unix seconds', async () => {
    const [reply] = crossChain('reply').filter(({ method }) => method === 'platform.getTimestamp')
    const { timestamp } = (reply!.reply as unknown as { result: { timestamp: string } }).result
    expect(timestamp).toBe('2026-10-03T04:00:00Z')
    const read = (result: object) =>
      answering((id) => JSON.stringify({ jsonrpc: '2.0', id, result })).p.platform
    expect(await read({ timestamp }).getTimestamp()).toBe(1_791_000_000n)
    // A day later, a fraction of a second more.
    const more = { timestamp: '2026-10-04T04:00:00.9Z' }
    expect(await read(more).getTimestamp()).toBe(1_791_000_000n + 86_400n)
  })

  it('reject replies that contradict the request', async () => {
    const reply = (result: object) =>
      answering((id) => JSON.stringify({ jsonrpc: '2.0', id, result }))
    const txID = new Uint8Array(32).fill(1)
    await expect(reply({ txID: formatID(txID) }).p.issueTx(pBytes)).rejects.toMatchObject({
      code: 'TX_UNKNOWN',
    })
    const page = { numFetched: '3', utxos: [], endIndex: { address: '', utxo: '' } }
    await expect(
      reply(page).p.platform.getUTXOs({ addresses: [new Uint8Array(20)] }),
    ).rejects.toMatchObject({ code: 'REPLY_MISMATCH' })
    const long = { numFetched: '2', utxos: ['0x', '0x'], endIndex: { address: '', utxo: '' } }
    await expect(
      reply(long).c.avax.getUTXOs({ addresses: [new Uint8Array(20)], sourceChain: 'X', limit: 1 }),
    ).rejects.toMatchObject({ code: 'REPLY_MISMATCH' })
    const config = { weights: [1, 2, 3, 4], maxCapacity: 1, maxPerSecond: 1, targetPerSecond: 1 }
    await expect(
      reply({ ...config, minPrice: 1, excessConversionConstant: 0 }).p.platform.getFeeConfig(),
    ).rejects.toMatchObject({ code: 'REPLY_MISMATCH' })
    await expect(
      answering((id) => `{"id":${id},"result":"0x${'f'.repeat(65)}"}`).c.eth.baseFee(),
    ).rejects.toMatchObject({ code: 'REPLY_MISMATCH' })
  })
})

describe('account and exportDetails', () => {
  const details = ['0x7', '0x3b9aca00', '0x19']

  /** A client of a server that answers a batch with what `answers` makes of its results. */
  function batching(answers: (results: object[]) => unknown) {
    const bodies: string[] = []
    const fetch = async (_: string, { body }: RequestInit) => {
      bodies.push(String(body))
      const requests = JSON.parse(String(body)) as { id: number }[]
      const results = requests.map(({ id }, i) => ({ jsonrpc: '2.0', id, result: details[i] }))
      return new Response(JSON.stringify(answers(results)), {
        headers: { 'content-type': 'application/json' },
      })
    }
    const options = { url: 'http://localhost', clock: fakeClock(), retry: { retries: 0 }, fetch }
    return { bodies, c: createCChainClient(options) }
  }

  it('send one request, whose answers may come in any order', async () => {
    for (const order of [(list: object[]) => list, (list: object[]) => list.toReversed()]) {
      const { c, bodies } = batching(order)
      const found = { address: account, nonce: 7n, balance: 1_000_000_000n }
      expect(await c.account(account)).toEqual(found)
      expect(await c.exportDetails(account)).toEqual({ account: found, baseFee: 25n })
      const methods = bodies.map((body) =>
        (JSON.parse(body) as { method: string }[]).map(({ method }) => method),
      )
      expect(methods).toEqual([
        ['eth_getTransactionCount', 'eth_getBalance'],
        ['eth_getTransactionCount', 'eth_getBalance', 'eth_baseFee'],
      ])
    }
  })

  it.each([200, 400])(
    'send one request each to a gateway that refuses batches with %s',
    async (status) => {
      const methods: string[] = []
      const fetch = async (_: string, { body }: RequestInit) => {
        const request = JSON.parse(String(body)) as { id: number; method?: string }
        const at = ['eth_getTransactionCount', 'eth_getBalance', 'eth_baseFee'].indexOf(
          request.method ?? '',
        )
        methods.push(request.method ?? 'batch')
        const refusal = { id: null, error: { code: -32600, message: 'batches are not supported' } }
        const answer = at < 0 ? refusal : { id: request.id, result: details[at] }
        return new Response(JSON.stringify({ jsonrpc: '2.0', ...answer }), {
          status: at < 0 ? status : 200,
        })
      }
      const c = createCChainClient({ url: 'http://localhost', retry: { retries: 0 }, fetch })
      const found = { address: account, nonce: 7n, balance: 1_000_000_000n }
      expect(await c.exportDetails(account)).toEqual({ account: found, baseFee: 25n })
      expect(methods).toEqual(['batch', 'eth_getTransactionCount', 'eth_getBalance', 'eth_baseFee'])
    },
  )

  const error = { code: -32000, message: 'header not found' }
  const cases: [string, (results: object[]) => unknown, object][] = [
    [
      'an error for one of them',
      ([first, second]) => [first, { ...second, result: undefined, error }],
      { nodeCode: -32000, method: 'eth_getBalance' },
    ],
    ['a missing answer', ([first]) => [first], { code: 'REPLY_SHAPE' }],
    ['no list', ([first]) => first, { code: 'REPLY_SHAPE' }],
    ['something else', () => [null, 5, 'x'], { code: 'REPLY_SHAPE' }],
    [
      'the ID of another request',
      ([first, second]) => [first, { ...second, id: 99 }],
      { code: 'REPLY_SHAPE' },
    ],
    [
      'two answers with one ID',
      ([first, second]) => [first, second, second],
      { code: 'REPLY_SHAPE' },
    ],
    [
      'a number that is too large',
      ([first, second]) => [first, { ...second, result: `0x${'f'.repeat(65)}` }],
      { code: 'REPLY_MISMATCH', method: 'eth_getBalance' },
    ],
  ]
  for (const [name, answers, expected] of cases)
    it(`fail with a typed error after ${name}`, async () => {
      const failure = await batching(answers)
        .c.account(account)
        .catch((thrown) => thrown)
      expect(failure).toBeInstanceOf(AvmError)
      expect(failure).toMatchObject(expected)
    })
})

/** A signed transaction of each chain, for requests with an invented answer. */
const pBytes = bytesOf('p-tx')
const cBytes = bytesOf('c-tx')

function bytesOf(kind: string): Uint8Array {
  const v = crossChain(kind).find(({ verdict }) => verdict === 'ok')!
  return Uint8Array.from(v.signed.match(/../g)!, (byte) => Number.parseInt(byte, 16))
}

describe('the P- and C-Chain clients on the development node', () => {
  let node: DevNode
  const start = async (options: DevNodeOptions = {}) => {
    node = await createDevNode({ now: 1_800_000_000, ...options })
    return new Mover(node, ewoq.privateKey)
  }
  afterEach(() => node.close())

  for (const helicon of [false, true])
    it(`read pages of atomic UTXOs ${helicon ? 'after' : 'before'} Helicon, each UTXO once`, async () => {
      const mover = await start({ helicon })
      const outputs = Array.from({ length: 23 }, (_, i) => ({
        to: mover.addressOn('C'),
        amount: 1_000_000n + BigInt(i),
      }))
      const draft = pChain.buildExport({
        context: node.context,
        funds: { utxos: await mover.pUTXOs(), owners: keys.addresses, now: node.now() },
        fees: await mover.p.fees(),
        destinationChain: 'C',
        outputs,
      })
      const { bytes, signedTx } = requireSigned(signDraft(draft, keys))
      await mover.p.issueTx(bytes)
      for (const pageSize of [2, 5, 22, 23, 24, 1024]) {
        const found: string[] = []
        const walk = { addresses: keys.addresses, sourceChain: 'P', pageSize }
        for await (const { utxos } of mover.c.utxoPages(walk))
          found.push(...utxos.map(({ txID, outputIndex }) => `${formatID(txID)}:${outputIndex}`))
        const expected = pChain
          .exportedUTXOs(signedTx)
          .map(({ txID, outputIndex }) => `${formatID(txID)}:${outputIndex}`)
        expect(found.sort()).toEqual(expected.sort())
      }
    })

  it('read UTXOs with stakeable locks', async () => {
    const mover = await start()
    const utxo = node.pChain.fund({
      address: mover.addressOn('P'),
      amount: 5n,
      stakeableLocktime: 1_900_000_000n,
    })
    expect(await mover.pUTXOs()).toContainEqual(utxo)
    const { lockedStakeable } = await mover.p.platform.getBalance({ addresses: keys.addresses })
    expect(lockedStakeable).toEqual({ [formatID(node.context.assetID)]: 5n })
  })

  for (const chain of ['P', 'C'] as const)
    it(`issue a dropped transaction of ${chain} again, and find it accepted`, async () => {
      const mover = await start()
      const clock = fakeClock()
      const options = { url: 'http://localhost', fetch: node.fetch, clock }
      const client = chain === 'P' ? createPChainClient(options) : createCChainClient(options)
      const bytes = chain === 'P' ? await pExport(mover) : await cExport(mover)
      node.injectFault({
        kind: 'vanished',
        on: chain === 'P' ? 'platform.issueTx' : 'avax.issueTx',
      })
      expect(await client.issueTx(bytes)).toMatchObject({ status: 'pending' })
      const reused = new Uint8Array(bytes)
      const waiting = client.waitForTx(reused, { resendMs: 1000 })
      reused.fill(0)
      expect(await waiting).toMatchObject({ status: 'accepted' })
      // An accepted transaction is not reported as rejected, whatever the node reports about its inputs.
      expect(await client.issueTx(bytes)).toMatchObject({ status: 'accepted' })
      // The result is the same if only the ID is given.
      const id = chain === 'P' ? pChain.txID(bytes) : cChain.txID(bytes)
      expect(await client.waitForTx(id)).toMatchObject({ status: 'accepted' })
    })

  // Seen on avalanchego (commit 1cf1fc3d) after Helicon: `getAtomicTx` returned an import before the account had its new balance.
  it('accept a transaction of C once its block is executed', async () => {
    const mover = await start({ helicon: true })
    const bytes = await cExport(mover)
    const heights = ['0x0', '0x0', '0x1']
    const fetch: Fetch = async (url, init) => {
      const { id, method } = JSON.parse(String(init.body)) as { id: number; method: string }
      if (method !== 'eth_blockNumber') return node.fetch(url, init)
      const result = heights.length > 1 ? heights.shift() : heights[0]
      return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    const client = createCChainClient({ url: 'http://localhost', fetch, clock: fakeClock() })
    await client.issueTx(bytes)
    expect(await client.isAccepted(cChain.txID(bytes))).toBe(false)
    expect(await client.waitForTx(bytes)).toMatchObject({ status: 'accepted', height: 1n })
    expect(heights).toEqual(['0x1'])
    expect(await client.isAccepted(cChain.txID(bytes))).toBe(true)
  })

  it('believe that a transaction was dropped only if it stays away', async () => {
    const bytes = await pExport(await start())
    const missing = 'failed to read consumed UTXO abc due to: not found'
    const waitFor = (statuses: readonly (readonly [status: string, reason?: string])[]) => {
      const left = [...statuses]
      const called: string[] = []
      const fetch: Fetch = async (_, init) => {
        const { id, method } = JSON.parse(String(init.body)) as { id: number; method: string }
        called.push(method)
        const [status, reason] = left.length > 1 ? left.shift()! : left[0]!
        const result =
          method === 'platform.issueTx'
            ? { txID: formatID(pChain.txID(bytes)) }
            : { status, reason }
        return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }))
      }
      const client = createPChainClient({ url: 'http://p.test', fetch, clock: fakeClock() })
      return client.waitForTx(bytes, { resendMs: 500 }).then(
        ({ status }) => ({ status, called }),
        (error) => ({ status: error.status, code: error.code, called }),
      )
    }
    // The node reports the same for the inputs of an accepted transaction.
    expect(await waitFor([['Dropped', missing], ['Committed']])).toMatchObject({
      status: 'accepted',
    })
    expect(await waitFor([['Dropped', missing]])).toMatchObject({
      status: 'rejected',
      code: 'UTXO_NOT_FOUND',
    })
    // Another node has included it in a block meanwhile.
    const included = [['Dropped', missing], ['Processing'], ['Committed']] as const
    expect(await waitFor(included)).toMatchObject({ status: 'accepted' })
    // A reason that may pass: the same bytes are issued again.
    const full = ['Dropped', 'mempool is full'] as const
    const again = await waitFor([full, full, full, full, full, ['Committed']])
    expect(again.status).toBe('accepted')
    expect(again.called).toContain('platform.issueTx')
  })

  it('time out within the limit if the server is silent', async () => {
    let attempts = 0
    const fetch: Fetch = () => {
      attempts++
      return new Promise(() => {})
    }
    const client = createPChainClient({ url: 'http://p.test', fetch })
    const waiting = client.waitForTx(new Uint8Array(32), { timeoutMs: 40 })
    await expect(waiting).rejects.toMatchObject({ code: 'TX_TIMEOUT' })
    expect(attempts).toBeLessThan(4)
  })

  it('distinguish a lost answer from a rejection', async () => {
    const mover = await start()
    const bytes = await pExport(mover)
    node.injectFault({ kind: 'lost', on: 'platform.issueTx' })
    expect(await mover.p.issueTx(bytes)).toMatchObject({ status: 'accepted' })
    node.injectFault({ kind: 'lost', on: 'avax.issueTx' })
    expect(await mover.c.issueTx(await cExport(mover))).toMatchObject({ status: 'accepted' })
  })

  it('time out with everything observed', async () => {
    const mover = await start({ blocks: 'manual' })
    const bytes = await cExport(mover)
    const client = createCChainClient({
      url: 'http://localhost',
      fetch: node.fetch,
      clock: fakeClock(),
    })
    await client.issueTx(bytes)
    await expect(client.waitForTx(bytes, { timeoutMs: 5000 })).rejects.toMatchObject({
      code: 'TX_TIMEOUT',
      known: { sends: 0 },
    })
    // A conflicting transaction with a higher fee replaces it in the mempool.
    await client.issueTx(await cExport(mover, 50_000_000_000n))
    await expect(client.waitForTx(bytes)).rejects.toMatchObject({ name: 'IssueError' })
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(client.waitForTx(bytes, { signal })).rejects.toMatchObject({ name: 'AbortError' })
  })

  async function pExport(mover: Mover): Promise<Uint8Array> {
    const draft = pChain.buildExport({
      context: node.context,
      funds: { utxos: await mover.pUTXOs(), owners: keys.addresses, now: node.now() },
      fees: await mover.p.fees(),
      destinationChain: 'X',
      outputs: [{ to: mover.addressOn('X'), amount: 1_000_000n }],
    })
    return requireSigned(signDraft(draft, keys)).bytes
  }

  async function cExport(mover: Mover, baseFee = 25_000_000_000n): Promise<Uint8Array> {
    const draft = cChain.buildExport({
      context: node.context,
      account: await mover.c.account(mover.account),
      baseFee,
      destinationChain: 'X',
      outputs: [{ to: mover.addressOn('X'), amount: 1_000_000n }],
    })
    return requireSigned(signDraft(draft, keys)).bytes
  }
})
