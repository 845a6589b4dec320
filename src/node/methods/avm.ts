import { boolean, type Check, object, optional } from '../../core/base/argument.ts'
import { id } from '../../core/base/encoding/ids.ts'
import { type Block, decodeBlock } from '../../core/chain/x/block.ts'
import { blockID, txID } from '../../core/chain/x/ids.ts'
import { decodeGenesisTx, encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import { bytesMember, expectID, type HexEncoding, hexEncoding } from './encoded.ts'
import { type NoParams, noParams, type Params } from './method.ts'
import {
  type Address,
  address,
  addressText,
  height,
  type ID,
  idBytes,
  idOrAlias,
  nameOrID,
  nameText,
} from './params.ts'
import type { Reply } from './reply.ts'
import { type BlockJSON, readBlockJSON, readTxJSON, type TxJSON } from './tx-json.ts'
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
  getUTXOsParams,
  type RawUTXOPage,
  utxoPageReply,
  utxoPageRequest,
} from './utxo-reply.ts'

/** The balance of one asset of an address. */
export type BalanceEntry = {
  /** Asset ID in cb58, or its alias if it has one (`AVAX`). */
  readonly asset: string
  /** In base units. */
  readonly balance: bigint
}

/** A balance and the UTXOs that were counted for it. */
export type Balance = {
  /** In base units. */
  readonly balance: bigint
  /** Newest first and not paged, so usable as a cross-check of paged results; empty if the node does not send it. */
  readonly utxoIDs: readonly { readonly txID: Uint8Array; readonly outputIndex: number }[]
}

/** Properties of an asset, chosen by its creator. Names are not unique. */
export type AssetDescription = {
  readonly assetID: Uint8Array
  readonly name: string
  readonly symbol: string
  /** Number of decimals: amounts are displayed divided by 10 to this power. */
  readonly denomination: number
}

/** Fees of the chain in nAVAX. */
export type TxFees = { readonly txFee: bigint; readonly createAssetTxFee: bigint }

/** @inline */
type AllBalancesParams = {
  readonly address: Address
  readonly includePartial?: boolean | undefined
}

const allBalancesParams: Check<AllBalancesParams> = object<AllBalancesParams>({
  address,
  includePartial: optional(boolean),
})

/** @inline */
type AssetParams = { readonly assetID: ID }

const assetParams: Check<AssetParams> = object<AssetParams>({ assetID: nameOrID })

/** @inline */
type BalanceParams = {
  readonly address: Address
  readonly assetID: ID
  readonly includePartial?: boolean | undefined
}

const balanceParams: Check<BalanceParams> = object<BalanceParams>({
  address,
  assetID: nameOrID,
  includePartial: optional(boolean),
})

/** @inline */
type BlockIDParams = { readonly blockID: ID }

const blockIDParams: Check<BlockIDParams> = object<BlockIDParams>({ blockID: id })

/** @inline */
type BlockParams = { readonly blockID: ID; readonly encoding?: HexEncoding | undefined }

const blockParams: Check<BlockParams> = object<BlockParams>({
  blockID: id,
  encoding: optional(hexEncoding),
})

/** @inline */
type HeightParams = { readonly height: bigint | number }

const heightParams: Check<HeightParams> = object<HeightParams>({ height })

/** @inline */
type BlockAtHeightParams = {
  readonly height: bigint | number
  readonly encoding?: HexEncoding | undefined
}

const blockAtHeightParams: Check<BlockAtHeightParams> = object<BlockAtHeightParams>({
  height,
  encoding: optional(hexEncoding),
})

/** A signed transaction or its bytes. */
export type IssueTxParams = IssueParams<SignedTx>

const issueTxParams: Check<IssueTxParams> = /* @__PURE__ */ issueParams(encodeTx)

/** Status of a transaction. Current nodes return only `Accepted` and `Unknown`. */
export type TxStatus = 'Accepted' | 'Processing' | 'Rejected' | 'Unknown'

/** Methods of the X-Chain and of other chains that run the AVM. */
export const avmMethods = {
  /**
   * Balances of an address: UTXOs that it can spend alone and that are not locked, or with `includePartial` all that
   * contain it.
   *
   * @deprecated since node v1.9.12: add up `utxoPages` instead.
   */
  getAllBalances: {
    method: 'avm.getAllBalances',
    accepts: (): Check<AllBalancesParams> => allBalancesParams,
    params: (p: AllBalancesParams): Params => ({
      address: addressText(p.address),
      includePartial: p.includePartial,
    }),
    reply: (r: Reply): readonly BalanceEntry[] =>
      r.present('balances').list('balances', (items, i) => {
        const entry = items.object(i)
        return { asset: entry.string('asset'), balance: entry.u64('balance') }
      }),
  },
  /** Name, symbol and denomination of an asset, by ID or alias. */
  getAssetDescription: {
    method: 'avm.getAssetDescription',
    accepts: (): Check<AssetParams> => assetParams,
    params: (p: AssetParams): Params => ({ assetID: nameText(p.assetID) }),
    reply: (r: Reply, p: AssetParams): AssetDescription => {
      const field = r.has('assetID') ? 'assetID' : 'assetId'
      const assetID = r.id(field)
      // An alias cannot be verified here; that of AVAX is checked with the network's context.
      const asked = idOrAlias(p.assetID)
      if (asked !== undefined) expectID(r, field, asked, assetID)
      return {
        assetID,
        name: r.string('name'),
        symbol: r.string('symbol'),
        denomination: r.u32('denomination'),
      }
    },
  },
  /**
   * Balance of one asset of an address.
   *
   * @deprecated since node v1.9.12: add up `utxoPages` instead.
   */
  getBalance: {
    method: 'avm.getBalance',
    accepts: (): Check<BalanceParams> => balanceParams,
    params: (p: BalanceParams): Params => ({
      address: addressText(p.address),
      assetID: nameText(p.assetID),
      includePartial: p.includePartial,
    }),
    reply: (r: Reply): Balance => ({
      balance: r.u64('balance'),
      utxoIDs: r.list('utxoIDs', (items, i) => {
        const entry = items.object(i)
        return { txID: entry.id('txID'), outputIndex: entry.u32('outputIndex') }
      }),
    }),
  },
  /** A block by ID. The ID is recomputed and compared. */
  getBlock: {
    method: 'avm.getBlock',
    accepts: (): Check<BlockParams> => blockParams,
    params: (p: BlockParams): Params => ({
      blockID: nameText(p.blockID),
      encoding: p.encoding ?? 'hex',
    }),
    reply: (r: Reply, p: BlockParams): Block => {
      const bytes = bytesMember(r, 'block', p.encoding)
      expectID(r, 'block', idBytes(p.blockID), blockID(bytes))
      return r.parsed('block', () => decodeBlock(bytes))
    },
  },
  /**
   * A block as the node's JSON, without loss of digits. Only its member `id` is compared with the requested ID;
   * `getBlock` recomputes the ID from the bytes.
   */
  getBlockJSON: {
    method: 'avm.getBlock',
    accepts: (): Check<BlockIDParams> => blockIDParams,
    params: (p: BlockIDParams): Params => ({ blockID: nameText(p.blockID), encoding: 'json' }),
    reply: (r: Reply, p: BlockIDParams): BlockJSON => {
      const block = readBlockJSON(r, 'block')
      expectID(r, 'block.id', idBytes(p.blockID), r.within('block', block).id('id'))
      return block
    },
  },
  /** The accepted block at a height. */
  getBlockByHeight: {
    method: 'avm.getBlockByHeight',
    accepts: (): Check<BlockAtHeightParams> => blockAtHeightParams,
    params: (p: BlockAtHeightParams): Params => ({
      height: String(p.height),
      encoding: p.encoding ?? 'hex',
    }),
    reply: (r: Reply, p: BlockAtHeightParams): Block => {
      const bytes = bytesMember(r, 'block', p.encoding)
      const block = r.parsed('block', () => decodeBlock(bytes))
      expectHeight(r, p, block.height)
      return block
    },
  },
  /** The accepted block at a height, as the node's JSON. */
  getBlockByHeightJSON: {
    method: 'avm.getBlockByHeight',
    accepts: (): Check<HeightParams> => heightParams,
    params: (p: HeightParams): Params => ({ height: String(p.height), encoding: 'json' }),
    reply: (r: Reply, p: HeightParams): BlockJSON => {
      const block = readBlockJSON(r, 'block')
      expectHeight(r, p, BigInt(block.height))
      return block
    },
  },
  /** Height of the last accepted block. */
  getHeight: {
    method: 'avm.getHeight',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): bigint => r.u64('height'),
  },
  /** An accepted transaction; throws `RPC_NOT_FOUND` for others. The ID is recomputed and compared. */
  getTx: {
    method: 'avm.getTx',
    accepts: (): Check<TxParams> => txParams,
    params: (p: TxParams): Params => txRequest(p),
    reply: (r: Reply, p: TxParams): SignedTx => {
      const bytes = txBytes(r, p, txID)
      // Includes genesis assets, which may exceed the size limit of other transactions.
      return r.parsed('tx', () => decodeGenesisTx(bytes))
    },
  },
  /**
   * An accepted transaction as the node's JSON, without loss of digits. Only its member `id` is compared with the
   * requested ID; `getTx` recomputes the ID from the bytes.
   */
  getTxJSON: {
    method: 'avm.getTx',
    accepts: (): Check<TxIDParams> => txIDParams,
    params: (p: TxIDParams): Params => ({ txID: nameText(p.txID), encoding: 'json' }),
    reply: (r: Reply, p: TxIDParams): TxJSON => {
      const tx = readTxJSON(r, 'tx')
      expectID(r, 'tx.id', idBytes(p.txID), r.within('tx', tx).id('id'))
      return tx
    },
  },
  /** Fees. Nodes before v1.12.2 have only `info.getTxFee`; `context` of the client uses either. */
  getTxFee: {
    method: 'avm.getTxFee',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): TxFees => ({
      txFee: r.u64('txFee'),
      createAssetTxFee: r.u64('createAssetTxFee'),
    }),
  },
  /**
   * Whether a transaction is accepted. Pending and dropped ones are both `Unknown`.
   *
   * @deprecated since node v1.10.0: use `getTx`.
   */
  getTxStatus: {
    method: 'avm.getTxStatus',
    accepts: (): Check<TxIDParams> => txIDParams,
    params: (p: TxIDParams): Params => ({ txID: nameText(p.txID) }),
    reply: (r: Reply): TxStatus => r.oneOf('status', STATUSES),
  },
  /** One page of UTXOs. Pages overlap and may restart: use `utxoPages` of the client to read all of them. */
  getUTXOs: {
    method: 'avm.getUTXOs',
    accepts: (): Check<GetUTXOsParams> => getUTXOsParams,
    params: (p: GetUTXOsParams): Params => utxoPageRequest(p),
    reply: (r: Reply, p: GetUTXOsParams): RawUTXOPage => utxoPageReply(r, p, 'X'),
  },
  /** Issues a transaction and compares the ID. No answer is final: use `issueTx` of the client. */
  issueTx: {
    method: 'avm.issueTx',
    write: true,
    accepts: (): Check<IssueTxParams> => issueTxParams,
    params: (p: IssueTxParams): Params => issueRequest(p, encodeTx),
    reply: (r: Reply, p: IssueTxParams): Uint8Array => issuedID(r, txID(p.tx)),
  },
}

/** Methods of the wallet route of a chain. */
export const walletMethods = {
  /**
   * Adds a transaction to the node's queue without verifying it. An invalid one blocks the queue.
   *
   * @deprecated since node v1.9.12: use `avm.issueTx`.
   */
  issueTx: {
    method: 'wallet.issueTx',
    write: true,
    accepts: (): Check<IssueTxParams> => issueTxParams,
    params: (p: IssueTxParams): Params => issueRequest(p, encodeTx),
    reply: (r: Reply, p: IssueTxParams): Uint8Array => issuedID(r, txID(p.tx)),
  },
}

function expectHeight(r: Reply, asked: HeightParams, found: bigint): void {
  if (found !== BigInt(asked.height))
    throw r.mismatch('block', `the one at height ${asked.height}`, `at ${found}`)
}

const STATUSES: readonly TxStatus[] = ['Accepted', 'Processing', 'Rejected', 'Unknown']
