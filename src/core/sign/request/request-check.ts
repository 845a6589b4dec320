import { hex } from '../../base/encoding/hex.ts'
import { requireBytes, requireFields, requireList } from '../../base/require.ts'
import { type AssetAmount, assetAmount } from '../../chain/amounts.ts'
import { type NetworkContext, requireNetwork } from '../../chain/networks.ts'
import { type UnsignedTx, unsignedTx } from '../../chain/x/tx.ts'
import { type UTXO, utxo } from '../../chain/x/utxo.ts'
import { encodeBare, requireEncodable } from '../../codec/codec.ts'
import type { Codec } from '../../codec/io.ts'
import { SignError } from '../errors.ts'
import type { AddressSignature } from '../job.ts'
import { type AddressPath, requirePaths } from '../signer.ts'
import { MAX_SIGNER_SETS, withoutSigners } from '../signer-sets.ts'
import { malformed } from './request-json.ts'

/** What requests of all chains have in common. */
type AnyRequest<Tx, U> = {
  readonly context: NetworkContext
  readonly utxos: readonly U[]
  readonly paths: readonly AddressPath[]
  readonly proofs: readonly Uint8Array[]
  readonly signerSets: readonly CheckedSignerSet<Tx>[]
}

type CheckedSignerSet<Tx> = {
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
 * @throws SignError `REQUEST_SIGNER_SETS`
 */
export function requireAnyRequest<Tx, U>(
  request: AnyRequest<Tx, U>,
  codecs: RequestCodecs<Tx, U>,
): void {
  requireFields(request, 'request', ['context'])
  requireNetwork(request.context)
  const signerSet: Codec<CheckedSignerSet<Tx>> = (io, v) => ({
    unsignedTx: io.struct(v.unsignedTx, codecs.unsignedTx),
    signatures: io.list(v.signatures, addressSignature),
  })
  const contents: Codec<Omit<AnyRequest<Tx, U>, 'context' | 'proofs'>> = (io, v) => ({
    utxos: io.list(v.utxos, codecs.utxo),
    paths: io.list(v.paths, path),
    signerSets: io.list(v.signerSets, signerSet),
  })
  requireEncodable(contents, request)
  // The proofs themselves are decoded where they are used.
  requireBytesList(request.proofs, 'proofs')
  requireFewAccounts(request.paths)
  requireSignerSets(request.signerSets, codecs)
}

/** A copy of a request without getters: what they return could change between checking and signing. */
export function copiedRequest<R extends { readonly signerSets: readonly object[] }>(request: R): R {
  requireFields(request, 'request', ['signerSets'])
  const copy = { ...request }
  requireList(copy.signerSets, 'signerSets')
  return { ...copy, signerSets: copy.signerSets.map((signerSet) => ({ ...signerSet })) }
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
  if (signers !== 'all') requireList(signers, 'signers')
  requireBytesList(parents, 'parents')
  requirePaths(paths)
  requireList(signatures, 'signatures')
  for (const item of signatures) requireFields(item, 'signature', ['address', 'signature'])
}

function requireBytesList(list: readonly Uint8Array[], what: string): void {
  requireList(list, what)
  for (const bytes of list) requireBytes(bytes, what)
}

/** Limit of HD accounts whose paths one request may have. A signer derives each of them, which takes about 30 ms. */
export const MAX_HD_ACCOUNTS = 256

/**
 * Checks the number of HD accounts in the paths of a request.
 *
 * @throws SignError `REQUEST_MALFORMED`
 */
export function requireFewAccounts(paths: readonly AddressPath[]): void {
  // The fourth part of m/44'/9000'/a'/c/i.
  if (new Set(paths.map((each) => each.path.split('/')[3])).size > MAX_HD_ACCOUNTS)
    throw malformed('paths', `keys of at most ${MAX_HD_ACCOUNTS} HD accounts`)
}

/** Limit of the signatures of all signer sets. Without a native backend, checking one takes about 4 ms. */
const MAX_SIGNATURES = 2_000

/**
 * Checks that the signer sets of a request are one transaction with different signers, so that one explanation covers all,
 * and that they do not have too many signatures.
 *
 * @throws SignError `REQUEST_SIGNER_SETS`
 */
export function requireSignerSets<Tx>(
  signerSets: readonly CheckedSignerSet<Tx>[],
  { unsignedTx: codec, withoutSigners: without }: Omit<RequestCodecs<Tx, unknown>, 'utxo'>,
): void {
  const txs = signerSets.map((signerSet) => signerSet.unsignedTx)
  if (txs.length === 0 || txs.length > MAX_SIGNER_SETS)
    throw new SignError(
      'REQUEST_SIGNER_SETS',
      `expected 1 to ${MAX_SIGNER_SETS} signer sets, found ${txs.length}`,
    )
  const signatureCount = signerSets.reduce((sum, { signatures }) => sum + signatures.length, 0)
  if (signatureCount > MAX_SIGNATURES)
    throw new SignError(
      'REQUEST_SIGNER_SETS',
      `expected at most ${MAX_SIGNATURES} signatures, found ${signatureCount}`,
    )
  if (txs.length === 1) return
  const textOf = (tx: Tx) => hex.encode(encodeBare(codec, tx))
  if (new Set(txs.map((tx) => textOf(without(tx)))).size > 1)
    throw new SignError('REQUEST_SIGNER_SETS', 'the signer sets differ in more than their signers')
  if (new Set(txs.map(textOf)).size !== txs.length)
    throw new SignError('REQUEST_SIGNER_SETS', 'the request has the same signer set twice')
}
