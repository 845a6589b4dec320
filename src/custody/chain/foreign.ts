import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { txSigners } from '../../wallet/evidence/signatures.ts'
import type { Acceptance } from '../../wallet/store/store.ts'
import type { Queries } from '../database/database.ts'
import { markAsked } from '../database/ended-rows.ts'
import { type Bytes, bytesOf, type Digits, keyColumn } from '../database/values.ts'
import type { DecidedAttempts } from './outcomes.ts'
import { type KnownAddresses, knownAddresses } from './outputs.ts'

/** A transaction of a block. */
export type AcceptedTx = Acceptance & { readonly tx: SignedTx }

/** A block whose outcomes are recorded. */
export type DecidedBlock = {
  readonly height: bigint
  readonly accepted: readonly AcceptedTx[]
  readonly decided: DecidedAttempts
  /** Those of the owners of its outputs that belong to this system. */
  readonly known: KnownAddresses
}

/** A payout by its row number, and the foreign transaction that may have decided it. */
type ForeignPayout = { readonly seq: Digits; readonly tx_id: Bytes }

/**
 * Holds payouts that foreign transactions of a block may have made or canceled, with a note that says so. Such a
 * transaction is not an attempt, but keys of this system have signed it: those of another holder, or of this system before
 * the database was restored from a backup.
 *
 * Does nothing if a block was applied at this height or above before: what the database does not know of was issued
 * after its last block, and payouts that were requested since would be held for nothing.
 *
 * @returns how many payouts are held
 */
export async function holdForeign(
  tx: Queries,
  block: DecidedBlock,
  backend: Secp256k1Backend,
): Promise<number> {
  const { height, accepted } = block
  if (accepted.length === 0) return 0
  const appliedBefore = await tx.query('SELECT FROM @.blocks WHERE height >= $1 LIMIT 1', [height])
  if (appliedBefore.length > 0) return 0
  // A payout that may have been paid gets this note, even if it may also have been canceled.
  const found = [
    ...(await canceledBy(tx, block)).map((one) => ({ ...one, what: 'canceled' })),
    ...(await payoutsPaidBy(tx, accepted, backend)).map((one) => ({ ...one, what: 'paid' })),
  ]
  const notes = new Map(
    found.map(({ seq, tx_id, what }) => [
      seq,
      `may have been ${what} by ${formatID(bytesOf(tx_id))}`,
    ]),
  )
  if (notes.size === 0) return 0
  await tx.query(
    `UPDATE @.payments SET status = 'held', ended_at = NULL, note = n
     FROM unnest($1::bigint[], $2::text[]) AS found(s, n) WHERE seq = s`,
    [[...notes.keys()], [...notes.values()]],
  )
  // An operator decides, so the payer does not ask again.
  await markAsked(tx, [...notes.keys()])
  return notes.size
}

/**
 * Payouts of the same amount to the same address as an output of a foreign transaction: queued and held ones, and those
 * that the transaction ended as canceled or failed by spending their input.
 */
async function payoutsPaidBy(
  tx: Queries,
  accepted: readonly AcceptedTx[],
  backend: Secp256k1Backend,
): Promise<ForeignPayout[]> {
  const outputs = accepted.flatMap(({ tx: { unsignedTx }, txID }) =>
    unsignedTx.outputs.flatMap(({ assetID, output }) =>
      output.addresses.length === 1
        ? [{ txID, assetID, address: output.addresses[0]!, amount: output.amount }]
        : [],
    ),
  )
  const rows = await tx.query<ForeignPayout>(
    `SELECT p.seq, t AS tx_id FROM @.payments p
       JOIN unnest($1::bytea[], $2::bytea[], $3::numeric[], $4::bytea[]) AS made(a, s, m, t)
         ON p.address = a AND p.asset_id = s AND p.amount = m
     WHERE (p.status IN ('queued', 'held')
         OR p.status IN ('canceled', 'rejected') AND p.outcome = 'rejected' AND p.outcome_tx = t)
       AND NOT EXISTS (SELECT FROM @.attempts WHERE tx_id = t AND outcome IS DISTINCT FROM 'rejected')
     ORDER BY p.seq FOR UPDATE OF p`,
    [
      outputs.map(({ address }) => address),
      outputs.map(({ assetID }) => assetID),
      outputs.map(({ amount }) => amount),
      outputs.map(({ txID }) => txID),
    ],
  )
  const isForeign = new Map<string, boolean>()
  for (const { tx: signed, txID } of accepted) {
    if (!rows.some(({ tx_id }) => equalBytes(tx_id, txID))) continue
    // Not by the outputs that it spends: some of them may not be known, and others may own some of them, too.
    const signers = await knownAddresses(tx, txSigners(signed, backend))
    isForeign.set(hex.encode(txID), signers.size > 0)
  }
  return rows.filter(({ tx_id }) => isForeign.get(hex.encode(tx_id)))
}

/** Payouts whose attempt was rejected because a foreign transaction sends its input back, as a cancellation does. */
async function canceledBy(
  tx: Queries,
  { accepted, decided, known }: DecidedBlock,
): Promise<readonly ForeignPayout[]> {
  const own = new Set(decided.accepted.map(({ txID }) => hex.encode(txID)))
  const returning = accepted.filter(
    ({ tx: { unsignedTx }, txID }) =>
      !own.has(hex.encode(txID)) &&
      unsignedTx.type === 'BaseTx' &&
      unsignedTx.outputs.every(({ output }) =>
        output.addresses.every((one) => known.has(hex.encode(one))),
      ),
  )
  const keys = decided.rejected.flatMap((attempt) => attempt.keys)
  if (returning.length === 0 || keys.length === 0) return []
  return tx.query<ForeignPayout>(
    `SELECT seq, outcome_tx AS tx_id FROM @.payments
     WHERE key = ANY($1::text[]) AND status = 'queued' AND outcome = 'rejected' AND outcome_tx = ANY($2::bytea[])
     ORDER BY seq FOR UPDATE`,
    [keys.map(keyColumn), returning.map(({ txID }) => txID)],
  )
}
