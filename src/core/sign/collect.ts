import { isBytes } from '../base/require.ts'
import { encodeTx, type SignedTx } from '../chain/x/tx.ts'
import {
  atomicProofIDs,
  type ProofSubject,
  type ProvableChain,
  proofIDs,
  selectProofs,
} from './proofs.ts'

/** How many transactions are requested at the same time. */
const MAX_QUERIES_IN_FLIGHT = 8

/** Returns the accepted transaction with an ID (32 bytes), or `undefined` if it is unknown. */
export type GetTx = (txID: Uint8Array) => Promise<SignedTx | Uint8Array | undefined>

/** Returns the bytes of an accepted transaction of the P- or C-Chain, or `undefined` if it is not known. */
export type GetAtomicParent = (
  txID: Uint8Array,
  chain: ProvableChain,
) => Promise<Uint8Array | undefined>

/**
 * Collects the transactions that prove a draft, for `createRequest`. Transactions whose hash is not the requested ID
 * are omitted, so the source need not be trusted.
 *
 * @example
 * const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
 * const request = createRequest(draft, { parents })
 *
 * @param getAtomicParent - for the exports of other chains whose UTXOs an ImportTx imports; without it they stay
 * unproven
 */
export async function collectProofs(
  subject: ProofSubject,
  getTx: GetTx,
  getAtomicParent?: GetAtomicParent,
): Promise<Uint8Array[]> {
  const { txIDs, chain } = atomicProofIDs(subject)
  const queries: (() => ReturnType<GetTx>)[] = proofIDs(subject).map((id) => () => getTx(id))
  if (getAtomicParent !== undefined && chain !== undefined)
    queries.push(...txIDs.map((id) => () => getAtomicParent(id, chain)))
  const found: Uint8Array[] = []
  let next = 0
  const work = async () => {
    while (next < queries.length) {
      const tx = await queries[next++]!()
      if (tx !== undefined) found.push(isBytes(tx) ? tx : encodeTx(tx))
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_QUERIES_IN_FLIGHT, queries.length) }, work))
  return [...selectProofs(subject, found)]
}
