import type { LeftBehind, Plan } from '../build/plan.ts'
import type { AssetAmount } from '../chain/amounts.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { IssueError } from '../rpc/errors.ts'
import type { AssetFault } from './assets.ts'
import type { BatchTotal } from './batch-total.ts'
import type { Settled } from './dispatch.ts'
import { WalletError } from './errors.ts'

/** Coins of an asset that can never be spent, and why. */
export type SetAside = {
  readonly assetID: Uint8Array
  readonly amount: bigint
  /** How many UTXOs. */
  readonly coins: number
  readonly code: AssetFault
}

/** A transaction of a batch that the node refused for good; its coins were left where they are. */
export type RefusedPart = {
  readonly txID: Uint8Array
  readonly coins: readonly UTXOID[]
  readonly error: IssueError
}

/** How far a batch has come. */
export type BatchProgress = {
  /** Planned so far; grows where something is planned anew. */
  readonly transactions: number
  readonly accepted: number
  /** UTXOs that are spent by those accepted, without those that they made themselves. */
  readonly coins: number
}

/** What a batch intends, before anything of it is signed: its first round, the only one for most. */
export type BatchPreview = Plan & {
  readonly setAside: readonly SetAside[]
  /**
   * Sums over all rounds: a consolidation goes on with what its first transactions make. Drafts everything once
   * more, so it takes a while for many coins.
   */
  readonly total: () => BatchTotal
}

/** What a batch did. */
export type BatchResult = {
  /** IDs of the accepted transactions, in the order of acceptance. */
  readonly txIDs: readonly Uint8Array[]
  /** UTXOs that they spent, without those that they made themselves. */
  readonly coins: number
  /** What is at the target in the end, per asset. */
  readonly moved: readonly AssetAmount[]
  readonly setAside: readonly SetAside[]
  readonly leftBehind: readonly LeftBehind[]
  readonly refused: readonly RefusedPart[]
  /** Transactions of an earlier run that were brought to their end first. */
  readonly settled: readonly Settled[]
}

/** A batch that stopped before its end. Running it again goes on where it stopped. */
export class BatchError extends WalletError {
  override readonly name = 'BatchError'
  /** What was done until then. */
  readonly result: BatchResult
  /** Transactions that may be accepted yet. */
  readonly open: readonly Uint8Array[]

  constructor(result: BatchResult, open: readonly Uint8Array[], cause: unknown) {
    const [txID] = open
    super(
      'BATCH_UNFINISHED',
      `stopped with transactions accepted: ${result.txIDs.length}, still open: ${open.length}`,
      {
        cause,
        hint: 'run it again: nothing is paid twice, and the rest is moved',
        ...(txID === undefined ? {} : { txID }),
      },
    )
    this.result = result
    this.open = open
  }
}
