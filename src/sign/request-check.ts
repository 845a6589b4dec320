import { type AssetAmount, assetAmount } from '../chain/amounts.ts'
import { type NetworkContext, requireNetwork } from '../chain/networks.ts'
import { type UnsignedTx, unsignedTx } from '../chain/tx.ts'
import { type UTXO, utxo } from '../chain/utxo.ts'
import { requireEncodable } from '../codec/codec.ts'
import type { Codec } from '../codec/io.ts'
import { requireFields, requireList } from '../encoding/require.ts'
import type { AddressSignature } from './job.ts'
import type { AddressPath } from './signer.ts'

/** What requests of all chains have in common. */
type AnyRequest<Tx, U> = {
  readonly context: NetworkContext
  readonly utxos: readonly U[]
  readonly paths: readonly AddressPath[]
  readonly proofs: readonly Uint8Array[]
  readonly variants: readonly Variant<Tx>[]
}

type Variant<Tx> = {
  readonly unsignedTx: Tx
  readonly signatures: readonly AddressSignature[]
}

/** What requests of the X-Chain and drafts state. */
type Stated = { readonly change: readonly AssetAmount[] }

const path: Codec<AddressPath> = (io, v) => ({
  address: io.address(v.address),
  path: io.text(v.path),
})
const addressSignature: Codec<AddressSignature> = (io, v) => ({
  address: io.address(v.address),
  signature: io.signature(v.signature),
})
const stated: Codec<Stated> = (io, v) => ({
  change: io.list(v.change, assetAmount),
})

/** Rejects values that are not a request. */
export function requireRequest(request: AnyRequest<UnsignedTx, UTXO> & Stated): void {
  requireAnyRequest(request, { unsignedTx, utxo })
  requireChange(request)
}

/** Rejects values without a list of change. */
export function requireChange(value: Stated): void {
  requireEncodable(stated, value)
}

/**
 * The same for a request of any chain. It is described like a struct of the chain: encoding it checks every field, and
 * the error names the wrong one.
 */
export function requireAnyRequest<Tx, U>(
  request: AnyRequest<Tx, U>,
  codecs: { readonly unsignedTx: Codec<Tx>; readonly utxo: Codec<U> },
): void {
  requireFields(request, 'request', ['context'])
  requireNetwork(request.context)
  const variant: Codec<Variant<Tx>> = (io, v) => ({
    unsignedTx: io.struct(v.unsignedTx, codecs.unsignedTx),
    signatures: io.list(v.signatures, addressSignature),
  })
  const contents: Codec<Omit<AnyRequest<Tx, U>, 'context' | 'proofs'>> = (io, v) => ({
    utxos: io.list(v.utxos, codecs.utxo),
    paths: io.list(v.paths, path),
    variants: io.list(v.variants, variant),
  })
  requireEncodable(contents, request)
  // They are decoded where they are used.
  requireList(request.proofs, 'proofs')
  requireFields(request.variants[0]!, 'variant', [])
}
