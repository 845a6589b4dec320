import { AssetSums } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { FundsError } from '../../core/coins/errors.ts'
import { isPolicyCode } from '../../core/sign/policy.ts'
import { refuseDangers } from '../../core/sign/sign.ts'
import type { SumEffect } from '../../core/sign/sums.ts'
import { ignoreAvmError, ReplyError } from '../../node/errors.ts'
import { FEE_CHECK_MS } from '../machine/issuing.ts'
import { isInputNotFound, isOutdated } from '../machine/rejected.ts'
import type { Comparison } from '../machine/run.ts'
import type { Drafted, Limits, Work } from '../payments/runner.ts'
import type { Attempt, Claim, ClaimedPayment } from '../store/store.ts'
import { withinSums } from '../sums.ts'
import type { WalletState } from '../wallet-state.ts'
import type { Confirmation } from './confirmation.ts'
import { endIfImported, endIfNonceUsed } from './foreign-txs.ts'
import { encodeNote, type MoveNote } from './note.ts'
import { amountsOf, quoteImport, quoteMove } from './quote.ts'
import { missingAmong, moveError, type UnfinishedMove } from './record.ts'
import {
  type AtomicUTXO,
  type ExportOrder,
  firstExport,
  type LegDraft,
  type MoveChain,
  type Sides,
} from './side.ts'
import type { MoveOptions, MoveQuote } from './types.ts'

/** Options of a call that continues a move; `confirm` is called if less would arrive than was requested. */
export type Waiting = Pick<MoveOptions, 'wait' | 'signal' | 'confirm'>

/** How often a draft is made again because the base fee rises. Then it is issued, and replaced if it is refused. */
const MAX_REQUOTES = 3

/** What moves share in a wallet. */
export type MoveParts = {
  readonly state: WalletState
  readonly sides: Sides
  readonly confirm: Confirmation
  /** Who owns what is exported to a chain, until it is imported. */
  readonly exportOwner: (to: MoveChain) => Uint8Array
}

type Order<K extends keyof Work<unknown>> = Parameters<NonNullable<Work<unknown>[K]>>[0]

/**
 * How the machine drafts the two transactions of a move, and looks after them. Each further attempt spends an input of
 * the ones before, or uses their nonce, so at most one of them is accepted.
 */
export class MoveWork implements Work<undefined> {
  private readonly parts: MoveParts
  private readonly plan: MoveNote
  private readonly payments: readonly ClaimedPayment[]
  private readonly context: NetworkContext
  private readonly options: Waiting
  /** Exported UTXOs that were not listed when another program's import of them was searched, once per call. */
  private missing: readonly UTXOID[] | undefined
  /** The price that the compared attempt is too low for. */
  private minPrice = 0n
  /** Of the export that this call has signed. */
  quote: MoveQuote | undefined

  constructor(
    parts: MoveParts,
    plan: MoveNote,
    payments: readonly ClaimedPayment[],
    context: NetworkContext,
    options: Waiting,
  ) {
    this.parts = parts
    this.plan = plan
    this.payments = payments
    this.context = context
    this.options = options
  }

  readonly draft: Work<undefined>['draft'] = (order, limits) => {
    const isImporting = order.replaced.some(({ kind }) => kind === 'import')
    if (isImporting) return this.draftImportAgain(order, limits)
    if (order.replaced.length > 0) return this.draftExportAgain(order, limits)
    if (order.exported !== undefined) return this.draftImport(order.exported, limits)
    return this.draftExport(order, limits)
  }

  /** The export of a new move, which is confirmed. */
  private draftExport({ ended }: Order<'draft'>, limits: Limits): Promise<Drafted<undefined>> {
    return this.withCurrentFee(() => this.quoteExport(ended, limits))
  }

  /**
   * A draft that is made again, and confirmed again, if the base fee of the C-Chain rises above its own until it is signed: while
   * a user reads what to confirm, for example. What was signed before is not claimed or issued.
   */
  private async withCurrentFee(
    draft: () => Promise<Drafted<undefined>>,
  ): Promise<Drafted<undefined>> {
    let current = await draft()
    const sign: typeof current.sign = async () => {
      for (let round = 0; ; round++) {
        const signed = await current.sign()
        if (round === MAX_REQUOTES || !(await this.isTooLow(signed.claim))) return signed
        current.release()
        current = await draft()
      }
    }
    return { sign, release: () => current.release() }
  }

  /** Whether the base fee of the C-Chain is above the fee of a signed transaction. If no server answers, it is issued. */
  private async isTooLow({ bytes, leg }: Pick<Claim, 'bytes' | 'leg'>): Promise<boolean> {
    if (leg?.chain !== 'C') return false
    const call = { totalMs: FEE_CHECK_MS, signal: this.options.signal }
    const price = await this.parts.sides.C.priceAbove(bytes, call).catch(ignoreAvmError)
    return price !== undefined
  }

  private async quoteExport(
    ended: Order<'draft'>['ended'],
    limits: Limits,
  ): Promise<Drafted<undefined>> {
    const { state, sides, confirm, exportOwner } = this.parts
    const owner = exportOwner(this.plan.to)
    const { quote, draft } = await quoteMove(this.plan, sides, owner, this.context, limits, ended)
    try {
      // Without its import, an export would stay between the chains.
      const { warnings } = quote.explanations.import
      refuseDangers(
        warnings.filter(({ code }) => isPolicyCode(code)),
        {},
      )
    } catch (error) {
      draft.release()
      throw error
    }
    const effect: SumEffect = [draft.explanation, quote.explanations.import]
    const signable = this.signable('export', draft, [], effect)
    return {
      ...signable,
      sign: async () => {
        await withinSums(state, this.payments, effect)
        await confirm(quote, this.options)
        this.quote = quote
        return signable.sign()
      },
    }
  }

  /** An export with the current fee and UTXOs. */
  private async draftExportAgain({ replaced, ended }: Order<'draft'>, limits: Limits) {
    const { sides, exportOwner } = this.parts
    const { plan } = this
    const newest = replaced.findLast(({ kind }) => kind === 'export')!
    const side = sides[plan.from]
    const amounts: ExportOrder['amounts'] =
      plan.amount === 'all'
        ? 'all'
        : side.exportedBy(newest.bytes).map(({ assetID, output: { amount } }) => ({
            assetID,
            amount,
          }))
    const owner = exportOwner(plan.to)
    const order = { destinationChain: plan.to, amounts, owner, maxFee: plan.maxFee }
    const draft = await side.draftExport(order, limits, replaced, ended)
    this.requirePrice(draft)
    return this.signable('export', draft)
  }

  /** The import of what was exported. */
  private async draftImport(exported: Attempt, limits: Limits): Promise<Drafted<undefined>> {
    const utxos = this.parts.sides[this.plan.from].exportedBy(exported.bytes)
    return this.withCurrentFee(() => this.importOf(utxos, exported, false, limits))
  }

  /**
   * An import with the current fee. It spends the same UTXOs or, if this move did not export them, those that are still
   * listed.
   */
  private async draftImportAgain({ replaced, exported }: Order<'draft'>, limits: Limits) {
    const { sides } = this.parts
    const { from, to } = this.plan
    const newest = replaced.findLast(({ kind }) => kind === 'import')!
    const spent = new Set(sides[to].importedBy(newest.bytes).map(utxoKey))
    const utxos =
      exported === undefined
        ? (await sides[to].atomicUTXOs(from, limits)).utxos
        : sides[from].exportedBy(exported.bytes)
    const again = utxos.filter((utxo) => spent.has(utxoKey(utxo)))
    return this.importOf(again, exported, true, limits)
  }

  /** An import of UTXOs. If less would arrive than was requested, it is confirmed first. */
  private async importOf(
    utxos: readonly AtomicUTXO[],
    exported: Attempt | undefined,
    isAgain: boolean,
    limits: Limits,
  ): Promise<Drafted<undefined>> {
    const { sides, confirm } = this.parts
    const { plan } = this
    const { from: sourceChain, to, recipient, maxFee } = plan
    const order = { sourceChain, utxos, recipient, maxFee }
    const draft = await sides[to].draftImport(order, limits)
    if (isAgain) this.requirePrice(draft)
    const signable = this.signable('import', draft, exported?.inputs)
    return {
      ...signable,
      sign: async () => {
        if (isShort(plan, draft))
          await confirm(quoteImport(plan, amountsOf(utxos), draft, this.context), this.options)
        return signable.sign()
      },
    }
  }

  /** @throws ReplyError if a server has reported a higher price before */
  private requirePrice({ price, release }: LegDraft): void {
    if (price >= this.minPrice) return
    release()
    throw new ReplyError(
      'REPLY_MISMATCH',
      'fee',
      'price',
      `the price is ${price}, although it was at least ${this.minPrice}`,
    )
  }

  /**
   * A draft of one of the two transactions, which is claimed with the note of the move.
   *
   * @param others - inputs to claim besides those of the draft
   * @param effect - as of `withinSums`. Default: the sums of the policy are those of an earlier claim of the move
   */
  signable(
    kind: Claim['kind'],
    draft: LegDraft,
    others: readonly UTXOID[] = [],
    effect?: SumEffect,
  ): Drafted<undefined> {
    const { from, to } = this.plan
    const { nextHeight = draft.fromHeight } = this.parts.state.live
    // Blocks of the X-Chain from now on may contain an import by another holder of the keys.
    const fromHeight = kind === 'export' && to === 'X' ? nextHeight : draft.fromHeight
    const sign = async () => {
      const bytes = await draft.sign()
      const leg = {
        chain: kind === 'export' ? from : to,
        inputs: [...draft.inputs, ...others],
        note: encodeNote(this.plan),
      }
      const claim = { kind, payments: this.payments, bytes, fromHeight, leg }
      return { claim, info: undefined, effect }
    }
    return { sign, release: draft.release }
  }

  /** Whether the issued attempt pays too low a fee, or was rejected and spends UTXOs that are not listed. */
  readonly compare = async (
    { attempt, exported, rejection }: Order<'compare'>,
    limits: Limits,
  ): Promise<Comparison> => {
    const { state, sides } = this.parts
    const { from, to } = this.plan
    const attempts = state.pending.claims.attemptsFor(this.payments.map(({ key }) => key))
    const first = firstExport(attempts)
    if (rejection?.code === 'WRONG_NONCE' && first !== undefined)
      return (await endIfNonceUsed(state, sides[from], first, limits)) ? 'useless' : 'current'
    if (attempt.kind === 'import' && isInputNotFound(rejection)) {
      if (exported !== undefined) await this.issueAgain(exported, limits)
      await this.search(sides[to].importedBy(attempt.bytes), exported, limits)
    }
    const side = sides[attempt.leg?.chain ?? 'X']
    // An import of what this move has exported spends UTXOs that are known from its own bytes.
    const mayBeFalse = exported === undefined && isOutdated(rejection)
    const price = await side.priceAbove(attempt.bytes, { totalMs: FEE_CHECK_MS })
    this.minPrice = price ?? 0n
    if (price !== undefined) return 'outdated'
    return mayBeFalse && !(await side.spendsListed(attempt.bytes, limits)) ? 'outdated' : 'current'
  }

  /** Asks the destination for the exported UTXOs. */
  readonly list = async (exported: Attempt, limits: Limits): Promise<FundsError | undefined> => {
    const { sides } = this.parts
    const { from, to } = this.plan
    const { utxos } = await sides[to].atomicUTXOs(from, limits)
    const listed = new Set(utxos.map(utxoKey))
    if (sides[from].exportedBy(exported.bytes).every((utxo) => listed.has(utxoKey(utxo))))
      return undefined
    return new FundsError(
      'UTXO_NOT_FOUND',
      `the exported UTXOs are not listed on the ${to}-Chain`,
      [],
      { hint: 'the node is behind, or another holder of the keys has imported them' },
    )
  }

  readonly reissue = async (exported: Attempt, limits: Limits): Promise<void> => {
    await this.issueAgain(exported, limits)
    await this.search(this.parts.sides[this.plan.from].exportedBy(exported.bytes), exported, limits)
  }

  /**
   * Issues an export again whose UTXOs the node does not find: the server that showed it as accepted may never have
   * forwarded it. If it was accepted, this has no effect.
   */
  private async issueAgain(exported: Attempt, { totalMs, signal }: Limits): Promise<void> {
    const { state } = this.parts
    const port = state.port(exported)
    if (port === undefined) return
    await state.store.assertOwned()
    const call = { timeoutMs: Math.min(totalMs, FEE_CHECK_MS), signal }
    const servers = Array.from({ length: port.serverCount() }, (_, turn) =>
      port.issue(exported.bytes, turn, call).catch(ignoreAvmError),
    )
    await Promise.all(servers)
  }

  /** Looks for an import that another program has made of UTXOs; once per call, because it takes many requests. */
  private async search(
    utxos: readonly UTXOID[],
    exported: Attempt | undefined,
    limits: Limits,
  ): Promise<void> {
    if (this.missing !== undefined) return
    const { state, sides } = this.parts
    const { from, to } = this.plan
    this.missing = []
    this.missing = await missingAmong(utxos, sides[to], from, limits)
    await endIfImported(state, sides[to], exported, this.plan, this.missing, limits)
  }

  /** Why the move is not finished, and what is needed. */
  readonly unfinished = async (move: UnfinishedMove): Promise<unknown> => {
    const { signal } = this.options
    return moveError(move, this.parts.sides, this.context, signal, this.missing ?? [])
  }
}

/** Whether an import leaves less than the amount of its move, because its fee has risen. */
function isShort({ amount, assetID }: MoveNote, { arrives }: LegDraft): boolean {
  return amount !== 'all' && new AssetSums(arrives).get(assetID) < amount
}
