import { type AssetAmount, assetAmount } from '../chain/amounts.ts'
import { type NetworkContext, requireNetwork } from '../chain/networks.ts'
import { type UnsignedTx, unsignedTx } from '../chain/tx.ts'
import { type UTXO, utxo } from '../chain/utxo.ts'
import { encodeBare, requireEncodable } from '../codec/codec.ts'
import type { Codec } from '../codec/io.ts'
import { hex } from '../encoding/hex.ts'
import { requireBytes, requireFields, requireList } from '../encoding/require.ts'
import { SignError } from './errors.ts'
import type { AddressSignature } from './job.ts'
import type { AddressPath } from './signer.ts'
import { MAX_VARIANTS, withoutSigners } from './signer-sets.ts'

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

/** A draft or request of the X-Chain, as far as it states its change. */
type WithChange = { readonly change: readonly AssetAmount[] }

/** How the transactions and UTXOs of a chain are checked. */
export type RequestCodecs<Tx, U> = {
  readonly unsignedTx: Codec<Tx>
  readonly utxo: Codec<U>
  /** Removes the signature indices. */
  readonly withoutSigners: (tx: Tx) => Tx
}

/** The codecs of requests of the X-Chain. */
export const xChainCodecs: RequestCodecs<UnsignedTx, UTXO> = { unsignedTx, utxo, withoutSigners }

const path: Codec<AddressPath> = (io, v) => ({
  address: io.address(v.address),
  path: io.text(v.path),
})
const addressSignature: Codec<AddressSignature> = (io, v) => ({
  address: io.address(v.address),
  signature: io.signature(v.signature),
})
const withChange: Codec<WithChange> = (io, v) => ({
  change: io.list(v.change, assetAmount),
})

/** Rejects values that are not a request of the X-Chain. */
export function requireRequest(request: AnyRequest<UnsignedTx, UTXO> & WithChange): void {
  requireAnyRequest(request, xChainCodecs)
  requireChange(request)
}

/** Rejects values without a list of change. */
export function requireChange(value: WithChange): void {
  requireEncodable(withChange, value)
}

/**
 * Rejects values that are not a request of the chain with these codecs. The request is encoded as if it were a struct
 * of the chain: that checks every field, and the error names the wrong one.
 *
 * @throws SignError `REQUEST_VARIANTS`
 */
export function requireAnyRequest<Tx, U>(
  request: AnyRequest<Tx, U>,
  codecs: RequestCodecs<Tx, U>,
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
  // The proofs themselves are decoded where they are used.
  requireBytesList(request.proofs, 'proofs')
  requireVariants(
    request.variants.map((each) => each.unsignedTx),
    codecs,
  )
}

/** A copy of a request without getters: what they return could change between checking and signing. */
export function copiedRequest<R extends { readonly variants: readonly object[] }>(request: R): R {
  requireFields(request, 'request', ['variants'])
  const copy = { ...request }
  requireList(copy.variants, 'variants')
  return { ...copy, variants: copy.variants.map((variant) => ({ ...variant })) }
}

/** Rejects options of `createRequest` of the wrong types. */
export function requireRequestOptions(options: {
  readonly signers?: 'all' | readonly Uint8Array[] | undefined
  readonly parents?: readonly Uint8Array[] | undefined
  readonly paths?: readonly AddressPath[] | undefined
  readonly signatures?: readonly AddressSignature[] | undefined
}): void {
  requireFields(options, 'options', [])
  const { signers = 'all', parents = [], paths = [], signatures = [] } = options
  if (signers !== 'all') requireBytesList(signers, 'signers')
  requireBytesList(parents, 'parents')
  requirePaths(paths)
  requireList(signatures, 'signatures')
}

/** Rejects values that are not a list of addresses with their paths. */
export function requirePaths(paths: readonly AddressPath[]): void {
  const list: Codec<{ readonly paths: readonly AddressPath[] }> = (io, v) => ({
    paths: io.list(v.paths, path),
  })
  requireEncodable(list, { paths })
}

function requireBytesList(list: readonly Uint8Array[], what: string): void {
  requireList(list, what)
  for (const bytes of list) requireBytes(bytes, what)
}

/**
 * Checks that the variants of a request are one transaction with different signers, so that one explanation covers all.
 *
 * @throws SignError `REQUEST_VARIANTS`
 */
export function requireVariants<Tx>(
  txs: readonly Tx[],
  { unsignedTx: codec, withoutSigners: without }: Omit<RequestCodecs<Tx, unknown>, 'utxo'>,
): void {
  if (txs.length === 0 || txs.length > MAX_VARIANTS)
    throw new SignError(
      'REQUEST_VARIANTS',
      `expected 1 to ${MAX_VARIANTS} variants, found ${txs.length}`,
    )
  if (txs.length === 1) return
  const textOf = (tx: Tx) => hex.encode(encodeBare(codec, tx))
  if (new Set(txs.map((tx) => textOf(without(tx)))).size > 1)
    throw new SignError('REQUEST_VARIANTS', 'the variants differ in more than their signers')
  if (new Set(txs.map(textOf)).size !== txs.length)
    throw new SignError('REQUEST_VARIANTS', 'the request has the same variant twice')
}
