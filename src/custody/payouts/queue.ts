import { argument } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { waitFor } from '../../node/transport/time-limit.ts'
import { time } from '../arguments.ts'
import { MADE_BY } from '../chain/unknown.ts'
import { allowedByLimits, HAS_LIMITS, IS_NOT_STOPPED, limitUses } from '../control/limit-checks.ts'
import type { Database, Queries } from '../database/database.ts'
import { HAS_ENDED } from '../database/ended-rows.ts'
import { type Bytes, bytesOf, type Digits, keyOf, textColumn } from '../database/values.ts'
import type { Settings } from '../settings.ts'
import { faultOf, type PayoutRow } from './payout-content.ts'
import { type Policy, type PolicyQueries, policyDecision, type QueuedPayout } from './policy.ts'

/** A payout that a worker has taken from the queue, with its row number and content digest. */
export type TakenPayout = QueuedPayout & {
  readonly seq: Digits
  readonly digest: Uint8Array
  /** Whether it was released after the policy had held it. */
  readonly isReleased: boolean
  /** Whether an attempt for it has ended. */
  readonly hasEnded: boolean
  /** Whether it has waited for funds so long that smaller ones may be made before it. */
  readonly isPassable: boolean
}

/** The columns of a valid payout. */
type QueueColumns = {
  readonly seq: Digits
  readonly key: string
  readonly digest: Bytes
  readonly address: Bytes
  readonly asset_id: Bytes
  readonly amount: Digits
  readonly memo: Bytes
  readonly priority: number
  readonly reference: string | null
  readonly released: boolean | null
  readonly has_ended?: boolean
  readonly is_passable?: boolean | null
}

/** Columns of a {@link TakenPayout}, without `has_ended` and `is_passable`. */
export const PAYOUT_COLUMNS =
  'seq, key, digest, address, asset_id, amount, memo, priority, reference, released'

/** The payout behind a row. */
export function payoutOf(row: QueueColumns): TakenPayout {
  return {
    seq: row.seq,
    key: keyOf(row.key),
    digest: bytesOf(row.digest),
    address: bytesOf(row.address),
    assetID: bytesOf(row.asset_id),
    amount: BigInt(row.amount),
    memo: bytesOf(row.memo),
    priority: row.priority,
    reference: row.reference ?? undefined,
    isReleased: row.released === true,
    hasEnded: row.has_ended === true,
    isPassable: row.is_passable === true,
  }
}

/**
 * SQL expression: why a queued row `p` must not be paid; null if there is no reason. The database refuses such rows, but
 * somebody may have disabled its triggers.
 */
const CONTRADICTION = `CASE
  WHEN p.outcome IN ('accepted', 'canceled') THEN 'its last attempt was ' || p.outcome
  WHEN EXISTS (SELECT FROM @.attempt_payments ap JOIN @.attempts a ON a.seq = ap.attempt
    WHERE ap.payment = p.seq AND a.kind <> 'cancellation' AND a.outcome IS DISTINCT FROM 'rejected')
    THEN 'it has an attempt that did not fail'
  ELSE (SELECT 'its last event is ' || e.new_status FROM @.events e WHERE e.kind = 'payout' AND e.subject = p.seq
    AND e.seq = (SELECT max(seq) FROM @.events l WHERE l.kind = 'payout' AND l.subject = p.seq) AND e.new_status <> 'queued')
  END`

type QueuedRow = PayoutRow &
  Pick<QueueColumns, 'seq' | 'priority' | 'reference' | 'released'> & {
    readonly contradiction: string | null
    readonly made_by: Bytes | null
    readonly stopped_by: string | null
    readonly has_limits: boolean
  }

/**
 * Locks the first payouts of the queue that no other worker has, all with the same memo, because a transaction has
 * only one. Rows that are not valid payouts, contradict what is known of them, or may have been paid by a transaction that
 * is not known are held: paying one could end another payout, and one that cannot be paid
 * would block those behind it. Those that a limit stops wait, and do not block the others either.
 *
 * @param blocked - assets whose payouts are skipped
 * @param skipped - payouts that are skipped
 */
export async function lockPayouts(
  tx: Queries,
  settings: Pick<Settings, 'limits' | 'context' | 'log'>,
  blocked: readonly Uint8Array[],
  skipped: readonly TakenPayout[] = [],
): Promise<TakenPayout[]> {
  /** Assets that have been short so long that payouts of earlier batches are passed over: those of this one are, too. */
  const passable = new Set(
    skipped.filter(({ isPassable }) => isPassable).map(({ assetID }) => hex.encode(assetID)),
  )
  for (;;) {
    const rows = await tx.query<QueuedRow>(
      `SELECT ${PAYOUT_COLUMNS}, ${HAS_ENDED} AS has_ended, ${CONTRADICTION} AS contradiction,
         ${MADE_BY} AS made_by, stopped_by, ${HAS_LIMITS} AS has_limits,
         missing IS NOT NULL AND missing_since <= now() - $4 * interval '1 millisecond' AS is_passable FROM @.payments p
       WHERE status = 'queued' AND draft IS NULL AND (not_before IS NULL OR not_before <= now()) AND ${IS_NOT_STOPPED}
         AND asset_id <> ALL($2::bytea[]) AND seq <> ALL($3::bigint[])
       ORDER BY priority DESC, seq LIMIT $1 FOR UPDATE OF p SKIP LOCKED`,
      [
        settings.limits.maxBatch,
        blocked,
        skipped.map(({ seq }) => seq),
        settings.limits.passOverMs,
      ],
    )
    const faults = new Map<Digits, string>()
    for (const row of rows) {
      const fault = faultOf(row, settings.context)
      if (row.contradiction !== null) faults.set(row.seq, `contradictory row: ${row.contradiction}`)
      else if (row.made_by !== null)
        faults.set(row.seq, `may have been paid by ${formatID(bytesOf(row.made_by))}`)
      else if (fault !== undefined) faults.set(row.seq, `invalid payout: ${fault}`)
    }
    await holdRows(tx, settings, faults)
    const valid = rows
      .filter(({ seq }) => !faults.has(seq))
      .map((row) => payoutOf(row as QueueColumns))
      .map((payout) =>
        passable.has(hex.encode(payout.assetID)) ? { ...payout, isPassable: true } : payout,
      )
    const isLimited = rows.some(({ has_limits, stopped_by }) => has_limits || stopped_by !== null)
    const payouts = isLimited && valid.length > 0 ? await allowedByLimits(tx, valid) : valid
    if (payouts.length === 0 && rows.length > 0) continue
    const memo = payouts[0]?.memo
    return payouts.filter((payout) => memo !== undefined && equalBytes(payout.memo, memo))
  }
}

/** Holds payouts, given by row number, with a note each. The caller must have locked the rows. */
export async function holdRows(
  tx: Queries,
  { log }: Pick<Settings, 'log'>,
  notes: ReadonlyMap<Digits, string>,
): Promise<void> {
  if (notes.size === 0) return
  await tx.query(
    `UPDATE @.payments p SET status = 'held', note = bad.n, missing = NULL, missing_asset = NULL
     FROM unnest($1::bigint[], $2::text[]) AS bad(s, n) WHERE p.seq = bad.s`,
    [[...notes.keys()], [...notes.values()]],
  )
  const details = { payouts: notes.size, seq: [...notes.keys()].slice(0, 10) }
  await log('error', 'payout.held', [...notes.values()][0]!, details)
}

/** Payouts that were taken from the queue for a draft. */
type PayoutsOfDraft = {
  /** Number of the draft, whose row reserves the payouts. */
  readonly id: Digits
  readonly payouts: readonly TakenPayout[]
  /** Ends the waiting for the policy. */
  readonly signal: AbortSignal | undefined
}

/**
 * Asks the policy about the payouts of a draft, except those that were released after it had held them. Returns those
 * that are allowed; the others are removed from the draft.
 *
 * @throws TimeoutError if the policy takes longer than the reservation; AbortError
 */
export async function applyPolicy(
  { database, limits }: Pick<Settings, 'database' | 'limits'>,
  policy: Policy,
  { id: draft, payouts, signal }: PayoutsOfDraft,
): Promise<TakenPayout[]> {
  const allowed: TakenPayout[] = []
  const deadline = performance.now() + limits.draftMs
  for (const payout of payouts) {
    if (payout.isReleased) {
      allowed.push(payout)
      continue
    }
    const details: PolicyQueries = {
      paidTo: async (since) =>
        paidTo(database, payout, draft, argument('paidTo', since, time, 'since')),
      limits: () => limitUses(database, payout),
    }
    const deciding = (async () => policy(payout, details))()
    const totalMs = Math.max(0, Math.ceil(deadline - performance.now()))
    const decided = await waitFor('policy', deciding, { totalMs, signal })
    // If it is invalid, the payouts of the draft return to the queue.
    const decision = argument('policy', decided, policyDecision)
    if (decision.action === 'pay') {
      allowed.push(payout)
      continue
    }
    const isHeld = decision.action === 'hold'
    await database.query(
      // A time that has passed, by the clock of the database, would have the policy asked again without a pause.
      `UPDATE @.payments SET draft = NULL, note = $2, status = $3,
         not_before = CASE WHEN $3 = 'held' THEN not_before ELSE greatest($4, now() + interval '1 second') END,
         released = CASE WHEN $3 = 'held' THEN false END
       WHERE seq = $1 AND draft = $5 AND status = 'queued'`,
      [
        payout.seq,
        textColumn(decision.reason),
        isHeld ? 'held' : 'queued',
        decision.action === 'delay' ? decision.until : null,
        draft,
      ],
    )
  }
  return allowed
}

/**
 * The sum that `paidTo` of the policy's queries returns. Drafts are numbered in the order in which payouts were taken, so
 * of two workers that ask at the same time exactly one counts the payouts of the other.
 */
async function paidTo(
  database: Database,
  { seq, address, assetID }: TakenPayout,
  draft: Digits,
  since: Date,
): Promise<bigint> {
  const [row] = await database.query<{ total: Digits | null }>(
    `SELECT sum(amount) AS total FROM @.payments
     WHERE address = $1 AND asset_id = $2 AND seq <> $3 AND (
       status IN ('pending', 'accepted') AND pending_since >= $4
       OR status = 'queued' AND (draft < $5 OR draft = $5 AND seq < $3))`,
    [address, assetID, seq, since, draft],
  )
  return BigInt(row!.total ?? 0)
}
