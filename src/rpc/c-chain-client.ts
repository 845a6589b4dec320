import { txID as idOf } from '../c-chain/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../c-chain/tx.ts'
import type { UTXOPage } from '../chain/utxo-page.ts'
import { avaxMethods, ethMethods, type GetAtomicUTXOsParams } from './c-chain.ts'
import { ChainConnection, knownTx, serversOf } from './chain-connection.ts'
import {
  type ChainAccepted,
  type ChainCalls,
  issueChainTx,
  type Standing,
  waitForChainTx,
} from './chain-issue.ts'
import { RpcError } from './errors.ts'
import type { CallOptions, TransportOptions } from './http.ts'
import type { Issued, IssueOptions } from './issue.ts'
import type { BoundTable } from './method.ts'
import type { ID } from './params.ts'
import { Transport } from './transport.ts'
import { type UTXOPagesOptions, utxoPages } from './utxo-pages.ts'
import type { WaitOptions } from './wait.ts'

/** An account of the C-Chain, as builders take it. */
export type AccountFacts = {
  readonly address: string | Uint8Array
  readonly nonce: bigint
  /** In wei. */
  readonly balance: bigint
}

/** The C-Chain of a node, before and after Helicon. */
export type CChainClient = {
  /** Methods for atomic transactions, one call each. */
  readonly avax: BoundTable<typeof avaxMethods>
  /** Methods of the Ethereum interface, one call each. */
  readonly eth: BoundTable<typeof ethMethods>
  /** All UTXOs that a chain exported to the C-Chain for these addresses, page by page and each once. */
  readonly utxoPages: (
    options: UTXOPagesOptions & { readonly sourceChain: ID },
  ) => AsyncGenerator<UTXOPage, void, undefined>
  /** Nonce and balance of an account. */
  readonly account: (address: string | Uint8Array, options?: CallOptions) => Promise<AccountFacts>
  /** A client for each server alone; this one if there is only one. */
  readonly servers: () => readonly CChainClient[]
  /** Whether a transaction is accepted: whether the node returns its bytes with the height of a block. */
  readonly isAccepted: (txID: Uint8Array, options?: CallOptions) => Promise<boolean>
  /** Sends a transaction once; accepted and pending are returned, refused and unknown thrown. */
  readonly issueTx: (tx: SignedTx | Uint8Array, options?: IssueOptions) => Promise<Issued>
  /** Waits until a transaction is accepted, sending it again if the node lost it. */
  readonly waitForTx: (tx: SignedTx | ID, options?: WaitOptions) => Promise<ChainAccepted>
}

/**
 * Makes a client of a node's C-Chain.
 *
 * @example
 * const client = createCChainClient({ url: 'http://127.0.0.1:9650' })
 * const baseFee = await client.eth.baseFee()
 */
export function createCChainClient(options: TransportOptions): CChainClient {
  const connection = new ChainConnection(new Transport(options))
  const avax = connection.bind('/ext/bc/C/avax', avaxMethods)
  const eth = connection.bindEVM('/ext/bc/C/rpc', ethMethods)
  const calls: ChainCalls = {
    send: (tx, call) => avax.issueTx({ tx }, call),
    standing: (txID, call) => standingOf(avax, txID, call),
    remembers: false,
    clock: connection.transport.clock,
  }
  let servers: readonly CChainClient[] | undefined
  const client: CChainClient = {
    avax,
    eth,
    servers: () => {
      servers ??= serversOf(options, client, createCChainClient)
      return servers
    },
    isAccepted: async (txID, call) => {
      try {
        return (await avax.getAtomicTx({ txID }, call)).blockHeight !== undefined
      } catch (error) {
        if (error instanceof RpcError && isMissing(error)) return false
        throw error
      }
    },
    utxoPages: (walk) =>
      utxoPages((params, call) => avax.getUTXOs(params as GetAtomicUTXOsParams, call), walk),
    async account(address, call) {
      const [nonce, balance] = await Promise.all([
        eth.getTransactionCount({ address }, call),
        eth.getBalance({ address }, call),
      ])
      return { address, nonce, balance }
    },
    async issueTx(tx, issue) {
      const bytes = tx instanceof Uint8Array ? tx : encodeTx(tx)
      // What is no transaction is refused here, not by the node.
      decodeTx(bytes)
      return issueChainTx(calls, { bytes, txID: idOf(bytes) }, issue)
    },
    waitForTx: async (tx, wait) => waitForChainTx(calls, knownTx(tx, encodeTx, idOf), wait),
  }
  return client
}

/**
 * `getAtomicTx` decides, because its block height means acceptance before and after Helicon. Only nodes before
 * Helicon know transactions without a height, and can tell pending from dropped ones.
 */
async function standingOf(
  avax: BoundTable<typeof avaxMethods>,
  txID: Uint8Array,
  call: CallOptions,
): Promise<Standing> {
  try {
    const { blockHeight } = await avax.getAtomicTx({ txID }, call)
    if (blockHeight !== undefined) return { status: 'accepted', height: blockHeight }
  } catch (error) {
    if (error instanceof RpcError && isMissing(error)) return { status: 'unknown' }
    throw error
  }
  const { status, blockHeight } = await avax.getAtomicTxStatus({ txID }, call)
  if (status === 'Accepted')
    return { status: 'accepted', ...(blockHeight === undefined ? {} : { height: blockHeight }) }
  if (status === 'Dropped') return { status: 'dropped' }
  return { status: status === 'Processing' ? 'pending' : 'unknown' }
}

function isMissing({ code, nodeMessage }: RpcError): boolean {
  return code === 'RPC_NOT_FOUND' || nodeMessage.startsWith('could not find tx')
}
