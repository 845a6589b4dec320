import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { stopwatch } from '../../node/clock.ts'
import type { SendOptions } from '../options.ts'
import type { AttemptGroup } from '../payments/attempts.ts'
import type { Engine } from '../payments/engine.ts'
import { canceledError, rejectedError } from '../payments/payment-errors.ts'
import { claimedPayments } from '../payments/payment-keys.ts'
import { isOfMove } from '../ports.ts'
import { findMade } from '../recovery/find-made.ts'
import { StoreError } from '../store/errors.ts'
import type { ClaimedPayment, EndedAttempt, Outcome } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import { type Confirmation, confirmation } from './confirmation.ts'
import { isClaimed } from './decide.ts'
import { LISTING_MS, MoveRunner, type Waiting } from './move-runner.ts'
import type { MoveNote } from './note.ts'
import { contentOf, type OwnRecipients, planOf, strayPlanOf } from './plan.ts'
import { amountsOf, type QuotedExport, quoteImport, quoteMove } from './quote.ts'
import type { Sides } from './side.ts'
import type { LegSigning } from './signing.ts'
import type {
  ImportStrayCall,
  MoveCall,
  MoveOptions,
  MoveQuote,
  MoveReceipt,
  StrayResult,
} from './types.ts'

/**
 * Moves funds between chains with the payment engine: one payment whose attempts are an export and the import of what
 * it exported.
 *
 * ```
 *   claim export ─► issue ─► accepted ─► listed at the destination ─► claim import ─► issue ─► accepted
 * ```
 *
 * The payment is pending from the first claim until the import is accepted. Until then the store has the bytes of the
 * transactions claimed so far and a note that describes the move, so any process with the store can continue it from
 * any point.
 */
export class Mover {
  private readonly state: WalletState
  private readonly engine: Engine
  private readonly sides: Sides
  private readonly runner: MoveRunner
  private readonly signing: LegSigning
  private readonly confirm: Confirmation

  constructor(
    parts: { readonly state: WalletState; readonly engine: Engine; readonly sides: Sides },
    signing: LegSigning,
    confirm: MoveOptions['confirm'],
  ) {
    this.state = parts.state
    this.engine = parts.engine
    this.sides = parts.sides
    this.confirm = confirmation(confirm, parts.state.options.confirm !== undefined)
    this.runner = new MoveRunner(parts.state, parts.engine.issuer, parts.sides, this.confirm)
    this.signing = signing
  }

  /** What a move would cost and do. Nothing is reserved. */
  async quote(call: MoveCall, options: MoveOptions): Promise<MoveQuote> {
    const context = await this.open(options)
    const { quote, draft } = await this.draft(planOf(call, context, this.own), context, options)
    draft.release()
    return quote
  }

  /** Makes a move, or continues the one that was started under the same key. */
  async move(call: MoveCall, options: MoveOptions): Promise<MoveReceipt> {
    const context = await this.open(options)
    const plan = planOf(call, context, this.own)
    const payments = claimedPayments({ key: options.key }, [contentOf(plan)], context)
    return this.engine.inTurn(payments, options, () =>
      this.moveOnce(plan, payments, context, options),
    )
  }

  private async moveOnce(
    plan: MoveNote,
    payments: readonly ClaimedPayment[],
    context: NetworkContext,
    options: MoveOptions,
  ): Promise<MoveReceipt> {
    const { maxRebuilds } = this.state
    for (let rebuilds = 0; ; ) {
      const again = rebuilds > 0
      const earlier =
        (await this.engine.findEarlier(payments, again)) ??
        (await findMade(this.state, payments, [contentOf(plan)], options))
      if (earlier?.txID !== undefined) return { txID: earlier.txID }
      const started =
        earlier === undefined
          ? await this.begin(plan, payments, context, options, again)
          : undefined
      const group = earlier?.group ?? started?.group
      // Another process has claimed or canceled the key meanwhile.
      if (group === undefined) continue
      const exports = group.attempts.filter(({ kind }) => kind === 'export')
      const outcome = await this.runner.run(group, options, started === undefined, plan)
      if (outcome.status === 'accepted')
        return {
          txID: outcome.txID,
          exportTxID: (group.exported ?? exports.at(-1))?.txID,
          arrived: group.imported && this.sides[plan.to].paidBy(group.imported.bytes),
          quote: started?.quote,
        }
      if (outcome.status === 'canceled') throw canceledError(group, outcome)
      if (rebuilds++ >= maxRebuilds || !(await this.engine.mayRebuild(group)))
        throw rejectedError(group, outcome)
    }
  }

  /** Imports UTXOs that no pending move of this store will import, in as few transactions as possible. */
  async importStray(call: ImportStrayCall, options: MoveOptions): Promise<StrayResult> {
    const limits = this.state.call(options)
    const context = await this.open(options)
    const plan = strayPlanOf(call, context, this.own)
    const { from, to } = plan
    const side = this.sides[to]
    const { utxos: listed, disputed } = await side.atomicUTXOs(from, limits)
    // After the listing: a move is claimed, maybe by another process, before its UTXOs are listed.
    await this.state.readStore()
    const { pending } = this.state
    const utxos = listed.filter((utxo) => !isClaimed(pending, utxo) && !isOfMove(pending, utxo))
    const order = { sourceChain: from, utxos, recipient: plan.recipient, maxFee: plan.maxFee }
    const { drafts, leftBehind } = await side.planImports(order, limits)
    for (const draft of drafts) {
      const spent = new Set(draft.inputs.map(utxoKey))
      const exported = amountsOf(utxos.filter((utxo) => spent.has(utxoKey(utxo))))
      await this.confirm(quoteImport(plan, exported, draft, context), options)
    }
    const txIDs: Uint8Array[] = []
    for (const draft of drafts) {
      const parts = draft.inputs.map(utxoKey)
      const payments = claimedPayments({}, [{ kind: 'import', parts }], context)
      const group = await this.runner.claimLeg('import', plan, payments, draft, [], options)
      const { status, txID } = await this.runner.run(group, options, false)
      // Otherwise another holder of the keys was faster.
      if (status === 'accepted') txIDs.push(txID)
    }
    return { txIDs, leftBehind: [...leftBehind, ...disputed] }
  }

  /** Continues a move of the store from where it stopped. */
  async complete(group: AttemptGroup, options: SendOptions): Promise<Outcome> {
    // Without `confirm`: that of SendOptions confirms transactions of the X-Chain, not moves.
    const { wait, signal } = options
    await this.open({ wait, signal })
    return this.engine.inTurn(group.payments, options, () =>
      this.runner.run(group, { wait, signal }, true),
    )
  }

  /** Opens the store. If the context lacks the C-Chain, because a request had failed, it is read again. */
  private async open(options: Waiting): Promise<NetworkContext> {
    const call = this.state.call(options)
    const context = await this.state.openPayments(call)
    return context.chains.C === undefined ? this.state.context(call, true) : context
  }

  private get own(): OwnRecipients {
    const { addresses } = this.state
    const { accounts } = this.signing
    return { address: addresses[0]!, account: () => this.signing.account(), addresses, accounts }
  }

  private draft(
    plan: MoveNote,
    context: NetworkContext,
    options: MoveOptions,
    ended: readonly EndedAttempt[] = [],
  ): Promise<QuotedExport> {
    const [owner] = this.state.addresses
    return quoteMove(plan, this.sides, owner!, context, this.state.call(options), ended)
  }

  /** Drafts, confirms, signs and claims the export. Undefined if another process claimed or canceled the key first. */
  private async begin(
    plan: MoveNote,
    payments: readonly ClaimedPayment[],
    context: NetworkContext,
    options: MoveOptions,
    again: boolean,
  ): Promise<{ readonly group: AttemptGroup; readonly quote: MoveQuote } | undefined> {
    const { clock } = this.state
    const passed = stopwatch(clock)
    for (;;) {
      const ended = await this.engine.endedOf(payments, again)
      const { quote, draft } = await this.draft(plan, context, options, ended)
      try {
        await this.confirm(quote, options)
        const { runner } = this
        const group = await runner.claimLeg('export', plan, payments, draft, [], options, again)
        return { group, quote }
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        if (error.code === 'KEY_ACCEPTED' || error.code === 'KEY_CANCELED') return undefined
        // `EVIDENCE_UNSPENT`: the evidence was spent since it was read.
        if (!['INPUT_CLAIMED', 'KEY_PENDING', 'EVIDENCE_UNSPENT'].includes(error.code)) throw error
        draft.release()
        await this.state.readStore()
        if (error.code === 'KEY_PENDING') return undefined
        if (passed() >= this.state.call(options).totalMs) throw error
        // A node that is behind may return the nonce of an earlier export.
        await clock.sleep(LISTING_MS, options.signal)
      } finally {
        draft.release()
      }
    }
  }
}
