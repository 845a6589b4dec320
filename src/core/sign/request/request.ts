import {
  argument,
  bytesOf,
  type Check,
  kinds,
  list,
  type Members,
  object,
  oneOf,
  optional,
} from '../../base/argument.ts'
import { compareBytes, equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import type { ChainAlias } from '../../chain/chain-types.ts'
import { sortedByAddress } from '../../chain/x/order.ts'
import type { BackendOption } from '../../crypto/backend.ts'
import { backendOption } from '../../crypto/secp256k1.ts'
import type { Draft } from '../../draft/draft.ts'
import { address, addressPath, addressSignature, backendOptions, checkDraft } from '../arguments.ts'
import { type AnyTx, type AnyUTXO, areSignedByAccounts, type Chain } from '../chain.ts'
import { SignError } from '../errors.ts'
import type { AddressSignature, SlotPlace } from '../faults.ts'
import {
  closeJob,
  type Job,
  missingSlots,
  openJob,
  requireSigned,
  type Signed,
  signaturesOf,
  signersOf,
  takeSignature,
} from '../job.ts'
import { checkProofs, selectProofs } from '../proofs/proofs.ts'
import { chainNamed } from '../registry.ts'
import { ownerNames } from '../sign.ts'
import type { AddressPath } from '../signer.ts'
import { signerSets } from '../signer-sets.ts'
import { checkRequest, MAX_HD_ACCOUNTS } from './request-check.ts'
import type { SigningRequest } from './signing-request.ts'

/** Options of {@link createRequest}. */
export type RequestOptions = BackendOption & {
  /**
   * Who may sign: `'all'` includes every signer set of the owners, addresses only sets of these signers. The accounts
   * of a C-Chain export must all sign.
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

/** Members of `RequestOptions`. */
export const requestMembers: Members<RequestOptions> = {
  backend: backendOption,
  signers: optional(
    kinds<'all' | readonly Uint8Array[]>({
      string: oneOf('all'),
      list: list(address),
    }),
  ),
  parents: optional(list(bytesOf())),
  paths: optional(list(addressPath)),
  signatures: optional(list(addressSignature)),
}

const requestOptions: Check<RequestOptions> = object<RequestOptions>(requestMembers)

/**
 * Creates a signing request from a draft.
 *
 * @throws SignError `REQUEST_PROOF` if a parent contradicts the draft, `REQUEST_SIGNER_SETS`, or the code of an invalid
 * signature; VerifyError if the transaction breaks a stateless rule.
 *
 * @example
 * const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
 * const request = createRequest(draft, { parents, signers: 'all' })
 * writeFileSync('payout.json', formatRequest(signRequest(request, keys)))
 */
export function createRequest<A extends ChainAlias>(
  draft: Draft<A>,
  givenOptions: RequestOptions = {},
): SigningRequest<A> {
  const options = argument('createRequest', givenOptions, requestOptions)
  const checked = checkDraft('createRequest', draft)
  const { chain, unsignedTx, context, change } = checked
  chain.verify(unsignedTx, context)
  const draftJob = openJob(chain, unsignedTx, checked.utxos, checked.unsignedBytes)
  // A job can only be opened if every UTXO is known.
  const utxos = checked.utxos as readonly AnyUTXO[]
  const { signers } = options
  const txs =
    signers === undefined
      ? [unsignedTx]
      : signerSets(chain, unsignedTx, utxos, signers === 'all' ? undefined : signers)
  const subject = { chain, unsignedTx, utxos, context }
  const proofs = selectProofs(subject, options.parents ?? [])
  checkProofs(subject, proofs)
  const request = canonicalRequest({
    chain: chain.alias,
    context,
    utxos,
    change,
    paths: relevantPaths(subject, options.paths ?? []),
    proofs,
    signerSets: txs.map((tx) => ({ unsignedTx: tx, signatures: [] })),
  }) as SigningRequest<A>
  for (const signature of options.signatures ?? []) takeSignature(draftJob, signature, options)
  if (draftJob.signatures.size === 0) return request
  const signedSet = request.signerSets.findIndex(({ unsignedTx: tx }) =>
    equalBytes(chain.encodeUnsignedTx(tx), draftJob.unsignedBytes),
  )
  if (signedSet === -1)
    throw new SignError(
      'REQUEST_SIGNER_SETS',
      'the signatures are for a signer set that the request does not include',
    )
  return withSignatures(request, (i) => (i === signedSet ? signaturesOf(draftJob) : []))
}

/**
 * Paths of the owners of everything that a transaction spends or creates. If accounts sign it, the addresses of its
 * keys are unknown, and the first 256 paths are kept.
 */
export function relevantPaths(
  {
    chain,
    unsignedTx,
    utxos,
  }: {
    readonly chain: Chain
    readonly unsignedTx: AnyTx
    readonly utxos: readonly AnyUTXO[]
  },
  paths: readonly AddressPath[],
): readonly AddressPath[] {
  if (areSignedByAccounts(chain.spends(unsignedTx))) return paths.slice(0, MAX_HD_ACCOUNTS)
  const owners = new Set(ownerNames(chain, utxos))
  for (const { output } of chain.outputs(unsignedTx))
    for (const owner of output.addresses) owners.add(hex.encode(owner))
  return paths.filter(({ address: owner }) => owners.has(hex.encode(owner)))
}

/**
 * Adds an external signature in any format of `normalizeSignature` to the signer set that it belongs to.
 *
 * @throws SignError `WRONG_SIGNER` if it belongs to none, `SIGNATURE_DUPLICATE`, or the code of an invalid signature.
 */
export function addSignature<A extends ChainAlias>(
  given: SigningRequest<A>,
  givenSignature: AddressSignature,
  givenOptions: BackendOption = {},
): SigningRequest<A> {
  const request = checkRequest('addSignature', given)
  const signature = argument('addSignature', givenSignature, addressSignature, 'signature')
  const options = argument('addSignature', givenOptions, backendOptions)
  const name = hex.encode(signature.address)
  let failure: unknown = new SignError(
    'WRONG_SIGNER',
    `address ${name} is not a signer of this request`,
    { address: signature.address },
  )
  const jobs = openSignerSets(request, options)
  for (const job of jobs) {
    if (!job.needed.has(name)) continue
    try {
      takeSignature(job, signature, options)
      return withSignatures(request, (i) => signaturesOf(jobs[i]!)) as SigningRequest<A>
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
export function finishRequest<A extends ChainAlias>(
  given: SigningRequest<A>,
  givenOptions: BackendOption = {},
): Signed<A> {
  const request = checkRequest('finishRequest', given)
  const jobs = openSignerSets(request, argument('finishRequest', givenOptions, backendOptions))
  const signed = firstComplete(jobs)
  if (signed !== undefined) return signed as Signed<A>
  jobs.sort((a, b) => missingSlots(a).length - missingSlots(b).length)
  return requireSigned(closeJob(jobs[0]!)) as Signed<A>
}

/** The signed transaction of the first complete signer set, if any. */
export function firstComplete(jobs: readonly Job[]): Signed<ChainAlias> | undefined {
  for (const job of jobs) {
    const result = closeJob(job)
    if (result.complete) return result
  }
  return undefined
}

/** The state of one signer set of a request. */
export type SignerSetStatus = {
  /** The hash that its signatures sign, 32 bytes. */
  readonly hash: Uint8Array
  /** Its signers, in the order of their first slots: addresses, or the accounts of a C-Chain export. */
  readonly signers: readonly Uint8Array[]
  /** The slots without a signature; empty if the signer set is complete. */
  readonly missing: readonly SlotPlace[]
}

/** The signers and missing signatures of each signer set, in the order of the signer sets. */
export function requestStatus(request: SigningRequest<ChainAlias>): SignerSetStatus[] {
  return openSignerSets(checkRequest('requestStatus', request)).map((job) => ({
    hash: job.hash,
    signers: signersOf(job),
    missing: missingSlots(job),
  }))
}

/**
 * The ID of a request, 32 bytes: a hash of the network, chain, UTXOs, stated change and all signer sets. Copies of a
 * request have the same ID, however many signatures they have.
 */
export function requestID(request: SigningRequest<ChainAlias>): Uint8Array {
  return idOf(checkRequest('requestID', request))
}

/** Like `requestID`, for a request that was checked. */
export function idOf(request: SigningRequest<ChainAlias>): Uint8Array {
  const { context, utxos, change, signerSets: sets } = request
  const chain = chainNamed(request.chain)
  const textBytes = (text: string) => new TextEncoder().encode(text)
  const parts = [
    textBytes(`avmkit signing request 2, ${chain.alias}-Chain of network ${context.networkID}`),
    context.chainID,
    context.assetID,
    ...utxos.map((utxo) => chain.encodeUTXO(utxo)),
    ...change.map(({ assetID, amount }) => textBytes(`${hex.encode(assetID)}:${amount}`)),
    // Marks where the lists end: otherwise a UTXO could pass as a signer set.
    textBytes(`${utxos.length} UTXOs, ${change.length} amounts of change`),
    ...sets.map(({ unsignedTx }) => chain.encodeUnsignedTx(unsignedTx)),
  ]
  // Hashing each part first makes the boundaries unambiguous.
  const hashes = new Uint8Array(32 * parts.length)
  parts.forEach((part, i) => {
    hashes.set(sha256(part), 32 * i)
  })
  return sha256(hashes)
}

/** Sorts the lists of a request, so that equal requests have equal texts. */
export function canonicalRequest(request: SigningRequest<ChainAlias>): SigningRequest<ChainAlias> {
  const chain = chainNamed(request.chain)
  return {
    ...request,
    change: request.change.toSorted((a, b) => compareBytes(a.assetID, b.assetID)),
    paths: sortedByAddress(request.paths),
    signerSets: request.signerSets
      .map((signerSet) => ({ signerSet, bytes: chain.encodeUnsignedTx(signerSet.unsignedTx) }))
      .sort((a, b) => compareBytes(a.bytes, b.bytes))
      .map(({ signerSet }) => ({
        ...signerSet,
        signatures: sortedByAddress(signerSet.signatures),
      })),
  }
}

/** Replaces the signatures of each signer set. */
export function withSignatures<A extends ChainAlias>(
  request: SigningRequest<A>,
  signatures: (i: number) => readonly AddressSignature[],
): SigningRequest<A> {
  return {
    ...request,
    signerSets: request.signerSets.map((signerSet, i) => ({
      ...signerSet,
      signatures: sortedByAddress(signatures(i)),
    })),
  }
}

/** Opens the signer sets with their signatures, all of which are verified. */
export function openSignerSets(
  request: SigningRequest<ChainAlias>,
  options: BackendOption = {},
): Job[] {
  const chain = chainNamed(request.chain)
  return request.signerSets.map(({ unsignedTx, signatures }) => {
    const job = openJob(chain, unsignedTx, request.utxos)
    for (const signature of signatures) takeSignature(job, signature, options)
    return job
  })
}
