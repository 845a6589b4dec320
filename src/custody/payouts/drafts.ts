import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { Queries } from '../database/database.ts'
import { type Digits, idColumns } from '../database/values.ts'
import type { Settings } from '../settings.ts'

/** A draft whose payouts and UTXOs are reserved under its number. */
export type ReservedDraft = {
  readonly id: Digits
  readonly draft: Draft
  /** First height at which a block may spend its inputs. */
  readonly fromHeight: bigint
}

/**
 * Creates a reservation, which expires. The caller must have locked the payouts, or the chain's row if they are
 * pending.
 */
export async function insertDraft(
  tx: Queries,
  { worker, limits }: Settings,
  purpose: string,
  payouts: readonly Digits[],
): Promise<Digits> {
  const [row] = await tx.query<{ id: Digits }>(
    `WITH draft AS (
       INSERT INTO @.drafts (worker, purpose, expires_at)
       VALUES ($1, $2, now() + $3 * interval '1 millisecond') RETURNING id
     ), reserved AS (
       UPDATE @.payments SET draft = draft.id FROM draft WHERE seq = ANY($4::bigint[])
     )
     SELECT id FROM draft`,
    [worker, purpose, limits.draftMs, payouts],
  )
  return row!.id
}

/** Reserves UTXOs for a draft, given by its number. The caller must have locked them. */
export async function reserveUTXOs(
  tx: Queries,
  draft: Digits,
  utxos: readonly UTXOID[],
): Promise<void> {
  await tx.query(
    `UPDATE @.outputs SET draft = $1 FROM unnest($2::bytea[], $3::bigint[]) AS input(t, o)
     WHERE tx_id = t AND output_index = o`,
    [draft, ...idColumns(utxos)],
  )
}

/** Ends a reservation: its payouts and UTXOs can be taken again, unless they were claimed. */
export async function releaseDraft(queries: Queries, id: Digits): Promise<void> {
  await queries.query('DELETE FROM @.drafts WHERE id = $1', [id])
}
