import { equalBytes } from '../../core/base/bytes/compare.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { AttemptGroup, Candidate, PendingAttempts } from '../payments/attempts.ts'
import type { Attempt } from '../store/store.ts'

/**
 * The accepted export of a move, undefined if none is known to be accepted. If the move has an import, it is the export
 * whose outputs the import spends, because an import is claimed only after its export was accepted.
 */
export function exportedOf(group: AttemptGroup): Attempt | undefined {
  const { attempts } = group
  const imported = attempts.find(({ kind }) => kind === 'import')
  if (imported !== undefined)
    group.exported ??= attempts.find(
      ({ kind, txID }) =>
        kind === 'export' && imported.inputs.some((id) => equalBytes(id.txID, txID)),
    )
  return group.exported
}

/**
 * Returns what to record when a transaction of a move is accepted. An accepted export does not end the move; an
 * accepted import ends it together with its export. If another program imported the exported UTXOs, the move ends with
 * its export as accepted, so that it is not made again. Another transaction with an input of the export rejects it,
 * unless the export was shown as accepted.
 */
export function decideMove(candidate: Candidate, pending: PendingAttempts): Candidate | undefined {
  const group = pending.groupOf(candidate.txID)
  const own = group?.attempts.find(({ txID }) => equalBytes(txID, candidate.txID))
  if (own?.kind === 'export') {
    markExported(pending, own)
    return undefined
  }
  if (own?.kind === 'import') group!.imported = own
  const decided = pending.decidedBy(candidate)
  const isRival = own === undefined && !decided.some((one) => exportSpentBy(candidate, one))
  // A server has shown the export as accepted, another the rival: one of them is wrong.
  if (isRival && decided.some(exportedOf)) return undefined
  const exported = decided
    .map((one) => exportSpentBy(candidate, one) ?? exportedOf(one))
    .find(Boolean)
  const txID = own === undefined && exported !== undefined ? exported.txID : candidate.txID
  const inputs = [...candidate.inputs, ...(own?.inputs ?? []), ...(exported?.inputs ?? [])]
  return { ...candidate, txID, inputs }
}

/** The export of a move whose outputs a transaction spends, which shows that it was accepted. */
function exportSpentBy({ inputs }: Candidate, { attempts }: AttemptGroup): Attempt | undefined {
  return attempts.find(
    ({ kind, txID }) => kind === 'export' && inputs.some((id) => equalBytes(id.txID, txID)),
  )
}

/** Records an accepted export, and removes the other attempts of the move except its imports. */
function markExported(pending: PendingAttempts, attempt: Attempt): void {
  const group = pending.groupOf(attempt.txID)!
  if (group.exported !== undefined) return
  group.exported = attempt
  pending.remove(
    group,
    group.attempts.filter((other) => other !== attempt && other.kind !== 'import'),
  )
  for (const wake of group.wake) wake()
}

/** Whether a pending attempt of another group spends an input. */
export function isClaimed(
  { byInput }: PendingAttempts,
  id: UTXOID,
  except?: AttemptGroup,
): boolean {
  return [...(byInput.get(utxoKey(id)) ?? [])].some((group) => group !== except)
}
