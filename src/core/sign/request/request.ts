import { compareBytes, equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { ZERO_ID } from '../../base/encoding/ids.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { requireFields } from '../../base/require.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import { createdUTXOs, exportedUTXOs } from '../../chain/x/created.ts'
import { sortedByAddress } from '../../chain/x/order.ts'
import { encodeUnsignedTx, type UnsignedTx } from '../../chain/x/tx.ts'
import { encodeUTXO, type UTXO } from '../../chain/x/utxo.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { type AssetAmount, type Draft, requireDraft } from '../../draft/x/draft.ts'
import { SignError } from '../errors.ts'
import type { SlotPlace } from '../faults.ts'
import {
  type AddressSignature,
  closeJob,
  type Job,
  missingSlots,
  openJob,
  requireSigned,
  type Signed,
  signaturesOf,
  takeSignature,
} from '../job.ts'
import { checkProofs, selectProofs } from '../proofs.ts'
import type { AddressPath } from '../signer.ts'
import { signerSets } from '../signer-sets.ts'
import { verifySignatures } from '../verify.ts'
import { requireChange, requireRequest, requireRequestOptions } from './request-check.ts'

/** One signer set of a request: the transaction that names the signers, and their signatures so far. */
export type SignerSet = {
  readonly unsignedTx: UnsignedTx
  /** By address, ascending. */
  readonly signatures: readonly AddressSignature[]
}

/**
 * A transaction for several signers, with everything that they need to check it. `formatRequest` and `parseRequest`
 * convert it to a file and back. Its signer sets differ only in their signers.
 */
export type SigningRequest = {
  readonly context: NetworkContext
  /** The spent UTXOs, in the order of the credentials. */
  readonly utxos: readonly UTXO[]
  /** Change as stated by the builder, one entry per asset, by asset ID ascending. Not trusted by explanations. */
  readonly change: readonly AssetAmount[]
  /** Known derivation paths, by address ascending. Hints for signers, not trusted. */
  readonly paths: readonly AddressPath[]
  /**
   * Signed transactions that prove the UTXOs and the decimals of the assets, by ID ascending. The request's ID does
   * not cover them, but covers the UTXOs that they prove.
   */
  readonly proofs: readonly Uint8Array[]
  /** At least one, by the bytes of the unsigned transaction ascending. */
  readonly signerSets: readonly SignerSet[]
}

/** Options of {@link createRequest}. */
export type RequestOptions = BackendOption & {
  /**
   * Who may sign: `'all'` includes every signer set of the owners, addresses only sets of these signers.
   *
   * @defaultValue the signer set of the draft
   */
  readonly signers?: 'all' | readonly Uint8Array[] | undefined
  /**
   * Signed transactions that created the UTXOs, and the CreateAssetTx of each asset; `collectProofs` reads them from
   * a node. Irrelevant ones are omitted. Signing refuses what is unproven unless the signer accepts it.
   */
  readonly parents?: readonly Uint8Array[] | undefined
  /** Paths of owners of spent UTXOs and of outputs; others are omitted. */
  readonly paths?: readonly AddressPath[] | undefined
  /** Signatures of the draft; each is checked. */
  readonly signatures?: readonly AddressSignature[] | undefined
}

/**
 * Creates a signing request from a draft.
 *
 * @throws SignError `REQUEST_PROOF` if a parent contradicts the draft, `REQUEST_SIGNER_SETS`, or the code of an invalid
 * signature.
 *
 * @example
 * const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
 * const request = createRequest(draft, { parents, signers: 'all' })
 * writeFileSync('payout.json', formatRequest(signRequest(request, keys)))
 */
export function createRequest(draft: Draft, options: RequestOptions = {}): SigningRequest {
  requireDraft(draft)
  const { unsignedTx, utxos, context, change } = draft
  requireChange(draft)
  requireRequestOptions(options)
  const draftJob = openJob(unsignedTx, utxos)
  const txs =
    options.signers === undefined
      ? [unsignedTx]
      : signerSets(unsignedTx, utxos, options.signers === 'all' ? undefined : options.signers)
  const owners = ownersIn(draft)
  const proofs = selectProofs(draft, options.parents ?? [])
  checkProofs(draft, proofs)
  const request = canonicalRequest({
    context,
    utxos,
    change,
    paths: (options.paths ?? []).filter(({ address }) => owners.has(hex.encode(address))),
    proofs,
    signerSets: txs.map((tx) => ({ unsignedTx: tx, signatures: [] })),
  })
  for (const signature of options.signatures ?? []) takeSignature(draftJob, signature, options)
  if (draftJob.signatures.size === 0) return request
  const signedSet = request.signerSets.findIndex(({ unsignedTx: tx }) =>
    equalBytes(encodeUnsignedTx(tx), draftJob.unsignedBytes),
  )
  if (signedSet === -1)
    throw new SignError(
      'REQUEST_SIGNER_SETS',
      'the signatures are for a signer set that the request does not include',
    )
  return withSignatures(request, (i) => (i === signedSet ? signaturesOf(draftJob) : []))
}

/** The owners of everything that a transaction spends or creates, by the hex of the address. */
export function ownersIn({
  unsignedTx,
  utxos,
}: Pick<Draft, 'unsignedTx' | 'utxos'>): ReadonlySet<string> {
  const unsigned = { unsignedTx, credentials: [] }
  const outputs = [
    ...utxos,
    ...createdUTXOs(unsigned, ZERO_ID),
    ...exportedUTXOs(unsigned, ZERO_ID),
  ]
  return new Set(outputs.flatMap(({ output }) => output.addresses.map(hex.encode)))
}

/**
 * Adds an external signature in any format of `normalizeSignature` to the signer set that it belongs to.
 *
 * @throws SignError `WRONG_SIGNER` if it belongs to none, `SIGNATURE_DUPLICATE`, or the code of an invalid signature.
 */
export function addSignature(
  request: SigningRequest,
  signature: AddressSignature,
  options: BackendOption = {},
): SigningRequest {
  requireFields(signature, 'signature', ['address', 'signature'])
  let failure: unknown = new SignError(
    'WRONG_SIGNER',
    `address ${hex.encode(signature.address)} is not a signer of this request`,
    { address: signature.address },
  )
  const jobs = openSignerSets(request)
  for (const job of jobs) {
    if (!job.needed.has(hex.encode(signature.address))) continue
    try {
      takeSignature(job, signature, options)
      return withSignatures(request, (i) => signaturesOf(jobs[i]!))
    } catch (error) {
      failure = error
      // The signature is valid for this signer set, which already has another one of the same key.
      if (error instanceof SignError && error.code === 'SIGNATURE_DUPLICATE') throw error
    }
  }
  throw failure
}

/**
 * Returns the signed transaction of the first complete signer set, with all signatures verified again.
 *
 * @throws SignError `INCOMPLETE` with the `missing` slots of the signer set that lacks the fewest signatures.
 */
export function finishRequest(request: SigningRequest, options: BackendOption = {}): Signed {
  const signed = completeSignerSet(request)
  if (signed === undefined) {
    const jobs = openSignerSets(request)
    jobs.sort((a, b) => missingSlots(a).length - missingSlots(b).length)
    return requireSigned(closeJob(jobs[0]!))
  }
  verifySignatures(signed.signedTx, request.utxos, options)
  return signed
}

/** The signed transaction of the first complete signer set, if any. */
export function completeSignerSet(request: SigningRequest): Signed | undefined {
  for (const job of openSignerSets(request)) {
    const result = closeJob(job)
    if (result.complete) return result
  }
  return undefined
}

/** The state of one signer set of a request. */
export type SignerSetStatus = {
  /** The hash that its signatures sign, 32 bytes. */
  readonly hash: Uint8Array
  /** Its signers, in the order of their first slots. */
  readonly signers: readonly Uint8Array[]
  /** The slots without a signature; empty if the signer set is complete. */
  readonly missing: readonly SlotPlace[]
}

/** The signers and missing signatures of each signer set, in the order of the signer sets. */
export function requestStatus(request: SigningRequest): SignerSetStatus[] {
  return openSignerSets(request).map((job) => ({
    hash: job.hash,
    signers: Array.from(job.needed.values(), ({ address }) => address),
    missing: missingSlots(job),
  }))
}

/**
 * The ID of a request, 32 bytes: a hash of the network, UTXOs, stated change and all signer sets. Copies of a request
 * have the same ID, however many signatures they have.
 */
export function requestID(request: SigningRequest): Uint8Array {
  requireRequest(request)
  const parts = [
    new TextEncoder().encode(`avmkit signing request 1, network ${request.context.networkID}`),
    request.context.chainID,
    request.context.assetID,
    ...request.utxos.map(encodeUTXO),
    ...request.change.map(({ assetID, amount }) =>
      new TextEncoder().encode(`${hex.encode(assetID)}:${amount}`),
    ),
    ...request.signerSets.map(({ unsignedTx }) => encodeUnsignedTx(unsignedTx)),
  ]
  // Hashing each part first makes the boundaries unambiguous.
  const hashes = new Uint8Array(32 * parts.length)
  parts.forEach((part, i) => {
    hashes.set(sha256(part), 32 * i)
  })
  return sha256(hashes)
}

/** Sorts the lists of a request, so that equal requests have equal texts. */
export function canonicalRequest(request: SigningRequest): SigningRequest {
  return {
    ...request,
    change: request.change.toSorted((a, b) => compareBytes(a.assetID, b.assetID)),
    paths: sortedByAddress(request.paths),
    signerSets: request.signerSets
      .map((signerSet) => ({ signerSet, bytes: encodeUnsignedTx(signerSet.unsignedTx) }))
      .sort((a, b) => compareBytes(a.bytes, b.bytes))
      .map(({ signerSet }) => ({
        ...signerSet,
        signatures: sortedByAddress(signerSet.signatures),
      })),
  }
}

/** Replaces the signatures of each signer set. */
export function withSignatures(
  request: SigningRequest,
  signatures: (i: number) => readonly AddressSignature[],
): SigningRequest {
  return {
    ...request,
    signerSets: request.signerSets.map((signerSet, i) => ({
      ...signerSet,
      signatures: sortedByAddress(signatures(i)),
    })),
  }
}

/** Opens the signer sets with their signatures, which were checked when they were added. */
export function openSignerSets(request: SigningRequest): Job[] {
  requireRequest(request)
  const { utxos, signerSets } = request
  return signerSets.map(({ unsignedTx, signatures }) => {
    const job = openJob(unsignedTx, utxos)
    for (const { address, signature } of signatures)
      job.signatures.set(hex.encode(address), signature)
    return job
  })
}
