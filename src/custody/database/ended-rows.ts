import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Claims } from '../../wallet/store/claims.ts'
import { type Rival, spentIn } from '../../wallet/store/rivals.ts'
import type { EndedAttempt } from '../../wallet/store/store.ts'
import { type AttemptColumns, attemptFrom, KEYS_OF_ATTEMPT } from './attempt-rows.ts'
import type { Queries } from './database.ts'
import { type Bytes, bytesOf, type Digits, idColumns, utxoIDOf } from './values.ts'

/** Number of own transactions, each spending an output of the one before, through which evidence is followed. */
const MAX_DESCENDANTS = 16

/** Number of attempts, the newest ones, that a wallet is told of when it opens the store. */
const MAX_ENDED = 1_000

/** An attempt that ended, with its row number. */
export type EndedRow = EndedAttempt & {
  readonly seq: Digits
  /** Undefined if it spends an output of a block that was taken back. */
  readonly decidedBy: Uint8Array | undefined
}

type EndedColumns = Omit<AttemptColumns, 'of_wallet'> & {
  readonly decided_by: Bytes | null
  readonly evidence: readonly Bytes[] | null
  readonly evidence_txs: readonly Bytes[] | null
}

/** Selects ended attempts. */
type EndedScope = {
  /** Columns of the keys of payments. Those of accepted payments are left out. */
  readonly keys?: readonly string[] | undefined
  /** Transaction IDs of attempts, whatever their payments are. */
  readonly txIDs?: readonly Uint8Array[] | undefined
  /** Columns of outputs of wallets that show rivals. */
  readonly shownBy?: readonly Uint8Array[] | undefined
}

/** SQL condition: an attempt `a` has ended without being accepted. Cancellations pay nothing, so they do not count. */
const IS_ENDED = `a.outcome = 'rejected' AND a.kind <> 'cancellation'`

/** SQL condition: a payment `p` that is not accepted has an attempt that ended. */
export const HAS_ENDED: string = `p.outcome IS DISTINCT FROM 'accepted' AND EXISTS (
  SELECT FROM @.attempt_payments ap JOIN @.attempts a ON a.seq = ap.attempt WHERE ap.payment = p.seq AND ${IS_ENDED})`

const COLUMNS = `a.seq, a.kind, a.bytes, a.from_height, a.leg, a.decided_by, a.evidence, a.evidence_txs,
  ${KEYS_OF_ATTEMPT} AS keys`

/** Loads attempts that ended, oldest first, with the outputs that show their rivals. */
export async function loadEnded(queries: Queries, scope: EndedScope): Promise<EndedRow[]> {
  const { keys = [], txIDs = [], shownBy = [] } = scope
  const rows = await queries.query<EndedColumns>(
    `SELECT ${COLUMNS} FROM @.attempts a JOIN (
       SELECT ap.attempt FROM @.payments p JOIN @.attempt_payments ap ON ap.payment = p.seq
         WHERE p.key = ANY($1::text[]) AND p.outcome IS DISTINCT FROM 'accepted'
       UNION
       SELECT seq FROM @.attempts WHERE tx_id = ANY($2::bytea[])
       UNION
       SELECT seq FROM @.attempts WHERE evidence && $3::bytea[]
     ) AS wanted ON wanted.attempt = a.seq
     WHERE ${IS_ENDED} ORDER BY a.seq`,
    [keys, txIDs, shownBy],
  )
  return withEvidence(queries, rows)
}

/**
 * The newest ended attempts that wallets made, for payments that are not accepted. Those of custody are left out: the
 * follower watches them.
 */
export async function loadEndedOfWallets(queries: Queries): Promise<EndedRow[]> {
  const rows = await queries.query<EndedColumns>(
    `SELECT ${COLUMNS} FROM @.attempts a WHERE ${IS_ENDED} AND a.purpose = 'wallet' AND EXISTS (
       SELECT FROM @.attempt_payments ap JOIN @.payments p ON p.seq = ap.payment
       WHERE ap.attempt = a.seq AND p.outcome IS DISTINCT FROM 'accepted')
     ORDER BY a.seq DESC LIMIT ${MAX_ENDED}`,
  )
  return loadTxs(queries, await withEvidence(queries, rows.reverse()))
}

/** Notes that an operator decides about payments, of which attempts ended without evidence. */
export async function markAsked(queries: Queries, payments: readonly Digits[]): Promise<void> {
  await queries.query(
    `UPDATE @.attempt_payments ap SET asked = true FROM @.attempts a
     WHERE a.seq = ap.attempt AND a.outcome = 'rejected' AND ap.payment = ANY($1::bigint[])`,
    [payments],
  )
}

/** Adds ended attempts to claims, which then require that further attempts spend evidence. */
export function addEnded(claims: Claims, ended: readonly EndedRow[]): void {
  for (const one of ended) {
    const name = hex.encode(one.rival)
    const { rival: txID, evidence, txs } = one
    const rival: Rival = claims.rivals.all.get(name) ?? { txID, evidence, txs }
    claims.rivals.add(one, rival)
  }
}

async function withEvidence(queries: Queries, rows: readonly EndedColumns[]): Promise<EndedRow[]> {
  if (rows.length === 0) return []
  const shown = await evidenceOf(queries, rows)
  return rows.map((row) => {
    const { txID, keys, inputs } = attemptFrom(row)
    const decidedBy = row.decided_by === null ? undefined : bytesOf(row.decided_by)
    const rival = decidedBy ?? new Uint8Array(32)
    const evidence = shown.get(hex.encode(rival)) ?? []
    const txs = (row.evidence_txs ?? []).map(bytesOf)
    return { seq: row.seq, txID, keys, inputs, decidedBy, rival, evidence, txs }
  })
}

/** SQL: transactions that descend from rivals, which are `$1`, through outputs of this system. */
const AFTER_RIVALS = `after(rival, tx_id, depth) AS (
  SELECT r, r, 0 FROM unnest($1::bytea[]) AS given(r)
  UNION
  SELECT after.rival, o.spent_tx, after.depth + 1 FROM after JOIN @.outputs o ON o.tx_id = after.tx_id
  -- An output of a block that was taken back is spent by its own transaction.
  WHERE o.spent_tx <> o.tx_id AND after.depth < ${MAX_DESCENDANTS}
)`

/**
 * Unspent outputs that exist only if a rival was accepted, by the hex of its ID: those that the hot wallet can spend
 * alone and at once, and those that wallets have told.
 */
async function evidenceOf(
  queries: Queries,
  rows: readonly EndedColumns[],
): Promise<Map<string, UTXOID[]>> {
  const rivals = new Map(
    rows.flatMap(({ decided_by }) => (decided_by ? [[hex.encode(decided_by), decided_by]] : [])),
  )
  const told = new Map<string, { readonly rival: Bytes; readonly id: UTXOID }>()
  for (const { decided_by, evidence, evidence_txs } of rows) {
    if (decided_by === null) continue
    const spent = new Set(spentIn((evidence_txs ?? []).map(bytesOf)).map(utxoKey))
    for (const id of (evidence ?? []).map(utxoIDOf))
      if (!spent.has(utxoKey(id)))
        told.set(`${hex.encode(decided_by)} ${utxoKey(id)}`, { rival: decided_by, id })
  }
  const ofWallets = [...told.values()]
  const found = await queries.query<{ rival: Bytes; tx_id: Bytes; output_index: Digits }>(
    `WITH RECURSIVE ${AFTER_RIVALS}
     SELECT DISTINCT after.rival, o.tx_id, o.output_index FROM after JOIN @.outputs o ON o.tx_id = after.tx_id
     WHERE o.spent_tx IS NULL AND o.wallet = 'hot' AND o.is_simple AND o.locktime = 0
     UNION
     SELECT r, t, o FROM unnest($2::bytea[], $3::bytea[], $4::bigint[]) AS told(r, t, o)
     WHERE NOT EXISTS (SELECT FROM @.outputs WHERE tx_id = t AND output_index = o AND spent_tx IS NOT NULL)
     ORDER BY 1, 2, 3`,
    [
      [...rivals.values()],
      ofWallets.map(({ rival }) => rival),
      ...idColumns(ofWallets.map(({ id }) => id)),
    ],
  )
  const shown = new Map<string, UTXOID[]>()
  for (const { rival, tx_id, output_index } of found) {
    const name = hex.encode(rival)
    const id = { txID: bytesOf(tx_id), outputIndex: Number(output_index) }
    shown.set(name, [...(shown.get(name) ?? []), id])
  }
  return shown
}

/** Adds the bytes of rivals and their descendants, oldest first, as far as they were claimed here. */
export async function loadTxs(queries: Queries, ended: readonly EndedRow[]): Promise<EndedRow[]> {
  if (ended.length === 0) return []
  const rivals = new Map(ended.map(({ rival }) => [hex.encode(rival), rival]))
  const found = await queries.query<{ rival: Bytes; bytes: Bytes }>(
    `WITH RECURSIVE ${AFTER_RIVALS}
     SELECT made.rival, a.bytes FROM (SELECT rival, tx_id, min(depth) AS depth FROM after GROUP BY 1, 2) AS made
       JOIN @.attempts a ON a.tx_id = made.tx_id AND a.outcome = 'accepted'
     ORDER BY made.depth, a.seq`,
    [[...rivals.values()]],
  )
  const txs = new Map<string, Map<string, Uint8Array>>()
  for (const { rival, bytes } of found) {
    const name = hex.encode(rival)
    const known = txs.get(name) ?? new Map<string, Uint8Array>()
    txs.set(name, known.set(hex.encode(bytes), bytesOf(bytes)))
  }
  return ended.map((one) => {
    const known = new Map(txs.get(hex.encode(one.rival)))
    for (const bytes of one.txs) known.set(hex.encode(bytes), bytes)
    return { ...one, txs: [...known.values()] }
  })
}

/** An ended attempt as a store returns it. */
export function endedAttemptOf(row: EndedRow): EndedAttempt {
  const { txID, keys, inputs, rival, evidence, txs } = row
  return { txID, keys, inputs, rival, evidence, txs }
}
