import { encodeUTXO as encodeXUTXO } from '../chain/utxo.ts'
import type { OpaqueUTXO, UTXOPage } from '../chain/utxo-page.ts'
import { checkedHex } from '../encoding/checked-hex.ts'
import { hex } from '../encoding/hex.ts'
import { AvmError, CodecError } from '../errors.ts'
import type { FeeFacts } from '../p-chain/gas.ts'
import { txID as idOf } from '../p-chain/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../p-chain/tx.ts'
import { decodeUTXO, type UTXO } from '../p-chain/utxo.ts'
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
import { platformMethods } from './platform.ts'
import { Transport } from './transport.ts'
import { type UTXOPagesOptions, utxoPages } from './utxo-pages.ts'
import type { WaitOptions } from './wait.ts'

/** A page of UTXOs of the P-Chain. */
export type PUTXOPage = {
  /** With or without a stakeable lock, in the order of the page. */
  readonly utxos: readonly UTXO[]
  /** Entries that are no UTXO of the P-Chain. */
  readonly opaque: readonly OpaqueUTXO[]
}

/** The P-Chain of a node. */
export type PChainClient = {
  /** Methods of the chain, one call each. */
  readonly platform: BoundTable<typeof platformMethods>
  /** All UTXOs of any number of addresses, page by page and each once; with `sourceChain` those to import. */
  readonly utxoPages: (options: UTXOPagesOptions) => AsyncGenerator<PUTXOPage, void, undefined>
  /** Weights and price that a fee is computed from. The price may rise until the next block: add a margin. */
  readonly fees: (options?: CallOptions) => Promise<FeeFacts>
  /** A client for each server alone; this one if there is only one. */
  readonly servers: () => readonly PChainClient[]
  /** Whether a transaction is accepted: whether the node returns its bytes, which are compared with the ID. */
  readonly isAccepted: (txID: Uint8Array, options?: CallOptions) => Promise<boolean>
  /** Sends a transaction once; accepted and pending are returned, refused and unknown thrown. */
  readonly issueTx: (tx: SignedTx | Uint8Array, options?: IssueOptions) => Promise<Issued>
  /** Waits until a transaction is accepted, sending it again if the node lost it. */
  readonly waitForTx: (tx: SignedTx | ID, options?: WaitOptions) => Promise<ChainAccepted>
}

/**
 * Makes a client of a node's P-Chain.
 *
 * @example
 * const client = createPChainClient({ url: 'http://127.0.0.1:9650' })
 * for await (const { utxos } of client.utxoPages({ addresses })) console.log(utxos.length)
 */
export function createPChainClient(options: TransportOptions): PChainClient {
  const connection = new ChainConnection(new Transport(options))
  const platform = connection.bind('/ext/bc/P', platformMethods)
  const calls: ChainCalls = {
    send: (tx, call) => platform.issueTx({ tx }, call),
    standing: async (txID, call): Promise<Standing> => {
      const { status, reason } = await platform.getTxStatus({ txID }, call)
      if (status === 'Committed') return { status: 'accepted' }
      if (status === 'Processing') return { status: 'pending' }
      if (status === 'Unknown') return { status: 'unknown' }
      return reason === undefined ? { status: 'dropped' } : { status: 'dropped', reason }
    },
    remembers: true,
    clock: connection.transport.clock,
  }
  let servers: readonly PChainClient[] | undefined
  const client: PChainClient = {
    platform,
    servers: () => {
      servers ??= serversOf(options, client, createPChainClient)
      return servers
    },
    isAccepted: async (txID, call) => {
      try {
        await platform.getTx({ txID }, call)
        return true
      } catch (error) {
        if (error instanceof RpcError && error.code === 'RPC_NOT_FOUND') return false
        throw error
      }
    },
    async *utxoPages(walk) {
      for await (const page of utxoPages(platform.getUTXOs, walk)) yield readPage(page)
    },
    async fees(call) {
      const [{ weights }, { price }] = await Promise.all([
        platform.getFeeConfig({}, call),
        platform.getFeeState({}, call),
      ])
      return { weights, price }
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

/** The walk reads UTXOs of the X-Chain: what it cannot read may be one of the P-Chain with a lock. */
function readPage({ utxos: plain, opaque: odd }: UTXOPage): PUTXOPage {
  const utxos: UTXO[] = []
  const opaque: OpaqueUTXO[] = []
  for (const utxo of plain) {
    const { output } = utxo
    if (output.type === 'secp256k1fx.TransferOutput') utxos.push({ ...utxo, output })
    else opaque.push(foreign(utxo, utxos.length + opaque.length))
  }
  for (const entry of odd)
    try {
      utxos.push(decodeUTXO(bytesOf(entry.raw)))
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      opaque.push(entry)
    }
  return { utxos, opaque }
}

/** An output that only the X-Chain has: shown, never counted. */
function foreign(utxo: UTXOPage['utxos'][number], index: number): OpaqueUTXO {
  const reason = new CodecError('CODEC_WRONG_TYPE', `${utxo.output.type} is no P-Chain output`, 0)
  return { index, raw: encodeXUTXO(utxo), reason }
}

/** The walk has verified checksums. Without one, `hexnc`, a text has no four bytes to take off. */
function bytesOf(raw: string | Uint8Array): Uint8Array {
  if (raw instanceof Uint8Array) return raw
  try {
    return checkedHex.decode(raw)
  } catch {
    return hex.decode(raw)
  }
}
