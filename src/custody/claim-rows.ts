import { utxoKey } from '../chain/ids.ts'
import type { UTXOID } from '../chain/transferables.ts'
import { hex } from '../encoding/hex.ts'
import { attemptOf, Claims, requireValidClaim } from '../store/claims.ts'
import type { Acceptance, Attempt, Claim, ClaimedHalf, ClaimedPayment } from '../store/store.ts'
import { rewind } from './chain-row.ts'
import type { Queries } from './database.ts'
import { type Bytes, bytesOf, type Digits, idColumns, keyColumn, keyOf } from './values.ts'

/** A payout fails after so many of its attempts were rejected because foreign transactions spent their inputs. */
const MAX_REJECTIONS = 5

/** Keys, transactions and inputs of a claim or an outcome. */
type Scope = {
  readonly keys?: readonly string[] | undefined
  readonly txIDs?: readonly Uint8Array[] | undefined
  readonly inputs?: readonly UTXOID[] | undefined
}

/** The claims that are relevant for a scope, and their rows. */
export type LoadedClaims = {
  readonly claims: Claims
  /** Row numbers of the pending attempts, by the hex of their transaction IDs. */
  readonly rows: ReadonlyMap<string, Digits>
  /** Pending attempts that a wallet made, unless they are for payouts of the queue. */
  readonly ofWallets: ReadonlySet<Attempt>
}

type AttemptColumns = {
  readonly seq: Digits
  readonly kind: Claim['kind']
  readonly bytes: Bytes
  readonly from_height: Digits
  readonly half: HalfColumn | null
  readonly keys: readonly string[] | null
  readonly of_wallet: boolean
}

/** A half as JSON; bytes in hex. */
type HalfColumn = {
  readonly chain: ClaimedHalf['chain']
  readonly inputs: readonly { readonly txID: string; readonly outputIndex: number }[]
  readonly note: string
}

type PaymentColumns = {
  readonly key: string
  readonly digest: Bytes
  readonly generated: boolean
  readonly outcome: 'accepted' | 'rejected' | 'canceled' | null
  readonly outcome_tx: Bytes | null
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
 * IDs or with one of the inputs, and all pending attempts for the same payments.
 */
export async function loadClaims(tx: Queries, scope: Scope): Promise<LoadedClaims> {
  const keys = (scope.keys ?? []).map(keyColumn)
  const attempts = await tx.query<AttemptColumns>(
    `WITH direct AS (
       SELECT ap.attempt FROM @.payments p JOIN @.attempt_payments ap ON ap.payment = p.seq
         WHERE p.key = ANY($1::text[])
       UNION
       SELECT i.attempt FROM @.attempt_inputs i
         JOIN unnest($2::bytea[], $3::bigint[]) AS wanted(t, o) ON i.tx_id = t AND i.output_index = o
       UNION
       SELECT seq FROM @.attempts WHERE tx_id = ANY($4::bytea[]) AND outcome IS NULL
     ), near AS (
       SELECT DISTINCT other.attempt FROM direct
         JOIN @.attempts a ON a.seq = direct.attempt AND a.outcome IS NULL
         JOIN @.attempt_payments own ON own.attempt = a.seq
         JOIN @.attempt_payments other ON other.payment = own.payment
     )
     SELECT a.seq, a.kind, a.bytes, a.from_height, a.half,
       (SELECT array_agg(p.key ORDER BY ap.position) FROM @.attempt_payments ap
          JOIN @.payments p ON p.seq = ap.payment WHERE ap.attempt = a.seq) AS keys,
       a.purpose = 'wallet' AND NOT EXISTS (SELECT FROM @.attempt_payments ap
          JOIN @.payments p ON p.seq = ap.payment WHERE ap.attempt = a.seq AND p.address IS NOT NULL) AS of_wallet
     FROM near JOIN @.attempts a ON a.seq = near.attempt AND a.outcome IS NULL ORDER BY a.seq`,
    [keys, ...idColumns(scope.inputs ?? []), scope.txIDs ?? []],
  )
  const names = new Set([...keys, ...attempts.flatMap(({ keys }) => keys ?? [])])
  const payments =
    names.size === 0
      ? []
      : await tx.query<PaymentColumns>(
          `SELECT key, digest, generated, outcome, outcome_tx FROM @.payments
           WHERE key = ANY($1::text[]) ORDER BY seq`,
          [[...names]],
        )
  return claimsFrom(attempts, payments)
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
): LoadedClaims {
  const claims = new Claims()
  for (const { key, digest, generated, outcome, outcome_tx } of payments)
    claims.payments.set(keyOf(key), {
      key: keyOf(key),
      digest: bytesOf(digest),
      generated,
      attempts: [],
      // A payout that was canceled in the queue has no transaction, so for `Claims` it has no outcome; its status alone
      // keeps it from being claimed.
      outcome:
        outcome === null || outcome_tx === null
          ? undefined
          : { status: outcome, txID: bytesOf(outcome_tx) },
    })
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

/** The attempt behind a row; its ID and inputs are derived from its bytes. */
export function attemptFrom({
  kind,
  bytes,
  from_height,
  half,
  keys,
}: Omit<AttemptColumns, 'seq' | 'of_wallet'>): Attempt {
  const payments = (keys ?? []).map((key) => ({ key: keyOf(key), digest: new Uint8Array(32) }))
  return attemptOf({
    kind,
    payments,
    bytes: bytesOf(bytes),
    fromHeight: BigInt(from_height),
    ...(half !== null && { half: halfOf(half) }),
  })
}

function halfOf({ chain, inputs, note }: HalfColumn): ClaimedHalf {
  return {
    chain,
    inputs: inputs.map(({ txID, outputIndex }) => ({ txID: hex.decode(txID), outputIndex })),
    note: hex.decode(note),
  }
}

function halfColumn({ chain, inputs, note }: ClaimedHalf): HalfColumn {
  return {
    chain,
    inputs: inputs.map(({ txID, outputIndex }) => ({ txID: hex.encode(txID), outputIndex })),
    note: hex.encode(note),
  }
}

/**
 * Records a claim in a transaction of the database, or fails without effect. Once the transaction is committed, the
 * bytes may be issued. Needs the lock of the chain's row.
 *
 * @throws StoreError as `Store.claim` does
 */
export async function recordClaim(tx: Queries, claim: Claim, notes: ClaimNotes): Promise<void> {
  requireValidClaim(claim)
  const { payments, fromHeight, kind, half } = claim
  const { txID, inputs, bytes } = attemptOf(claim)
  const keys = payments.map(({ key }) => key)
  const { claims, rows } = await loadClaims(tx, { keys, txIDs: [txID], inputs })
  await loadMoved(tx, claims, inputs)
  if (claims.check(claim) === undefined) return
  const earlier = new Set(keys.flatMap((key) => claims.payments.get(key)?.attempts ?? []))
  const spent = await tx.query<{ spent_tx: Bytes | null }>(
    `WITH paid AS (
       INSERT INTO @.payments AS p (key, digest, generated, status, pending_since)
       SELECT k, d, g, 'pending', now() FROM unnest($1::text[], $2::bytea[], $3::boolean[]) AS claimed(k, d, g)
       ON CONFLICT (key) DO UPDATE SET
         status = 'pending', draft = NULL, missing = NULL, missing_asset = NULL,
         pending_since = CASE WHEN p.status = 'pending' THEN p.pending_since ELSE now() END
       RETURNING seq, key
     ), older AS (
       -- The newest attempt for a payment is issued, the others are not.
       UPDATE @.attempts SET next_issue = 'infinity' WHERE seq = ANY($14::bigint[])
     ), attempt AS (
       INSERT INTO @.attempts (tx_id, kind, purpose, bytes, from_height, fee, half, next_issue)
       VALUES ($4, $5, $6, $7, $8, $9, $13,
         -- The wallet that moves issues its halves itself, on their chains.
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
      half === undefined ? null : JSON.stringify(halfColumn(half)),
      [...earlier].map((attempt) => rows.get(hex.encode(attempt.txID))!),
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

/** Accepted transactions, from a block or from `getTx`, as evidence for outcomes. */
export type Evidence<A extends Acceptance = Acceptance> = {
  /** In the order of the chain. */
  readonly accepted: readonly A[]
  /** Height of their block, if known. */
  readonly height?: bigint | undefined
  /**
   * Whether a transaction that is not an attempt ends the attempts that it conflicts with as rejected. If not, it is
   * skipped. Those of wallets are told apart, because only their wallet knows whether it is the same payment.
   */
  readonly isRival: (
    accepted: A,
    conflicting: readonly Attempt[],
    ofWallets: ReadonlySet<Attempt>,
  ) => boolean
  /** Whether transactions that are or conflict with a transaction of a move between chains are skipped. */
  readonly skipMoves?: boolean | undefined
}

/** Pending attempts that ended. */
export type DecidedAttempts = {
  readonly accepted: readonly Attempt[]
  readonly rejected: readonly Attempt[]
}

/** Ends the attempts that accepted transactions decide. Needs the lock of the chain's row. */
export async function recordOutcomes<A extends Acceptance>(
  tx: Queries,
  { accepted, height, isRival, skipMoves = false }: Evidence<A>,
): Promise<DecidedAttempts> {
  const decided = { accepted: [] as Attempt[], rejected: [] as Attempt[] }
  if (accepted.length === 0) return decided
  const scope = {
    txIDs: accepted.map(({ txID }) => txID),
    inputs: accepted.flatMap(({ inputs }) => inputs),
  }
  const { claims, rows, ofWallets } = await loadClaims(tx, scope)
  if (rows.size === 0) return decided
  const ended: { attempt: Attempt; isAccepted: boolean; by: Uint8Array }[] = []
  /** Keys of payments whose attempts were rejected by transactions that are not attempts. */
  const foreign = new Set<string>()
  for (const one of accepted) {
    if (!claims.isDecisive(one)) continue
    const own = claims.attempts.get(hex.encode(one.txID))
    const pending = [...claims.attempts.values()]
    const conflicting = pending.filter((attempt) => conflicts(one, attempt))
    if (skipMoves && [own, ...conflicting].some((attempt) => attempt?.half !== undefined)) continue
    if (own === undefined && !isRival(one, conflicting, ofWallets)) continue
    claims.recordAcceptance(one)
    for (const attempt of pending) {
      if (claims.attempts.has(hex.encode(attempt.txID))) continue
      ended.push({ attempt, isAccepted: attempt === own, by: one.txID })
      if (own === undefined) for (const key of attempt.keys) foreign.add(key)
    }
  }
  if (ended.length === 0) return decided
  for (const { attempt, isAccepted } of ended)
    (isAccepted ? decided.accepted : decided.rejected).push(attempt)
  const seqs = ended.map(({ attempt }) => rows.get(hex.encode(attempt.txID))!)
  await tx.query(
    `UPDATE @.attempts SET outcome = o, decided_by = b, decided_height = $4
     FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS ended(s, o, b) WHERE seq = s`,
    [
      seqs,
      ended.map(({ isAccepted }) => (isAccepted ? 'accepted' : 'rejected')),
      ended.map(({ by }) => by),
      height ?? null,
    ],
  )
  await releaseInputs(tx, seqs)
  await rememberMoved(tx, decided.accepted)
  const keys = [...new Set(ended.flatMap(({ attempt }) => attempt.keys))]
  await recordStates(tx, claims, keys, foreign)
  return decided
}

function conflicts({ inputs }: Acceptance, attempt: Attempt): boolean {
  const spent = new Set(inputs.map(utxoKey))
  return attempt.inputs.some((id) => spent.has(utxoKey(id)))
}

/** Keeps the inputs of accepted moves, which no later claim may spend. */
async function rememberMoved(tx: Queries, accepted: readonly Attempt[]): Promise<void> {
  const inputs = accepted.flatMap(({ half }) => half?.inputs ?? [])
  if (inputs.length === 0) return
  await tx.query(
    `INSERT INTO @.moved_inputs SELECT DISTINCT t, o FROM unnest($1::bytea[], $2::bigint[]) AS moved(t, o)
     ON CONFLICT DO NOTHING`,
    idColumns(inputs),
  )
}

/** Makes the inputs of attempts that have ended available, unless another pending attempt spends them. */
export async function releaseInputs(tx: Queries, seqs: readonly Digits[]): Promise<void> {
  await tx.query(
    `WITH gone AS (
       DELETE FROM @.attempt_inputs WHERE attempt = ANY($1::bigint[]) RETURNING tx_id, output_index
     )
     UPDATE @.outputs o SET claimed = false FROM gone
     WHERE o.tx_id = gone.tx_id AND o.output_index = gone.output_index AND NOT EXISTS (
       SELECT FROM @.attempt_inputs i WHERE i.tx_id = o.tx_id AND i.output_index = o.output_index
         AND i.attempt <> ALL($1::bigint[]))`,
    [seqs],
  )
}

/**
 * Writes the new status of payments. A rejected payout returns to the queue until it has failed too often.
 *
 * @param foreign - keys whose attempts were rejected by transactions that are not attempts
 */
async function recordStates(
  tx: Queries,
  claims: Claims,
  keys: readonly string[],
  foreign: ReadonlySet<string>,
): Promise<void> {
  const forgotten = keys.filter((key) => !claims.payments.has(key))
  if (forgotten.length > 0)
    await tx.query('DELETE FROM @.payments WHERE key = ANY($1::text[])', [forgotten.map(keyColumn)])
  const remaining = keys.filter((key) => claims.payments.has(key))
  // A payment of which only a cancellation is still pending has an outcome already.
  const outcomes = remaining.map((key) => claims.payments.get(key)!.outcome)
  await tx.query(
    `UPDATE @.payments p SET outcome = e.o, outcome_tx = e.t,
       rejections = rejections + e.f::int,
       status = CASE
         WHEN e.s <> 'rejected' OR p.address IS NULL THEN e.s
         WHEN p.cancel THEN 'canceled'
         WHEN p.rejections + e.f::int < ${MAX_REJECTIONS} THEN 'queued'
         ELSE 'rejected' END,
       ended_at = CASE WHEN e.s = 'pending' THEN NULL ELSE now() END,
       cancel = p.cancel AND e.s = 'pending'
     FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::boolean[]) AS e(k, o, t, s, f)
     WHERE p.key = e.k`,
    [
      remaining.map(keyColumn),
      outcomes.map((outcome) => outcome?.status ?? null),
      outcomes.map((outcome) => outcome?.txID ?? null),
      remaining.map((key) => claims.record(key).status),
      remaining.map((key) => foreign.has(key)),
    ],
  )
}
