import type { Draft } from '../build/draft.ts'
import type { UTXO } from '../chain/utxo.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { hex } from '../encoding/hex.ts'
import { AvmError } from '../errors.ts'
import { SignError } from './errors.ts'
import {
  type AddressSignature,
  closeJob,
  type Job,
  openJob,
  type SignResult,
  takeSignature,
} from './job.ts'
import type { AddressPath, Keys, SignAllQuery, Signer } from './signer.ts'
import { type DangerCode, type DangerOptions, dangersOf, type Warning } from './warnings.ts'

/** What a caller can accept by its code: a danger, or keys that have nothing to do. */
export type AcceptCode = DangerCode | 'UNUSED_KEY' | 'KEY_NOT_A_SIGNER'

/** Settings of the signing functions. */
export type SignOptions = DangerOptions &
  BackendOption & {
    /** The refusals that the caller has understood and wants to go past. */
    readonly accept?: readonly AcceptCode[]
    /** Signatures made earlier or elsewhere; each is checked. */
    readonly signatures?: readonly AddressSignature[]
    /**
     * 32 bytes that also enter the nonces (RFC 6979, section 3.6), so that signing the same draft again gives
     * other signatures and another transaction ID. Signers may ignore it.
     */
    readonly extraEntropy?: Uint8Array
  }

/** Settings of the functions that ask signers. */
export type SignWithOptions = SignOptions & {
  /** Handed to the signers with the query. */
  readonly paths?: readonly AddressPath[]
}

/**
 * Signs a draft with keys that are at hand. Every key signs once, whatever number of inputs it owns. The
 * result is either a whole signed transaction or says which address must still sign which slot.
 *
 * @example
 * const result = signDraft(draft, keys)
 * if (result.complete) await client.issueTx(result.signedTx)
 */
export function signDraft(draft: Draft, keys: Keys, options: SignOptions = {}): SignResult {
  const job = openDraft(draft, options)
  const signing = signJob(job, keys, options)
  // Where every key signs, there is none to be refused; looking anyway would cost as much as all the rest.
  if (signing < keys.addresses.length) refuseUnused([keys], [job], draft.utxos, options)
  if (signing === 0) refuseBystander(keys, options)
  return closeJob(job)
}

/**
 * Signs a draft with asynchronous signers, in their order: one query for all addresses of a signer that has
 * `signAll`, otherwise one query per address. Every answer is checked before it is taken.
 *
 * @example
 * const result = await signDraftWith(draft, [keyChainSigner(keys), ledger])
 */
export async function signDraftWith(
  draft: Draft,
  signers: readonly Signer[],
  options: SignWithOptions = {},
): Promise<SignResult> {
  const job = openDraft(draft, options)
  refuseUnused(signers, [job], draft.utxos, options)
  for (const signer of signers)
    if (!(await signJobWith(job, signer, options))) refuseBystander(signer, options)
  return closeJob(job)
}

function openDraft(draft: Draft, options: SignOptions): Job {
  refuseDangers(dangersOf(draft.unsignedTx, draft.context, options), options)
  const job = openJob(draft.unsignedTx, draft.utxos)
  for (const signature of options.signatures ?? []) takeSignature(job, signature, options)
  return job
}

/** Throws for the first danger whose code is not accepted. */
export function refuseDangers(
  warnings: readonly Warning[],
  { accept = [] }: Pick<SignOptions, 'accept'>,
): void {
  const accepted: readonly string[] = accept
  const refused = warnings.filter(({ code, danger }) => danger && !accepted.includes(code))
  const [first] = refused
  if (first === undefined) return
  throw new SignError(first.code as DangerCode, `refused to sign: ${first.message}`, {
    warnings: refused,
    path: first.path,
    hint: `pass accept: ['${first.code}'] if this is meant`,
  })
}

/** Fills in what the keys can sign; returns how many of them are among the signers. */
export function signJob(
  job: Job,
  keys: Keys,
  { extraEntropy, backend }: Pick<SignOptions, 'extraEntropy' | 'backend'>,
): number {
  let signing = 0
  for (const [name, { address }] of job.needed) {
    if (!keys.has(address)) continue
    signing++
    // The key chain has verified the signature against the public key of this address.
    if (!job.signatures.has(name))
      job.signatures.set(name, keys.sign(address, job.hash, extraEntropy, backend))
  }
  return signing
}

/** Asks a signer for what is missing; returns whether it is among the signers at all. */
export async function signJobWith(
  job: Job,
  signer: Signer,
  options: SignWithOptions = {},
): Promise<boolean> {
  const own = signer.addresses && new Set(signer.addresses.map(hex.encode))
  const paths = new Map(options.paths?.map(({ address, path }) => [hex.encode(address), path]))
  const asked = [...job.needed].filter(([name]) => own === undefined || own.has(name))
  const open = asked.filter(([name]) => !job.signatures.has(name))
  // A signer that names its addresses may decline one; one that does not must show whose signer it is.
  let signs = own !== undefined && asked.length > 0
  if (open.length === 0) return signs
  const signers = open.map(([name, { address }]) => ({ address, ...pathOf(paths, name) }))
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

type Asked = SignAllQuery['signers']

/** One query for each address, one after the other. */
async function askEach(
  signer: Signer,
  { hash, unsignedBytes }: Job,
  signers: Asked,
  { extraEntropy }: SignOptions,
): Promise<(Uint8Array | undefined)[]> {
  const answers: (Uint8Array | undefined)[] = []
  for (const { address, ...path } of signers)
    answers.push(
      await asked(address, () =>
        // Copies: what is signed here must not depend on what a signer does to its arguments.
        signer.sign({
          address: address.slice(),
          hash: hash.slice(),
          unsignedBytes: unsignedBytes.slice(),
          ...path,
          ...(extraEntropy === undefined ? {} : { extraEntropy: extraEntropy.slice() }),
        }),
      ),
    )
  return answers
}

/** One query for all addresses, so that a person or a service approves once. */
async function askOnce(
  signAll: NonNullable<Signer['signAll']>,
  { hash, unsignedBytes }: Job,
  signers: Asked,
  changePaths: readonly string[],
  { extraEntropy }: SignOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  const [first] = signers
  const answers = await asked(first!.address, () =>
    signAll({
      hash: hash.slice(),
      unsignedBytes: unsignedBytes.slice(),
      signers: signers.map((item) => ({ ...item, address: item.address.slice() })),
      changePaths,
      ...(extraEntropy === undefined ? {} : { extraEntropy: extraEntropy.slice() }),
    }),
  )
  if (Array.isArray(answers) && answers.length === signers.length) return answers
  throw new SignError(
    'SIGNER_FAILED',
    `expected ${signers.length} answers of signAll, one for each signer`,
    { address: first!.address },
  )
}

/** Runs a signer; whatever it throws becomes an error with a code. */
async function asked<T>(address: Uint8Array, run: () => Promise<T> | T): Promise<T> {
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

function pathOf(paths: ReadonlyMap<string, string>, name: string): { readonly path?: string } {
  const path = paths.get(name)
  return path === undefined ? {} : { path }
}

/** The paths of the owners of outputs, for devices that show only what goes to others. */
function changePathsOf({ unsignedTx }: Job, paths: ReadonlyMap<string, string>): string[] {
  const owners = unsignedTx.outputs.flatMap(({ output }) => output.addresses.map(hex.encode))
  return [...new Set(owners)].flatMap((name) => paths.get(name) ?? [])
}

/** Throws for a key that owns none of the UTXOs. Signers that name no addresses are not asked. */
export function refuseUnused(
  signers: readonly { readonly addresses?: readonly Uint8Array[] }[],
  jobs: readonly Job[],
  utxos: readonly UTXO[],
  { accept = [] }: SignOptions,
): void {
  if (accept.includes('UNUSED_KEY')) return
  // Those who sign own something; only for others the owners need be looked through.
  const others = signers
    .flatMap(({ addresses = [] }) => addresses)
    .filter((address) => !jobs.some(({ needed }) => needed.has(hex.encode(address))))
  if (others.length === 0) return
  const owners = new Set(utxos.flatMap(({ output }) => output.addresses.map(hex.encode)))
  const unused = others.find((address) => !owners.has(hex.encode(address)))
  if (unused === undefined) return
  throw new SignError(
    'UNUSED_KEY',
    `the key of ${hex.encode(unused)} owns nothing that the transaction spends`,
    { address: unused, hint: "leave the key out, or pass accept: ['UNUSED_KEY']" },
  )
}

/**
 * Throws for keys none of which signs. The signer set is part of what is signed, so that an owner
 * outside of it cannot help.
 */
export function refuseBystander(
  { addresses }: { readonly addresses?: readonly Uint8Array[] },
  { accept = [] }: SignOptions,
): void {
  if (addresses?.length === 0) return
  // Where keys that own nothing are accepted, a transaction of others is an ordinary case.
  if (accept.includes('KEY_NOT_A_SIGNER') || accept.includes('UNUSED_KEY')) return
  const address = addresses?.[0]
  throw new SignError(
    'KEY_NOT_A_SIGNER',
    'none of the keys is among the signers that the transaction names',
    {
      ...(address === undefined ? {} : { address }),
      hint: 'build it for other signers, or make a signing request with all signer sets',
    },
  )
}
