import { digestOfParts } from '../digest.ts'
import type { AtomicRequest, RequestChain, RequestUTXO } from './request-chain.ts'
import type { AtomicProven } from './request-proofs.ts'

/** The digest of a request, which covers everything in an explanation that depends on neither reader nor signers. */
export function atomicDigest<Tx, U extends RequestUTXO>(
  chain: RequestChain<Tx, U>,
  { context, utxos, signerSets }: AtomicRequest<Tx, U>,
  { utxos: proven, assets }: AtomicProven,
): string {
  const decimals = Array.from(assets, ([id, { denomination }]) => [id, denomination]).sort()
  return digestOfParts([
    new TextEncoder().encode(
      `avmkit explanation, ${chain.alias}-Chain ${JSON.stringify(decimals)}`,
    ),
    // Explanations show the amounts of this asset as AVAX.
    context.assetID,
    chain.encodeUnsignedTx(chain.codecs.withoutSigners(signerSets[0]!.unsignedTx)),
    Uint8Array.from(proven, Number),
    // A proven UTXO is determined by its ID, which is part of the transaction.
    ...utxos.filter((_, i) => !proven[i]).map(chain.encodeUTXO),
  ])
}
