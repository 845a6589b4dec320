import { digestOfParts } from '../sign/digest.ts'
import type { AtomicRequest, RequestChain, RequestUTXO } from './request-chain.ts'
import type { AtomicProven } from './request-proofs.ts'

/**
 * The digest of a request: it covers everything in an explanation that does not depend on the reader or the signers.
 */
export function atomicDigest<Tx, U extends RequestUTXO>(
  on: RequestChain<Tx, U>,
  { context, utxos, variants }: AtomicRequest<Tx, U>,
  { utxos: proven, assets }: AtomicProven,
): string {
  const decimals = Array.from(assets, ([id, { denomination }]) => [id, denomination]).sort()
  return digestOfParts([
    new TextEncoder().encode(`avmkit explanation, ${on.chain}-Chain ${JSON.stringify(decimals)}`),
    // The asset that is shown as AVAX.
    context.assetID,
    on.encodeUnsignedTx(on.codecs.withoutSigners(variants[0]!.unsignedTx)),
    Uint8Array.from(proven, Number),
    // A proven UTXO is determined by its ID, which is part of the transaction.
    ...utxos.filter((_, i) => !proven[i]).map(on.encodeUTXO),
  ])
}
