import { hex } from '../../core/base/encoding/hex.ts'
import { requireIndex } from '../../core/base/encoding/ids.ts'
import { formatEVMAddress, parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import { txID } from '../../core/chain/c/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/c/tx.ts'
import type { Json } from '../../core/codec/json.ts'
import type { NoParams, Params } from './method.ts'
import { type ID, idText, toHeight } from './params.ts'
import type { Reply } from './reply.ts'
import {
  type IssueParams,
  issuedID,
  issueParams,
  type TxParams,
  txBytes,
  txParams,
} from './tx-params.ts'
import {
  type GetUTXOsParams,
  type RawUTXOPage,
  utxoPageParams,
  utxoPageReply,
} from './utxo-reply.ts'

/** Parameters of a page of UTXOs that another chain exported to the C-Chain. */
export type GetAtomicUTXOsParams = GetUTXOsParams & { readonly sourceChain: ID }

/** A signed atomic transaction, or its bytes. */
export type IssueCTxParams = IssueParams<SignedTx>

/** An atomic transaction returned by a node. */
export type AcceptedAtomicTx = {
  readonly tx: SignedTx
  /** Height of the block that accepted it; undefined if it is pending or was dropped. */
  readonly blockHeight?: bigint | undefined
}

/** Status of an atomic transaction on one node. Since Helicon only `Accepted` and `Unknown`. */
export type AtomicTxStatus = {
  readonly status: 'Accepted' | 'Processing' | 'Dropped' | 'Unknown'
  /** Height of the block that accepted it. */
  readonly blockHeight?: bigint | undefined
}

/** The transactions of a block of the C-Chain. */
export type EVMBlock = {
  /** Sender (20 bytes) and nonce of each ordinary transaction, in the order of the block. */
  readonly transactions: readonly { readonly from: Uint8Array; readonly nonce: bigint }[]
  /** The atomic transactions, encoded; empty if there are none. */
  readonly extraData: Uint8Array
}

/** Methods for atomic transactions of the C-Chain. */
export const avaxMethods = {
  /** One page of UTXOs that another chain exported to the C-Chain. */
  getUTXOs: {
    method: 'avax.getUTXOs',
    params: (p: GetAtomicUTXOsParams): Params => utxoPageParams(p),
    reply: (r: Reply, p: GetAtomicUTXOsParams): RawUTXOPage => utxoPageReply(r, p, 'C'),
  },
  /** An atomic transaction, with its block height if it is accepted. The ID is recomputed and compared. */
  getAtomicTx: {
    method: 'avax.getAtomicTx',
    params: (p: TxParams): Params => txParams(p),
    reply: (r: Reply, p: TxParams): AcceptedAtomicTx => {
      const bytes = txBytes(r, p, txID)
      const tx = r.parsed('tx', () => decodeTx(bytes))
      return { tx, blockHeight: r.optionalU64('blockHeight') }
    },
  },
  /**
   * Status of an atomic transaction.
   *
   * @deprecated since Helicon: use `getAtomicTx`.
   */
  getAtomicTxStatus: {
    method: 'avax.getAtomicTxStatus',
    params: (p: { readonly txID: ID }): Params => ({ txID: idText(p.txID) }),
    reply: (r: Reply): AtomicTxStatus => {
      const status = r.oneOf('status', STATUSES)
      return { status, blockHeight: r.optionalU64('blockHeight') }
    },
  },
  /** Issues an atomic transaction and compares the ID. No answer is final: use `issueTx` of the client. */
  issueTx: {
    method: 'avax.issueTx',
    write: true,
    params: (p: IssueCTxParams): Params => issueParams(p, encodeTx),
    reply: (r: Reply, p: IssueCTxParams): Uint8Array => issuedID(r, txID(p.tx)),
  },
}

const STATUSES: readonly AtomicTxStatus['status'][] = [
  'Accepted',
  'Processing',
  'Dropped',
  'Unknown',
]

/**
 * An account of the C-Chain: `0x…`, whose checksum is verified, or 20 bytes.
 *
 * @inline
 */
type AccountParams = { readonly address: string | Uint8Array }

/**
 * Methods of the Ethereum API for transfers between chains. Their parameters are a list. A result is not an object, so
 * it is read as the member `result`.
 */
export const ethMethods = {
  /** Base fee of the next block in wei per unit of gas; since Helicon, an upper bound. */
  baseFee: {
    method: 'eth_baseFee',
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /**
   * Next nonce of an account, without pending atomic exports; with `height`, the one after that block, which only nodes
   * that keep old states know.
   */
  getTransactionCount: {
    method: 'eth_getTransactionCount',
    params: (p: AccountParams & { readonly height?: bigint | undefined }): Params =>
      positional(accountText(p), p.height === undefined ? 'latest' : hexNumber(p.height)),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /** Balance of an account in wei. */
  getBalance: {
    method: 'eth_getBalance',
    params: (p: AccountParams): Params => positional(accountText(p), 'latest'),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /** Height of the last executed block, whose state `getTransactionCount` and `getBalance` read. */
  blockNumber: {
    method: 'eth_blockNumber',
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /** Senders and nonces in an accepted block, and its atomic transactions. */
  getBlockByNumber: {
    method: 'eth_getBlockByNumber',
    params: (p: { readonly height: bigint }): Params => positional(hexNumber(p.height), true),
    reply: (r: Reply): EVMBlock => {
      const block = r.object('result')
      return {
        transactions: block.list('transactions', (items, i) => ({
          from: items.object(i).parsed('from', parseEVMAddress),
          nonce: readQuantity(items.object(i), 'nonce'),
        })),
        extraData: block.has('blockExtraData')
          ? block.parsed('blockExtraData', hex.decode)
          : new Uint8Array(),
      }
    },
  },
  /** The bytes of a transaction, by its position in an accepted block. */
  getRawTransactionByBlockNumberAndIndex: {
    method: 'eth_getRawTransactionByBlockNumberAndIndex',
    params: (p: { readonly height: bigint; readonly index: number }): Params =>
      positional(hexNumber(p.height), `0x${requireIndex(p.index).toString(16)}`),
    reply: (r: Reply): Uint8Array => r.parsed('result', hex.decode),
  },
  /** EVM chain ID. */
  chainId: {
    method: 'eth_chainId',
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => readQuantity(r),
  },
}

/** The Ethereum API expects a list of parameters, the node's other APIs an object. */
function positional(...params: readonly Json[]): Params {
  return params as unknown as Params
}

/** Formats the address of an account. The node accepts invalid checksums, so they are verified here. */
function accountText({ address }: AccountParams): string {
  return formatEVMAddress(typeof address === 'string' ? parseEVMAddress(address) : address)
}

/** A height as the Ethereum API expects it. */
function hexNumber(height: bigint): string {
  return `0x${toHeight(height).toString(16)}`
}

/** Reads a number of at most 256 bits, formatted as `0x` and hex digits. */
function readQuantity(r: Reply, field = 'result'): bigint {
  const text = r.string(field)
  if (!/^0x[0-9a-fA-F]{1,64}$/.test(text))
    throw r.mismatch(field, '0x and up to 64 hex digits', JSON.stringify(text.slice(0, 80)))
  return BigInt(text)
}
