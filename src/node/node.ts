import { requireDurations } from '../core/base/require.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { SignedTx } from '../core/chain/x/tx.ts'
import type { UTXOPage } from '../core/chain/x/utxo-page.ts'
import {
  type BlockCalls,
  type BlockReader,
  type BlockReaderOptions,
  blockAtHeight,
  blockReader,
} from './blocks/block-reader.ts'
import { type AcceptedBlock, type BlocksOptions, followBlocks } from './blocks/blocks.ts'
import { type ContextOptions, readContext } from './context.ts'
import type { CallOptions, TransportOptions } from './http.ts'
import { type IssueCalls, type Issued, type IssueOptions, issueTx } from './issue/issue.ts'
import { type Accepted, type WaitOptions, waitForTx } from './issue/wait.ts'
import type { avmMethods, walletMethods } from './methods/avm.ts'
import {
  type Health,
  type HealthParams,
  type HealthRoute,
  type healthMethods,
  healthRoutes,
  readHealthReply,
  tagQuery,
} from './methods/health.ts'
import type { infoMethods } from './methods/info.ts'
import { type BoundTable, bindTable } from './methods/method.ts'
import { methods, routeOf, type Service } from './methods/methods.ts'
import { type ID, nameText } from './methods/params.ts'
import { type UTXOPagesOptions, utxoPages } from './pages/utxo-pages.ts'
import { explainMissingRoute, type ReadyOptions, waitUntilReady } from './ready.ts'
import { Connection, serversOf } from './transport/connection.ts'
import type { RateLimit } from './transport/rate-limit.ts'
import { retryPolicy } from './transport/retry.ts'
import { throwIfAborted, waitFor } from './transport/time-limit.ts'
import { Transport } from './transport/transport.ts'

/** Options of `createNodeClient`. */
export type NodeClientOptions = TransportOptions & {
  /**
   * Alias or ID of the chain for the `avm` and `wallet` methods.
   *
   * @defaultValue `X`
   */
  readonly chain?: ID | undefined
  /** Checks of the IDs and fees that the node reports. */
  readonly context?: ContextOptions | undefined
}

/** Client of a node. */
export type NodeClient = {
  /** Methods of the chain. */
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
  /** Returns a client of the same node for another chain that runs the AVM. */
  readonly forChain: (chain: ID) => NodeClient
  /**
   * Returns one client per server (this one if there is only one). Used to get several answers from the same server.
   */
  readonly servers: () => readonly NodeClient[]
  /** Iterates over all UTXOs of any number of addresses, page by page, each UTXO once. */
  readonly utxoPages: (options: UTXOPagesOptions) => AsyncGenerator<UTXOPage, void, undefined>
  /** Creates a reader of consecutive accepted blocks, from any of the servers. */
  readonly blockReader: (options: BlockReaderOptions) => BlockReader
  /**
   * Follows accepted blocks from a height, in order and without gaps, until the signal is aborted. Temporary failures
   * are retried without limit unless `idleTimeoutMs` is set.
   *
   * Each block is decoded from its bytes and must name the previous block as its parent. That it was accepted relies
   * on the server.
   *
   * @throws BlockError `BLOCK_PARENT_MISMATCH` if no server has a block that follows the last one
   *
   * @example
   * for await (const { height, created } of client.blocks({ from: 1_000_000n, addresses }))
   *   for (const { assetID, output } of created) console.log(height, formatID(assetID), output)
   */
  readonly blocks: (options: BlocksOptions) => AsyncGenerator<AcceptedBlock, void, undefined>
  /** Issues a transaction once. Returns accepted and pending; throws IssueError if rejected or unknown. */
  readonly issueTx: (tx: SignedTx | Uint8Array, options?: IssueOptions) => Promise<Issued>
  /**
   * Waits until a transaction is accepted; issues it again if it does not appear for a while. Throws IssueError,
   * TimeoutError.
   */
  readonly waitForTx: (tx: SignedTx | ID, options?: WaitOptions) => Promise<Accepted>
  /** Waits until the node has bootstrapped the chain. Throws TimeoutError. */
  readonly waitUntilReady: (options?: ReadyOptions) => Promise<void>
  /**
   * Reads the network parameters for builders, checks them, and caches them. Concurrent calls share their requests;
   * the options of a call end only its own waiting. Throws ContextError.
   */
  readonly context: (
    options?: Pick<CallOptions, 'signal' | 'totalMs'> & { readonly refresh?: boolean | undefined },
  ) => Promise<NetworkContext>
  /**
   * Upper bound of the node's clock in milliseconds since the Unix epoch, from the `date` header of its last answer.
   * Undefined before the first answer, and in browsers, which hide the header.
   */
  readonly nodeTime: () => number | undefined
  /** The last rate-limit headers; undefined if there were none. */
  readonly rateLimit: () => RateLimit | undefined
}

/**
 * Creates a client of a node.
 *
 * @throws EncodingError `ENC_INVALID` for a missing, invalid or repeated `url`
 *
 * @example
 * const client = createNodeClient({ url: 'http://127.0.0.1:9650' })
 * const height = await client.avm.getHeight()
 * for await (const { utxos } of client.utxoPages({ addresses })) console.log(utxos.length)
 */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  return clientFor(new Connection(new Transport(options)), options, nameText(options.chain ?? 'X'))
}

function getNodeHealth(
  transport: Transport,
  route: HealthRoute,
  params: HealthParams | undefined,
  options: CallOptions | undefined,
): Promise<Health> {
  const path = `/ext/health${healthRoutes[route]}`
  return transport.request(
    {
      method: `GET ${path}`,
      verb: 'GET',
      path: path + tagQuery(params ?? {}),
      mode: 'once',
      read: readHealthReply,
    },
    options,
  )
}

function clientFor(connection: Connection, options: NodeClientOptions, chain: string): NodeClient {
  const { transport } = connection
  const bind = <S extends Service>(service: S): BoundTable<(typeof methods)[S]> =>
    connection.bind(routeOf(service, chain), methods[service])
  const info = bind('info')
  const bindChain = <S extends 'avm' | 'wallet'>(service: S): BoundTable<(typeof methods)[S]> =>
    bindTable(methods[service], (method, params, call) =>
      connection
        .call(routeOf(service, chain), method, params, call)
        .catch((error) => explainMissingRoute(error, info, chain, call)),
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
        return explainMissingRoute(error, { isBootstrapped: ask }, chain, call)
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
      root: (params, call) => getNodeHealth(transport, 'root', params, call),
      health: (params, call) => getNodeHealth(transport, 'health', params, call),
      readiness: (params, call) => getNodeHealth(transport, 'readiness', params, call),
      liveness: (params, call) => getNodeHealth(transport, 'liveness', params, call),
    },
    forChain: (other) => clientFor(connection, options, nameText(other)),
    servers: () => {
      servers ??= serversOf({ ...options, chain }, client, createNodeClient)
      return servers
    },
    utxoPages: (walk) => utxoPages(avm.getUTXOs, walk, transport.clock),
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
    issueTx: (tx, issue) => issueTx(calls, tx, issue ?? {}),
    waitForTx: (tx, wait) => waitForTx(calls, tx, wait ?? {}),
    waitUntilReady: (ready) => waitUntilReady(info, chain, transport.clock, ready),
    context: async (call) => {
      requireDurations(call, ['totalMs'])
      const { refresh, ...limits } = call ?? {}
      throwIfAborted('context', limits.signal)
      if (context === undefined || refresh) {
        // Without the signal and the time limit of this call, because other calls may wait for it, too.
        const reading = readContext({ chain, avm, info }, options.context)
        // Failures are not cached.
        reading.catch(() => {
          if (context === reading) context = undefined
        })
        context = reading
      }
      return waitFor('context', context, limits)
    },
    nodeTime: () => transport.serverTime,
    rateLimit: () => transport.rateLimit,
  }
  return client
}
