import type { AssetAmount } from '../../core/chain/amounts.ts'
import type { LeftBehind, Plan } from '../../core/draft/plan.ts'
import type { AssetFault } from '../assets.ts'
import { WalletError } from '../errors.ts'
import type { Resumed } from '../payments/resuming.ts'
import type { BatchTotal } from './batch-total.ts'

/** UTXOs of an asset that can never be spent, and why. */
export type UnspendableAsset = {
  readonly assetID: Uint8Array
  /** Sum of the UTXOs, in the asset's smallest unit. */
  readonly amount: bigint
  /** Number of UTXOs. */
  readonly utxoCount: number
  readonly code: AssetFault
}

/** Progress of a batch. */
export type BatchProgress = {
  /** Transactions planned so far; grows when the batch is planned again. */
  readonly transactions: number
  /** Transactions accepted so far. */
  readonly accepted: number
  /** UTXOs spent by accepted transactions, without those that the batch created itself. */
  readonly utxoCount: number
}

/** The plan of a batch before anything is signed: its first round. Most batches have only one. */
export type BatchPreview = Plan & {
  readonly unspendable: readonly UnspendableAsset[]
  /**
   * Sums over all rounds: a consolidation continues with the outputs of its first transactions. Drafts all
   * transactions again, which takes time in proportion to the number of UTXOs.
   */
  readonly total: () => BatchTotal
}

/** The result of a batch. */
export type BatchResult = {
  /** IDs of the accepted transactions, in the order of acceptance. */
  readonly txIDs: readonly Uint8Array[]
  /** UTXOs that they spent, without those that the batch created itself. */
  readonly utxoCount: number
  /** What the target received, per asset. */
  readonly moved: readonly AssetAmount[]
  readonly unspendable: readonly UnspendableAsset[]
  /** UTXOs that the last plan of the batch did not spend. */
  readonly leftBehind: readonly LeftBehind[]
  /** Pending payments of an earlier run, which were resumed first. */
  readonly resumed: readonly Resumed[]
}

/** A batch that stopped before its end. Running it again continues it. */
export class BatchError extends WalletError {
  override readonly name = 'BatchError'
  /** The result up to that point. */
  readonly result: BatchResult
  /** Transactions that may still be accepted. */
  readonly pending: readonly Uint8Array[]

  constructor(result: BatchResult, pending: readonly Uint8Array[], cause: unknown) {
    super(
      'BATCH_UNFINISHED',
      `batch stopped: ${result.txIDs.length} transactions accepted, ${pending.length} pending`,
      { cause, txID: pending[0], hint: 'run it again: it continues, and nothing is paid twice' },
    )
    this.result = result
    this.pending = pending
  }
}
