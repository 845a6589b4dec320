import type { AssetAmount, Draft } from '../build/draft.ts'
import { compareBytes, equalBytes } from '../bytes/compare.ts'
import { createdUTXOs, exportedUTXOs } from '../chain/created.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { encodeUnsignedTx, type UnsignedTx } from '../chain/tx.ts'
import { encodeUTXO, type UTXO } from '../chain/utxo.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { hex } from '../encoding/hex.ts'
import { sha256 } from '../hash/sha256.ts'
import { SignError } from './errors.ts'
import type { SlotPlace } from './faults.ts'
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
} from './job.ts'
import { checkProofs, selectProofs } from './proofs.ts'
import type { AddressPath } from './signer.ts'
import { signerSets } from './signer-sets.ts'
import { verifySignatures } from './verify.ts'

/** One signer set of a request: the transaction that names it, and its signatures so far. */
export type RequestVariant = {
  readonly unsignedTx: UnsignedTx
  /** By address, ascending. */
  readonly signatures: readonly AddressSignature[]
}

/**
 * A transaction that travels between its signers, with everything they need to judge it. Its text form
 * is a file (`formatRequest`, `parseRequest`). The variants differ in who signs and in nothing else.
 */
export type SigningRequest = {
  readonly context: NetworkContext
  /** What is spent, in the order of the credentials. */
  readonly utxos: readonly UTXO[]
  /** What comes back according to who built it, by asset ID, ascending. */
  readonly change: readonly AssetAmount[]
  /** Where keys are, as far as known; by address, ascending. A hint for signers. */
  readonly paths: readonly AddressPath[]
  /**
   * Signed transactions that prove the UTXOs and the decimals of the assets, by ID, ascending. They are not part
   * of the request's ID: what they prove is.
   */
  readonly proofs: readonly Uint8Array[]
  /** By the bytes of the unsigned transaction, ascending; at least one. */
  readonly variants: readonly RequestVariant[]
}

/** What goes into a new request beside the draft. */
export type RequestOptions = BackendOption & {
  /**
   * Who may sign: `'all'` offers every signer set of the owners, addresses only the sets among them.
   * Left out, there is the draft's own set only.
   */
  readonly signers?: 'all' | readonly Uint8Array[]
  /**
   * Signed transactions that created the UTXOs, and the CreateAssetTx of each asset; `collectProofs` gets them
   * from a node. Those that prove nothing here are left out. Signers refuse a request without proofs unless
   * they accept that.
   */
  readonly parents?: readonly Uint8Array[]
  /** Paths of owners of what is spent and of what is created; others are left out. */
  readonly paths?: readonly AddressPath[]
  /** Signatures of the draft as it is; each is checked. */
  readonly signatures?: readonly AddressSignature[]
}

/**
 * Puts a draft into a request for others to sign.
 *
 * @example
 * const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
 * const request = createRequest(draft, { parents, signers: 'all' })
 * writeFileSync('payout.json', formatRequest(signRequest(request, keys)))
 */
export function createRequest(draft: Draft, options: RequestOptions = {}): SigningRequest {
  const { unsignedTx, utxos, context, change } = draft
  const own = openJob(unsignedTx, utxos)
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
    variants: txs.map((tx) => ({ unsignedTx: tx, signatures: [] })),
  })
  for (const signature of options.signatures ?? []) takeSignature(own, signature, options)
  if (own.signatures.size === 0) return request
  const at = request.variants.findIndex(({ unsignedTx: tx }) =>
    equalBytes(encodeUnsignedTx(tx), own.unsignedBytes),
  )
  if (at === -1)
    throw new SignError('REQUEST_VARIANTS', 'the signatures are for a signer set that is left out')
  return withVariants(request, (i) => (i === at ? signaturesOf(own) : []))
}

/** Everybody who owns something that a transaction spends or creates, by the hex of the address. */
export function ownersIn({
  unsignedTx,
  utxos,
}: Pick<Draft, 'unsignedTx' | 'utxos'>): ReadonlySet<string> {
  const unsigned = { unsignedTx, credentials: [] }
  const outputs = [...utxos, ...createdUTXOs(unsigned, NO_ID), ...exportedUTXOs(unsigned, NO_ID)]
  return new Set(outputs.flatMap(({ output }) => output.addresses.map(hex.encode)))
}

const NO_ID = /* @__PURE__ */ new Uint8Array(32)

/**
 * The request with a signature that was made elsewhere, in any form that `normalizeSignature` takes. The
 * variant is found by trying; where it is for none, the error is that of the last try.
 */
export function addSignature(
  request: SigningRequest,
  signature: AddressSignature,
  options: BackendOption = {},
): SigningRequest {
  let failure: unknown = new SignError(
    'WRONG_SIGNER',
    `the address ${hex.encode(signature.address)} signs nothing in this request`,
    { address: signature.address },
  )
  const jobs = openVariants(request)
  for (const job of jobs) {
    if (!job.needed.has(hex.encode(signature.address))) continue
    try {
      takeSignature(job, signature, options)
      return withVariants(request, (i) => signaturesOf(jobs[i]!))
    } catch (error) {
      failure = error
      // The signature is for this variant, only another one of the same key is there already.
      if (error instanceof SignError && error.code === 'SIGNATURE_DUPLICATE') throw error
    }
  }
  throw failure
}

/**
 * The signed transaction of the first variant that has all its signatures, checked once more as a whole;
 * `INCOMPLETE` with what the nearest variant lacks where there is none.
 */
export function finishRequest(request: SigningRequest, options: BackendOption = {}): Signed {
  const signed = completeVariant(request)
  if (signed === undefined) {
    const jobs = openVariants(request)
    jobs.sort((a, b) => missingSlots(a).length - missingSlots(b).length)
    return requireSigned(closeJob(jobs[0]!))
  }
  verifySignatures(signed.signedTx, request.utxos, options)
  return signed
}

/** The outcome of the first variant that lacks nothing, if any. */
export function completeVariant(request: SigningRequest): Signed | undefined {
  for (const job of openVariants(request)) {
    const result = closeJob(job)
    if (result.complete) return result
  }
  return undefined
}

/** How far one variant of a request is. */
export type VariantStatus = {
  /** What its signatures sign. */
  readonly hash: Uint8Array
  /** Who signs, in the order of their first slots. */
  readonly signers: readonly Uint8Array[]
  /** Empty once it can be finished. */
  readonly missing: readonly SlotPlace[]
}

/** Who takes part in each variant of a request and who must still sign, in the order of the variants. */
export function requestStatus(request: SigningRequest): VariantStatus[] {
  return openVariants(request).map((job) => ({
    hash: job.hash,
    signers: Array.from(job.needed.values(), ({ address }) => address),
    missing: missingSlots(job),
  }))
}

/**
 * Names what a request asks for, 32 bytes: the network, what is spent, what is said to come back and all
 * variants. Copies of one request share it, however many signatures they hold.
 */
export function requestID(request: SigningRequest): Uint8Array {
  const parts = [
    new TextEncoder().encode(`avmkit signing request 1, network ${request.context.networkID}`),
    request.context.chainID,
    request.context.assetID,
    ...request.utxos.map(encodeUTXO),
    ...request.change.map(({ assetID, amount }) =>
      new TextEncoder().encode(`${hex.encode(assetID)}:${amount}`),
    ),
    ...request.variants.map(({ unsignedTx }) => encodeUnsignedTx(unsignedTx)),
  ]
  // Hashes in a row: no part can grow into the next.
  const hashes = new Uint8Array(32 * parts.length)
  parts.forEach((part, i) => {
    hashes.set(sha256(part), 32 * i)
  })
  return sha256(hashes)
}

/** Brings the lists of a request into their order, so that equal requests have equal texts. */
export function canonicalRequest(request: SigningRequest): SigningRequest {
  return {
    ...request,
    change: request.change.toSorted((a, b) => compareBytes(a.assetID, b.assetID)),
    paths: byAddress(request.paths),
    variants: request.variants
      .map((variant) => ({ variant, bytes: encodeUnsignedTx(variant.unsignedTx) }))
      .sort((a, b) => compareBytes(a.bytes, b.bytes))
      .map(({ variant }) => ({ ...variant, signatures: byAddress(variant.signatures) })),
  }
}

function byAddress<T extends { readonly address: Uint8Array }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => compareBytes(a.address, b.address))
}

/** The request with these signatures in each variant. */
export function withVariants(
  request: SigningRequest,
  signatures: (i: number) => readonly AddressSignature[],
): SigningRequest {
  return {
    ...request,
    variants: request.variants.map((variant, i) => ({
      ...variant,
      signatures: byAddress(signatures(i)),
    })),
  }
}

/** The signatures of the variants were checked when they came in. */
export function openVariants({ utxos, variants }: SigningRequest): Job[] {
  return variants.map(({ unsignedTx, signatures }) => {
    const job = openJob(unsignedTx, utxos)
    for (const { address, signature } of signatures)
      job.signatures.set(hex.encode(address), signature)
    return job
  })
}
