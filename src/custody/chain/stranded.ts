import { formatID } from '../../core/base/encoding/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { type Queries, type Session, transactionOn } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits, idColumns } from '../database/values.ts'
import { lockAsLeader } from './apply-block.ts'
import { releaseInputs } from './outcomes.ts'

type AttemptRow = {
  readonly seq: Digits
  readonly tx_id: Bytes
  readonly payments: readonly Digits[] | null
  /** Whether it spends an output of a block that was taken back. Always false for attempts of a wallet. */
  readonly is_stranded: boolean
  /** Own transactions that created such outputs and ended. */
  readonly creators: readonly Bytes[] | null
  /** The transaction that ended each of them. */
  readonly rivals: readonly Bytes[] | null
}

/** An attempt to end, and the accepted transaction because of which it can never be accepted, if there is one. */
type StrandedAttempt = AttemptRow & { readonly rival: Bytes | null }

/**
 * Ends attempts that spend outputs of blocks which were taken back: such an attempt would stay pending forever, because no
 * transaction with existing inputs conflicts with it. Must be called when all blocks of the true chain are applied, so
 * that outputs which it also contains are known again.
 *
 * If an own transaction created such an output, and another one was accepted instead, the attempt can never be accepted,
 * and its payouts return to the queue. Otherwise the transaction that created the output may still be accepted, and then
 * the attempt: its payouts are held, and nothing is paid again until an operator releases them.
 *
 * @returns how many payouts are held
 */
export async function endStranded(session: Session, epoch: bigint): Promise<number> {
  return transactionOn(session, async (tx) => {
    await lockAsLeader(tx, epoch)
    let held = 0
    // Repeated, because attempts that spend outputs of ended attempts are stranded as well.
    for (;;) {
      const attempts = await strandedAttempts(tx)
      if (attempts.length === 0) return held
      const ended: StrandedAttempt[] = []
      for (const row of attempts) ended.push({ ...row, rival: await rivalOf(tx, row) })
      held += await end(tx, ended)
    }
  })
}

/** Stranded attempts for whose payments no other attempt is pending. */
async function strandedAttempts(tx: Queries): Promise<AttemptRow[]> {
  const rows = await tx.query<AttemptRow>(
    `WITH stranded AS (
       SELECT i.attempt, array_agg(own.bytes) FILTER (WHERE own.seq IS NOT NULL) AS creators,
         array_agg(own.decided_by) FILTER (WHERE own.seq IS NOT NULL) AS rivals FROM @.attempt_inputs i
         JOIN @.outputs o ON o.tx_id = i.tx_id AND o.output_index = i.output_index AND o.spent_tx = o.tx_id
         JOIN @.attempts a ON a.seq = i.attempt AND a.purpose <> 'wallet'
         LEFT JOIN @.attempts own ON own.tx_id = i.tx_id AND own.outcome = 'rejected' AND own.decided_by IS NOT NULL
       -- Own transactions that a false block had contained are issued until they are accepted.
       WHERE NOT EXISTS (SELECT FROM @.attempts other WHERE other.tx_id = i.tx_id AND other.outcome IS NULL)
       GROUP BY i.attempt
     ), near AS (
       SELECT attempt FROM stranded
       UNION
       SELECT other.attempt FROM stranded JOIN @.attempt_payments own ON own.attempt = stranded.attempt
         JOIN @.attempt_payments other ON other.payment = own.payment
     )
     SELECT a.seq, a.tx_id, a.seq IN (SELECT attempt FROM stranded) AS is_stranded,
       (SELECT creators FROM stranded WHERE attempt = a.seq), (SELECT rivals FROM stranded WHERE attempt = a.seq),
       (SELECT array_agg(payment) FROM @.attempt_payments WHERE attempt = a.seq) AS payments
     FROM near JOIN @.attempts a ON a.seq = near.attempt AND a.outcome IS NULL ORDER BY a.seq`,
  )
  // An attempt stays pending if another one for the same payment does, because a new attempt must conflict with both.
  let stranded = rows.filter((row) => row.is_stranded)
  for (;;) {
    const stillPending = new Set(
      rows.filter((row) => !stranded.includes(row)).flatMap(({ payments }) => payments ?? []),
    )
    const fewer = stranded.filter(
      ({ payments }) => !payments?.some((payment) => stillPending.has(payment)),
    )
    if (fewer.length === stranded.length) return stranded
    stranded = fewer
  }
}

/** An accepted transaction that spends an input of one that created an input of an attempt; null if there is none. */
async function rivalOf(tx: Queries, { creators, rivals }: AttemptRow): Promise<Bytes | null> {
  for (const [i, bytes] of (creators ?? []).entries()) {
    const { unsignedTx } = decodeTx(bytesOf(bytes))
    // Not every transaction that ended a cancellation conflicts with it.
    const [row] = await tx.query<{ spent_tx: Bytes }>(
      `SELECT spent_tx FROM @.outputs JOIN unnest($1::bytea[], $2::bigint[]) AS input(t, o)
         ON tx_id = t AND output_index = o WHERE spent_tx = $3`,
      [...idColumns(consumedUTXOs(unsignedTx)), rivals![i]],
    )
    if (row !== undefined) return row.spent_tx
  }
  return null
}

/** Ends attempts as rejected, and holds or queues their payouts. Returns how many payouts are held. */
async function end(tx: Queries, attempts: readonly StrandedAttempt[]): Promise<number> {
  const seqs = attempts.map(({ seq }) => seq)
  await tx.query(
    `UPDATE @.attempts SET outcome = 'rejected', decided_by = r
     FROM unnest($1::bigint[], $2::bytea[]) AS ended(s, r) WHERE seq = s`,
    [seqs, attempts.map(({ rival }) => rival)],
  )
  await releaseInputs(tx, seqs)
  const held = await tx.query<{ status: string }>(
    `WITH ended AS (
       -- A payout is held if one of its attempts may still be accepted.
       SELECT DISTINCT ON (ap.payment) ap.payment, t, name, r
       FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::bytea[]) AS given(s, t, name, r)
         JOIN @.attempt_payments ap ON ap.attempt = s ORDER BY ap.payment, r IS NULL DESC, s DESC
     ), forgotten AS (
       -- Sweeps are planned again.
       DELETE FROM @.payments WHERE generated AND address IS NULL AND seq IN (SELECT payment FROM ended)
     )
     UPDATE @.payments SET
       status = CASE WHEN r IS NULL THEN 'held' WHEN cancel THEN 'canceled' ELSE 'queued' END,
       cancel = false, draft = NULL, outcome = 'rejected', outcome_tx = coalesce(r, t),
       note = CASE WHEN r IS NULL THEN 'spends an output of a block that was taken back: ' || name END
     FROM ended WHERE seq = payment AND status = 'pending' AND address IS NOT NULL RETURNING status`,
    [
      seqs,
      attempts.map(({ tx_id }) => tx_id),
      attempts.map(({ tx_id }) => formatID(bytesOf(tx_id))),
      attempts.map(({ rival }) => rival),
    ],
  )
  return held.filter(({ status }) => status === 'held').length
}
