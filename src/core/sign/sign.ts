import { copyBytes } from '../base/bytes/copy.ts'
import { hex } from '../base/encoding/hex.ts'
import { AvmError } from '../base/errors.ts'
import { requireFields, requireList } from '../base/require.ts'
import type { OutputOwners } from '../chain/owners.ts'
import type { UTXO } from '../chain/x/utxo.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { type Draft, requireDraft } from '../draft/x/draft.ts'
import { SignError } from './errors.ts'
import {
  type AddressSignature,
  closeJob,
  type Job,
  openJob,
  type SignResult,
  takeSignature,
} from './job.ts'
import {
  type AddressPath,
  type Keys,
  requireKeys,
  requirePaths,
  requireSigners,
  type SignAllQuery,
  type Signer,
} from './signer.ts'
import { type DangerCode, type DangerOptions, dangersOf, type Warning } from './warnings.ts'

/** Codes that a caller can accept: dangers, and keys that do not sign. */
export type AcceptCode = DangerCode | 'UNUSED_KEY' | 'KEY_NOT_A_SIGNER'

/** Options of the signing functions. */
export type SignOptions = DangerOptions &
  BackendOption & {
    /** Codes of refusals to ignore. */
    readonly accept?: readonly AcceptCode[] | undefined
    /** Existing signatures; each is checked. */
    readonly signatures?: readonly AddressSignature[] | undefined
    /**
     * 32 bytes that also enter the nonces (RFC 6979, section 3.6), so that signing the same draft again gives
     * different signatures and a different transaction ID. Signers may ignore it.
     */
    readonly extraEntropy?: Uint8Array | undefined
  }

/** Options of the functions that use signers. */
export type SignWithOptions = SignOptions & {
  /** Derivation paths, passed to the signers. */
  readonly paths?: readonly AddressPath[] | undefined
}

/**
 * Signs a draft with keys in memory. Each key signs once, however many inputs it owns. The result is either the signed
 * transaction, or the slots whose signatures are missing.
 *
 * @throws SignError with the code of the first danger that is not accepted, `UNUSED_KEY`, `KEY_NOT_A_SIGNER`, or the
 * code of an invalid signature or UTXO.
 *
 * @example
 * const result = signDraft(draft, keys)
 * if (result.complete) await client.issueTx(result.signedTx)
 */
export function signDraft(draft: Draft, keys: Keys, options: SignOptions = {}): SignResult {
  const { job, utxos } = openDraft(draft, options)
  requireKeys(keys)
  const signerCount = signJob(job, keys, options)
  // If every key signs, none is unused; the check would take as long as everything else.
  if (signerCount < keys.addresses.length) refuseUnused([keys], [job], utxos, options)
  if (signerCount === 0) refuseNonSigner(keys, options)
  return closeJob(job)
}

/**
 * Signs a draft with asynchronous signers, in their order: one query for all addresses of a signer that has
 * `signAll`, otherwise one query per address. Every answer is checked before it is used.
 *
 * @example
 * const result = await signDraftWith(draft, [keyChainSigner(keys), ledger])
 */
export async function signDraftWith(
  draft: Draft,
  signers: readonly Signer[],
  options: SignWithOptions = {},
): Promise<SignResult> {
  const { job, utxos } = openDraft(draft, options)
  requireSigners(signers)
  if (options.paths !== undefined) requirePaths(options.paths)
  refuseUnused(signers, [job], utxos, options)
  for (const signer of signers)
    if (!(await signJobWith(job, signer, options))) refuseNonSigner(signer, options)
  return closeJob(job)
}

function openDraft(
  draft: Draft,
  options: SignOptions,
): { readonly job: Job; readonly utxos: readonly UTXO[] } {
  // Read once: what getters return could change between checking and signing.
  const { unsignedTx, utxos, context } = draft ?? {}
  requireDraft({ unsignedTx, utxos, context })
  refuseDangers(dangersOf(unsignedTx, context, options), options)
  const job = openJob(unsignedTx, utxos)
  for (const signature of options.signatures ?? []) takeSignature(job, signature, options)
  return { job, utxos }
}

/**
 * Refuses dangers.
 *
 * @throws SignError with the code of the first danger that is not accepted.
 */
export function refuseDangers(
  warnings: readonly (Omit<Warning, 'code'> & { readonly code: string })[],
  options: Pick<SignOptions, 'accept'>,
): void {
  const accepted = acceptedCodes(options)
  const refused = warnings.filter(({ code, danger }) => danger && !accepted.includes(code))
  const [first] = refused
  if (first === undefined) return
  throw new SignError(first.code as DangerCode, `refused to sign: ${first.message}`, {
    warnings: refused as readonly Warning[],
    path: first.path,
    hint: `pass accept: ['${first.code}'] if this is intended`,
  })
}

/** The accepted codes. If they were a string, `includes` would also find parts of its words. */
function acceptedCodes({ accept = [] }: Pick<SignOptions, 'accept'>): readonly string[] {
  requireList(accept, 'accept')
  return accept
}

/** Adds the signatures of the keys; returns the number of keys that are signers. */
export function signJob(
  job: Job,
  keys: Keys,
  { extraEntropy, backend }: Pick<SignOptions, 'extraEntropy' | 'backend'>,
): number {
  requireFields(keys, 'keys', ['has', 'sign'])
  let signerCount = 0
  for (const [name, { address }] of job.needed) {
    if (!keys.has(address)) continue
    signerCount++
    // The key chain has verified the signature against the public key of this address.
    if (!job.signatures.has(name))
      job.signatures.set(name, keys.sign(address, job.hash, extraEntropy, backend))
  }
  return signerCount
}

/** Requests missing signatures from a signer; returns whether it is a signer of the transaction. */
export async function signJobWith(
  job: Job,
  signer: Signer,
  options: SignWithOptions = {},
): Promise<boolean> {
  const own = signer.addresses && new Set(signer.addresses.map(hex.encode))
  const paths = new Map(options.paths?.map(({ address, path }) => [hex.encode(address), path]))
  const candidates = [...job.needed].filter(([name]) => own === undefined || own.has(name))
  const unsigned = candidates.filter(([name]) => !job.signatures.has(name))
  // A signer that lists an address of the transaction counts even if it declines; one without a list must sign.
  let signs = own !== undefined && candidates.length > 0
  if (unsigned.length === 0) return signs
  const signers = unsigned.map(([name, { address }]) => ({ address, path: paths.get(name) }))
  const answers = await (signer.signAll === undefined
    ? askEach(signer, job, signers, options)
    : askOnce(signer.signAll, job, signers, changePathsOf(job, paths), options))
  for (const [i, { address }] of signers.entries()) {
    const signature = answers[i]
    if (signature === undefined) continue
    takeSignature(job, { address, signature }, options)
    signs = true
  }
  return signs
}

type QueriedSigners = SignAllQuery['signers']

/** One query per address, in sequence. */
async function askEach(
  signer: Signer,
  { hash, unsignedBytes }: Job,
  signers: QueriedSigners,
  { extraEntropy }: SignOptions,
): Promise<(Uint8Array | undefined)[]> {
  const answers: (Uint8Array | undefined)[] = []
  for (const { address, ...path } of signers)
    answers.push(
      await runSigner(address, () =>
        // Copies, so that a signer cannot modify what is signed.
        signer.sign({
          address: copyBytes(address),
          hash: copyBytes(hash),
          unsignedBytes: copyBytes(unsignedBytes),
          ...path,
          extraEntropy: extraEntropy && copyBytes(extraEntropy),
        }),
      ),
    )
  return answers
}

/** One query for all addresses, so that a person or a service approves once. */
async function askOnce(
  signAll: NonNullable<Signer['signAll']>,
  { hash, unsignedBytes }: Job,
  signers: QueriedSigners,
  changePaths: readonly string[],
  { extraEntropy }: SignOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  const [first] = signers
  const answers = await runSigner(first!.address, () =>
    signAll({
      hash: copyBytes(hash),
      unsignedBytes: copyBytes(unsignedBytes),
      signers: signers.map((item) => ({ ...item, address: copyBytes(item.address) })),
      changePaths,
      extraEntropy: extraEntropy && copyBytes(extraEntropy),
    }),
  )
  if (Array.isArray(answers) && answers.length === signers.length) return answers
  throw new SignError(
    'SIGNER_FAILED',
    `expected ${signers.length} signatures from signAll, one per signer`,
    { address: first!.address },
  )
}

/** Runs a signer; untyped errors become `SIGNER_FAILED`. */
async function runSigner<T>(address: Uint8Array, run: () => Promise<T> | T): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    if (cause instanceof AvmError) throw cause
    throw new SignError('SIGNER_FAILED', `the signer of ${hex.encode(address)} failed`, {
      address,
      cause,
    })
  }
}

/** The paths of owners of outputs, for devices that hide their own change from the review. */
function changePathsOf({ unsignedTx }: Job, paths: ReadonlyMap<string, string>): string[] {
  const owners = unsignedTx.outputs.flatMap(({ output }) => output.addresses.map(hex.encode))
  return [...new Set(owners)].flatMap((name) => paths.get(name) ?? [])
}

/**
 * Refuses keys that own none of the UTXOs. Signers without known addresses are not checked.
 *
 * @throws SignError `UNUSED_KEY`
 */
export function refuseUnused(
  signers: readonly { readonly addresses?: readonly Uint8Array[] | undefined }[],
  jobs: readonly { readonly needed: { readonly has: (name: string) => boolean } }[],
  utxos: readonly { readonly output: Pick<OutputOwners, 'addresses'> }[],
  options: Pick<SignOptions, 'accept'>,
): void {
  if (acceptedCodes(options).includes('UNUSED_KEY')) return
  // A signer of a job owns a UTXO; only the other keys must be compared with all owners.
  const others = signers
    .flatMap(({ addresses = [] }) => addresses)
    .filter((address) => !jobs.some(({ needed }) => needed.has(hex.encode(address))))
  if (others.length === 0) return
  const owners = new Set(utxos.flatMap(({ output }) => output.addresses.map(hex.encode)))
  const unused = others.find((address) => !owners.has(hex.encode(address)))
  if (unused === undefined) return
  throw new SignError(
    'UNUSED_KEY',
    `the key of ${hex.encode(unused)} owns none of the spent UTXOs`,
    { address: unused, hint: "omit the key, or pass accept: ['UNUSED_KEY']" },
  )
}

/**
 * Refuses keys none of which is a signer. The signer set is part of the signed bytes, so other owners cannot sign.
 *
 * @throws SignError `KEY_NOT_A_SIGNER`
 */
export function refuseNonSigner(
  { addresses }: { readonly addresses?: readonly Uint8Array[] | undefined },
  options: Pick<SignOptions, 'accept'>,
): void {
  const accept = acceptedCodes(options)
  if (addresses?.length === 0) return
  // A caller that accepts unused keys also accepts that none of them is a signer.
  if (accept.includes('KEY_NOT_A_SIGNER') || accept.includes('UNUSED_KEY')) return
  const address = addresses?.[0]
  throw new SignError('KEY_NOT_A_SIGNER', 'none of the keys is a signer of the transaction', {
    address,
    hint: 'build it for other signers, or create a signing request with all signer sets',
  })
}
