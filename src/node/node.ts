import {
  argument,
  boolean,
  type Check,
  object,
  omissible,
  optional,
} from '../core/base/argument.ts'
import { iterate } from '../core/base/iterate.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import { txID as idOf } from '../core/chain/x/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../core/chain/x/tx.ts'
import type { UTXOPage } from '../core/chain/x/utxo-page.ts'
import {
  type BlockCalls,
  type BlockReader,
  type BlockReaderOptions,
  blockAtHeight,
  blockReaderOptions,
  type DecodeAnswer,
  SequentialReader,
} from './blocks/block-reader.ts'
import { type AcceptedBlock, type BlocksOptions, followBlocks } from './blocks/blocks.ts'
import { txCalls } from './chain-client.ts'
import { type ContextOptions, contextOptions, readContext } from './context.ts'
import {
  type CallOptions,
  callMembers,
  callOptions,
  type ServerRequest,
  type TransportOptions,
  transportMembers,
} from './http.ts'
import { type IssueCalls, type Issued, type IssueOptions, issueTx } from './issue/issue.ts'
import type { TxFormat } from './issue/reference.ts'
import { type Accepted, type WaitOptions, waitForTx } from './issue/wait.ts'
import type { avmMethods, walletMethods } from './methods/avm.ts'
import {
  type Health,
  type HealthParams,
  type HealthRoute,
  type healthMethods,
  healthParams,
  healthRoutes,
  readHealthReply,
  tagQuery,
} from './methods/health.ts'
import type { infoMethods } from './methods/info.ts'
import { type BoundTable, bindTable, type Exchange } from './methods/method.ts'
import { methods, routeOf, type Service } from './methods/methods.ts'
import { type ID, nameOrID, nameText } from './methods/params.ts'
import { type NetworkArgument, networkArgument, requireNetwork } from './network.ts'
import { type UTXOPagesOptions, utxoPages, utxoPagesOptions } from './pages/utxo-pages.ts'
import { explainMissingRoute, type ReadyOptions, readyOptions, waitUntilReady } from './ready.ts'
import { Connection, lastRequests, serversOf } from './transport/connection.ts'
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
  /**
   * The network that the servers must belong to: `context` and every call that issues a transaction fail with
   * `NETWORK_MISMATCH` if they do not.
   *
   * @defaultValue any
   */
  readonly network?: NetworkArgument | undefined
}

const nodeClientOptions: Check<NodeClientOptions> = object<NodeClientOptions>({
  ...transportMembers,
  chain: optional(nameOrID),
  context: omissible(contextOptions),
  network: optional(networkArgument),
})

/**
 * Options of the call `context`.
 *
 * @inline
 */
type ContextCallOptions = Pick<CallOptions, 'signal' | 'totalMs'> & {
  readonly refresh?: boolean | undefined
}

const contextCallOptions: Check<ContextCallOptions> = object<ContextCallOptions>({
  signal: callMembers.signal,
  totalMs: callMembers.totalMs,
  refresh: optional(boolean),
})

type IssueMethod = BoundTable<typeof avmMethods>['issueTx']

const format: TxFormat<SignedTx> = { encodeTx, decodeTx, txID: idOf }

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
  readonly context: (options?: ContextCallOptions) => Promise<NetworkContext>
  /**
   * Upper bound of the node's clock in milliseconds since the Unix epoch, from the `date` header of its last answer.
   * Undefined before the first answer, and in browsers, which hide the header.
   */
  readonly nodeTime: () => number | undefined
  /** The last request to each server, by this client or the clients of `servers`. */
  readonly lastRequests: () => readonly ServerRequest[]
  /** The last rate-limit headers; undefined if there were none. */
  readonly rateLimit: () => RateLimit | undefined
}

/**
 * Creates a client of a node.
 *
 * @throws ArgumentError `MISSING_OPTION` without `url`, `ENC_INVALID` for an invalid or repeated one
 *
 * @example
 * const client = createNodeClient({ url: 'http://127.0.0.1:9650' })
 * const height = await client.avm.getHeight()
 * for await (const { utxos } of client.utxoPages({ addresses })) console.log(utxos.length)
 */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  return nodeClient(argument('createNodeClient', options, nodeClientOptions))
}

function nodeClient(options: NodeClientOptions): NodeClient {
  return clientFor(new Connection(new Transport(options)), options, nameText(options.chain ?? 'X'))
}

function healthGetter(
  transport: Transport,
  route: HealthRoute,
): NodeClient['healthGet'][HealthRoute] {
  const path = `/ext/health${healthRoutes[route]}`
  const called = `healthGet.${route}`
  return async (params, options) =>
    transport.request(
      {
        method: `GET ${path}`,
        verb: 'GET',
        path: path + tagQuery(argument(called, params ?? {}, healthParams)),
        mode: 'once',
        read: readHealthReply,
      },
      argument(called, options, callOptions),
    )
}

function clientFor(connection: Connection, options: NodeClientOptions, chain: string): NodeClient {
  const { transport } = connection
  const bind = <S extends Service>(service: S): BoundTable<(typeof methods)[S]> =>
    connection.bind(service, routeOf(service, chain), methods[service])
  const info = bind('info')
  const callChain =
    (path: string) =>
    <P, R>(method: Exchange<P, R>, params: P, call?: CallOptions): Promise<R> =>
      connection
        .call(path, method, params, call)
        .catch((error) => explainMissingRoute(error, info, chain, call))
  const bindChain = <S extends 'avm' | 'wallet'>(service: S): BoundTable<(typeof methods)[S]> =>
    bindTable(service, methods[service], callChain(routeOf(service, chain)))
  /** Fails if the servers belong to another network than the options name. */
  const checkNetwork = async (limits: CallOptions = {}) => {
    if (options.network !== undefined) await client.context({ signal: limits.signal })
  }
  const withCheckedIssue = <T extends { readonly issueTx: IssueMethod }>(table: T): T => ({
    ...table,
    issueTx: async (params, limits) => {
      await checkNetwork(limits)
      return table.issueTx(params, limits)
    },
  })
  const avm = withCheckedIssue(bindChain('avm'))
  const route = routeOf('avm', chain)
  const { getTx, getUTXOs, issueTx: send } = methods.avm
  const calls: IssueCalls = {
    send: (tx, shift, call) => connection.call(route, send, { tx }, call, { shift }),
    getTx: (txID, call) => callChain(route)(getTx, { txID }, call),
    getTxOnce: (txID, shift, call) =>
      connection.call(route, getTx, { txID }, call, { once: true, shift }),
    serverCount: transport.serverCount,
    clock: transport.clock,
  }
  const blockCalls: BlockCalls = {
    getBlock: (height, server, call) => {
      const once = { once: true, server }
      const { isBootstrapped } = methods.info
      const note = (answer: DecodeAnswer) => {
        transport.sawBlock(server, height)
        return answer
      }
      return connection.call(route, blockAtHeight, { height }, call, once).then(note, (error) => {
        const ask: typeof info.isBootstrapped = (params, options) =>
          connection.call(routeOf('info', chain), isBootstrapped, params, options, once)
        return explainMissingRoute(error, { isBootstrapped: ask }, chain, call)
      })
    },
    serverCount: transport.serverCount,
    timeoutMs: transport.timeoutMs,
    clock: transport.clock,
  }
  const pagesOf = (walk: UTXOPagesOptions) =>
    utxoPages((params, call) => callChain(route)(getUTXOs, params, call), walk, transport.clock)
  let context: Promise<NetworkContext> | undefined
  let servers: readonly NodeClient[] | undefined
  const client: NodeClient = {
    avm,
    wallet: withCheckedIssue(bindChain('wallet')),
    info,
    health: bind('health'),
    healthGet: {
      root: healthGetter(transport, 'root'),
      health: healthGetter(transport, 'health'),
      readiness: healthGetter(transport, 'readiness'),
      liveness: healthGetter(transport, 'liveness'),
    },
    forChain: (other) =>
      clientFor(connection, options, nameText(argument('forChain', other, nameOrID, 'chain'))),
    servers: () => {
      servers ??= serversOf({ ...options, chain }, client, nodeClient)
      return servers
    },
    utxoPages: (walk) => iterate(() => argument('utxoPages', walk, utxoPagesOptions), pagesOf),
    blockReader: (start) =>
      new SequentialReader(blockCalls, argument('blockReader', start, blockReaderOptions)),
    blocks: (follow) =>
      followBlocks(
        {
          reader: (from, parentID) => new SequentialReader(blockCalls, { from, parentID }),
          utxoPages: pagesOf,
          clock: transport.clock,
          retry: retryPolicy(options.retry),
        },
        follow,
      ),
    ...txCalls(
      format,
      async (tx, issue) => {
        await checkNetwork(issue)
        return issueTx(calls, tx, issue)
      },
      (tx, wait) => waitForTx(calls, tx, wait),
    ),
    waitUntilReady: async (ready) =>
      waitUntilReady(
        info,
        chain,
        transport.clock,
        argument('waitUntilReady', ready ?? {}, readyOptions),
      ),
    context: async (call) => {
      const { refresh, ...limits } = argument('context', call ?? {}, contextCallOptions)
      throwIfAborted('context', limits.signal)
      if (context === undefined || refresh) {
        // Without the signal and the time limit of this call, because other calls may wait for it, too.
        const { network } = options
        const reading = readContext({ chain, avm, info }, options.context!, network).then(
          (read) => {
            requireNetwork(network, read)
            return read
          },
        )
        // Failures are not cached.
        reading.catch(() => {
          if (context === reading) context = undefined
        })
        context = reading
      }
      return waitFor('context', context, limits)
    },
    nodeTime: () => transport.serverTime,
    lastRequests: () => lastRequests(transport, client, servers),
    rateLimit: () => transport.rateLimit,
  }
  return client
}
