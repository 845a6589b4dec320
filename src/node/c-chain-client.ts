import { argument, type Check, object } from '../core/base/argument.ts'
import { id } from '../core/base/encoding/ids.ts'
import { iterate } from '../core/base/iterate.ts'
import { txID as idOf } from '../core/chain/c/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../core/chain/c/tx.ts'
import type { UTXOPage } from '../core/chain/x/utxo-page.ts'
import { type TxCalls, txCalls } from './chain-client.ts'
import { RpcError } from './errors.ts'
import {
  type CallOptions,
  callOptions,
  type ServerRequest,
  type TransportOptions,
  transportOptions,
} from './http.ts'
import {
  type ChainAccepted,
  type ChainCalls,
  type ChainTxStatus,
  issueChainTx,
  waitForChainTx,
} from './issue/chain-issue.ts'
import {
  type AtomicTxStatus,
  avaxMethods,
  ethMethods,
  evmAddress,
  type GetAtomicUTXOsParams,
} from './methods/c-chain.ts'
import { type BoundTable, bindTable, type Exchange } from './methods/method.ts'
import { type ID, nameOrID } from './methods/params.ts'
import { type UTXOPagesOptions, utxoPages, utxoPagesMembers } from './pages/utxo-pages.ts'
import { batched, callBatch } from './transport/batch.ts'
import { anyResult, Connection, lastRequests, serversOf } from './transport/connection.ts'
import { Transport } from './transport/transport.ts'

/** An account of the C-Chain, as required by the builders. */
export type AccountDetails = {
  readonly address: string | Uint8Array
  readonly nonce: bigint
  /** In wei. */
  readonly balance: bigint
}

/** The state of the chain that an export depends on, as `buildExport` expects it. */
export type ExportDetails = {
  readonly account: AccountDetails
  /** In wei per unit of gas, without a margin. */
  readonly baseFee: bigint
}

/** @inline */
type AtomicUTXOPagesOptions = UTXOPagesOptions & { readonly sourceChain: ID }

const atomicUTXOPagesOptions: Check<AtomicUTXOPagesOptions> = object<AtomicUTXOPagesOptions>({
  ...utxoPagesMembers,
  sourceChain: nameOrID,
})

/** Client of a node's C-Chain. Works before and after Helicon. */
export type CChainClient = TxCalls<SignedTx, ChainAccepted> & {
  /** Methods for atomic transactions. */
  readonly avax: BoundTable<typeof avaxMethods>
  /** Methods of the Ethereum API. */
  readonly eth: BoundTable<typeof ethMethods>
  /** Iterates over all UTXOs that a chain exported to the C-Chain for these addresses, page by page, each once. */
  readonly utxoPages: (options: AtomicUTXOPagesOptions) => AsyncGenerator<UTXOPage, void, undefined>
  /** Returns nonce and balance of an account, with one request. */
  readonly account: (address: string | Uint8Array, options?: CallOptions) => Promise<AccountDetails>
  /** Returns nonce and balance of an account and the base fee, with one request. */
  readonly exportDetails: (
    address: string | Uint8Array,
    options?: CallOptions,
  ) => Promise<ExportDetails>
  /** Returns one client per server (this one if there is only one). */
  readonly servers: () => readonly CChainClient[]
  /** The last request to each server, by this client or the clients of `servers`. */
  readonly lastRequests: () => readonly ServerRequest[]
  /** Whether a transaction is accepted, that is, whether the node returns it with a block height. */
  readonly isAccepted: (txID: Uint8Array, options?: CallOptions) => Promise<boolean>
}

const AVAX_ROUTE = '/ext/bc/C/avax'
const ETH_ROUTE = '/ext/bc/C/rpc'

/**
 * Creates a client of a node's C-Chain.
 *
 * @throws ArgumentError `MISSING_OPTION` without `url`, `ENC_INVALID` for an invalid one
 *
 * @example
 * const client = createCChainClient({ url: 'http://127.0.0.1:9650' })
 * const baseFee = await client.eth.baseFee()
 */
export function createCChainClient(options: TransportOptions): CChainClient {
  return cChainClient(argument('createCChainClient', options, transportOptions))
}

function cChainClient(options: TransportOptions): CChainClient {
  const connection = new Connection(new Transport(options))
  const calls: ChainCalls = {
    send: (tx, call) => connection.call(AVAX_ROUTE, avaxMethods.issueTx, { tx }, call),
    statusOf: (txID, call) => statusOf(connection, txID, call),
    remembers: false,
    clock: connection.transport.clock,
  }
  let servers: readonly CChainClient[] | undefined
  const client: CChainClient = {
    avax: connection.bind('avax', AVAX_ROUTE, avaxMethods),
    eth: bindTable('eth', ethMethods, (method, params, call) =>
      callEth(connection, method, params, call),
    ),
    servers: () => {
      servers ??= serversOf(options, client, cChainClient)
      return servers
    },
    lastRequests: () => lastRequests(connection.transport, client, servers),
    isAccepted: async (given, options) => {
      const txID = argument('isAccepted', given, id, 'txID')
      const call = argument('isAccepted', options, callOptions)
      try {
        const blockHeight = await heightOf(connection, txID, call)
        return blockHeight !== undefined && (await isExecuted(connection, blockHeight, call))
      } catch (error) {
        if (error instanceof RpcError && isMissing(error)) return false
        throw error
      }
    },
    utxoPages: (walk) =>
      iterate(
        () => argument('utxoPages', walk, atomicUTXOPagesOptions),
        (checked) =>
          utxoPages(
            (params, call) =>
              connection.call(
                AVAX_ROUTE,
                avaxMethods.getUTXOs,
                params as GetAtomicUTXOsParams,
                call,
              ),
            checked,
            calls.clock,
          ),
      ),
    async account(given, options) {
      const address = argument('account', given, evmAddress, 'address')
      const [nonce, balance] = await callBatch(
        connection,
        ETH_ROUTE,
        [
          batched(ethMethods.getTransactionCount, { address }),
          batched(ethMethods.getBalance, { address }),
        ],
        argument('account', options, callOptions),
      )
      return { address, nonce, balance }
    },
    async exportDetails(given, options) {
      const address = argument('exportDetails', given, evmAddress, 'address')
      const [nonce, balance, baseFee] = await callBatch(
        connection,
        ETH_ROUTE,
        [
          batched(ethMethods.getTransactionCount, { address }),
          batched(ethMethods.getBalance, { address }),
          batched(ethMethods.baseFee, {}),
        ],
        argument('exportDetails', options, callOptions),
      )
      return { account: { address, nonce, balance }, baseFee }
    },
    ...txCalls(
      { encodeTx, decodeTx, txID: idOf },
      (tx, issue) => issueChainTx(calls, tx, issue),
      (tx, wait) => waitForChainTx(calls, tx, wait),
    ),
  }
  return client
}

/** Calls a method of the Ethereum API, whose result need not be an object. */
function callEth<P, R>(
  connection: Connection,
  method: Exchange<P, R>,
  params: P,
  call: CallOptions | undefined,
): Promise<R> {
  return connection.call(ETH_ROUTE, method, params, call, {}, anyResult)
}

/** The block height in the answer of `getAtomicTx`; undefined for a transaction that is not accepted yet. */
async function heightOf(
  connection: Connection,
  txID: Uint8Array,
  call: CallOptions | undefined,
): Promise<bigint | undefined> {
  const { getAtomicTx } = avaxMethods
  const { blockHeight } = await connection.call(AVAX_ROUTE, getAtomicTx, { txID }, call)
  return blockHeight
}

/**
 * Whether a block is executed. Since Helicon, a node returns an accepted transaction shortly before its block is
 * executed; until then accounts have their old nonce and balance.
 */
async function isExecuted(
  connection: Connection,
  height: bigint,
  call: CallOptions | undefined,
): Promise<boolean> {
  return (await callEth(connection, ethMethods.blockNumber, {}, call)) >= height
}

/**
 * Returns the status of a transaction. A block height in the answer of `getAtomicTx` means accepted, before and after
 * Helicon; the transaction counts as pending until its block is executed. Only nodes before Helicon return transactions
 * without a height, and can distinguish pending from dropped ones.
 */
async function statusOf(
  connection: Connection,
  txID: Uint8Array,
  call: CallOptions,
): Promise<ChainTxStatus> {
  try {
    const height = await heightOf(connection, txID, call)
    if (height !== undefined)
      return (await isExecuted(connection, height, call))
        ? { status: 'accepted', height }
        : { status: 'pending' }
  } catch (error) {
    if (error instanceof RpcError && isMissing(error)) return { status: 'unknown' }
    throw error
  }
  return poolStatus(connection, txID, call)
}

/** The status of a transaction that the node knows, but that is in no block. */
async function poolStatus(
  connection: Connection,
  txID: Uint8Array,
  call: CallOptions,
): Promise<ChainTxStatus> {
  const { getAtomicTxStatus } = avaxMethods
  let reply: AtomicTxStatus
  try {
    reply = await connection.call(AVAX_ROUTE, getAtomicTxStatus, { txID }, call)
  } catch (error) {
    // The next release does not have the method: a dropped transaction then looks like a pending one.
    if (error instanceof RpcError && error.code === 'RPC_METHOD_NOT_FOUND')
      return { status: 'pending' }
    throw error
  }
  const { status, blockHeight } = reply
  if (status === 'Accepted') return { status: 'accepted', height: blockHeight }
  if (status === 'Dropped') return { status: 'dropped' }
  return { status: status === 'Processing' ? 'pending' : 'unknown' }
}

function isMissing({ code, nodeMessage }: RpcError): boolean {
  return code === 'RPC_NOT_FOUND' || nodeMessage.startsWith('could not find tx')
}
