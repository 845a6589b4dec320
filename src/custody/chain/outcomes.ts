import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { Claims } from '../../wallet/store/claims.ts'
import { spentIn } from '../../wallet/store/rivals.ts'
import type { Acceptance, Attempt } from '../../wallet/store/store.ts'
import { loadClaims } from '../database/claim-rows.ts'
import type { Queries } from '../database/database.ts'
import type { EndedRow } from '../database/ended-rows.ts'
import { type Digits, idColumns, keyColumn, utxoColumn } from '../database/values.ts'

/** A payout fails after so many of its attempts were rejected because foreign transactions spent their inputs. */
const MAX_REJECTIONS = 5

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
  /** Whether a wallet tells them, with its own outputs: these may be of addresses that are not in the tables. */
  readonly isTold?: boolean | undefined
}

/** Attempts with an outcome. */
export type DecidedAttempts = {
  readonly accepted: readonly Pick<Attempt, 'txID' | 'keys'>[]
  readonly rejected: readonly Attempt[]
}

/**
 * Ends the attempts that accepted transactions decide. An attempt that had ended and is accepted after all makes its
 * payments accepted. Needs the lock of the chain's row.
 */
export async function recordOutcomes<A extends Acceptance>(
  tx: Queries,
  { accepted, height, isRival, skipMoves = false, isTold = false }: Evidence<A>,
): Promise<DecidedAttempts> {
  const decided = { accepted: [] as Pick<Attempt, 'txID' | 'keys'>[], rejected: [] as Attempt[] }
  if (accepted.length === 0) return decided
  const inputs = accepted.flatMap((one) => one.inputs)
  const { claims, rows, ofWallets, ended } = await loadClaims(tx, {
    txIDs: accepted.flatMap(({ txID, ends = [] }) => [txID, ...ends]),
    inputs,
    shownBy: isTold ? inputs : [],
  })
  if (rows.size === 0 && ended.length === 0) return decided
  const endings: { attempt: Attempt; isAccepted: boolean; by: Uint8Array }[] = []
  const revived: EndedRow[] = []
  /** Keys of payments whose attempts were rejected by transactions that are not attempts. */
  const foreign = new Set<string>()
  for (const one of accepted) {
    if (!claims.isDecisive(one)) continue
    const own = claims.attempts.get(hex.encode(one.txID))
    const again = own === undefined ? ended.filter(({ txID }) => equalBytes(txID, one.txID)) : []
    const pending = [...claims.attempts.values()]
    const conflicting = pending.filter((attempt) => conflicts(one, attempt))
    if (skipMoves && [own, ...conflicting].some((attempt) => attempt?.leg !== undefined)) continue
    const isKnown = own !== undefined || again.length > 0
    if (!isKnown && !isRival(one, conflicting, ofWallets)) continue
    claims.recordAcceptance(one)
    revived.push(...again)
    for (const attempt of pending) {
      if (claims.attempts.has(hex.encode(attempt.txID))) continue
      endings.push({ attempt, isAccepted: attempt === own, by: one.txID })
      if (!isKnown) for (const key of attempt.keys) foreign.add(key)
    }
  }
  if (isTold) await keepEvidence(tx, claims, rows, ended)
  if (endings.length === 0 && revived.length === 0) return decided
  for (const { attempt, isAccepted } of endings)
    if (isAccepted) decided.accepted.push(attempt)
    else decided.rejected.push(attempt)
  decided.accepted.push(...revived)
  const seqs = endings.map(({ attempt }) => rows.get(hex.encode(attempt.txID))!)
  await tx.query(
    `UPDATE @.attempts SET outcome = o, decided_by = b, decided_height = $4
     FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS ended(s, o, b) WHERE seq = s`,
    [
      [...seqs, ...revived.map(({ seq }) => seq)],
      [
        ...endings.map(({ isAccepted }) => (isAccepted ? 'accepted' : 'rejected')),
        ...revived.map(() => 'accepted'),
      ],
      [...endings.map(({ by }) => by), ...revived.map(({ txID }) => txID)],
      height ?? null,
    ],
  )
  await releaseInputs(tx, seqs)
  await rememberMoved(
    tx,
    endings.flatMap(({ attempt, isAccepted }) => (isAccepted ? [attempt] : [])),
  )
  const keys = [
    ...endings.flatMap(({ attempt }) => attempt.keys),
    ...revived.flatMap((one) => one.keys),
  ]
  await recordStates(tx, claims, [...new Set(keys)], foreign)
  return decided
}

/** Keeps the outputs that a wallet has told with a transaction that ended attempts, or that spends such outputs. */
async function keepEvidence(
  tx: Queries,
  { rivals }: Claims,
  pending: ReadonlyMap<string, Digits>,
  ended: readonly EndedRow[],
): Promise<void> {
  const before = new Map(ended.map((one) => [hex.encode(one.txID), one]))
  const changed = [...rivals.ended].flatMap(
    ([
      name,
      {
        rivals: [first, ...others],
      },
    ]) => {
      const seq = before.get(name)?.seq ?? pending.get(name)
      const isChanged = others.length > 0 || before.get(name)?.evidence !== first?.evidence
      return seq !== undefined && isChanged ? [{ seq, ended: [first!, ...others] }] : []
    },
  )
  for (const { seq, ended } of changed) {
    const txs = ended.flatMap((rival) => rival.txs)
    // Those that are spent are looked for, too: another transaction may turn out to have spent them.
    const shown = [...ended.flatMap(({ evidence }) => evidence), ...spentIn(txs)]
    await tx.query('UPDATE @.attempts SET evidence = $2, evidence_txs = $3 WHERE seq = $1', [
      seq,
      shown.map(utxoColumn),
      txs,
    ])
  }
}

function conflicts({ inputs, ends = [] }: Acceptance, attempt: Attempt): boolean {
  if (ends.some((txID) => equalBytes(txID, attempt.txID))) return true
  const spent = new Set(inputs.map(utxoKey))
  return attempt.inputs.some((id) => spent.has(utxoKey(id)))
}

/** Keeps the inputs of accepted moves, which no later claim may spend. */
async function rememberMoved(tx: Queries, accepted: readonly Attempt[]): Promise<void> {
  const inputs = accepted.flatMap(({ leg }) => leg?.inputs ?? [])
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
       -- One whose ended attempt was accepted after all may be in the queue.
       draft = CASE WHEN e.s <> 'accepted' THEN p.draft END,
       note = CASE WHEN e.s <> 'accepted' OR p.status = 'pending' THEN p.note END,
       missing = CASE WHEN e.s <> 'accepted' THEN p.missing END,
       missing_asset = CASE WHEN e.s <> 'accepted' THEN p.missing_asset END,
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
