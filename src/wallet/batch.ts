import type { Draft } from '../build/draft.ts'
import type { LeftBehind, Plan } from '../build/plan.ts'
import { equalBytes } from '../bytes/compare.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { UTXO } from '../chain/utxo.ts'
import { FundsError } from '../coins/errors.ts'
import type { Source } from '../coins/utxo-set.ts'
import type { IssueError } from '../rpc/errors.ts'
import type { CallOptions } from '../rpc/http.ts'
import type { AssetBook, AssetFault } from './assets.ts'
import {
  BatchError,
  type BatchPreview,
  type BatchProgress,
  type BatchResult,
  type RefusedPart,
  type SetAside,
} from './batch-result.ts'
import { MAX_ROUNDS, Tally, totalOf } from './batch-total.ts'
import type { Outcome } from './delivery.ts'
import type { Settled } from './dispatch.ts'
import { WalletError } from './errors.ts'
import { eachInFlight } from './in-flight.ts'
import type { View } from './recipes.ts'

/** Which part of the coins a plan is about. */
export type Scope = {
  /** Only these assets; all where left out. */
  readonly assets?: readonly Uint8Array[]
  readonly withoutAssets: readonly Uint8Array[]
  readonly excluded: readonly UTXOID[]
}

/** A kind of batch. */
export type BatchJob = {
  readonly plan: (view: View, scope: Scope) => Plan
  readonly source: Source
  /** Drafts that are not worth their fee are passed over; none where left out. */
  readonly isUseful?: (draft: Draft) => boolean
  /** Whether outputs of one round are coins for the next. */
  readonly repeats: boolean
}

/** What a batch asks of its wallet. */
export type BatchTools = {
  readonly book: AssetBook
  readonly view: (source: Source) => Promise<View>
  /** Holds the coins of a draft, then signs and submits it; throws before anything was sent. */
  readonly send: (draft: Draft) => Promise<{ readonly txID: Uint8Array; readonly outcome: Outcome }>
  readonly confirmPlan: (preview: BatchPreview) => Promise<boolean>
  readonly onProgress: (progress: BatchProgress) => void
  readonly inFlight: number
  readonly signal: AbortSignal | undefined
}

/** Above this looking up every asset first costs more than finding out by a refusal. */
const MAX_ASSETS_CHECKED = 256

/** Runs a batch until nothing is left that can be moved. */
export class Batch {
  private readonly job: BatchJob
  private readonly tools: BatchTools
  private readonly settled: readonly Settled[]
  private readonly txIDs: Uint8Array[] = []
  private readonly tally = new Tally()
  private readonly setAside: SetAside[] = []
  private readonly refused: RefusedPart[] = []
  private readonly open: Uint8Array[] = []
  private readonly leftBehind: LeftBehind[] = []
  private planned = 0
  /** Transactions that the caller has agreed to. */
  private agreed = 0
  /** Assets that are planned in groups of their own, to find out which of them cannot be spent. */
  private readonly isolated: Uint8Array[] = []
  private readonly groups: (readonly Uint8Array[])[] = []
  private failure: unknown

  constructor(job: BatchJob, tools: BatchTools, settled: readonly Settled[]) {
    this.job = job
    this.tools = tools
    this.settled = settled
    for (const { txID, status, error } of settled) {
      if (status !== 'open') continue
      this.open.push(txID)
      this.failure ??= error
    }
  }

  /** What the first round would do, and what all would come to. */
  preview(): Promise<BatchPreview> {
    return this.planFor(undefined)
  }

  async run(): Promise<BatchResult> {
    const plan = await this.planFor(undefined)
    await this.agreeOn(plan)
    await this.orUnfinished(() => this.work(undefined, plan))
    if (this.open.length > 0) throw new BatchError(this.result(), this.open, this.failure)
    return this.result()
  }

  /** Asks for what is more than the caller was told of before. */
  private async agreeOn(preview: BatchPreview): Promise<void> {
    let told = preview.transactions
    const total = () => {
      const sums = preview.total()
      told = sums.transactions
      return sums
    }
    if (!(await this.tools.confirmPlan({ ...preview, total })))
      throw new WalletError('NOT_CONFIRMED', 'the batch was not confirmed, nothing more was sent')
    this.agreed = this.txIDs.length + told
  }

  /** What was done until a failure is told with it. */
  private async orUnfinished(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const isNothingDone = this.txIDs.length === 0 && this.open.length === 0
      if (isNothingDone || error instanceof BatchError) throw error
      throw new BatchError(this.result(), this.open, error)
    }
  }

  /** Plans and sends, all assets or one group of them, until another round would do no more. */
  private async work(assets: readonly Uint8Array[] | undefined, first?: Plan): Promise<void> {
    let leftBehind: readonly LeftBehind[] = []
    for (let round = 0; ; round++) {
      if (round === MAX_ROUNDS) throw new BatchError(this.result(), this.open, undefined)
      const plan = (round === 0 ? first : undefined) ?? (await this.planAgain(assets))
      leftBehind = plan.leftBehind
      const again = await this.round(plan, assets !== undefined)
      // Groups come before the rest, which would take along the coins that pay their fees.
      for (let group = this.groups.pop(); group !== undefined; group = this.groups.pop())
        await this.work(group)
      if (!again) break
    }
    const isOwn = ({ reason }: LeftBehind) => assets === undefined || reason === 'fee'
    this.leftBehind.push(...leftBehind.filter(isOwn))
  }

  private async planAgain(assets: readonly Uint8Array[] | undefined): Promise<Plan> {
    const plan = await this.planFor(assets)
    if (this.txIDs.length + plan.transactions > this.agreed) await this.agreeOn(plan)
    return plan
  }

  private async planFor(assets: readonly Uint8Array[] | undefined): Promise<BatchPreview> {
    const view = await this.tools.view(this.job.source)
    await this.findFaults(view)
    const faulty = this.setAside.map(({ assetID }) => assetID)
    const scope: Scope = {
      ...(assets === undefined ? {} : { assets }),
      withoutAssets: assets === undefined ? [...faulty, ...this.isolated] : faulty,
      excluded: this.refused.flatMap(({ coins }) => coins),
    }
    const { isUseful, repeats } = this.job
    const planFrom = (at: View): Plan => {
      const plan = this.job.plan(at, scope)
      return isUseful === undefined ? plan : usefulPart(plan, isUseful)
    }
    const plan = planFrom(view)
    const total = () => totalOf(plan, view, repeats ? planFrom : undefined)
    return { ...plan, setAside: this.setAside, total }
  }

  /** Sends the drafts of a plan; tells whether another round can do more. */
  private async round(plan: Plan, inGroup: boolean): Promise<boolean> {
    let again = false
    let accepted = 0
    this.planned += plan.transactions
    this.tell()
    const isOver = () => !inGroup && this.groups.length > 0
    await eachInFlight(until(plan.drafts(), isOver), this.tools.inFlight, async (draft) => {
      const sent = await this.sendUnlessTaken(draft)
      if (sent === undefined) {
        again = true
        return
      }
      const { txID, outcome } = sent
      if (outcome.status === 'accepted') {
        accepted++
        this.count(draft, txID)
      } else if (outcome.status === 'refused') {
        if (await this.refuse(draft, txID, outcome.error, inGroup)) again = true
      } else {
        this.open.push(txID)
        throw outcome.error
      }
    })
    return again || (this.job.repeats && accepted > 1)
  }

  /** Undefined where another call has taken one of the coins since the plan was made. */
  private async sendUnlessTaken(
    draft: Draft,
  ): Promise<{ txID: Uint8Array; outcome: Outcome } | undefined> {
    try {
      return await this.tools.send(draft)
    } catch (error) {
      if (error instanceof FundsError && error.code === 'COIN_RESERVED') return undefined
      throw error
    }
  }

  private count(draft: Draft, txID: Uint8Array): void {
    this.txIDs.push(txID)
    this.tally.count(draft, txID)
    this.tell()
  }

  private tell(): void {
    const { planned, txIDs, tally } = this
    this.tools.onProgress({ transactions: planned, accepted: txIDs.length, coins: tally.coins })
  }

  /** Learns from a refusal what to leave out; tells whether planning anew can do more. */
  private async refuse(
    draft: Draft,
    txID: Uint8Array,
    error: IssueError,
    inGroup: boolean,
  ): Promise<boolean> {
    switch (error.code) {
      case 'INCOMPATIBLE_FX':
      case 'NOT_AN_ASSET':
        if (this.suspectsOf(draft).length > 0) return this.isolate(draft, error.code, inGroup)
        break
      case 'UTXO_NOT_FOUND':
      case 'ATOMIC_UTXO_NOT_FOUND':
      case 'MEMPOOL_CONFLICT':
      case 'INSUFFICIENT_FUNDS':
        // Somebody else spent a coin, or the fee rose: fresh coins and facts will do.
        return true
    }
    this.refused.push({ txID, error, coins: draft.utxos })
    return true
  }

  /** The assets of a draft that may be the ones that cannot be spent. */
  private suspectsOf({ utxos, context }: Draft): Uint8Array[] {
    return distinct(utxos.map(({ assetID }) => assetID)).filter(
      (assetID) => !equalBytes(assetID, context.assetID),
    )
  }

  /**
   * Finds the assets of a refused draft that cannot be spent. Where they cannot be looked up, the assets
   * are halved until a group of one is refused.
   */
  private async isolate(draft: Draft, code: AssetFault, inGroup: boolean): Promise<boolean> {
    const { utxos } = draft
    const done = [...this.setAside.map(({ assetID }) => assetID), ...(inGroup ? [] : this.isolated)]
    const all = this.suspectsOf(draft)
    const suspects = all.filter((assetID) => !isIn(done, assetID))
    // What is suspected already may be the only reason, so that nothing is known of the others.
    if (suspects.length < all.length) return true
    const found = await this.tools.book.faults(suspects, this.call())
    const faulty = found.filter(({ fault }) => fault !== 'ASSET_NOT_FOUND')
    if (suspects.length === 1) faulty.splice(0, 1, { assetID: suspects[0]!, fault: code })
    for (const { assetID, fault } of faulty) this.putAside(assetID, fault, utxos)
    if (faulty.length > 0) return true
    const half = Math.ceil(suspects.length / 2)
    if (!inGroup) this.isolated.push(...suspects)
    this.groups.push(...[suspects.slice(0, half), suspects.slice(half)].filter((g) => g.length > 0))
    return !inGroup
  }

  private putAside(assetID: Uint8Array, code: AssetFault, utxos: readonly UTXO[]): void {
    const own = utxos.filter((utxo) => equalBytes(utxo.assetID, assetID))
    const amount = own.reduce(
      (sum, { output }) => sum + ('amount' in output ? output.amount : 0n),
      0n,
    )
    // Two drafts under way may hold coins of the same asset.
    const at = this.setAside.findIndex((one) => equalBytes(one.assetID, assetID))
    const [before] = at < 0 ? [] : this.setAside.splice(at, 1)
    this.setAside.push({
      assetID,
      code,
      amount: amount + (before?.amount ?? 0n),
      coins: own.length + (before?.coins ?? 0),
    })
  }

  /** Asks for the assets that are new, as long as they are few. */
  private async findFaults({ context, coins, owners, now }: View): Promise<void> {
    const { source } = this.job
    const known = this.setAside.map(({ assetID }) => assetID)
    const balances = coins
      .balances({ owners, now, ...source })
      .filter(({ assetID, spendableCoins }) => {
        const native = equalBytes(assetID, context.assetID)
        return spendableCoins > 0 && !native && !isIn(known, assetID)
      })
    const faults = await this.tools.book.faults(
      balances.slice(0, MAX_ASSETS_CHECKED).map(({ assetID }) => assetID),
      this.call(),
    )
    for (const { assetID, fault } of faults) {
      // A coin that is here has an asset that is here: this node just cannot show it.
      if (fault === 'ASSET_NOT_FOUND' && source.sourceChain === undefined) continue
      const balance = balances.find((one) => equalBytes(one.assetID, assetID))!
      const { spendable: amount, spendableCoins } = balance
      this.setAside.push({ assetID, amount, coins: spendableCoins, code: fault })
    }
  }

  private call(): CallOptions {
    const { signal } = this.tools
    return signal === undefined ? {} : { signal }
  }

  private result(): BatchResult {
    const { txIDs, setAside, leftBehind, refused, settled } = this
    const { coins, moved } = this.tally.total()
    return { txIDs, coins, moved, setAside, leftBehind, refused, settled }
  }
}

function usefulPart(plan: Plan, isUseful: (draft: Draft) => boolean): Plan {
  function* drafts(): Generator<Draft, void, undefined> {
    for (const draft of plan.drafts()) if (isUseful(draft)) yield draft
  }
  let transactions = 0
  for (const _ of drafts()) transactions++
  return { ...plan, transactions, drafts }
}

function* until<T>(items: Iterable<T>, isOver: () => boolean): Generator<T, void, undefined> {
  for (const item of items) {
    if (isOver()) return
    yield item
  }
}

function isIn(list: readonly Uint8Array[], id: Uint8Array): boolean {
  return list.some((one) => equalBytes(one, id))
}

function distinct(ids: readonly Uint8Array[]): Uint8Array[] {
  const list: Uint8Array[] = []
  for (const id of ids) if (!isIn(list, id)) list.push(id)
  return list
}
