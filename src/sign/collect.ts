import { encodeTx, type SignedTx } from '../chain/tx.ts'
import { type ProofSubject, proofIDs, selectProofs } from './proofs.ts'

/** Concurrent requests. */
const IN_FLIGHT = 8

/** Returns the accepted transaction with an ID (32 bytes), or `undefined` if it is unknown. */
export type GetTx = (txID: Uint8Array) => Promise<SignedTx | Uint8Array | undefined>

/**
 * Collects the transactions that prove a draft, for `createRequest`. Transactions whose hash is not the requested ID
 * are omitted, so the source need not be trusted.
 *
 * @example
 * const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
 * const request = createRequest(draft, { parents })
 */
export async function collectProofs(subject: ProofSubject, getTx: GetTx): Promise<Uint8Array[]> {
  const ids = proofIDs(subject)
  const found: Uint8Array[] = []
  let next = 0
  const work = async () => {
    while (next < ids.length) {
      const tx = await getTx(ids[next++]!)
      if (tx !== undefined) found.push(tx instanceof Uint8Array ? tx : encodeTx(tx))
    }
  }
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, ids.length) }, work))
  return [...selectProofs(subject, found)]
}
