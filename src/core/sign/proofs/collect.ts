import { argument, fn } from '../../base/argument.ts'
import { isBytes } from '../../base/require.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { encodeTx, type SignedTx } from '../../chain/x/tx.ts'
import type { Draft } from '../../draft/draft.ts'
import { checkDraft } from '../arguments.ts'
import { type Parent, parentsOf, selectProofs } from './proofs.ts'

/** How many transactions are requested at the same time. */
const MAX_QUERIES_IN_FLIGHT = 8

/**
 * Returns the accepted transaction of a chain with an ID (32 bytes), or its bytes; `undefined` if it is unknown. The
 * chain is `X` unless the transaction is of the P-Chain, or imports from another chain.
 */
export type GetTx = (
  txID: Uint8Array,
  chain: ChainAlias,
) => Promise<SignedTx | Uint8Array | undefined> | Uint8Array | undefined

/**
 * Collects the transactions that prove a draft, for `createRequest`. Transactions whose hash is not the requested ID
 * are omitted, so the source need not be trusted.
 *
 * @example
 * const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
 * const request = createRequest(draft, { parents })
 */
export async function collectProofs<A extends ChainAlias>(
  draft: Pick<Draft<A>, 'chain' | 'unsignedTx' | 'utxos' | 'context'> & Partial<Draft<A>>,
  givenGetTx: GetTx,
): Promise<Uint8Array[]> {
  const { chain, unsignedTx, utxos, context } = checkDraft('collectProofs', draft)
  const getTx = argument('collectProofs', givenGetTx, fn<GetTx>(), 'getTx')
  const subject = { chain, unsignedTx, utxos, context }
  return [...selectProofs(subject, await readParents(parentsOf(subject), getTx))]
}

/** Reads transactions; the hashes of what it returns are not checked. */
export async function readParents(parents: readonly Parent[], getTx: GetTx): Promise<Uint8Array[]> {
  const found: Uint8Array[] = []
  let next = 0
  const work = async () => {
    while (next < parents.length) {
      const { txID, chain: creator } = parents[next++]!
      const tx = await getTx(txID, creator)
      if (tx !== undefined) found.push(isBytes(tx) ? tx : encodeTx(tx))
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_QUERIES_IN_FLIGHT, parents.length) }, work))
  return found
}
