import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { conflictingInputs } from '../../wallet/payments/conflicts.ts'
import { StoreError } from '../../wallet/store/errors.ts'
import { requiredInputs } from '../../wallet/store/rivals.ts'
import { lockChain } from '../database/chain-row.ts'
import { loadClaims } from '../database/claim-rows.ts'
import type { Queries } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits, keyOf } from '../database/values.ts'
import type { Settings } from '../settings.ts'
import type { Claimer } from './claimer.ts'
import { insertDraft, type ReservedDraft, reserveUTXOs } from './drafts.ts'
import { fundCancellation, unspentUTXOs } from './funding.ts'

/** SQL condition: a payout `p` is pending and to be canceled, and no worker has started to cancel it. */
export const IS_TO_CANCEL: string = `cancel AND status = 'pending' AND draft IS NULL AND NOT EXISTS (
  SELECT FROM @.attempt_payments ap JOIN @.attempts a ON a.seq = ap.attempt
  WHERE ap.payment = p.seq AND a.kind = 'cancellation' AND a.outcome IS NULL)`

/**
 * Cancels one pending payout whose cancellation was requested: spends an input of each of its attempts back to the hot
 * wallet, and what shows how earlier attempts have ended: otherwise one of these might be accepted after the cancellation.
 * If it is accepted, the payout is canceled, and others of the same transaction return to the queue. If the payout is
 * accepted first, it is paid.
 *
 * @returns whether a cancellation was claimed
 */
export async function cancelNext(settings: Settings, claimer: Claimer): Promise<boolean> {
  const found = await settings.database.transaction(async (tx) => {
    // Locked first, as for blocks, which change the same rows. The lock also keeps other workers out.
    const { nextHeight: fromHeight = 1n } = await lockChain(tx)
    // In random order: a cancellation that cannot be drafted now must not block the others.
    const [row] = await tx.query<{ seq: Digits; key: string; digest: Bytes }>(
      `SELECT seq, key, digest FROM @.payments p WHERE ${IS_TO_CANCEL} ORDER BY random() LIMIT 1`,
    )
    if (row === undefined) return undefined
    const payment = { key: keyOf(row.key), digest: bytesOf(row.digest) }
    const draft = await draftCancellation(tx, settings, payment.key)
    if (draft === undefined) return undefined
    const id = await insertDraft(tx, settings, 'cancellation', [row.seq])
    await reserveUTXOs(tx, id, draft.utxos)
    const reserved: ReservedDraft = { id, draft, fromHeight }
    return { seq: row.seq, payment, reserved }
  })
  if (found === undefined) return false
  try {
    return await claimer.claimAndIssue(found.reserved, [found.payment], {
      purpose: 'cancellation',
      kind: 'cancellation',
    })
  } catch (error) {
    // A later attempt for another payout of the same transaction has claimed the input. Its outcome decides both, and
    // the queue must not wait for it.
    if (!(error instanceof StoreError)) throw error
    const { code, message } = error
    await settings.log('warn', 'cancellation.refused', message, { code, seq: found.seq })
    return false
  }
}

async function draftCancellation(
  tx: Queries,
  settings: Settings,
  key: string,
): Promise<Draft | undefined> {
  const { claims } = await loadClaims(tx, { keys: [key] })
  const attempts = claims.payments.get(key)?.attempts.filter(({ kind }) => kind === 'payment') ?? []
  const utxos = await unspentUTXOs(
    tx,
    attempts.flatMap(({ inputs }) => inputs),
  )
  const byName = new Map(utxos.map((utxo) => [utxoKey(utxo), utxo]))
  const isUnspent = (id: UTXOID) => byName.has(utxoKey(id))
  // Those that show how earlier attempts have ended: the pending ones could only be claimed with them.
  const ended = claims.rivals
    .endedFor(key)
    .map((one) => ({ inputs: requiredInputs(one).filter(isUnspent) }))
    .filter((one) => one.inputs.length > 0)
  const inputs = conflictingInputs([...attempts, ...ended], isUnspent)
  // All inputs of an attempt are spent, so a block is about to decide it, or they are not in the table.
  if (inputs === undefined || inputs.length === 0) return undefined
  const pinned = inputs.map((id) => byName.get(utxoKey(id))!)
  const { size } = new Set(attempts.flatMap((attempt) => attempt.keys))
  // What shows an end may be worth less than the fee.
  return (
    (await fundCancellation(tx, settings, pinned, size)) ??
    fundCancellation(tx, settings, [...byName.values()], size)
  )
}
