import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { Goal, Phase } from '../machine/run.ts'
import type { SendOptions } from '../options.ts'
import type { Content } from '../payments/content.ts'
import type { Ended } from '../payments/ended.ts'
import type { Engine } from '../payments/engine.ts'
import { requireMade } from '../payments/payment-errors.ts'
import { claimedPayments } from '../payments/payment-keys.ts'
import type { Work } from '../payments/runner.ts'
import { isOfMove } from '../ports.ts'
import { findMade } from '../recovery/find-made.ts'
import type { Group } from '../store/claims.ts'
import type { ClaimedPayment } from '../store/store.ts'
import { withinSums } from '../sums.ts'
import type { WalletState } from '../wallet-state.ts'
import { confirmation } from './confirmation.ts'
import { isClaimed } from './decide.ts'
import { type MoveParts, MoveWork, type Waiting } from './move-work.ts'
import { decodeNote } from './note.ts'
import { contentOf, type OwnRecipients, planOf, strayPlanOf } from './plan.ts'
import { amountsOf, quoteImport, quoteMove } from './quote.ts'
import type { Sides } from './side.ts'
import type { LegSigning } from './signing.ts'
import {
  type ImportStrayCall,
  type MoveCall,
  type MoveOptions,
  type MoveQuote,
  type MoveReceipt,
  StrayError,
  type StrayResult,
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
  private readonly parts: MoveParts
  private readonly engine: Engine
  private readonly signing: LegSigning

  constructor(
    parts: { readonly state: WalletState; readonly engine: Engine; readonly sides: Sides },
    signing: LegSigning,
    confirm: MoveOptions['confirm'],
  ) {
    const { state, sides, engine } = parts
    const isRequired = state.options.confirm !== undefined
    this.parts = {
      state,
      sides,
      confirm: confirmation(confirm, isRequired),
      exportOwner: (to) => signing.exportOwner(to),
    }
    this.engine = engine
    this.signing = signing
  }

  /** What a move would cost and do. Nothing is reserved. */
  async quote(call: MoveCall, options: MoveOptions): Promise<MoveQuote> {
    const { state, sides, exportOwner } = this.parts
    const context = await this.open(options)
    const plan = planOf(call, context, this.own)
    const owner = exportOwner(plan.to)
    const limits = state.call(options)
    const { quote, draft } = await quoteMove(plan, sides, owner, context, limits, [])
    draft.release()
    return quote
  }

  /** Makes a move, or continues the one that was started under the same key. */
  async move(call: MoveCall, options: MoveOptions): Promise<MoveReceipt> {
    const { state } = this.parts
    const context = await this.open(options)
    const plan = planOf(call, context, this.own)
    const contents = [contentOf(plan)]
    const payments = claimedPayments({ key: options.key }, contents, context)
    const work = new MoveWork(this.parts, plan, payments, context, options)
    const goal = { maxRebuilds: state.maxRebuilds, insists: options.again === true }
    const recall: Work<undefined>['recall'] = (unpaid) => findMade(state, unpaid, contents, options)
    const ended = await this.engine.inTurn(payments, options, () =>
      this.run(goal, payments, { ...work, recall }, options),
    )
    const { outcome, attempt, exported } = requireMade(ended)
    const { txID } = outcome
    if (exported === undefined) return { txID }
    const arrived =
      attempt?.kind === 'import' ? this.parts.sides[plan.to].paidBy(attempt.bytes) : undefined
    return { txID, exportTxID: exported.txID, arrived, quote: work.quote }
  }

  /** Runs the machine for a move. */
  private run(
    goal: Partial<Goal>,
    payments: readonly ClaimedPayment[],
    work: Work<undefined>,
    options: Waiting,
    phase?: Phase,
  ): Promise<Ended<undefined>> {
    const whole = { ...goal, isMove: true, replaces: true }
    return this.engine.run(whole, payments, work, options, phase)
  }

  /** Imports UTXOs that no pending move of this store will import, in as few transactions as possible. */
  async importStray(call: ImportStrayCall, options: MoveOptions): Promise<StrayResult> {
    const { state, sides, confirm } = this.parts
    const limits = state.call(options)
    const context = await this.open(options)
    const plan = strayPlanOf(call, context, this.own)
    const { from, to } = plan
    const side = sides[to]
    const { utxos: listed, disputed } = await side.atomicUTXOs(from, limits)
    // After the listing: a move is claimed, maybe by another process, before its UTXOs are listed.
    await state.readStore()
    const { pending } = state
    const utxos = listed.filter((utxo) => !isClaimed(pending, utxo) && !isOfMove(pending, utxo))
    const order = { sourceChain: from, utxos, recipient: plan.recipient, maxFee: plan.maxFee }
    const { drafts, leftBehind } = await side.planImports(order, limits)
    const imports = drafts.map((draft) => {
      const content: Content = { kind: 'import', parts: draft.inputs.map(utxoKey) }
      const { explanation } = draft
      const payments = claimedPayments({}, [content], context)
      // The second one is that of a further attempt, whose fee may be lower.
      return { draft, payments, effect: [explanation, explanation] as const }
    })
    for (const { draft, payments, effect } of imports) {
      const spent = new Set(draft.inputs.map(utxoKey))
      const exported = amountsOf(utxos.filter((utxo) => spent.has(utxoKey(utxo))))
      await withinSums(state, payments, effect)
      await confirm(quoteImport(plan, exported, draft, context), options)
    }
    const txIDs: Uint8Array[] = []
    const left = [...leftBehind, ...disputed]
    for (const { draft, payments, effect } of imports) {
      const work = new MoveWork(this.parts, plan, payments, context, options)
      const signable = work.signable('import', draft, [], effect)
      const first: typeof work.draft = async (order, limits) =>
        order.replaced.length === 0 ? signable : work.draft(order, limits)
      const importing = { ...work, draft: first }
      const { outcome } = await this.run({ kind: 'complete' }, payments, importing, options).catch(
        (cause: unknown) => {
          // What was accepted before is known here only.
          throw txIDs.length === 0 ? cause : new StrayError({ txIDs, leftBehind: left }, cause)
        },
      )
      const { status, txID } = outcome
      // Otherwise another holder of the keys was faster.
      if (status === 'accepted') txIDs.push(txID)
    }
    return { txIDs, leftBehind: left }
  }

  /** Continues a move of the store from where it stopped. */
  async complete(
    { payments, attempts }: Group,
    { wait, signal }: SendOptions,
  ): Promise<Ended<unknown>> {
    // Without `confirm`: that of SendOptions confirms transactions of the X-Chain, not moves.
    const options = { wait, signal }
    const context = await this.open(options)
    const plan = decodeNote(attempts.find(({ leg }) => leg)!.leg!.note)
    const work = new MoveWork(this.parts, plan, payments, context, options)
    return this.engine.inTurn(payments, options, () =>
      this.run({ kind: 'complete' }, payments, work, options, 'query'),
    )
  }

  /** Opens the store. What is missing because a request had failed is read again. */
  private async open(options: Waiting): Promise<NetworkContext> {
    const { state } = this.parts
    const call = state.call(options)
    const opened = await state.openPayments(call)
    const context = opened.chains.C === undefined ? await state.context(call, true) : opened
    await state.searchOthers(context)
    return context
  }

  private get own(): OwnRecipients {
    const { addresses } = this.parts.state
    const { accounts } = this.signing
    return { address: addresses[0]!, account: () => this.signing.account(), addresses, accounts }
  }
}
