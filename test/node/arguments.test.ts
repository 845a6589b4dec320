import { describe, expect, it } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import {
  AddressSet,
  avaxMethods,
  classifyRejection,
  createCChainClient,
  createDataClient,
  createMetricsClient,
  createNodeClient,
  createPChainClient,
  createRawClient,
  ethMethods,
  type Fetch,
  methods,
  platformMethods,
  RpcError,
  systemClock,
} from '../../src/node/index.ts'
import { crossChain } from '../helpers/cross-chain.ts'
import { thrownBy, withUnknown } from '../helpers/unknown-members.ts'
import { fakeClock } from './fake-clock.ts'
import { bytes, scriptNode, txID } from './script-node.ts'

type Call = (...args: never[]) => unknown

let sent: string[] = []
const fetch: Fetch = async (_, init) => {
  sent.push(String(init.body))
  return new Response('{"jsonrpc":"2.0","result":{},"id":1}')
}
const { signal } = new AbortController()
const transport = {
  url: ['http://a.test', 'http://b.test'],
  fetch,
  headers: { accept: 'x' },
  timeoutMs: 5,
  maxBodyBytes: 1000,
  retry: { retries: 0, firstDelayMs: 1, maxDelayMs: 1, maxTotalMs: 1 },
  onAttempt: () => {},
  clock: fakeClock(),
}
const context = {
  maxFees: { txFee: 1n, createAssetTxFee: 1n },
  known: [networks.fuji],
  nativeAsset: 'AVAX',
}
const id = new Uint8Array(32)
const address = new Uint8Array(20)
const call = { signal, timeoutMs: 5, totalMs: 5 }
const wait = { signal, timeoutMs: 5, pollMs: 1, resendMs: 1, graceMs: 1 }
const walk = {
  ...call,
  addresses: [address],
  sourceChain: 'P',
  encoding: 'hex',
  pageSize: 2,
  groupSize: 1,
  concurrency: 1,
  onProgress: () => {},
}
const page = { ...call, query: { a: 1 }, pageToken: 'T' }
const list = { ...page, pageSize: 1, field: 'a' }
const health = { tags: [id] }
const utxos = {
  addresses: [address],
  limit: 1,
  startIndex: { address: 'a', utxo: 'b' },
  sourceChain: 'P',
  encoding: 'hex',
}
const issue = { tx: bytes, encoding: 'hex' }

const options = { ...transport, url: 'http://a.test' }
const x = createNodeClient(options)
const p = createPChainClient(options)
const c = createCChainClient(options)
const data = createDataClient(options)
const metrics = createMetricsClient(options)
const raw = createRawClient(options)
const reader = x.blockReader({ from: 0 })

function signed(kind: string): Uint8Array {
  return hex.decode(crossChain(kind).find(({ verdict }) => verdict === 'ok')!.signed)
}

/** Parameters of the methods in the tables that have any. */
const params: { readonly [method: string]: object } = {
  'avm.getAllBalances': { address, includePartial: true },
  'avm.getAssetDescription': { assetID: id },
  'avm.getBalance': { address, assetID: id, includePartial: true },
  'avm.getBlock': { blockID: id, encoding: 'hex' },
  'avm.getBlockJSON': { blockID: id },
  'avm.getBlockByHeight': { height: 1n, encoding: 'hex' },
  'avm.getBlockByHeightJSON': { height: 1 },
  'avm.getTx': { txID: id, encoding: 'hex' },
  'avm.getTxJSON': { txID: id },
  'avm.getTxStatus': { txID: id },
  'avm.getUTXOs': utxos,
  'avm.issueTx': issue,
  'wallet.issueTx': issue,
  'info.isBootstrapped': { chain: 'X' },
  'info.getBlockchainID': { alias: 'X' },
  'info.peers': { nodeIDs: ['a'] },
  'info.uptime': { subnetID: id },
  'health.health': health,
  'health.readiness': health,
  'platform.getUTXOs': utxos,
  'platform.getBalance': { addresses: [address] },
  'platform.getTx': { txID: id, encoding: 'hex' },
  'platform.getTxJSON': { txID: id },
  'platform.getTxStatus': { txID: id },
  'platform.issueTx': issue,
  'avax.getUTXOs': utxos,
  'avax.getAtomicTx': { txID: id, encoding: 'hex' },
  'avax.getAtomicTxStatus': { txID: id },
  'avax.issueTx': issue,
  'eth.getTransactionCount': { address, height: 1n },
  'eth.getBalance': { address },
  'eth.getBlockByNumber': { height: 1n },
  'eth.getRawTransactionByBlockNumberAndIndex': { height: 1n, index: 0 },
}

const tables = { ...methods, platform: platformMethods, avax: avaxMethods, eth: ethMethods }
const bound: { readonly [service: string]: object } = { ...x, ...p, ...c }
const rpcCalls = Object.entries(tables).flatMap(([service, table]) =>
  Object.keys(table).map((name): [string, Call, unknown[]] => [
    `${service}.${name}`,
    (bound[service] as { [name: string]: Call })[name]!,
    [params[`${service}.${name}`] ?? {}, call],
  ]),
)

/** Every public call that takes objects, with valid arguments that have all members. */
const calls: [string, Call, unknown[]][] = [
  ...rpcCalls,
  ['createNodeClient', createNodeClient, [{ ...transport, chain: 'X', context }]],
  ['createPChainClient', createPChainClient, [transport]],
  ['createCChainClient', createCChainClient, [transport]],
  ['createRawClient', createRawClient, [transport]],
  [
    'createDataClient',
    createDataClient,
    [
      {
        ...transport,
        apiKey: 'k',
        apiKeyHeader: 'h',
        paths: { healthCheck: '/a', liveCheck: '/b', chains: '/c' },
      },
    ],
  ],
  [
    'createMetricsClient',
    createMetricsClient,
    [{ ...transport, paths: { averageTPS: '/a', healthCheck: '/b' } }],
  ],
  ...Object.entries(x.healthGet).map(([route, get]): [string, Call, unknown[]] => [
    `healthGet.${route}`,
    get,
    [health, call],
  ]),
  ['utxoPages', x.utxoPages, [walk]],
  ['utxoPages', p.utxoPages, [walk]],
  ['utxoPages', c.utxoPages, [walk]],
  ['blockReader', x.blockReader, [{ from: 0, parentID: id }]],
  [
    'blocks',
    // Checked before the iteration.
    (given) => {
      x.blocks(given)
    },
    [
      {
        from: 0n,
        parentID: id,
        addresses: [address],
        utxos: [],
        signal,
        timeoutMs: 5,
        pollMs: 1,
        maxPollMs: 1,
        idleTimeoutMs: 1,
      },
    ],
  ],
  ['read', (given) => reader.read(given), [{ signal, timeoutMs: 5, limit: 1, ahead: 1 }]],
  ['issueTx', x.issueTx, [bytes, { ...call, graceMs: 1 }]],
  ['issueTx', p.issueTx, [signed('p-tx'), { ...call, graceMs: 1 }]],
  ['issueTx', c.issueTx, [signed('c-tx'), { ...call, graceMs: 1 }]],
  ['waitForTx', x.waitForTx, [id, wait]],
  ['waitForTx', p.waitForTx, [id, wait]],
  ['waitForTx', c.waitForTx, [id, wait]],
  ['waitUntilReady', x.waitUntilReady, [{ signal, timeoutMs: 5, pollMs: 1 }]],
  ['context', x.context, [{ signal, totalMs: 5, refresh: true }]],
  ['isAccepted', p.isAccepted, [id, call]],
  ['isAccepted', c.isAccepted, [id, call]],
  ['fees', p.fees, [call]],
  ['account', c.account, [address, call]],
  ['exportDetails', c.exportDetails, [address, call]],
  ['healthCheck', data.healthCheck, [call]],
  ['liveCheck', data.liveCheck, [call]],
  ['chains', data.chains, [{ network: 'a', feature: 'b' }, call]],
  ['list', data.list, ['/v1/x', list]],
  ['listPages', data.listPages, ['/v1/x', list]],
  ['averageTPS', metrics.averageTPS, [1, page]],
  ['averageTPSPages', metrics.averageTPSPages, ['1', page]],
  ['healthCheck', metrics.healthCheck, [call]],
  ['call', raw.call, ['/ext', 'm', {}, call]],
]

/** Members that may have any names. */
const OPEN = ['headers', 'query', 'chains']

/** Whether members may have any names, or are functions. */
const skips = (_value: unknown, path: string) =>
  [...OPEN, 'clock'].some((name) => path === name || path.endsWith(`.${name}`))

const errorOf = (called: Call, args: readonly unknown[]) =>
  thrownBy(() => called(...(args as never[])))

describe('arguments of the clients', () => {
  it.each(calls)('%s refuses unknown members at every depth', async (name, called, args) => {
    sent = []
    let places = 0
    for (const [i, argument] of args.entries()) {
      // Parameters of a raw call have any members.
      if (name === 'call' && i === 2) continue
      for (const [path, changed] of withUnknown(argument, '', skips)) {
        places++
        const error = await errorOf(called, args.with(i, changed))
        expect(error).toMatchObject({
          name: 'ArgumentError',
          code: 'UNKNOWN_OPTION',
          path,
          message: expect.stringMatching(`^${name}: unknown member `),
        })
      }
    }
    expect(places).toBeGreaterThan(0)
    expect(sent).toEqual([])
  })

  it.each(calls)(
    '%s refuses instances of classes, and accepts valid members',
    async (name, called, args) => {
      sent = []
      for (const [i, argument] of args.entries()) {
        if ((name === 'call' && i === 2) || Object.getPrototypeOf(argument) !== Object.prototype)
          continue
        const instance = Object.assign(Object.create({ inherited: 1 }), argument)
        for (const wrong of [instance, [], 'text', 5])
          expect(await errorOf(called, args.with(i, wrong))).toMatchObject({
            name: 'ArgumentError',
            code: 'ENC_INVALID',
          })
      }
      expect(sent).toEqual([])
      const error = await errorOf(called, args)
      expect((error as Error | undefined)?.name).not.toBe('ArgumentError')
    },
  )

  it.each(calls)('%s reads each member once', async (name, called, args) => {
    for (const [i, argument] of args.entries()) {
      if ((name === 'call' && i === 2) || Object.getPrototypeOf(argument) !== Object.prototype)
        continue
      const reads = new Map<string, number>()
      const counted = {}
      for (const [member, value] of Object.entries(argument as object))
        Object.defineProperty(counted, member, {
          enumerable: true,
          get() {
            reads.set(member, (reads.get(member) ?? 0) + 1)
            return value
          },
        })
      await errorOf(called, args.with(i, counted))
      expect(Object.fromEntries(reads)).toEqual(
        Object.fromEntries(Object.keys(argument as object).map((member) => [member, 1])),
      )
    }
  })

  it('that change later have no effect', async () => {
    const asked = Uint8Array.from(txID)
    const tx = Uint8Array.from(bytes)
    const node = scriptNode(['lost', 'ok'], (script, count) => {
      tx.fill(9)
      if (count > 6) script.accept()
    })
    const given = { ...options, fetch: node.fetch, url: ['http://a.test', 'http://b.test'] }
    const client = createNodeClient(given)
    given.url.pop()
    given.retry = { ...given.retry, retries: -1 }
    expect(client.servers()).toHaveLength(2)
    expect(await client.waitForTx(tx, { resendMs: 1 })).toMatchObject({ txID })
    const found = client.avm.getTx({ txID: Object.assign(asked, txID) })
    asked.fill(9)
    expect(await found).toBeDefined()
  })

  it('of iterations are copied at the call', async () => {
    for (const client of [x, p, c]) {
      sent = []
      const addresses = [Uint8Array.from(address)]
      const pages = client.utxoPages({ addresses, sourceChain: 'P' })
      addresses[0]!.fill(9)
      addresses.push(Uint8Array.from({ length: 20 }, () => 7))
      await pages.next().catch(() => {})
      const [request] = sent
      expect(JSON.parse(request!).params.addresses).toEqual([
        expect.stringMatching(/^1{19}|1q{32}/),
      ])
    }
    const wrong = x.utxoPages({ addresses: 5 as never })
    await expect(wrong.next()).rejects.toMatchObject({ path: 'addresses' })
  })

  it('that are not objects are named', async () => {
    const node = new RpcError('m', undefined, 'not found')
    const failing: Iterable<never> = {
      [Symbol.iterator]: () => ({
        next() {
          throw new TypeError()
        },
      }),
    }
    const cases: [Call, unknown[], code: string, path: string][] = [
      [x.forChain, [5], 'ENC_INVALID', 'chain'],
      [x.forChain, [new Uint8Array(3)], 'ENC_WRONG_LENGTH', 'chain'],
      [x.issueTx, [], 'MISSING_OPTION', 'tx'],
      [x.issueTx, ['text'], 'ENC_INVALID', 'tx'],
      [x.waitForTx, ['1'], 'ENC_MISSING_CHECKSUM', 'tx'],
      [p.isAccepted, [new Uint8Array(3)], 'ENC_WRONG_LENGTH', 'txID'],
      [c.account, ['0x12'], 'ENC_WRONG_LENGTH', 'address'],
      [c.exportDetails, [], 'MISSING_OPTION', 'address'],
      [data.list, ['v1'], 'ENC_INVALID', 'path'],
      [data.list, ['/v1', { query: { a: {} } }], 'ENC_INVALID', 'query.a'],
      [metrics.averageTPS, [1.5], 'ENC_INVALID', 'chainID'],
      [raw.call, ['ext', 'm', {}], 'ENC_INVALID', 'path'],
      [raw.call, ['/ext', 5, {}], 'ENC_INVALID', 'method'],
      [raw.call, ['/ext', 'm', 5], 'ENC_INVALID', 'params'],
      [raw.call, ['/ext', 'm', new Map()], 'ENC_INVALID', 'params'],
      [x.avm.getBlockByHeight, [{ height: '5' }], 'ENC_INVALID', 'height'],
      [x.avm.getUTXOs, [{ addresses: [address, 'X-fuji1'] }], 'ENC_BAD_BECH32', 'addresses[1]'],
      [x.blocks, [{ from: 0, addresses: 5 }], 'ENC_INVALID', 'addresses'],
      [x.blocks, [{ from: 0, addresses: [address, id] }], 'ENC_WRONG_LENGTH', 'addresses[1]'],
      [x.blocks, [{ from: 0, addresses: [], utxos: [{}] }], 'MISSING_OPTION', 'utxos[0].txID'],
      [x.blocks, [{ from: 0, addresses: [], utxos: [null] }], 'ENC_INVALID', 'utxos[0]'],
      [x.blocks, [{ from: 0, addresses: [], utxos: failing }], 'ENC_INVALID', ''],
      [x.blocks, [{ from: 0, addresses: failing }], 'ENC_INVALID', ''],
      [(a) => new AddressSet(a), [[address, 5]], 'ENC_INVALID', 'addresses[1]'],
      [(a) => new AddressSet().add(a), [id], 'ENC_WRONG_LENGTH', 'addresses'],
      [(a) => new AddressSet().has(a), [undefined], 'MISSING_OPTION', 'address'],
      [systemClock.sleep, ['5'], 'ENC_INVALID', 'ms'],
      [systemClock.sleep, [5, {}], 'ENC_INVALID', 'signal'],
      [classifyRejection, [5], 'ENC_INVALID', 'message'],
      [classifyRejection, ['text', 'OtherTx'], 'ENC_INVALID', 'type'],
      [(type) => node.rejection(type), ['OtherTx'], 'ENC_INVALID', 'type'],
      [createNodeClient, [{ url: ['http://a.test', 'b'] }], 'ENC_INVALID', 'url[1]'],
      [createNodeClient, [{ url: ['http://a.test', 'http://a.test/'] }], 'ENC_INVALID', 'url'],
      [createNodeClient, [{}], 'MISSING_OPTION', 'url'],
      [createNodeClient, [{ url: 'http://a.test', clock: {} }], 'ENC_INVALID', 'clock'],
      [createNodeClient, [{ ...options, headers: new Headers() }], 'ENC_INVALID', 'headers'],
    ]
    for (const [called, args, code, path] of cases)
      expect(await errorOf(called, args)).toMatchObject({ name: 'ArgumentError', code, path })
  })
})
