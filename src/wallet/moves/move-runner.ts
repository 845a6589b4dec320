import { AvmError } from '../../core/base/errors.ts'
import { AssetSums } from '../../core/chain/amounts.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { FundsError } from '../../core/coins/errors.ts'
import { stopwatch } from '../../node/clock.ts'
import { AbortError, ignoreAvmError, RpcError } from '../../node/errors.ts'
import { throwIfAborted } from '../../node/transport/time-limit.ts'
import { type AttemptGroup, issuedOf } from '../payments/attempts.ts'
import type { Issuer } from '../payments/issuer.ts'
import { NOT_FOUND, OUTDATED } from '../payments/outdated.ts'
import type { Attempt, Claim, ClaimedPayment, Outcome } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import type { Confirmation } from './confirmation.ts'
import { exportedOf } from './decide.ts'
import { endIfImported, endIfNonceUsed } from './foreign-txs.ts'
import { decodeNote, encodeNote, type MoveNote } from './note.ts'
import { amountsOf, quoteImport } from './quote.ts'
import { missingAmong, moveError } from './record.ts'
import type { AtomicUTXO, ExportOrder, LegDraft, Sides } from './side.ts'
import type { MoveOptions } from './types.ts'

/** Options of a call that continues a move; `confirm` is called if less would arrive than was requested. */
export type Waiting = Pick<MoveOptions, 'wait' | 'signal' | 'confirm'>

/** How long a transaction is issued before its fee is compared with the current one. */
const FEE_CHECK_MS = 10_000

/** Time between the first two rebuilds of a call; doubles with each further one. */
const FIRST_REBUILD_MS = 1_000

/** Looks for an import that another program has made of UTXOs. */
type Search = (utxos: readonly UTXOID[], options: Waiting) => Promise<void>

/** Result of a rebuild: another attempt was claimed, none was needed or possible, or the call should end now. */
type Rebuild = 'claimed' | 'unchanged' | 'stop'

/** Pause between requests for the exported UTXOs at their destination. */
export const LISTING_MS = 500

/** How long exported UTXOs may be missing at their destination before the export is issued again; doubles each time. */
const FIRST_ISSUE_AGAIN_MS = 2_000

/**
 * Completes claimed moves: issues the export, waits until its UTXOs are listed at the destination, claims and issues
 * the import. If the fee of a chain rises meanwhile, or a transaction spends UTXOs that a server has listed falsely, it
 * claims another one. Each such attempt spends an input of the ones before, or uses their nonce, so at most one of them
 * is accepted.
 */
export class MoveRunner {
  private readonly state: WalletState
  private readonly issuer: Issuer
  private readonly sides: Sides
  private readonly confirm: Confirmation

  constructor(state: WalletState, issuer: Issuer, sides: Sides, confirm: Confirmation) {
    this.state = state
    this.issuer = issuer
    this.sides = sides
    this.confirm = confirm
  }

  /**
   * Issues, claims and waits until a move has its outcome.
   *
   * @param requested - the plan of this call, whose fee limit may differ from the recorded one. Default: the recorded
   * plan
   * @throws MoveError if there is no outcome in time, or the caller aborts
   */
  async run(
    group: AttemptGroup,
    options: Waiting,
    queryFirst: boolean,
    requested?: MoveNote,
  ): Promise<Outcome> {
    const [first] = group.attempts
    let missing: readonly UTXOID[] = []
    exportedOf(group)
    if (group.outcome === undefined && first !== undefined) {
      const plan = requested ?? decodeNote(first.leg!.note)
      // Once per call: a search takes many requests.
      let isSearched = false
      const search: Search = async (utxos, limited) => {
        if (isSearched) return
        isSearched = true
        const call = this.state.call(limited)
        missing = await missingAmong(utxos, this.sides[plan.to], plan.from, call)
        await endIfImported(this.state, this.sides[plan.to], group, plan, missing, call)
      }
      if (!hasImport(group)) {
        // In an earlier call of this wallet the export may have been accepted.
        if (group.exported === undefined)
          await this.drive(group, options, queryFirst, (limited) =>
            this.rebuildExport(group, plan, limited),
          )
        if (group.exported !== undefined) await this.claimImport(group, plan, options, search)
      }
      if (group.outcome === undefined && hasImport(group))
        await this.drive(group, options, queryFirst, (limited) =>
          this.rebuildImport(group, plan, limited, search),
        )
    }
    if (group.outcome !== undefined) return group.outcome
    const context = await this.state.context()
    // The move may end at any time, also while the node is asked.
    if (group.outcome !== undefined) return group.outcome
    const error = await moveError(group, this.sides, context, options.signal, missing)
    if (group.outcome !== undefined) return group.outcome
    throw error
  }

  /**
   * Signs one of the two transactions of a move and records it with the note of the move.
   *
   * @param others - inputs to record besides those of the draft
   */
  async claimLeg(
    kind: Claim['kind'],
    plan: MoveNote,
    payments: readonly ClaimedPayment[],
    draft: LegDraft,
    others: Attempt['inputs'],
    { signal }: Waiting,
    again = false,
  ): Promise<AttemptGroup> {
    const bytes = await draft.sign()
    throwIfAborted('wallet', signal)
    const { from, to } = plan
    const leg = {
      chain: kind === 'export' ? from : to,
      inputs: [...draft.inputs, ...others],
      note: encodeNote(plan),
    }
    // Blocks of the X-Chain from now on may contain an import by another holder of the keys.
    const { nextHeight = draft.fromHeight } = this.state.live
    const fromHeight = kind === 'export' && to === 'X' ? nextHeight : draft.fromHeight
    return this.state.claim({ kind, payments, bytes, fromHeight, leg, again })
  }

  /** Issues the newest attempt until it is decided or time is over; claims another one if it is outdated. */
  private async drive(
    group: AttemptGroup,
    options: Waiting,
    queryFirst: boolean,
    rebuild: (limited: Waiting) => Promise<Rebuild>,
  ): Promise<void> {
    const wait = this.state.wait(options.wait)
    const { timeoutMs } = wait
    const { signal } = options
    const { exported } = group
    const passed = stopwatch(this.state.clock)
    const isOver = () =>
      signal?.aborted === true || group.outcome !== undefined || group.exported !== exported
    let stopsForRejection = true
    let claims = 0
    let nextRebuildMs = 0
    // Rebuilds are rare, because a server may contradict itself without end, and every attempt stays in the store.
    const mayRebuild = () => passed() >= nextRebuildMs
    for (let round = 0; !isOver() && passed() < timeoutMs; round++) {
      await this.issuer.drive(group, {
        ...wait,
        timeoutMs: Math.min(timeoutMs - passed(), FEE_CHECK_MS),
        signal,
        queryFirst: queryFirst || round > 0,
        isStale: () => stopsForRejection && mayRebuild() && this.isRefused(group, OUTDATED),
      })
      if (isOver() || passed() >= timeoutMs) return
      if (!mayRebuild()) continue
      const result = await rebuild(withTimeLimit(options, timeoutMs - passed()))
      // For example, because `confirm` has refused: it is not called twice in one call.
      if (result === 'stop') return
      // If current fee and UTXOs do not explain the rejection, the next round must not stop for it at once.
      stopsForRejection = result === 'claimed'
      if (result === 'claimed') nextRebuildMs = passed() + FIRST_REBUILD_MS * 2 ** claims++
    }
  }

  /** Whether the node has rejected the issued attempt with one of these codes. */
  private isRefused(group: AttemptGroup, codes: readonly unknown[]): boolean {
    const { lastError } = group
    const issued = issuedOf(group)
    if (!(lastError instanceof RpcError) || issued === undefined) return false
    return codes.includes(this.state.port(issued)?.rejection(lastError, issued.bytes).code)
  }

  /** Claims an export with the current fee and UTXOs, if the newest one is outdated. */
  private async rebuildExport(
    group: AttemptGroup,
    plan: MoveNote,
    options: Waiting,
  ): Promise<Rebuild> {
    if (this.isRefused(group, ['WRONG_NONCE'])) {
      const call = this.state.call(options)
      const isUsed = await endIfNonceUsed(this.state, this.sides[plan.from], group, call)
      return isUsed ? 'stop' : 'unchanged'
    }
    return this.rebuild(group, 'export', options, async (newest, minPrice) => {
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
        if (draft.price < minPrice) return false
        await this.claimLeg('export', plan, group.payments, draft, [], options, true)
        return true
      } finally {
        draft.release()
      }
    })
  }

  /**
   * Claims an import with the current fee, if the newest one is outdated. It spends the same UTXOs or, if this move did
   * not export them, those that are still listed.
   */
  private async rebuildImport(
    group: AttemptGroup,
    plan: MoveNote,
    options: Waiting,
    search: Search,
  ): Promise<Rebuild> {
    const { exported } = group
    const issued = issuedOf(group)
    if (issued !== undefined && this.isRefused(group, NOT_FOUND)) {
      if (exported !== undefined) await this.issueAgain(exported, options)
      await search(this.sides[plan.to].importedBy(issued.bytes), options)
    }
    return this.rebuild(group, 'import', options, async (newest, minPrice) => {
      const call = this.state.call(options)
      const spent = new Set(this.sides[plan.to].importedBy(newest.bytes).map(utxoKey))
      const utxos =
        exported === undefined
          ? (await this.sides[plan.to].atomicUTXOs(plan.from, call)).utxos
          : this.sides[plan.from].exportedBy(exported.bytes)
      const again = utxos.filter((utxo) => spent.has(utxoKey(utxo)))
      return this.claimImportOf(group, plan, again, options, minPrice)
    })
  }

  /**
   * Issues an export again whose UTXOs the node does not find: the server that showed it as accepted may never have
   * forwarded it. If it was accepted, this has no effect.
   */
  private async issueAgain(exported: Attempt, options: Waiting): Promise<void> {
    const port = this.state.port(exported)
    if (port === undefined) return
    await this.state.store.assertOwned()
    const { totalMs, signal } = this.state.call(options)
    const call = { timeoutMs: Math.min(totalMs, FEE_CHECK_MS), signal }
    const servers = Array.from({ length: port.serverCount() }, (_, turn) =>
      port.issue(exported.bytes, turn, call).catch(ignoreAvmError),
    )
    await Promise.all(servers)
  }

  /**
   * Calls `claim` with the newest attempt of a kind if the issued attempt pays too low a fee, or was rejected and spends
   * UTXOs that are not listed. The issued attempt is the newest one or, for an export, its cancellation.
   *
   * @param claim - returns false without a claim if its draft is based on a price below `minPrice`: then a server has
   * contradicted itself
   */
  private async rebuild(
    group: AttemptGroup,
    kind: Claim['kind'],
    options: Waiting,
    claim: (newest: Attempt, minPrice: bigint) => Promise<boolean>,
  ): Promise<Rebuild> {
    const issued = issuedOf(group)
    const newest = group.attempts.findLast((attempt) => attempt.kind === kind)
    if (issued === undefined || newest === undefined) return 'unchanged'
    if (issued !== newest && issued.kind !== 'cancellation') return 'unchanged'
    try {
      const side = this.sides[newest.leg!.chain]
      // An import of what this move has exported spends UTXOs that are known from its own bytes.
      const mayBeFalse = group.exported === undefined && this.isRefused(group, OUTDATED)
      const price = await side.priceAbove(issued.bytes, { totalMs: FEE_CHECK_MS })
      const isOutdated =
        price !== undefined ||
        (mayBeFalse && !(await side.spendsListed(issued.bytes, this.state.call(options))))
      if (!isOutdated) return 'unchanged'
      return (await claim(newest, price ?? 0n)) ? 'claimed' : 'unchanged'
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      group.lastError = error
      return error.code === 'NOT_CONFIRMED' ? 'stop' : 'unchanged'
    }
  }

  /**
   * Claims an import of UTXOs. If less would arrive than was requested, the import is confirmed first. Returns false
   * without a claim if the price is below `minPrice`.
   */
  private async claimImportOf(
    group: AttemptGroup,
    plan: MoveNote,
    utxos: readonly AtomicUTXO[],
    options: Waiting,
    minPrice = 0n,
  ): Promise<boolean> {
    const { from: sourceChain, to, recipient, maxFee } = plan
    const order = { sourceChain, utxos, recipient, maxFee }
    const draft = await this.sides[to].draftImport(order, this.state.call(options))
    if (draft.price < minPrice) return false
    if (isShort(plan, draft)) {
      const quote = quoteImport(plan, amountsOf(utxos), draft, await this.state.context())
      await this.confirm(quote, options)
    }
    const others = group.exported?.inputs ?? []
    await this.claimLeg('import', plan, group.payments, draft, others, options)
    return true
  }

  /** Waits until the exported UTXOs are listed at their destination, then claims their import. */
  private async claimImport(
    group: AttemptGroup,
    plan: MoveNote,
    options: Waiting,
    search: Search,
  ): Promise<void> {
    const { clock } = this.state
    const utxos = this.sides[plan.from].exportedBy(group.exported!.bytes)
    const names = utxos.map(utxoKey)
    const { totalMs } = this.state.call(options)
    const passed = stopwatch(clock)
    let issueAgainMs = FIRST_ISSUE_AGAIN_MS
    while (passed() < totalMs && !options.signal?.aborted) {
      if (await this.isTakenOver(group)) return
      try {
        const limited = withTimeLimit(options, totalMs - passed())
        const { atomicUTXOs } = this.sides[plan.to]
        const { utxos: found } = await atomicUTXOs(plan.from, this.state.call(limited))
        // A block may have shown that another holder of the keys has imported them.
        if (group.outcome !== undefined) return
        const listed = new Set(found.map(utxoKey))
        if (names.every((name) => listed.has(name))) {
          await this.claimImportOf(group, plan, utxos, options)
          return
        }
        group.lastError = new FundsError(
          'UTXO_NOT_FOUND',
          `the exported UTXOs are not listed on the ${plan.to}-Chain`,
          [],
          { hint: 'the node is behind, or another holder of the keys has imported them' },
        )
        if (passed() >= issueAgainMs) {
          issueAgainMs = 2 * passed()
          await this.issueAgain(group.exported!, limited)
          await search(utxos, limited)
          if (group.outcome !== undefined) return
        }
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        group.lastError = error
        // Waiting does not help against too high a fee, a missing signer or a missing confirmation.
        if (!(error instanceof RpcError) && !isTemporary(error)) return
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
      // The outcome that the other process recorded counts, even if yet another one made the import.
      const { txID, inputs } = group.exported
      pending.endAttempts({ txID, inputs })
      this.state.live.reservations.releaseAllBut(group, group.attempts)
      if (record?.txID !== undefined && record.status !== 'unknown' && group.outcome !== undefined)
        group.outcome = { status: record.status, txID: record.txID }
      return true
    }
    await this.state.readStore()
    return hasImport(group)
  }
}

/** The same options with another time limit. */
function withTimeLimit(options: Waiting, timeoutMs: number): Waiting {
  return { ...options, wait: { ...options.wait, timeoutMs: Math.max(1, timeoutMs) } }
}

/** Whether an import leaves less than the amount of its move, because its fee has risen. */
function isShort({ amount, assetID }: MoveNote, { arrives }: LegDraft): boolean {
  return amount !== 'all' && new AssetSums(arrives).get(assetID) < amount
}

function hasImport({ attempts }: AttemptGroup): boolean {
  return attempts.some(({ kind }) => kind === 'import')
}

/** Whether waiting may help against an error. */
function isTemporary(error: AvmError): boolean {
  return !(error instanceof AbortError) && /^(HTTP|RPC|REPLY|NET|TX)_/.test(error.code)
}
