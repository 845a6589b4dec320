import {
  bytesOf,
  type Check,
  kinds,
  located,
  object,
  optional,
  u32,
} from '../../core/base/argument.ts'
import { ADDRESS_SIZE } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatEVMAddress, parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import { txID } from '../../core/chain/c/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/c/tx.ts'
import type { Json } from '../../core/codec/json.ts'
import { type NoParams, noParams, type Params } from './method.ts'
import { bigintHeight, type ID, nameOrID, nameText } from './params.ts'
import type { Reply } from './reply.ts'
import {
  type IssueParams,
  issuedID,
  issueParams,
  issueRequest,
  type TxIDParams,
  type TxParams,
  txBytes,
  txIDParams,
  txParams,
  txRequest,
} from './tx-params.ts'
import {
  type GetUTXOsParams,
  getUTXOsMembers,
  type RawUTXOPage,
  utxoPageReply,
  utxoPageRequest,
} from './utxo-reply.ts'

/** Parameters of a page of UTXOs that another chain exported to the C-Chain. */
export type GetAtomicUTXOsParams = GetUTXOsParams & { readonly sourceChain: ID }

const getAtomicUTXOsParams: Check<GetAtomicUTXOsParams> = object<GetAtomicUTXOsParams>({
  ...getUTXOsMembers,
  sourceChain: nameOrID,
})

/** A signed atomic transaction, or its bytes. */
export type IssueCTxParams = IssueParams<SignedTx>

const issueCTxParams: Check<IssueCTxParams> = /* @__PURE__ */ issueParams(encodeTx)

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
    accepts: (): Check<GetAtomicUTXOsParams> => getAtomicUTXOsParams,
    params: (p: GetAtomicUTXOsParams): Params => utxoPageRequest(p),
    reply: (r: Reply, p: GetAtomicUTXOsParams): RawUTXOPage => utxoPageReply(r, p, 'C'),
  },
  /** An atomic transaction, with its block height if it is accepted. The ID is recomputed and compared. */
  getAtomicTx: {
    method: 'avax.getAtomicTx',
    accepts: (): Check<TxParams> => txParams,
    params: (p: TxParams): Params => txRequest(p),
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
    accepts: (): Check<TxIDParams> => txIDParams,
    params: (p: TxIDParams): Params => ({ txID: nameText(p.txID) }),
    reply: (r: Reply): AtomicTxStatus => {
      const status = r.oneOf('status', STATUSES)
      return { status, blockHeight: r.optionalU64('blockHeight') }
    },
  },
  /** Issues an atomic transaction and compares the ID. No answer is final: use `issueTx` of the client. */
  issueTx: {
    method: 'avax.issueTx',
    write: true,
    accepts: (): Check<IssueCTxParams> => issueCTxParams,
    params: (p: IssueCTxParams): Params => issueRequest(p, encodeTx),
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

/** An EVM address. The node accepts invalid checksums, so they are verified here. */
export const evmAddress: Check<string | Uint8Array> = kinds<string | Uint8Array>({
  string: (value, at) => {
    located(at, () => parseEVMAddress(value as string))
    return value as string
  },
  bytes: bytesOf(ADDRESS_SIZE),
})

const accountParams: Check<AccountParams> = object<AccountParams>({
  address: evmAddress,
})

/** @inline */
type NonceParams = {
  readonly address: string | Uint8Array
  readonly height?: bigint | undefined
}

const nonceParams: Check<NonceParams> = object<NonceParams>({
  address: evmAddress,
  height: optional(bigintHeight),
})

/** @inline */
type EVMBlockParams = { readonly height: bigint }

const evmBlockParams: Check<EVMBlockParams> = object<EVMBlockParams>({
  height: bigintHeight,
})

/** @inline */
type EVMTxParams = { readonly height: bigint; readonly index: number }

const evmTxParams: Check<EVMTxParams> = object<EVMTxParams>({
  height: bigintHeight,
  index: u32,
})

/**
 * Methods of the Ethereum API for transfers between chains. Their parameters are a list. A result is not an object, so
 * it is read as the member `result`.
 */
export const ethMethods = {
  /** Base fee of the next block in wei per unit of gas; since Helicon, an upper bound. */
  baseFee: {
    method: 'eth_baseFee',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /**
   * Next nonce of an account, without pending atomic exports; with `height`, the one after that block, which only nodes
   * that keep old states know.
   */
  getTransactionCount: {
    method: 'eth_getTransactionCount',
    accepts: (): Check<NonceParams> => nonceParams,
    params: (p: NonceParams): Params =>
      positional(accountText(p), p.height === undefined ? 'latest' : hexNumber(p.height)),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /** Balance of an account in wei. */
  getBalance: {
    method: 'eth_getBalance',
    accepts: (): Check<AccountParams> => accountParams,
    params: (p: AccountParams): Params => positional(accountText(p), 'latest'),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /** Height of the last executed block, whose state `getTransactionCount` and `getBalance` read. */
  blockNumber: {
    method: 'eth_blockNumber',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => readQuantity(r),
  },
  /** Senders and nonces in an accepted block, and its atomic transactions. */
  getBlockByNumber: {
    method: 'eth_getBlockByNumber',
    accepts: (): Check<EVMBlockParams> => evmBlockParams,
    params: (p: EVMBlockParams): Params => positional(hexNumber(p.height), true),
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
    accepts: (): Check<EVMTxParams> => evmTxParams,
    params: (p: EVMTxParams): Params => positional(hexNumber(p.height), hexNumber(p.index)),
    reply: (r: Reply): Uint8Array => r.parsed('result', hex.decode),
  },
  /** EVM chain ID. */
  chainId: {
    method: 'eth_chainId',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => readQuantity(r),
  },
}

/** The Ethereum API expects a list of parameters, the node's other APIs an object. */
function positional(...params: readonly Json[]): Params {
  return params as unknown as Params
}

function accountText({ address }: AccountParams): string {
  return typeof address === 'string' ? address : formatEVMAddress(address)
}

/** A number as the Ethereum API expects it. */
function hexNumber(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** Reads a number of at most 256 bits, formatted as `0x` and hex digits. */
function readQuantity(r: Reply, field = 'result'): bigint {
  const text = r.string(field)
  if (!/^0x[0-9a-fA-F]{1,64}$/.test(text))
    throw r.mismatch(field, '0x and up to 64 hex digits', JSON.stringify(text.slice(0, 80)))
  return BigInt(text)
}
