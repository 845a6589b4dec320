import { encodeTx } from '../../core/chain/x/tx.ts'
import type { Acceptance } from '../store/store.ts'
import { ownOutputs } from './own-outputs.ts'
import type { Candidate, Pending } from './pending.ts'

/**
 * What to record of an accepted transaction.
 *
 * @param addresses - those of the wallet
 */
export function acceptanceOf(
  { tx, txID, inputs }: Candidate,
  pending: Pending,
  addresses: readonly Uint8Array[],
): Acceptance {
  const ends = pending.impossibleWith({ txID, inputs }).map((attempt) => attempt.txID)
  if (tx === undefined) return { txID, inputs, ends }
  return { txID, inputs, ends, bytes: encodeTx(tx), own: ownOutputs(tx, addresses) }
}
