import { argument } from '../core/base/argument.ts'
import { checkedHex } from '../core/base/encoding/checked-hex.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { id } from '../core/base/encoding/ids.ts'
import { AvmError, CodecError } from '../core/base/errors.ts'
import { iterate } from '../core/base/iterate.ts'
import { isBytes } from '../core/base/require.ts'
import type { FeeParameters } from '../core/chain/p/gas.ts'
import { txID as idOf } from '../core/chain/p/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../core/chain/p/tx.ts'
import { decodeUTXO, type UTXO } from '../core/chain/p/utxo.ts'
import { encodeUTXO as encodeXUTXO } from '../core/chain/x/utxo.ts'
import type { OpaqueUTXO, UTXOPage } from '../core/chain/x/utxo-page.ts'
import { type TxCalls, txCalls } from './chain-client.ts'
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
import { isNotFound } from './issue/issue.ts'
import type { BoundTable, Exchange } from './methods/method.ts'
import { platformMethods } from './methods/platform.ts'
import { type UTXOPagesOptions, utxoPages, utxoPagesOptions } from './pages/utxo-pages.ts'
import { Connection, lastRequests, serversOf } from './transport/connection.ts'
import { Transport } from './transport/transport.ts'

/** A page of UTXOs of the P-Chain. */
export type PUTXOPage = {
  /** UTXOs with or without a stakeable lock. */
  readonly utxos: readonly UTXO[]
  /** Entries that are not UTXOs of the P-Chain. */
  readonly opaque: readonly OpaqueUTXO[]
}

/** Client of a node's P-Chain. */
export type PChainClient = TxCalls<SignedTx, ChainAccepted> & {
  /** Methods of the chain. */
  readonly platform: BoundTable<typeof platformMethods>
  /**
   * Iterates over all UTXOs of any number of addresses, page by page, each once. With `sourceChain`, over those that
   * the chain exported to the P-Chain.
   */
  readonly utxoPages: (options: UTXOPagesOptions) => AsyncGenerator<PUTXOPage, void, undefined>
  /** Returns the weights and the price that determine fees. The price may rise until the next block: add a margin. */
  readonly fees: (options?: CallOptions) => Promise<FeeParameters>
  /** Returns one client per server (this one if there is only one). */
  readonly servers: () => readonly PChainClient[]
  /** The last request to each server, by this client or the clients of `servers`. */
  readonly lastRequests: () => readonly ServerRequest[]
  /** Whether a transaction is accepted, that is, whether the node returns bytes with this ID. */
  readonly isAccepted: (txID: Uint8Array, options?: CallOptions) => Promise<boolean>
}

/**
 * Creates a client of a node's P-Chain.
 *
 * @throws ArgumentError `MISSING_OPTION` without `url`, `ENC_INVALID` for an invalid one
 *
 * @example
 * const client = createPChainClient({ url: 'http://127.0.0.1:9650' })
 * for await (const { utxos } of client.utxoPages({ addresses })) console.log(utxos.length)
 */
export function createPChainClient(options: TransportOptions): PChainClient {
  return pChainClient(argument('createPChainClient', options, transportOptions))
}

const ROUTE = '/ext/bc/P'

function pChainClient(options: TransportOptions): PChainClient {
  const connection = new Connection(new Transport(options))
  const callChain = <P, R>(method: Exchange<P, R>, params: P, call?: CallOptions): Promise<R> =>
    connection.call(ROUTE, method, params, call)
  const calls: ChainCalls = {
    send: (tx, call) => callChain(platformMethods.issueTx, { tx }, call),
    statusOf: async (txID, call): Promise<ChainTxStatus> => {
      const { status, reason } = await callChain(platformMethods.getTxStatus, { txID }, call)
      if (status === 'Committed') return { status: 'accepted' }
      if (status === 'Processing') return { status: 'pending' }
      if (status === 'Unknown') return { status: 'unknown' }
      return { status: 'dropped', reason }
    },
    remembers: true,
    clock: connection.transport.clock,
  }
  let servers: readonly PChainClient[] | undefined
  const client: PChainClient = {
    platform: connection.bind('platform', ROUTE, platformMethods),
    servers: () => {
      servers ??= serversOf(options, client, pChainClient)
      return servers
    },
    lastRequests: () => lastRequests(connection.transport, client, servers),
    isAccepted: async (given, options) => {
      const txID = argument('isAccepted', given, id, 'txID')
      const call = argument('isAccepted', options, callOptions)
      try {
        await callChain(platformMethods.getTx, { txID }, call)
        return true
      } catch (error) {
        if (isNotFound(error)) return false
        throw error
      }
    },
    utxoPages: (walk) =>
      iterate(
        () => argument('utxoPages', walk, utxoPagesOptions),
        async function* (checked) {
          const pages = utxoPages(
            (params, call) => callChain(platformMethods.getUTXOs, params, call),
            checked,
            calls.clock,
          )
          for await (const page of pages) yield toPChainPage(page)
        },
      ),
    async fees(options) {
      const call = argument('fees', options, callOptions)
      const [{ weights }, { price }] = await Promise.all([
        callChain(platformMethods.getFeeConfig, {}, call),
        callChain(platformMethods.getFeeState, {}, call),
      ])
      return { weights, price }
    },
    ...txCalls(
      { encodeTx, decodeTx, txID: idOf },
      (tx, issue) => issueChainTx(calls, tx, issue),
      (tx, wait) => waitForChainTx(calls, tx, wait),
    ),
  }
  return client
}

/**
 * Converts a page that was decoded with the types of the X-Chain. Opaque entries may be UTXOs with a stakeable lock.
 */
function toPChainPage({ utxos: plain, opaque: undecoded }: UTXOPage): PUTXOPage {
  const utxos: UTXO[] = []
  const opaque: OpaqueUTXO[] = []
  for (const utxo of plain) {
    const { output } = utxo
    if (output.type === 'secp256k1fx.TransferOutput') utxos.push({ ...utxo, output })
    else opaque.push(toOpaque(utxo, utxos.length + opaque.length))
  }
  for (const entry of undecoded)
    try {
      utxos.push(decodeUTXO(entryBytes(entry.raw)))
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      opaque.push(entry)
    }
  return { utxos, opaque }
}

/** Converts a UTXO with an output type that only the X-Chain has. */
function toOpaque(utxo: UTXOPage['utxos'][number], index: number): OpaqueUTXO {
  const reason = new CodecError(
    'CODEC_WRONG_TYPE',
    `the P-Chain has no output type ${utxo.output.type}`,
    0,
  )
  return { index, raw: encodeXUTXO(utxo), reason }
}

/** Converts an entry to bytes. Its checksum is already verified; an entry in `hexnc` has none. */
function entryBytes(raw: string | Uint8Array): Uint8Array {
  if (isBytes(raw)) return raw
  try {
    return checkedHex.decode(raw)
  } catch {
    return hex.decode(raw)
  }
}
