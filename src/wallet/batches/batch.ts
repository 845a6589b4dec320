import { equalBytes } from '../../core/base/bytes/compare.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { Source } from '../../core/coins/utxo-set.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { LeftBehind, Plan } from '../../core/draft/plan.ts'
import type { CallOptions } from '../../node/http.ts'
import type { AssetLookup } from '../assets.ts'
import { WalletError } from '../errors.ts'
import { eachInFlight } from '../in-flight.ts'
import type { WalletView } from '../payments/intents.ts'
import { canceledError } from '../payments/payment-errors.ts'
import type { Resumed } from '../payments/resuming.ts'
import {
  BatchError,
  type BatchPreview,
  type BatchProgress,
  type BatchResult,
  type UnspendableAsset,
} from './batch-result.ts'
import { maxTransactions, Tally, totalOf } from './batch-total.ts'
import type { DraftOutcome } from './batch-tx.ts'

/** Limit for rounds without an accepted transaction: others spend the UTXOs, or a server still lists spent ones. */
const MAX_FRUITLESS = 16

/** What a batch does: a sweep, a consolidation or an import. */
export type BatchJob = {
  /** @param withoutAssets - assets that cannot be spent */
  readonly plan: (view: WalletView, withoutAssets: readonly Uint8Array[]) => Plan
  readonly source: Source
  /** Limit of the fee of a transaction, also of one that is drafted again. Default: that of builders. */
  readonly maxFee: bigint | undefined
  /** Drafts for which it returns false are omitted. Default: no draft is omitted. */
  readonly isUseful?: (draft: Draft) => boolean
  /** Whether earlier payments that stay pending are no failure. */
  readonly leavesPending?: boolean
  /** Whether another round may find more to do, once the transactions of a plan are accepted. */
  readonly repeats: (plan: Plan) => boolean
}

/** The parts of the wallet that a batch uses. */
export type BatchTools = {
  readonly assets: AssetLookup
  readonly view: (source: Source) => Promise<WalletView>
  /** Reserves the UTXOs of a draft, claims, issues and waits. Throws only if nothing was claimed. */
  readonly send: (draft: Draft) => Promise<DraftOutcome>
  readonly confirmPlan: (preview: BatchPreview) => Promise<boolean>
  readonly onProgress: (progress: BatchProgress) => void
  readonly inFlight: number
  readonly call: CallOptions
}

/** Runs a batch in rounds, until a plan has nothing left to do. */
export class Batch {
  private readonly job: BatchJob
  private readonly tools: BatchTools
  private readonly resumed: readonly Resumed[]
  private readonly txIDs: Uint8Array[] = []
  private readonly tally = new Tally()
  private readonly unspendable: UnspendableAsset[] = []
  private readonly pending: Uint8Array[] = []
  private leftBehind: readonly LeftBehind[] = []
  private planned = 0
  /** Limit for the number of transactions, from the first plan on. */
  private limit: number | undefined
  /** Number of transactions that the caller has confirmed. */
  private confirmed = 0
  /** Fee of each transaction of the newest plan, and of the one that the caller has confirmed. */
  private fee = 0n
  private confirmedFee = 0n
  private failure: unknown

  constructor(job: BatchJob, tools: BatchTools, resumed: readonly Resumed[]) {
    this.job = job
    this.tools = tools
    this.resumed = resumed
    for (const { txID, status, error } of resumed) {
      if (status !== 'pending' || job.leavesPending) continue
      this.pending.push(txID)
      this.failure ??= error
    }
  }

  /** Plans the first round. `total` of the preview computes the sums of all rounds. */
  preview(): Promise<BatchPreview> {
    return this.plan()
  }

  async run(): Promise<BatchResult> {
    const first = await this.plan()
    await this.confirm(first)
    try {
      await this.rounds(first)
    } catch (error) {
      const hasDoneNothing = this.txIDs.length === 0 && this.pending.length === 0
      if (hasDoneNothing || error instanceof BatchError) throw error
      throw new BatchError(this.result(), this.pending, error)
    }
    if (this.pending.length > 0) throw new BatchError(this.result(), this.pending, this.failure)
    return this.result()
  }

  /** Asks for confirmation of as many transactions as the caller was shown: those of the plan, or of its total. */
  private async confirm(preview: BatchPreview): Promise<void> {
    let shown = preview.transactions
    const total = () => {
      const sums = preview.total()
      shown = sums.transactions
      return sums
    }
    if (!(await this.tools.confirmPlan({ ...preview, total })))
      throw new WalletError('NOT_CONFIRMED', 'the batch was not confirmed')
    this.confirmed = this.txIDs.length + shown
    this.confirmedFee = this.fee
  }

  /** Plans and sends rounds until a plan is empty. */
  private async rounds(first: BatchPreview): Promise<void> {
    let plan = first
    for (let fruitless = 0; fruitless < MAX_FRUITLESS && this.txIDs.length < this.limit!; ) {
      const { length } = this.txIDs
      this.leftBehind = plan.leftBehind
      if (!(await this.round(plan))) return
      if (this.txIDs.length === length) fruitless++
      plan = await this.plan()
      const isMore = this.txIDs.length + plan.transactions > this.confirmed
      if (plan.transactions > 0 && (isMore || this.fee > this.confirmedFee))
        await this.confirm(plan)
    }
    throw new BatchError(this.result(), this.pending, undefined)
  }

  private async plan(): Promise<BatchPreview> {
    const view = await this.tools.view(this.job.source)
    await this.findUnspendable(view)
    this.fee = view.context.txFee
    const without = this.unspendable.map(({ assetID }) => assetID)
    const { isUseful, repeats } = this.job
    const planFrom = (current: WalletView): Plan => {
      const plan = this.job.plan(current, without)
      return isUseful === undefined ? plan : usefulPart(plan, isUseful)
    }
    const plan = planFrom(view)
    const limit = maxTransactions(view, this.job.source)
    this.limit ??= limit
    const total = () => totalOf(plan, view, repeats, planFrom, limit)
    const leftBehind = [
      ...plan.leftBehind,
      ...view.disputed,
      ...opaqueOfUnknownAsset(view, this.job.source),
    ]
    return { ...plan, leftBehind, unspendable: this.unspendable, total }
  }

  /** Sends the drafts of a plan. Returns whether another round may find more to do. */
  private async round(plan: Plan): Promise<boolean> {
    let isIncomplete = false
    let isOutdated = false
    let accepted = 0
    this.planned += plan.transactions
    this.report()
    await eachInFlight(plan.drafts(), this.tools.inFlight, async (draft) => {
      if (isOutdated) return
      const outcome = await this.sendUnlessReserved(draft)
      // Another holder of the keys spent a UTXO: plan again from the UTXOs that are left.
      if (outcome === undefined || outcome.status === 'rejected') isIncomplete = true
      else if (outcome.status === 'pending') {
        this.pending.push(outcome.txID)
        throw outcome.error
      } else if (outcome.status === 'canceled') throw canceledError([], outcome)
      else {
        accepted++
        this.count(outcome.draft, outcome.txID)
        // Other drafts of the plan may have the same fee or false UTXOs.
        if (outcome.draft !== draft) isOutdated = true
      }
    })
    return isIncomplete || isOutdated || (accepted > 0 && this.job.repeats(plan))
  }

  /** Sends a draft. Undefined if another call has reserved one of its UTXOs since the plan was made. */
  private async sendUnlessReserved(draft: Draft): Promise<DraftOutcome | undefined> {
    try {
      return await this.tools.send(draft)
    } catch (error) {
      if (error instanceof FundsError && error.code === 'UTXO_RESERVED') return undefined
      throw error
    }
  }

  private count(draft: Draft, txID: Uint8Array): void {
    this.txIDs.push(txID)
    this.tally.count(draft, txID)
    this.report()
  }

  private report(): void {
    const { planned, txIDs, tally } = this
    this.tools.onProgress({
      transactions: planned,
      accepted: txIDs.length,
      utxoCount: tally.utxoCount,
    })
  }

  /**
   * Finds assets that cannot be spent: one UTXO of such an asset would make the whole transaction invalid. The
   * transaction that created the asset decides; an asset that cannot be looked up is not spent either.
   */
  private async findUnspendable({ context, utxos, owners, now }: WalletView): Promise<void> {
    const { source } = this.job
    const known = this.unspendable.map(({ assetID }) => assetID)
    const balances = utxos
      .balances({ owners, now, ...source })
      .filter(({ assetID, spendableUTXOs }) => {
        const isNative = equalBytes(assetID, context.assetID)
        const isKnown = known.some((knownID) => equalBytes(knownID, assetID))
        return spendableUTXOs > 0 && !isNative && !isKnown
      })
    const assetIDs = balances.map(({ assetID }) => assetID)
    for (const { assetID, fault } of await this.tools.assets.faults(assetIDs, this.tools.call)) {
      const { spendable, spendableUTXOs } = balances.find((one) =>
        equalBytes(one.assetID, assetID),
      )!
      this.unspendable.push({ assetID, amount: spendable, utxoCount: spendableUTXOs, code: fault })
    }
  }

  private result(): BatchResult {
    const { txIDs, unspendable, leftBehind, resumed } = this
    const { utxoCount, moved } = this.tally.total()
    return { txIDs, utxoCount, moved, unspendable, leftBehind, resumed }
  }
}

/**
 * Counts entries of the node's pages that cannot be decoded and whose asset is unknown: they are too short, or have a
 * wrong checksum or codec version. Balances do not include them. They are reported with an all-zero asset ID.
 */
function opaqueOfUnknownAsset({ utxos, owners, now }: WalletView, source: Source): LeftBehind[] {
  const total = utxos.opaque(source).length
  if (total === 0) return []
  const balances = utxos.balances({ owners, now, ...source })
  const count = balances.reduce((remaining, { opaque }) => remaining - opaque, total)
  if (count === 0) return []
  return [{ reason: 'opaque', assetID: new Uint8Array(ID_SIZE), amount: 0n, count }]
}

function usefulPart(plan: Plan, isUseful: (draft: Draft) => boolean): Plan {
  function* drafts(): Generator<Draft, void, undefined> {
    for (const draft of plan.drafts()) if (isUseful(draft)) yield draft
  }
  let transactions = 0
  for (const _ of drafts()) transactions++
  return { ...plan, transactions, drafts }
}
