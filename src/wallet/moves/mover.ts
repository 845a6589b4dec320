import { utxoKey } from '../../chain/ids.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import { FundsError } from '../../coins/errors.ts'
import { hex } from '../../encoding/hex.ts'
import { AvmError } from '../../errors.ts'
import { stopwatch } from '../../rpc/clock.ts'
import { AbortError, RpcError } from '../../rpc/errors.ts'
import { StoreError } from '../../store/errors.ts'
import type { Attempt, Claim, ClaimedPayment } from '../../store/store.ts'
import { refuseAborted } from '../aborted.ts'
import { type AttemptGroup, issuedOf, type Outcome } from '../attempts.ts'
import type { Engine } from '../engine.ts'
import { WalletError } from '../errors.ts'
import type { SendOptions } from '../options.ts'
import { canceledError, rejectedError } from '../payment-errors.ts'
import { claimedPayments } from '../payment-keys.ts'
import type { WalletState } from '../wallet-state.ts'
import { exportedOf, isClaimed } from './decide.ts'
import { decodeNote, encodeNote, type MoveNote } from './note.ts'
import { contentOf, planOf } from './plan.ts'
import { type QuotedExport, quoteMove } from './quote.ts'
import { moveError } from './record.ts'
import type { AtomicUTXO, ExportOrder, HalfDraft, MoveChain, Side } from './side.ts'
import type { HalfSigning } from './signing.ts'
import type {
  ImportStrayCall,
  MoveCall,
  MoveOptions,
  MoveQuote,
  MoveReceipt,
  StrayResult,
} from './types.ts'

/** The three chains of a wallet. */
export type Sides = { readonly [chain in MoveChain]: Side }

/** How long to wait. */
type Waiting = Pick<SendOptions, 'wait' | 'signal'>

/** How long a half is issued before its fee is compared with what the chain asks for. */
const FEE_CHECK_MS = 10_000
/** Pause between two looks for the exported UTXOs at their destination. */
const LISTING_MS = 500

/**
 * Moves funds between chains with the payment engine: one payment whose attempts are an export and the import of what
 * it exported.
 *
 * ```
 *   claim export ─► issue ─► accepted ─► listed at the destination ─► claim import ─► issue ─► accepted
 * ```
 *
 * The payment is pending from the first claim until the import is accepted, and until then the store holds the bytes
 * of both halves and a note of what is to be done. So any process with the store can go on from any point. Every
 * further attempt for a half spends the inputs of the one before, or its nonce: at most one of them is accepted.
 */
export class Mover {
  private readonly state: WalletState
  private readonly engine: Engine
  private readonly sides: Sides
  private readonly signing: HalfSigning
  private readonly confirm: MoveOptions['confirm']

  constructor(
    parts: { readonly state: WalletState; readonly engine: Engine; readonly sides: Sides },
    signing: HalfSigning,
    confirm: MoveOptions['confirm'],
  ) {
    this.state = parts.state
    this.engine = parts.engine
    this.sides = parts.sides
    this.signing = signing
    this.confirm = confirm
  }

  /** What a move would cost and do. Nothing is reserved. */
  async quote(call: MoveCall, options: MoveOptions = {}): Promise<MoveQuote> {
    const context = await this.open(options)
    const { quote, draft } = await this.draft(this.plan(call, context), context, options)
    draft.release()
    return quote
  }

  /** Makes a move, or goes on with the one that was begun under the same key. */
  async move(call: MoveCall, options: MoveOptions = {}): Promise<MoveReceipt> {
    const context = await this.open(options)
    const plan = this.plan(call, context)
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
    const { maxRebuilds = 3 } = this.state.options
    for (let rebuilds = 0; ; ) {
      const standing = await this.engine.standing(payments)
      if (standing?.txID !== undefined) return { txID: standing.txID }
      const begun =
        standing === undefined ? await this.begin(plan, payments, context, options) : undefined
      const group = standing?.group ?? begun?.group
      // Another process has claimed the key meanwhile.
      if (group === undefined) continue
      const exports = group.attempts.filter(({ kind }) => kind === 'export')
      const outcome = await this.advance(group, options, begun === undefined, plan)
      if (outcome.status === 'accepted')
        return {
          txID: outcome.txID,
          exportTxID: (group.exported ?? exports.at(-1))?.txID,
          quote: begun?.quote,
        }
      if (outcome.status === 'canceled') throw canceledError(group, outcome)
      if (rebuilds++ >= maxRebuilds) throw rejectedError(group, outcome)
    }
  }

  /** Imports UTXOs that no move of this store is about to import, in as few transactions as fit. */
  async importStray(call: ImportStrayCall, options: MoveOptions = {}): Promise<StrayResult> {
    const limits = this.state.call(options)
    const context = await this.open(options)
    await this.state.readStore()
    const { sourceChain: from, destinationChain: to, recipient, maxFee } = call
    const plan = this.plan({ from, to, amount: 'all', recipient, maxFee }, context)
    const side = this.sides[to]
    const listed = await side.atomicUTXOs(from, limits)
    const exports = this.state.pending.groups.flatMap(({ attempts }) =>
      attempts.filter(({ kind }) => kind === 'export').map(({ txID }) => hex.encode(txID)),
    )
    const utxos = listed.filter(
      (utxo) => !isClaimed(this.state.pending, utxo) && !exports.includes(hex.encode(utxo.txID)),
    )
    const order = { sourceChain: from, utxos, recipient: plan.recipient, maxFee: plan.maxFee }
    const { drafts, leftBehind } = await side.planImports(order, limits)
    const txIDs: Uint8Array[] = []
    for (const draft of drafts) {
      const parts = draft.inputs.map(utxoKey)
      const payments = claimedPayments({}, [{ kind: 'import', parts }], context)
      const group = await this.claimHalf('import', plan, payments, draft, [], options)
      txIDs.push((await this.advance(group, options, false)).txID)
    }
    return { txIDs, leftBehind }
  }

  /** Goes on with a move of the store, from wherever it stopped. */
  async complete(group: AttemptGroup, options: Waiting): Promise<Outcome> {
    await this.open(options)
    return this.engine.inTurn(group.payments, options, () => this.advance(group, options, true))
  }

  /**
   * Brings a claimed move to its end.
   *
   * @param given - with the ceiling of this call, which may be higher than the one that was recorded
   */
  async advance(
    group: AttemptGroup,
    options: Waiting,
    lookFirst: boolean,
    given?: MoveNote,
  ): Promise<Outcome> {
    const [first] = group.attempts
    exportedOf(group)
    if (group.outcome === undefined && first !== undefined) {
      const plan = given ?? decodeNote(first.half!.note)
      if (!hasImport(group)) {
        await this.drive(group, options, lookFirst, () => this.rebuildExport(group, plan, options))
        if (group.exported !== undefined) await this.claimImport(group, plan, options)
      }
      if (group.outcome === undefined && hasImport(group))
        await this.drive(group, options, lookFirst, () => this.rebuildImport(group, plan, options))
    }
    // Asked for before the last look at the outcome: the move may end meanwhile.
    const context = await this.state.context()
    if (group.outcome !== undefined) return group.outcome
    throw moveError(group, this.sides, context, options.signal)
  }

  /** Opens the store. A context in which a failed request left out the C-Chain is read again. */
  private async open(options: Waiting): Promise<NetworkContext> {
    const call = this.state.call(options)
    const context = await this.state.open(call)
    return context.chains.C === undefined ? this.state.context(call, true) : context
  }

  private plan(call: MoveCall, context: NetworkContext): MoveNote {
    const { addresses } = this.state
    const { accounts } = this.signing
    const account = () => this.signing.account()
    return planOf(call, context, { address: addresses[0]!, account, addresses, accounts })
  }

  private draft(
    plan: MoveNote,
    context: NetworkContext,
    options: MoveOptions,
  ): Promise<QuotedExport> {
    const [owner] = this.state.addresses
    return quoteMove(plan, this.sides, owner!, context, this.state.call(options))
  }

  /** Drafts, confirms, signs and claims the export. Undefined if another process claimed the key first. */
  private async begin(
    plan: MoveNote,
    payments: readonly ClaimedPayment[],
    context: NetworkContext,
    options: MoveOptions,
  ): Promise<{ readonly group: AttemptGroup; readonly quote: MoveQuote } | undefined> {
    const { clock } = this.state
    const passed = stopwatch(clock)
    for (;;) {
      const { quote, draft } = await this.draft(plan, context, options)
      try {
        await this.requireConfirmed(quote, options)
        const group = await this.claimHalf('export', plan, payments, draft, [], options)
        return { group, quote }
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        if (error.code === 'KEY_ACCEPTED') return undefined
        if (error.code !== 'INPUT_CLAIMED' && error.code !== 'KEY_PENDING') throw error
        draft.release()
        await this.state.readStore()
        if (error.code === 'KEY_PENDING') return undefined
        if (passed() >= this.state.call(options).totalMs) throw error
        // A node that is behind offers the nonce of an earlier export again.
        await clock.sleep(LISTING_MS, options.signal)
      } finally {
        draft.release()
      }
    }
  }

  private async requireConfirmed(quote: MoveQuote, options: MoveOptions): Promise<void> {
    const confirm = options.confirm ?? this.confirm
    if (confirm === undefined && this.state.options.confirm !== undefined)
      throw new WalletError('NOT_CONFIRMED', 'the wallet has no confirmation for moves', {
        hint: 'give confirmMove beside confirm, or confirm with the call',
      })
    if (confirm !== undefined && !(await confirm(quote)))
      throw new WalletError('NOT_CONFIRMED', 'the move was not confirmed')
  }

  /** Signs a half and records it with the note of the move. */
  async claimHalf(
    kind: Claim['kind'],
    plan: MoveNote,
    payments: readonly ClaimedPayment[],
    draft: HalfDraft,
    others: Attempt['inputs'],
    { signal }: Waiting,
  ): Promise<AttemptGroup> {
    const bytes = await draft.sign()
    refuseAborted(signal)
    const half = {
      chain: kind === 'export' ? plan.from : plan.to,
      inputs: [...draft.inputs, ...others],
      note: encodeNote(plan),
    }
    return this.state.claim({ kind, payments, bytes, fromHeight: draft.fromHeight, half })
  }

  /** Issues the newest attempt until the stage ends or time is over; claims another one if the fee has risen. */
  private async drive(
    group: AttemptGroup,
    options: Waiting,
    lookFirst: boolean,
    rebuild: () => Promise<boolean>,
  ): Promise<void> {
    const wait = { ...this.state.options.wait, ...options.wait }
    const { timeoutMs = 60_000 } = wait
    const { signal } = options
    const { exported } = group
    const passed = stopwatch(this.state.clock)
    const isOver = () =>
      signal?.aborted === true || group.outcome !== undefined || group.exported !== exported
    let stopsForFee = true
    for (let round = 0; !isOver() && passed() < timeoutMs; round++) {
      await this.engine.issuer.drive(group, {
        ...wait,
        timeoutMs: Math.min(timeoutMs - passed(), FEE_CHECK_MS),
        signal,
        lookFirst: lookFirst || round > 0,
        isStale: () => stopsForFee && this.isFeeRefused(group),
      })
      if (isOver() || passed() >= timeoutMs) return
      // A rejection that the fee does not explain is no reason to ask again at once.
      stopsForFee = await rebuild()
    }
  }

  private isFeeRefused(group: AttemptGroup): boolean {
    const { lastError } = group
    const issued = issuedOf(group)
    if (!(lastError instanceof RpcError) || issued === undefined) return false
    const rejection = this.state.port(issued)?.rejection(lastError, issued.bytes)
    return rejection?.code === 'INSUFFICIENT_FUNDS'
  }

  /** Claims an export that pays what the chain asks for now, if the newest one pays less. */
  private async rebuildExport(
    group: AttemptGroup,
    plan: MoveNote,
    options: Waiting,
  ): Promise<boolean> {
    return this.rebuild(group, 'export', async (newest) => {
      const side = this.sides[plan.from]
      const amounts: ExportOrder['amounts'] =
        plan.amount === 'all'
          ? 'all'
          : side.exportedBy(newest.bytes).map(({ assetID, output: { amount } }) => ({
              assetID,
              amount,
            }))
      const [owner] = this.state.addresses
      const order = { destinationChain: plan.to, amounts, owner: owner!, maxFee: plan.maxFee }
      const draft = await side.draftExport(order, this.state.call(options), group)
      try {
        await this.claimHalf('export', plan, group.payments, draft, [], options)
      } finally {
        draft.release()
      }
    })
  }

  private async rebuildImport(
    group: AttemptGroup,
    plan: MoveNote,
    options: Waiting,
  ): Promise<boolean> {
    return this.rebuild(group, 'import', async (newest) => {
      const { exported } = group
      const call = this.state.call(options)
      const spent = new Set(this.sides[plan.to].importedBy(newest.bytes).map(utxoKey))
      const utxos =
        exported === undefined
          ? await this.sides[plan.to].atomicUTXOs(plan.from, call)
          : this.sides[plan.from].exportedBy(exported.bytes)
      await this.importOf(
        group,
        plan,
        utxos.filter((utxo) => spent.has(utxoKey(utxo))),
        options,
      )
    })
  }

  /**
   * Runs `claim` with the newest attempt of a kind if what is issued now pays too little: that attempt or, for an export,
   * its cancellation. Tells whether there is a new attempt.
   */
  private async rebuild(
    group: AttemptGroup,
    kind: Claim['kind'],
    claim: (newest: Attempt) => Promise<void>,
  ): Promise<boolean> {
    const issued = issuedOf(group)
    const newest = group.attempts.findLast((attempt) => attempt.kind === kind)
    if (issued === undefined || newest === undefined) return false
    if (issued !== newest && issued.kind !== 'cancellation') return false
    try {
      const side = this.sides[newest.half!.chain]
      if (!(await side.isUnderpaid(issued.bytes, { totalMs: FEE_CHECK_MS }))) return false
      await claim(newest)
      return true
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      group.lastError = error
      return false
    }
  }

  private async importOf(
    group: AttemptGroup,
    plan: MoveNote,
    utxos: readonly AtomicUTXO[],
    options: Waiting,
  ): Promise<void> {
    const { from: sourceChain, to, recipient, maxFee } = plan
    const order = { sourceChain, utxos, recipient, maxFee }
    const draft = await this.sides[to].draftImport(order, this.state.call(options))
    const others = group.exported?.inputs ?? []
    await this.claimHalf('import', plan, group.payments, draft, others, options)
  }

  /** Waits until the exported UTXOs are listed at their destination, then claims their import. */
  private async claimImport(group: AttemptGroup, plan: MoveNote, options: Waiting): Promise<void> {
    const { clock } = this.state
    const utxos = this.sides[plan.from].exportedBy(group.exported!.bytes)
    const names = utxos.map(utxoKey)
    const { totalMs } = this.state.call(options)
    const passed = stopwatch(clock)
    while (passed() < totalMs && !options.signal?.aborted) {
      if (await this.isTakenOver(group)) return
      try {
        const call = this.state.call(options)
        const found = await this.sides[plan.to].atomicUTXOs(plan.from, call)
        const listed = new Set(found.map(utxoKey))
        if (names.every((name) => listed.has(name))) {
          await this.importOf(group, plan, utxos, options)
          return
        }
        group.lastError = new FundsError(
          'COIN_NOT_FOUND',
          `the exported UTXOs are not listed on the ${plan.to}-Chain`,
          [],
          { hint: 'the node is behind, or another holder of the keys has imported them' },
        )
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        group.lastError = error
        // A wrong fee, a missing signer or a confirmation is nothing that passes with time.
        if (!(error instanceof RpcError) && !isPassing(error)) return
      }
      try {
        await clock.sleep(LISTING_MS, options.signal)
      } catch (error) {
        if (!options.signal?.aborted) throw error
      }
    }
  }

  /** Whether another process has claimed the import, or has finished the move. */
  private async isTakenOver(group: AttemptGroup): Promise<boolean> {
    const { pending, store } = this.state
    const [record] = await store.payments(group.payments.map(({ key }) => key))
    if (record?.status !== 'pending' && group.exported !== undefined) {
      // What the other process recorded is the end of the move, whoever imported.
      const { txID, inputs } = group.exported
      pending.settle({ txID, inputs })
      this.state.live.releaseAllBut(group, group.attempts)
      if (record?.txID !== undefined && group.outcome !== undefined)
        group.outcome = { status: 'accepted', txID: record.txID }
      return true
    }
    await this.state.readStore()
    return hasImport(group)
  }
}

function hasImport({ attempts }: AttemptGroup): boolean {
  return attempts.some(({ kind }) => kind === 'import')
}

/** Whether an error may pass without anybody doing anything. */
function isPassing(error: AvmError): boolean {
  return !(error instanceof AbortError) && /^(HTTP|RPC|REPLY|NET|TX)_/.test(error.code)
}
