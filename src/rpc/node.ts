import type { NetworkContext } from '../chain/networks.ts'
import type { SignedTx } from '../chain/tx.ts'
import type { UTXOPage } from '../chain/utxo-page.ts'
import type { avmMethods, walletMethods } from './avm.ts'
import {
  type BlockCalls,
  type BlockReader,
  type BlockReaderOptions,
  blockAtHeight,
  blockReader,
} from './block-reader.ts'
import { type AcceptedBlock, type BlocksOptions, followBlocks } from './blocks.ts'
import { type ContextOptions, readContext } from './context.ts'
import { headersFor } from './endpoint.ts'
import { requestText, resultOf } from './envelope.ts'
import {
  type Health,
  type HealthParams,
  type HealthRoute,
  type healthMethods,
  healthRoutes,
  readHealthReply,
  tagQuery,
} from './health.ts'
import type { CallOptions, TransportOptions } from './http.ts'
import type { infoMethods } from './info.ts'
import { type IssueCalls, type Issued, type IssueOptions, issueTx } from './issue.ts'
import { type BoundTable, bindTable, type Method } from './method.ts'
import { methods, routeOf, type Service } from './methods.ts'
import { type ID, nameText } from './params.ts'
import type { RateLimit } from './rate-limit.ts'
import { explainMissing, type ReadyOptions, waitUntilReady } from './ready.ts'
import { Reply } from './reply.ts'
import { retryPolicy } from './retry.ts'
import { Transport } from './transport.ts'
import { type UTXOPagesOptions, utxoPages } from './utxo-pages.ts'
import { type Accepted, type WaitOptions, waitForTx } from './wait.ts'

/** How to reach a node, and which chain of it. */
export type NodeClientOptions = TransportOptions & {
  /** Alias or ID of the chain that `avm` methods ask; `X` unless told. */
  readonly chain?: ID | undefined
  readonly context?: ContextOptions | undefined
}

/** A node, as one talks to it. */
export type NodeClient = {
  /** Methods of the chain, one call each. */
  readonly avm: BoundTable<typeof avmMethods>
  /** Methods of the chain's wallet route. */
  readonly wallet: BoundTable<typeof walletMethods>
  readonly info: BoundTable<typeof infoMethods>
  /** Health by JSON-RPC. */
  readonly health: BoundTable<typeof healthMethods>
  /** Health by GET, by route. */
  readonly healthGet: {
    readonly [route in HealthRoute]: (
      params?: HealthParams,
      options?: CallOptions,
    ) => Promise<Health>
  }
  /** The same node for another chain with the same virtual machine, by alias or ID. */
  readonly forChain: (chain: ID) => NodeClient
  /**
   * A client for each server alone, this one where there is but one: what several answers prove together, one
   * server must have given.
   */
  readonly servers: () => readonly NodeClient[]
  /** All UTXOs of any number of addresses, page by page and each once. */
  readonly utxoPages: (options: UTXOPagesOptions) => AsyncGenerator<UTXOPage, void, undefined>
  /** Reads accepted blocks one after the other, checked against each other, from any of the servers. */
  readonly blockReader: (options: BlockReaderOptions) => BlockReader
  /**
   * Follows accepted blocks from a height on: in order, without gaps, for ever. Ends when the signal fires. Failures
   * that may pass are retried without limit.
   *
   * Each block is decoded from its bytes and names the one before it as its parent. That it was accepted is the word
   * of the server that sent it.
   *
   * @throws BlockError `BLOCK_PARENT_MISMATCH` if no server has a block that follows the last one
   * @example
   * for await (const { height, created } of client.blocks({ from: 1_000_000n, addresses }))
   *   for (const { assetID, output } of created) console.log(height, formatID(assetID), output)
   */
  readonly blocks: (options: BlocksOptions) => AsyncGenerator<AcceptedBlock, void, undefined>
  /** Sends a transaction once; accepted and pending are returned, refused and unknown thrown. */
  readonly issueTx: (tx: SignedTx | Uint8Array, options?: IssueOptions) => Promise<Issued>
  /** Waits until a transaction is accepted, sending it again where it got lost. */
  readonly waitForTx: (tx: SignedTx | ID, options?: WaitOptions) => Promise<Accepted>
  /** Waits until the node has bootstrapped the chain. */
  readonly waitUntilReady: (options?: ReadyOptions) => Promise<void>
  /** What builders must know of the network: read once, checked, and kept. */
  readonly context: (
    options?: CallOptions & { readonly refresh?: boolean | undefined },
  ) => Promise<NetworkContext>
  /**
   * The latest that it can be by the node's clock, in milliseconds since 1970, as the date of its last answer
   * tells. Undefined before the first one, and in a browser, which shows no dates of others.
   */
  readonly nodeTime: () => number | undefined
  /** What the last rate-limit headers said; undefined where none came. */
  readonly rateLimit: () => RateLimit | undefined
}

/**
 * Makes a client of a node.
 *
 * @example
 * const client = createNodeClient({ url: 'http://127.0.0.1:9650' })
 * const height = await client.avm.getHeight()
 * for await (const { utxos } of client.utxoPages({ addresses })) console.log(utxos.length)
 */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  return clientFor(new Connection(new Transport(options)), options, nameText(options.chain ?? 'X'))
}

/** How a call goes out; the table decides where nothing is said. */
type Sending = {
  readonly once?: boolean | undefined
  readonly shift?: number | undefined
  readonly server?: number | undefined
}

/** JSON-RPC over a transport; clients for several chains of a node share one. */
class Connection {
  readonly transport: Transport
  private lastID = 0

  constructor(transport: Transport) {
    this.transport = transport
  }

  // Async, so that parameters that cannot be sent reject like everything else.
  async call<P, R>(
    route: string,
    { method, write, once, params, reply }: Method<P, R>,
    given: P,
    options: CallOptions | undefined,
    sending: Sending = {},
  ): Promise<R> {
    const id = ++this.lastID
    return this.transport.request(
      {
        method,
        verb: 'POST',
        path: route,
        body: requestText(id, method, params(given)),
        mode: write || once || sending.once ? 'once' : 'read',
        shift: sending.shift ?? 0,
        server: sending.server,
        read: (http) => reply(new Reply(method, 'result', resultOf(http, id)), given),
      },
      options,
    )
  }

  async health(route: HealthRoute, params: HealthParams, options?: CallOptions): Promise<Health> {
    const path = `/ext/health${healthRoutes[route]}`
    const method = `GET ${path}`
    return this.transport.request(
      {
        method,
        verb: 'GET',
        path: path + tagQuery(params),
        mode: 'once',
        read: readHealthReply,
      },
      options,
    )
  }
}

function clientFor(connection: Connection, options: NodeClientOptions, chain: string): NodeClient {
  const { transport } = connection
  const bind = <S extends Service>(service: S): BoundTable<(typeof methods)[S]> =>
    bindTable(methods[service], (method, params, call) =>
      connection.call(routeOf(service, chain), method, params, call),
    )
  const info = bind('info')
  const bindChain = <S extends 'avm' | 'wallet'>(service: S): BoundTable<(typeof methods)[S]> =>
    bindTable(methods[service], (method, params, call) =>
      connection
        .call(routeOf(service, chain), method, params, call)
        .catch((error) => explainMissing(error, info, chain, call)),
    )
  const avm = bindChain('avm')
  const route = routeOf('avm', chain)
  const { getTx, issueTx: send } = methods.avm
  const calls: IssueCalls = {
    send: (tx, shift, call) => connection.call(route, send, { tx }, call, { shift }),
    getTx: (txID, call) => avm.getTx({ txID }, call),
    getTxOnce: (txID, shift, call) =>
      connection.call(route, getTx, { txID }, call, { once: true, shift }),
    serverCount: transport.serverCount,
    clock: transport.clock,
  }
  const blockCalls: BlockCalls = {
    getBlock: (height, server, call) => {
      const once = { once: true, server }
      const { isBootstrapped } = methods.info
      return connection.call(route, blockAtHeight, { height }, call, once).catch((error) => {
        const ask: typeof info.isBootstrapped = (params, options) =>
          connection.call(routeOf('info', chain), isBootstrapped, params, options, once)
        return explainMissing(error, { isBootstrapped: ask }, chain, call)
      })
    },
    serverCount: transport.serverCount,
    timeoutMs: transport.timeoutMs,
    clock: transport.clock,
  }
  let context: Promise<NetworkContext> | undefined
  let servers: readonly NodeClient[] | undefined
  const client: NodeClient = {
    avm,
    wallet: bindChain('wallet'),
    info,
    health: bind('health'),
    healthGet: {
      root: (params = {}, call) => connection.health('root', params, call),
      health: (params = {}, call) => connection.health('health', params, call),
      readiness: (params = {}, call) => connection.health('readiness', params, call),
      liveness: (params = {}, call) => connection.health('liveness', params, call),
    },
    forChain: (other) => clientFor(connection, options, nameText(other)),
    servers: () => {
      const urls = typeof options.url === 'string' ? [options.url] : options.url
      servers ??=
        urls.length === 1
          ? [client]
          : urls.map((url) => {
              const headers = headersFor(url, urls[0]!, options.headers ?? {})
              return createNodeClient({ ...options, headers, url, chain })
            })
      return servers
    },
    utxoPages: (walk) => utxoPages(avm.getUTXOs, walk),
    blockReader: (start) => blockReader(blockCalls, start),
    blocks: (follow) =>
      followBlocks(
        {
          reader: client.blockReader,
          utxoPages: client.utxoPages,
          clock: transport.clock,
          retry: retryPolicy(options.retry),
        },
        follow,
      ),
    issueTx: (tx, issue) => issueTx(calls, tx, issue),
    waitForTx: (tx, wait) => waitForTx(calls, tx, wait),
    waitUntilReady: (ready) => waitUntilReady(info, chain, transport.clock, ready),
    context: (call = {}) => {
      if (context === undefined || call.refresh) {
        const reading = readContext({ chain, avm, info }, options.context, call)
        // A failure is not kept.
        reading.catch(() => {
          if (context === reading) context = undefined
        })
        context = reading
      }
      return context
    },
    nodeTime: () => transport.serverTime,
    rateLimit: () => transport.rateLimit,
  }
  return client
}
