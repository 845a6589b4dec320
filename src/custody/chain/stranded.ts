import { formatID } from '../../core/base/encoding/ids.ts'
import { type Queries, type Session, transactionOn } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits } from '../database/values.ts'
import { lockAsLeader } from './apply-block.ts'
import { releaseInputs } from './outcomes.ts'

type AttemptRow = {
  readonly seq: Digits
  readonly tx_id: Bytes
  readonly payments: readonly Digits[] | null
  /** Whether it spends an output of a block that was taken back. Always false for attempts of a wallet. */
  readonly is_stranded: boolean
}

/**
 * Ends attempts that spend outputs of blocks which were taken back, and holds their payouts: such an attempt would stay
 * pending forever, because no transaction with existing inputs conflicts with it. Must be called when all blocks of the
 * true chain are applied, so that outputs which it also contains are known again.
 *
 * The transaction that created such an output may still be accepted, and then the attempt. So nothing is paid again
 * until an operator releases the payouts, and if a block contains the attempt, they are held with another note.
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
      held += await end(tx, attempts)
    }
  })
}

/** Stranded attempts for whose payments no other attempt is pending. */
async function strandedAttempts(tx: Queries): Promise<AttemptRow[]> {
  const rows = await tx.query<AttemptRow>(
    `WITH stranded AS (
       SELECT DISTINCT i.attempt FROM @.attempt_inputs i
         JOIN @.outputs o ON o.tx_id = i.tx_id AND o.output_index = i.output_index AND o.spent_tx = o.tx_id
         JOIN @.attempts a ON a.seq = i.attempt AND a.purpose <> 'wallet'
       -- Own transactions that a false block had contained are issued until they are accepted.
       WHERE NOT EXISTS (SELECT FROM @.attempts own WHERE own.tx_id = i.tx_id AND own.outcome IS NULL)
     ), near AS (
       SELECT attempt FROM stranded
       UNION
       SELECT other.attempt FROM stranded JOIN @.attempt_payments own ON own.attempt = stranded.attempt
         JOIN @.attempt_payments other ON other.payment = own.payment
     )
     SELECT a.seq, a.tx_id, a.seq IN (SELECT attempt FROM stranded) AS is_stranded,
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

/** Ends attempts as rejected and holds their payouts. Returns how many payouts are held. */
async function end(tx: Queries, attempts: readonly AttemptRow[]): Promise<number> {
  const seqs = attempts.map(({ seq }) => seq)
  await tx.query(`UPDATE @.attempts SET outcome = 'rejected' WHERE seq = ANY($1::bigint[])`, [seqs])
  await releaseInputs(tx, seqs)
  const held = await tx.query(
    `WITH ended AS (
       SELECT DISTINCT ON (ap.payment) ap.payment, t, name
       FROM unnest($1::bigint[], $2::bytea[], $3::text[]) AS given(s, t, name)
         JOIN @.attempt_payments ap ON ap.attempt = s ORDER BY ap.payment, s DESC
     ), forgotten AS (
       -- Sweeps are planned again.
       DELETE FROM @.payments WHERE generated AND address IS NULL AND seq IN (SELECT payment FROM ended)
     )
     UPDATE @.payments SET status = 'held', cancel = false, draft = NULL, outcome = 'rejected', outcome_tx = t,
       note = 'spends an output of a block that was taken back: ' || name
     FROM ended WHERE seq = payment AND status = 'pending' AND address IS NOT NULL RETURNING 1`,
    [
      seqs,
      attempts.map(({ tx_id }) => tx_id),
      attempts.map(({ tx_id }) => formatID(bytesOf(tx_id))),
    ],
  )
  return held.length
}
