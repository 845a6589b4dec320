import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Candidate, Pending } from '../evidence/pending.ts'
import type { Attempt } from '../store/store.ts'

/**
 * Returns what to record when a transaction of a move is accepted. An accepted export does not end the move; an
 * accepted import ends it together with its export. If another program imported the exported UTXOs, the move ends with
 * its export as accepted, so that it is not made again. Another transaction with an input of the export rejects it,
 * unless the export was shown as accepted.
 */
export function decideMove(candidate: Candidate, pending: Pending): Candidate | undefined {
  const own = pending.attempt(candidate.txID)
  if (own?.kind === 'export') {
    pending.markExported(own)
    return undefined
  }
  const moves = pending
    .decidedBy(candidate)
    .map(({ keys }) => ({ attempts: pending.claims.attemptsFor(keys) }))
  const spent = moves.map(({ attempts }) => exportSpentBy(candidate, attempts)).find(Boolean)
  const shown = moves.map((move) => pending.exportOf(move)).find(Boolean)
  // A server has shown the export as accepted, another the rival: one of them is wrong.
  if (own === undefined && spent === undefined && shown !== undefined) return undefined
  const exported = spent ?? shown
  const txID = own === undefined && exported !== undefined ? exported.txID : candidate.txID
  const inputs = [...candidate.inputs, ...(own?.inputs ?? []), ...(exported?.inputs ?? [])]
  return { ...candidate, txID, inputs }
}

/** The export of a move whose outputs a transaction spends, which shows that it was accepted. */
function exportSpentBy({ inputs }: Candidate, attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.find(
    ({ kind, txID }) => kind === 'export' && inputs.some((id) => equalBytes(id.txID, txID)),
  )
}

/** Whether a pending attempt spends an input, except some attempts. */
export function isClaimed(
  { claims }: Pending,
  id: UTXOID,
  except: readonly Attempt[] = [],
): boolean {
  return claims.spendersOf(id).some((attempt) => !except.includes(attempt))
}
