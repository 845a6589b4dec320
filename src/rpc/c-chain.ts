import { formatEVMAddress, parseEVMAddress } from '../c-chain/evm-address.ts'
import { txID } from '../c-chain/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../c-chain/tx.ts'
import type { Json } from '../codec/json.ts'
import { bytesOf, encodedText, expectID, type HexEncoding } from './encoded.ts'
import type { NoParams, Params } from './method.ts'
import { type ID, idBytes, idText } from './params.ts'
import type { Reply } from './reply.ts'
import type { GetUTXOsParams, RawUTXOPage } from './utxo-reply.ts'
import { utxoPageParams, utxoPageReply } from './utxo-reply.ts'

/** A page of what another chain exported to the C-Chain; the source chain must be named. */
export type GetAtomicUTXOsParams = GetUTXOsParams & { readonly sourceChain: ID }

/** An atomic transaction to send: signed, or its bytes. */
export type IssueCTxParams = {
  readonly tx: SignedTx | Uint8Array
  readonly encoding?: HexEncoding
}

/** An atomic transaction that the node has. */
export type AtomicTx = {
  readonly tx: SignedTx
  /** Height of the block that accepted it; absent while it is pending, or after it was dropped. */
  readonly blockHeight?: bigint
}

/** What one node knows of an atomic transaction. Since Helicon only `Accepted` and `Unknown` occur. */
export type AtomicTxStatus = {
  readonly status: 'Accepted' | 'Processing' | 'Dropped' | 'Unknown'
  readonly blockHeight?: bigint
}

/** Methods for atomic transactions of the C-Chain. */
export const avaxMethods = {
  /** One page of what another chain exported to the C-Chain. */
  getUTXOs: {
    method: 'avax.getUTXOs',
    params: (p: GetAtomicUTXOsParams): Params => utxoPageParams(p),
    reply: (r: Reply, p: GetAtomicUTXOsParams): RawUTXOPage => utxoPageReply(r, p, 'C'),
  },
  /** An atomic transaction, with its block height once it is accepted. Its ID is computed anew and compared. */
  getAtomicTx: {
    method: 'avax.getAtomicTx',
    params: (p: { readonly txID: ID; readonly encoding?: HexEncoding }): Params => ({
      txID: idText(p.txID),
      encoding: p.encoding ?? 'hex',
    }),
    reply: (r: Reply, p: { readonly txID: ID; readonly encoding?: HexEncoding }): AtomicTx => {
      const bytes = bytesOf(r, 'tx', p.encoding)
      expectID(r, 'tx', idBytes(p.txID), txID(bytes))
      const tx = r.parsed('tx', () => decodeTx(bytes))
      const blockHeight = r.optionalU64('blockHeight')
      return blockHeight === undefined ? { tx } : { tx, blockHeight }
    },
  },
  /** Status of an atomic transaction.
   * @deprecated since Helicon: use `getAtomicTx`. */
  getAtomicTxStatus: {
    method: 'avax.getAtomicTxStatus',
    params: (p: { readonly txID: ID }): Params => ({ txID: idText(p.txID) }),
    reply: (r: Reply): AtomicTxStatus => {
      const status = r.string('status') as AtomicTxStatus['status']
      if (!STATUSES.includes(status))
        throw r.mismatch('status', `one of ${STATUSES.join(', ')}`, JSON.stringify(status))
      const blockHeight = r.optionalU64('blockHeight')
      return blockHeight === undefined ? { status } : { status, blockHeight }
    },
  },
  /** Sends an atomic transaction and compares the ID. Neither answer is final: use `issueTx` of the client. */
  issueTx: {
    method: 'avax.issueTx',
    write: true,
    params: (p: IssueCTxParams): Params => {
      const bytes = p.tx instanceof Uint8Array ? p.tx : encodeTx(p.tx)
      const encoding = p.encoding ?? 'hex'
      return { tx: encodedText(bytes, encoding), encoding }
    },
    reply: (r: Reply, p: IssueCTxParams): Uint8Array => {
      const found = r.id('txID')
      expectID(r, 'txID', txID(p.tx), found)
      return found
    },
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
 * Methods of the Ethereum interface that transfers need. Their parameters stand in a list, and a result is
 * no object: it is read as the member `result`.
 */
export const ethMethods = {
  /** What a block made now would charge per unit of gas, in wei; since Helicon an upper bound of it. */
  baseFee: {
    method: 'eth_baseFee',
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => quantity(r),
  },
  /** The next nonce of an account. Pending atomic exports are not counted. */
  getTransactionCount: {
    method: 'eth_getTransactionCount',
    params: (p: AccountParams): Params => positional(accountText(p), 'latest'),
    reply: (r: Reply): bigint => quantity(r),
  },
  /** What an account holds, in wei. */
  getBalance: {
    method: 'eth_getBalance',
    params: (p: AccountParams): Params => positional(accountText(p), 'latest'),
    reply: (r: Reply): bigint => quantity(r),
  },
  /** The EVM's own number of the chain. */
  chainId: {
    method: 'eth_chainId',
    params: (_: NoParams): Params => positional(),
    reply: (r: Reply): bigint => quantity(r),
  },
}

/** The Ethereum interface takes a list where the node's own interfaces take an object. */
function positional(...params: readonly Json[]): Params {
  return params as unknown as Params
}

/** The node accepts a wrong checksum, so it is verified here. */
function accountText({ address }: AccountParams): string {
  return formatEVMAddress(typeof address === 'string' ? parseEVMAddress(address) : address)
}

/** A number as `0x` and hex digits, of at most 256 bits. */
function quantity(r: Reply): bigint {
  const text = r.string('result')
  if (!/^0x[0-9a-fA-F]{1,64}$/.test(text))
    throw r.mismatch('result', '0x and up to 64 hex digits', JSON.stringify(text.slice(0, 80)))
  return BigInt(text)
}
