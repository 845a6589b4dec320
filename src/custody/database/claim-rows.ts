import { hex } from '../../core/base/encoding/hex.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { attemptOf, requireValidClaim } from '../../wallet/store/attempt.ts'
import { Claims } from '../../wallet/store/claims.ts'
import type { Attempt, Claim, ClaimedPayment } from '../../wallet/store/store.ts'
import { type AttemptColumns, attemptFrom, KEYS_OF_ATTEMPT, legColumn } from './attempt-rows.ts'
import { rewind } from './chain-row.ts'
import { CONTENT_COLUMNS, type ContentColumns, contentFrom } from './content-columns.ts'
import type { Queries } from './database.ts'
import { addEnded, type EndedRow, HAS_ENDED, loadEnded } from './ended-rows.ts'
import {
  type Bytes,
  bytesOf,
  type Digits,
  idColumns,
  keyColumn,
  keyOf,
  utxoColumn,
} from './values.ts'

/** Keys, transactions and inputs of a claim or an outcome. */
type Scope = {
  readonly keys?: readonly string[] | undefined
  readonly txIDs?: readonly Uint8Array[] | undefined
  readonly inputs?: readonly UTXOID[] | undefined
  /** Inputs of transactions of which a wallet tells its own outputs. */
  readonly shownBy?: readonly UTXOID[] | undefined
}

/** The claims that are relevant for a scope, and their rows. */
export type LoadedClaims = {
  readonly claims: Claims
  /** Row numbers of the pending attempts, by the hex of their transaction IDs. */
  readonly rows: ReadonlyMap<string, Digits>
  /** Pending attempts that a wallet made, unless they are for payouts of the queue. */
  readonly ofWallets: ReadonlySet<Attempt>
  /** Attempts that ended, for payments that are not accepted, or with one of the transaction IDs. */
  readonly ended: readonly EndedRow[]
}

type PaymentColumns = ContentColumns & {
  readonly key: string
  readonly digest: Bytes
  readonly generated: boolean
  readonly outcome: 'accepted' | 'rejected' | 'canceled' | null
  readonly outcome_tx: Bytes | null
  readonly has_ended: boolean
}

/** What custody records with a claim. */
export type ClaimNotes = {
  /** `payout`, `sweep`, `cancellation`, `wallet` … */
  readonly purpose: string
  /** In nAVAX. */
  readonly fee: bigint
  /** Milliseconds after which workers issue the attempt again if it is still pending. */
  readonly resendMs: number
}

/**
 * Loads into a `Claims`, which checks the rules, the payments of the keys, the pending attempts with the transaction
 * IDs or with one of the inputs, and all pending attempts for the same payments. With them the attempts that ended, which
 * further ones need evidence of.
 */
export async function loadClaims(tx: Queries, scope: Scope): Promise<LoadedClaims> {
  const keys = (scope.keys ?? []).map(keyColumn)
  const txIDs = scope.txIDs ?? []
  const shownBy = (scope.shownBy ?? []).map(utxoColumn)
  const found = await tx.query<AttemptColumns & { readonly has_ended: boolean }>(
    `WITH direct AS (
       SELECT ap.attempt FROM @.payments p JOIN @.attempt_payments ap ON ap.payment = p.seq
         WHERE p.key = ANY($1::text[])
       UNION
       SELECT i.attempt FROM @.attempt_inputs i
         JOIN unnest($2::bytea[], $3::bigint[]) AS input(t, o) ON i.tx_id = t AND i.output_index = o
       UNION
       SELECT seq FROM @.attempts WHERE tx_id = ANY($4::bytea[])
     ), shown AS (
       SELECT seq AS attempt FROM @.attempts
         WHERE tx_id = ANY($4::bytea[]) AND outcome = 'rejected' AND kind <> 'cancellation'
       UNION
       SELECT seq FROM @.attempts WHERE evidence && $5::bytea[] AND outcome = 'rejected'
     ), near AS (
       SELECT DISTINCT other.attempt FROM (
           SELECT direct.attempt FROM direct JOIN @.attempts a ON a.seq = direct.attempt AND a.outcome IS NULL
           UNION
           -- One that ended may be accepted after all, which decides those that are pending.
           SELECT attempt FROM shown
         ) AS mine
         JOIN @.attempt_payments own ON own.attempt = mine.attempt
         JOIN @.attempt_payments other ON other.payment = own.payment
     ), wanted AS (
       SELECT near.attempt FROM near JOIN @.attempts a ON a.seq = near.attempt AND a.outcome IS NULL
       UNION
       SELECT attempt FROM shown
     )
     SELECT a.seq, a.kind, a.bytes, a.from_height, a.leg, ${KEYS_OF_ATTEMPT} AS keys, a.outcome IS NOT NULL AS has_ended,
       a.purpose = 'wallet' AND NOT EXISTS (SELECT FROM @.attempt_payments ap
          JOIN @.payments p ON p.seq = ap.payment WHERE ap.attempt = a.seq AND p.address IS NOT NULL) AS of_wallet
     FROM wanted JOIN @.attempts a ON a.seq = wanted.attempt ORDER BY a.seq`,
    [keys, ...idColumns(scope.inputs ?? []), txIDs, shownBy],
  )
  const names = new Set([...keys, ...found.flatMap(({ keys }) => keys ?? [])])
  const payments =
    names.size === 0
      ? []
      : await tx.query<PaymentColumns>(
          `SELECT key, digest, generated, outcome, outcome_tx, ${HAS_ENDED} AS has_ended, ${CONTENT_COLUMNS}
           FROM @.payments p WHERE key = ANY($1::text[]) ORDER BY seq`,
          [[...names]],
        )
  const pending = found.filter((row) => !row.has_ended)
  const loaded = claimsFrom(pending, payments)
  const repeated = payments.filter((row) => row.has_ended).map(({ key }) => key)
  if (repeated.length === 0 && pending.length === found.length) return { ...loaded, ended: [] }
  const ended = await loadEnded(tx, { keys: repeated, txIDs, shownBy })
  addEnded(loaded.claims, ended)
  return { ...loaded, ended }
}

/** Marks those of the inputs as spent that completed moves have spent. */
async function loadMoved(tx: Queries, claims: Claims, inputs: readonly UTXOID[]): Promise<void> {
  const moved = await tx.query<{ tx_id: Bytes; output_index: Digits }>(
    `SELECT tx_id, output_index FROM @.moved_inputs
     JOIN unnest($1::bytea[], $2::bigint[]) AS wanted(t, o) ON tx_id = t AND output_index = o`,
    idColumns(inputs),
  )
  for (const { tx_id, output_index } of moved)
    claims.rememberSpent({ txID: bytesOf(tx_id), outputIndex: Number(output_index) })
}

function claimsFrom(
  attempts: readonly AttemptColumns[],
  payments: readonly PaymentColumns[],
): Omit<LoadedClaims, 'ended'> {
  const claims = new Claims()
  for (const row of payments) {
    const { key, digest, generated, outcome, outcome_tx } = row
    claims.payments.set(keyOf(key), {
      key: keyOf(key),
      digest: bytesOf(digest),
      generated,
      content: contentFrom(row),
      attempts: [],
      // A payout that was canceled in the queue has no transaction, so for `Claims` it has no outcome; its status alone
      // keeps it from being claimed.
      outcome:
        outcome === null || outcome_tx === null
          ? undefined
          : { status: outcome, txID: bytesOf(outcome_tx) },
    })
  }
  const rows = new Map<string, Digits>()
  const ofWallets = new Set<Attempt>()
  for (const row of attempts) {
    const attempt = attemptFrom(row)
    const claimed = attempt.keys.flatMap((key): ClaimedPayment[] => {
      const payment = claims.payments.get(key)
      return payment === undefined ? [] : [payment]
    })
    claims.add(attempt, claimed)
    rows.set(hex.encode(attempt.txID), row.seq)
    if (row.of_wallet) ofWallets.add(attempt)
  }
  return { claims, rows, ofWallets }
}

/**
 * Records a claim in a transaction of the database, or fails without effect. Once the transaction is committed, the
 * bytes may be issued. Needs the lock of the chain's row.
 *
 * @throws StoreError as `Store.claim` does
 */
export async function recordClaim(tx: Queries, claim: Claim, notes: ClaimNotes): Promise<void> {
  requireValidClaim(claim)
  const { payments, fromHeight, kind, leg } = claim
  const { txID, inputs, bytes } = attemptOf(claim)
  const keys = payments.map(({ key }) => key)
  const { claims, rows } = await loadClaims(tx, { keys, txIDs: [txID], inputs })
  await loadMoved(tx, claims, inputs)
  if (claims.check(claim) === undefined) return
  const earlier = new Set(keys.flatMap((key) => claims.payments.get(key)?.attempts ?? []))
  const spent = await tx.query<{ spent_tx: Bytes | null }>(
    `WITH paid AS (
       INSERT INTO @.payments AS p (key, digest, generated, content, status, pending_since)
       SELECT k, d, g, c, 'pending', now()
       FROM unnest($1::text[], $2::bytea[], $3::boolean[], $15::bytea[]) AS claimed(k, d, g, c)
       ON CONFLICT (key) DO UPDATE SET
         content = coalesce(p.content, CASE WHEN p.address IS NULL THEN excluded.content END),
         status = 'pending', draft = NULL, missing = NULL, missing_asset = NULL,
         note = CASE WHEN p.stopped_by IS NULL THEN p.note END,
         stopped_by = NULL, stopped_until = NULL, recheck_at = NULL,
         pending_since = CASE WHEN p.status = 'pending' THEN p.pending_since ELSE now() END
       RETURNING seq, key
     ), older AS (
       -- The newest attempt for a payment is issued, the others are not.
       UPDATE @.attempts SET next_issue = 'infinity' WHERE seq = ANY($14::bigint[])
     ), attempt AS (
       INSERT INTO @.attempts (tx_id, kind, purpose, bytes, from_height, fee, leg, next_issue)
       VALUES ($4, $5, $6, $7, $8, $9, $13,
         -- The wallet that moves issues its legs itself, on their chains.
         CASE WHEN $13::jsonb IS NULL THEN now() + $12 * interval '1 millisecond' ELSE 'infinity' END)
       RETURNING seq
     ), linked AS (
       INSERT INTO @.attempt_payments (attempt, position, payment)
       SELECT attempt.seq, n, paid.seq
       FROM attempt, unnest($1::text[]) WITH ORDINALITY AS claimed(k, n) JOIN paid ON paid.key = k
     ), taken AS (
       INSERT INTO @.attempt_inputs (tx_id, output_index, attempt)
       SELECT t, o, attempt.seq FROM attempt, unnest($10::bytea[], $11::bigint[]) AS input(t, o)
     )
     UPDATE @.outputs SET claimed = true, draft = NULL
     FROM unnest($10::bytea[], $11::bigint[]) AS input(t, o)
     WHERE tx_id = t AND output_index = o RETURNING spent_tx`,
    [
      keys.map(keyColumn),
      payments.map(({ digest }) => digest),
      payments.map(({ generated = false }) => generated),
      txID,
      kind,
      notes.purpose,
      bytes,
      fromHeight,
      notes.fee,
      ...idColumns(inputs),
      notes.resendMs,
      leg === undefined ? null : JSON.stringify(legColumn(leg)),
      [...earlier].map((attempt) => rows.get(hex.encode(attempt.txID))!),
      payments.map(({ content }) => content ?? null),
    ],
  )
  // The block that decides the attempt may have been applied before the attempt was known.
  if (spent.some(({ spent_tx }) => spent_tx !== null)) await rewind(tx, fromHeight)
}

/** Whether an attempt has no outcome. Decisive only under the lock of the chain's row. */
export async function isPendingAttempt(tx: Queries, seq: Digits): Promise<boolean> {
  const rows = await tx.query('SELECT FROM @.attempts WHERE seq = $1 AND outcome IS NULL', [seq])
  return rows.length > 0
}
