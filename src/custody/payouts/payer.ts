import { equalBytes } from '../../core/base/bytes/compare.ts'
import { MAX_TX_SIZE } from '../../core/chain/x/size.ts'
import { SignError } from '../../core/sign/errors.ts'
import { isPolicyCode } from '../../core/sign/policy.ts'
import { lockChain, readNextHeight } from '../database/chain-row.ts'
import type { Queries } from '../database/database.ts'
import { type Digits, textColumn } from '../database/values.ts'
import type { Settings } from '../settings.ts'
import type { Claimer } from './claimer.ts'
import { insertDraft, type ReservedDraft, releaseDraft, reserveUTXOs } from './drafts.ts'
import { lockEvidence } from './evidence.ts'
import { type Funded, fundPayouts, type Missing } from './funding.ts'
import { applyPolicy, holdRows, lockPayouts, type TakenPayout } from './queue.ts'

/** Maximum number of payouts in a transaction, with room for inputs and change. */
export const MAX_PAYOUTS_PER_TX: number = Math.floor((MAX_TX_SIZE - 4096) / 80)

/**
 * Result of one step of the queue. `paid`: a transaction was made. `decided`: the policy held or delayed all payouts
 * that were taken; others may follow. `nothing`: there was nothing to pay, or the reservation ended. `short`: no payout
 * could be made, mostly for lack of funds.
 */
export type PayStep = 'paid' | 'decided' | 'nothing' | 'short'

/** Refusals of policies that a caller could accept; a queue has nobody who does. */
const ACCEPTABLE: ReadonlySet<string> = new Set(['UNKNOWN_ASSET', 'UNCHECKED_SUM'])

/** Whether the policy of the signer has refused a transaction, which no repetition changes. */
function isRefusal(error: unknown): error is SignError {
  return error instanceof SignError && (isPolicyCode(error.code) || ACCEPTABLE.has(error.code))
}

/** Makes payouts: takes them from the queue, asks the policy, reserves UTXOs, and leaves the rest to the claimer. */
export class Payer {
  private readonly settings: Settings
  private readonly claimer: Claimer
  private readonly signal: AbortSignal | undefined
  /** Number of payouts to make one by one, because the policy of the signer has refused them together. */
  private alone = 0

  /** @param signal - ends the waiting for the policy; the payouts then return to the queue */
  constructor(settings: Settings, claimer: Claimer, signal?: AbortSignal) {
    this.settings = settings
    this.claimer = claimer
    this.signal = signal
  }

  /**
   * Makes one transaction for the first payouts of the queue.
   *
   * @param consolidate - combines UTXOs of an asset, if a payout needs more of them than fit into a transaction;
   * returns whether it made a transaction
   */
  async step(
    consolidate: (assetID: Uint8Array) => Promise<boolean> = async () => false,
  ): Promise<PayStep> {
    const blocked: Uint8Array[] = []
    const skipped: TakenPayout[] = []
    for (;;) {
      const { policy } = this.settings
      const taken =
        policy === undefined
          ? await this.takeFunded(blocked, skipped)
          : await this.takeByPolicy(blocked, skipped)
      if (taken === undefined) return blocked.length === 0 ? 'nothing' : 'short'
      if (typeof taken === 'string') return taken
      const { funded, reserved } = taken
      if (reserved !== undefined) {
        const payments = funded.payouts.map(({ key, digest }) => ({ key, digest }))
        const options = { purpose: 'payout', areQueued: true }
        this.alone = Math.max(0, this.alone - 1)
        try {
          const isPaid = await this.claimer.claimAndIssue(reserved, payments, options)
          return isPaid ? 'paid' : 'nothing'
        } catch (error) {
          if (!isRefusal(error)) throw error
          return await this.refused(funded.payouts, error)
        }
      }
      skipped.push(...taken.waiting, ...(funded.passed ?? []))
      if (funded.unpayable !== undefined) continue
      const { scattered } = funded
      if (scattered !== undefined) {
        if (await consolidate(scattered.assetID)) return 'paid'
        const missing = [...funded.missing, scattered].filter(({ amount }) => amount > 0n)
        await this.noteMissing(this.settings.database, taken.payouts, { ...funded, missing })
      }
      if (funded.short.length === 0) continue
      // Payouts of other assets may be behind those that wait for funds.
      const before = blocked.length
      for (const assetID of funded.short)
        if (!blocked.some((one) => equalBytes(one, assetID))) blocked.push(assetID)
      if (blocked.length === before) return 'short'
    }
  }

  /**
   * Holds a payout that the policy of the signer refuses, so that the rest of the queue continues. Of several in one
   * transaction it is not known which one is refused, so they are made one by one.
   */
  private async refused(payouts: readonly TakenPayout[], { message }: SignError): Promise<PayStep> {
    this.alone = payouts.length === 1 ? this.alone : payouts.length
    if (payouts.length > 1) return 'decided'
    const { database } = this.settings
    await database.transaction(async (tx) => {
      // Another worker may have taken it since the draft was released: then that one is refused, too.
      const rows = await tx.query<{ seq: Digits }>(
        `SELECT seq FROM @.payments WHERE seq = $1 AND status = 'queued' AND draft IS NULL FOR UPDATE`,
        [payouts[0]!.seq],
      )
      const note = textColumn(`refused by the policy of the signer: ${message}`)
      await holdRows(tx, this.settings, new Map(rows.map(({ seq }) => [seq, note])))
    })
    return 'decided'
  }

  private get queueSettings(): Settings {
    const { limits } = this.settings
    return this.alone === 0
      ? this.settings
      : { ...this.settings, limits: { ...limits, maxBatch: 1 } }
  }

  /** Takes payouts and reserves their UTXOs in one transaction of the database. */
  private async takeFunded(
    blocked: readonly Uint8Array[],
    skipped: readonly TakenPayout[],
  ): Promise<Taken | undefined> {
    const { database } = this.settings
    return database.transaction(async (tx) => {
      const payouts = await lockPayouts(tx, this.queueSettings, blocked, skipped)
      return payouts.length === 0 ? undefined : this.fund(tx, payouts)
    })
  }

  /** Takes payouts, asks the policy about them, then reserves UTXOs for those that it allows. */
  private async takeByPolicy(
    blocked: readonly Uint8Array[],
    skipped: readonly TakenPayout[],
  ): Promise<Taken | PayStep | undefined> {
    const { database, policy } = this.settings
    const taken = await database.transaction(async (tx) => {
      // Under this lock drafts are numbered in the order in which they become visible.
      await lockChain(tx)
      const payouts = await lockPayouts(tx, this.queueSettings, blocked, skipped)
      if (payouts.length === 0) return undefined
      const { payable, waiting } = await lockEvidence(tx, this.settings, payouts)
      if (payable.length === 0) return unfunded(payouts, waiting)
      return { id: await this.insertDraft(tx, payable), payouts: payable }
    })
    if (taken === undefined || !('id' in taken)) return taken
    const { id } = taken
    const { signal } = this
    const deciding = applyPolicy(this.settings, policy!, { id, payouts: taken.payouts, signal })
    const allowed = await deciding.catch(async (error) => {
      await releaseDraft(database, id)
      throw error
    })
    return database.transaction(async (tx) => {
      // The reservation may have ended, or payouts may have been canceled, while the policy was asked. The claim checks
      // this again.
      const rows = await tx.query<{ seq: Digits }>(
        'SELECT seq FROM @.payments WHERE draft = $1 AND seq = ANY($2::bigint[])',
        [id, allowed.map(({ seq }) => seq)],
      )
      const seqs = new Set(rows.map(({ seq }) => seq))
      const stillReserved = allowed.filter(({ seq }) => seqs.has(seq))
      const funded = stillReserved.length > 0 ? await this.fund(tx, stillReserved, id) : undefined
      if (funded?.reserved === undefined) await releaseDraft(tx, id)
      return funded ?? (allowed.length === 0 ? 'decided' : 'nothing')
    })
  }

  /**
   * Drafts a transaction and reserves its UTXOs.
   *
   * @param draftID - of the draft that has reserved the payouts already. It is kept, because its number tells the
   * policies of other workers that these payouts were taken before theirs.
   */
  private async fund(
    tx: Queries,
    payouts: readonly TakenPayout[],
    draftID?: Digits,
  ): Promise<Taken> {
    const { payable, pinned, waiting } = await lockEvidence(tx, this.settings, payouts)
    if (payable.length === 0) return unfunded(payouts, waiting)
    const funded = await fundPayouts(tx, this.settings, payable, pinned)
    // If UTXOs have to be consolidated first, what is missing is known only after that.
    if (funded.scattered === undefined) await this.noteMissing(tx, payable, funded)
    const { draft, unpayable } = funded
    if (unpayable !== undefined) {
      const note = `cannot be paid: ${unpayable.reason}`
      await holdRows(tx, this.settings, new Map([[unpayable.payout.seq, note]]))
    }
    if (draft === undefined) return { funded, payouts: payable, waiting, reserved: undefined }
    await this.notePassed(tx, payable, funded)
    const id = draftID ?? (await this.insertDraft(tx, funded.payouts))
    if (draftID !== undefined)
      await tx.query(
        'UPDATE @.payments SET draft = NULL WHERE draft = $1 AND seq <> ALL($2::bigint[])',
        [id, funded.payouts.map(({ seq }) => seq)],
      )
    await reserveUTXOs(tx, id, draft.utxos)
    const fromHeight = (await readNextHeight(tx)) ?? 1n
    return { funded, payouts: payable, waiting, reserved: { id, draft, fromHeight } }
  }

  /** Records how much is missing at the first payout that waits for it, and clears this of all other waiting ones. */
  private async noteMissing(
    tx: Queries,
    payouts: readonly TakenPayout[],
    { missing, payouts: covered }: Funded,
  ): Promise<void> {
    if (missing.length === 0 && covered.length === payouts.length) return
    const paid = new Set(covered.map(({ seq }) => seq))
    const waiting = payouts.filter(({ seq }) => !paid.has(seq))
    const first = missing.map(({ assetID, amount, seq }): Missing & { seq: Digits } => {
      if (seq !== undefined) return { assetID, amount, seq }
      const same = waiting.find((one) => equalBytes(one.assetID, assetID))
      return { assetID, amount, seq: (same ?? waiting[0] ?? payouts[0]!).seq }
    })
    await tx.query(
      `UPDATE @.payments p SET missing = f.m, missing_asset = f.a,
         missing_since = CASE WHEN p.missing IS NULL THEN now() ELSE coalesce(p.missing_since, now()) END
       FROM unnest($1::bigint[]) AS waiting(s)
         LEFT JOIN unnest($2::bigint[], $3::numeric[], $4::bytea[]) AS f(s, m, a) ON f.s = waiting.s
       WHERE p.seq = waiting.s AND (p.missing IS DISTINCT FROM f.m)`,
      [
        waiting.map(({ seq }) => seq),
        first.map(({ seq }) => seq),
        first.map(({ amount }) => amount),
        first.map(({ assetID }) => assetID),
      ],
    )
  }

  /** Notes at payouts without funds that others are made before them. */
  private async notePassed(
    tx: Queries,
    payouts: readonly TakenPayout[],
    { payouts: covered }: Funded,
  ): Promise<void> {
    const paid = new Set(covered.map(({ seq }) => seq))
    const passed = payouts.filter(({ seq, isPassable }) => isPassable && !paid.has(seq))
    if (passed.length === 0) return
    await tx.query(
      'UPDATE @.payments SET note = $2 WHERE seq = ANY($1::bigint[]) AND note IS DISTINCT FROM $2',
      [passed.map(({ seq }) => seq), 'waits for funds; smaller payouts are made before it'],
    )
  }

  private async insertDraft(tx: Queries, payouts: readonly TakenPayout[]): Promise<Digits> {
    return insertDraft(
      tx,
      this.settings,
      'payout',
      payouts.map(({ seq }) => seq),
    )
  }
}

/** Payouts that were taken from the queue, and the draft for those that can be paid. */
type Taken = {
  readonly funded: Funded
  readonly reserved: ReservedDraft | undefined
  /** All payouts that were taken, except those that wait. */
  readonly payouts: readonly TakenPayout[]
  /** Payouts that must spend UTXOs which other transactions are spending. */
  readonly waiting: readonly TakenPayout[]
}

/** Payouts none of which can be made now: they wait or were held. */
function unfunded(payouts: readonly TakenPayout[], waiting: readonly TakenPayout[]): Taken {
  const funded = { payouts: [], draft: undefined, missing: [], short: [] }
  return { funded, payouts, waiting, reserved: undefined }
}
