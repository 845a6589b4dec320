import { type Check, list, object } from '../../core/base/argument.ts'
import type { Dimensions } from '../../core/chain/p/gas.ts'
import { txID } from '../../core/chain/p/ids.ts'
import type { FeeState, PriceConfig } from '../../core/chain/p/price.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/p/tx.ts'
import type { Json } from '../../core/codec/json.ts'
import { jsonOf } from './encoded.ts'
import { type NoParams, noParams, type Params } from './method.ts'
import { type Address, address, addressText, nameText } from './params.ts'
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
  getUTXOsParams,
  type RawUTXOPage,
  utxoPageReply,
  utxoPageRequest,
} from './utxo-reply.ts'

/** Constants that determine the fees of the P-Chain. */
export type PFeeConfig = PriceConfig & { readonly weights: Dimensions }

/** The fee state at the time of the last block. */
export type PFeeState = FeeState & {
  /** nAVAX per unit of gas; an upper bound for the next block only. */
  readonly price: bigint
  /** Unix seconds. */
  readonly time: bigint
}

/** Amounts in base units, by asset ID in cb58. */
export type AmountsByAsset = { readonly [assetID: string]: bigint }

/** Balances on the P-Chain, including outputs with further owners. */
export type PBalance = {
  /** Sum of the other three. */
  readonly balances: AmountsByAsset
  readonly unlocked: AmountsByAsset
  /** Locked, but can be staked. */
  readonly lockedStakeable: AmountsByAsset
  readonly lockedNotStakeable: AmountsByAsset
}

/** Status of a transaction of the P-Chain on one node. */
export type PTxStatus = {
  /** `Dropped` concerns this node's mempool only: the transaction may still be accepted. */
  readonly status: 'Committed' | 'Processing' | 'Dropped' | 'Aborted' | 'Unknown'
  /** Why it was dropped. */
  readonly reason?: string | undefined
}

/** A signed transaction of the P-Chain, or its bytes. */
export type IssuePTxParams = IssueParams<SignedTx>

const issuePTxParams: Check<IssuePTxParams> = /* @__PURE__ */ issueParams(encodeTx)

/** @inline */
type PBalanceParams = { readonly addresses: readonly Address[] }

const pBalanceParams: Check<PBalanceParams> = object<PBalanceParams>({
  addresses: list(address),
})

/** Methods of the P-Chain for transfers between chains. */
export const platformMethods = {
  /** Height of the last accepted block. */
  getHeight: {
    method: 'platform.getHeight',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): bigint => r.u64('height'),
  },
  /** Time of the last accepted block, in unix seconds. */
  getTimestamp: {
    method: 'platform.getTimestamp',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): bigint => seconds(r, 'timestamp'),
  },
  /** Capacity, excess and price at the time of the last block. */
  getFeeState: {
    method: 'platform.getFeeState',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): PFeeState => ({
      capacity: r.u64('capacity'),
      excess: r.u64('excess'),
      price: r.u64('price'),
      time: seconds(r, 'timestamp'),
    }),
  },
  /** Weights and constants that fees are computed with. */
  getFeeConfig: {
    method: 'platform.getFeeConfig',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): PFeeConfig => {
      const weights = r.present('weights').list('weights', (items, i) => BigInt(items.u32(i)))
      const [bandwidth, dbRead, dbWrite, compute] = weights
      if (weights.length !== 4)
        throw r.mismatch('weights', 'a list of 4', `a list of ${weights.length}`)
      const excessConversionConstant = r.u64('excessConversionConstant')
      // The gas price is computed by dividing by it.
      if (excessConversionConstant === 0n)
        throw r.mismatch('excessConversionConstant', 'above 0', '0')
      return {
        weights: { bandwidth: bandwidth!, dbRead: dbRead!, dbWrite: dbWrite!, compute: compute! },
        maxCapacity: r.u64('maxCapacity'),
        maxPerSecond: r.u64('maxPerSecond'),
        targetPerSecond: r.u64('targetPerSecond'),
        minPrice: r.u64('minPrice'),
        excessConversionConstant,
      }
    },
  },
  /** ID of AVAX, the asset that pays fees. */
  getStakingAssetID: {
    method: 'platform.getStakingAssetID',
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): Uint8Array => r.id('assetID'),
  },
  /** One page of UTXOs; with `sourceChain`, of those that the chain exported to the P-Chain. */
  getUTXOs: {
    method: 'platform.getUTXOs',
    accepts: (): Check<GetUTXOsParams> => getUTXOsParams,
    params: (p: GetUTXOsParams): Params => utxoPageRequest(p),
    reply: (r: Reply, p: GetUTXOsParams): RawUTXOPage => utxoPageReply(r, p, 'P'),
  },
  /** Balances of addresses. Includes outputs that also need other signers: add up `utxoPages` for exact balances. */
  getBalance: {
    method: 'platform.getBalance',
    accepts: (): Check<PBalanceParams> => pBalanceParams,
    params: (p: PBalanceParams): Params => ({ addresses: p.addresses.map(addressText) }),
    reply: (r: Reply): PBalance => {
      const amounts = (field: string): AmountsByAsset => r.map(field, (m, key) => m.u64(key))
      return {
        balances: amounts('balances'),
        unlocked: amounts('unlockeds'),
        lockedStakeable: amounts('lockedStakeables'),
        lockedNotStakeable: amounts('lockedNotStakeables'),
      }
    },
  },
  /** An accepted BaseTx, ImportTx or ExportTx. The ID is recomputed and compared. */
  getTx: {
    method: 'platform.getTx',
    accepts: (): Check<TxParams> => txParams,
    params: (p: TxParams): Params => txRequest(p),
    reply: (r: Reply, p: TxParams): SignedTx => {
      const bytes = txBytes(r, p, txID)
      return r.parsed('tx', () => decodeTx(bytes))
    },
  },
  /** An accepted transaction of any type as the node's JSON, without loss of digits. */
  getTxJSON: {
    method: 'platform.getTx',
    accepts: (): Check<TxIDParams> => txIDParams,
    params: (p: TxIDParams): Params => ({ txID: nameText(p.txID), encoding: 'json' }),
    reply: (r: Reply): Json => jsonOf(r, 'tx'),
  },
  /** Status of a transaction on this node. */
  getTxStatus: {
    method: 'platform.getTxStatus',
    accepts: (): Check<TxIDParams> => txIDParams,
    params: (p: TxIDParams): Params => ({ txID: nameText(p.txID) }),
    reply: (r: Reply): PTxStatus => {
      const status = r.oneOf('status', STATUSES)
      return { status, reason: r.optionalString('reason') }
    },
  },
  /** Issues a transaction and compares the ID. No answer is final: use `issueTx` of the client. */
  issueTx: {
    method: 'platform.issueTx',
    write: true,
    accepts: (): Check<IssuePTxParams> => issuePTxParams,
    params: (p: IssuePTxParams): Params => issueRequest(p, encodeTx),
    reply: (r: Reply, p: IssuePTxParams): Uint8Array => issuedID(r, txID(p.tx)),
  },
}

const STATUSES: readonly PTxStatus['status'][] = [
  'Committed',
  'Processing',
  'Dropped',
  'Aborted',
  'Unknown',
]

function seconds(r: Reply, field: string): bigint {
  const text = r.string(field)
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw r.mismatch(field, 'a time', JSON.stringify(text.slice(0, 40)))
  return BigInt(Math.floor(ms / 1000))
}
