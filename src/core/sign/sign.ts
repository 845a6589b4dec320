import {
  argument,
  bigintFrom,
  bytesOf,
  type Check,
  list,
  type Members,
  object,
  optional,
  text,
} from '../base/argument.ts'
import { copyBytes } from '../base/bytes/copy.ts'
import { hex } from '../base/encoding/hex.ts'
import { AvmError } from '../base/errors.ts'
import type { ChainAlias } from '../chain/chain-types.ts'
import { networkContext } from '../chain/networks.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { backendOption } from '../crypto/secp256k1.ts'
import { verifySignatures } from '../crypto/verifying-keys.ts'
import type { Draft } from '../draft/draft.ts'
import { accountsOf, type SignerNames, signerNames } from './account-keys.ts'
import {
  addressPath,
  addressSignature,
  checkDraft,
  keysArgument,
  type OurKeys,
  publicKeysArgument,
  signersArgument,
} from './arguments.ts'
import type { AnyUTXO, Chain } from './chain.ts'
import { SignError } from './errors.ts'
import type { AddressSignature } from './faults.ts'
import { closeJob, type Job, openJob, type SignResult, takeSignature } from './job.ts'
import { isPolicyCode, policyArgument } from './policy.ts'
import type { AddressPath, Keys, SignAllQuery, Signer } from './signer.ts'
import { type DangerCode, type DangerOptions, dangersOf, viewTx, type Warning } from './warnings.ts'

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
  /**
   * Compressed public keys of the signers. Required for exports of the C-Chain, which name accounts: the key of an
   * account cannot be derived from it.
   */
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

/** Description of the codes to accept. A misspelled one accepts nothing. */
export const acceptArgument: Check<readonly AcceptCode[] | undefined> = optional(
  list(text as Check<AcceptCode>),
)

/** Descriptions of the limits that a signer sets. */
export const dangerMembers: Members<DangerOptions> = {
  network: optional(networkContext),
  maxFee: optional(bigintFrom(0n)),
  price: optional(bigintFrom(0n)),
  policy: optional(policyArgument),
}

/** Descriptions of the options that all signing functions have. */
export const signMembers: Members<Omit<SignOptions, 'signatures'>> = {
  ...dangerMembers,
  backend: backendOption,
  accept: acceptArgument,
  extraEntropy: optional(bytesOf()),
}

const signOptions: Check<SignOptions> = object<SignOptions>({
  ...signMembers,
  signatures: optional(list(addressSignature)),
})

const signWithOptions: Check<SignWithOptions> = object<SignWithOptions>({
  ...signMembers,
  signatures: optional(list(addressSignature)),
  paths: optional(list(addressPath)),
  publicKeys: publicKeysArgument,
})

/**
 * Signs a draft with keys in memory. Each key signs once, however many inputs it owns. The result is either the signed
 * transaction, or the slots whose signatures are missing. Exports of the C-Chain are signed by the keys of the accounts
 * that they debit.
 *
 * @throws SignError with the code of the first danger that is not accepted, `UNUSED_KEY`, `KEY_NOT_A_SIGNER`, or the
 * code of an invalid signature or UTXO.
 *
 * @example
 * const result = signDraft(draft, keys)
 * if (result.complete) await client.issueTx(result.signedTx)
 */
export function signDraft<A extends ChainAlias>(
  draft: Draft<A>,
  givenKeys: Keys,
  givenOptions: SignOptions = {},
): SignResult<A> {
  const options = argument('signDraft', givenOptions, signOptions)
  const keys = argument('signDraft', givenKeys, keysArgument, 'keys')
  const { job, utxos } = openDraft('signDraft', draft, keys, options)
  const names = signerNames(job, keys.publicKeys ?? [])
  const signerCount = signJob(job, keys, names, options)
  // If every key signs, none is unused; the check would take as long as everything else.
  if (signerCount < keys.addresses.length) refuseUnused([keys], [job], names, utxos, options)
  if (signerCount === 0) refuseNonSigner(keys, options)
  return closeJob(job) as SignResult<A>
}

/**
 * Signs a draft with asynchronous signers, in their order: one query for all addresses of a signer that has
 * `signAll`, otherwise one query per address. Every answer is checked before it is used.
 *
 * @example
 * const result = await signDraftWith(draft, [keyChainSigner(keys), ledger])
 */
export async function signDraftWith<A extends ChainAlias>(
  draft: Draft<A>,
  givenSigners: readonly Signer[],
  givenOptions: SignWithOptions = {},
): Promise<SignResult<A>> {
  const options = argument('signDraftWith', givenOptions, signWithOptions)
  const signers = argument('signDraftWith', givenSigners, signersArgument, 'signers')
  const addresses = signers.flatMap((signer) => signer.addresses ?? [])
  const ours = { addresses, publicKeys: options.publicKeys }
  const { job, utxos } = openDraft('signDraftWith', draft, ours, options)
  const names = signerNames(job, options.publicKeys ?? [])
  refuseUnused(signers, [job], names, utxos, options)
  for (const signer of signers)
    if (!(await signJobWith(job, signer, names, options))) refuseNonSigner(signer, options)
  return closeJob(job) as SignResult<A>
}

function openDraft(
  call: string,
  draft: unknown,
  { addresses, publicKeys = [] }: OurKeys,
  options: SignOptions,
): { readonly job: Job; readonly utxos: readonly (AnyUTXO | undefined)[] } {
  const { chain, unsignedTx, unsignedBytes, utxos, context } = checkDraft(call, draft)
  const owners = new Set([...ownerNames(chain, utxos), ...addresses.map(hex.encode)])
  const { policy, network = context } = options
  const judged = policy?.judge({
    chain: chain.alias,
    unsignedTx,
    utxos,
    // The caller has built the draft, and vouches for what it spends.
    certain: utxos.map((utxo) => utxo !== undefined),
    network,
    ours: addresses,
    accounts: accountsOf(chain, publicKeys),
  })
  const dangers = dangersOf(viewTx(chain, unsignedTx), context, options, owners)
  refuseDangers([...(judged ?? []), ...dangers], options)
  const job = openJob(chain, unsignedTx, utxos, unsignedBytes)
  for (const signature of options.signatures ?? []) takeSignature(job, signature, options)
  return { job, utxos }
}

/** The owners of UTXOs, by the hex of their addresses. */
export function ownerNames(
  chain: Chain,
  utxos: readonly (AnyUTXO | undefined)[],
): ReadonlySet<string> {
  const names = new Set<string>()
  for (const utxo of utxos)
    if (utxo !== undefined)
      for (const address of chain.outputOf(utxo).output.addresses) names.add(hex.encode(address))
  return names
}

/**
 * Refuses dangers, and everything that a policy refuses.
 *
 * @throws SignError with the code of the first danger that is not accepted.
 */
export function refuseDangers(
  warnings: readonly Warning[],
  { accept = [] }: Pick<SignOptions, 'accept'>,
): void {
  const accepted: readonly string[] = accept
  const refused = warnings.filter(
    ({ code, danger }) => danger && (isPolicyCode(code) || !accepted.includes(code)),
  )
  const [first] = refused
  if (first === undefined) return
  throw new SignError(first.code as DangerCode, `refused to sign: ${first.message}`, {
    warnings: refused,
    path: first.path,
    hint: isPolicyCode(first.code)
      ? 'only another policy can allow it'
      : `pass accept: ['${first.code}'] if this is intended`,
  })
}

/** Adds the signatures of the keys; returns the number of keys that are signers. */
export function signJob(
  job: Job,
  keys: Keys,
  names: SignerNames,
  { extraEntropy, backend }: Pick<SignOptions, 'extraEntropy' | 'backend'>,
): number {
  let signerCount = 0
  for (const [name, { address: signer }] of job.needed) {
    const address = names.addressOf(signer)
    if (address === undefined || !keys.has(address)) continue
    signerCount++
    if (job.signatures.has(name)) continue
    const signature = keys.sign(address, job.hash, extraEntropy, backend)
    // Signatures of others may be anything.
    if (verifySignatures(keys)) job.signatures.set(name, signature)
    else takeSignature(job, { address: signer, signature }, { backend })
  }
  return signerCount
}

/** Requests missing signatures from a signer; returns whether it is a signer of the transaction. */
export async function signJobWith(
  job: Job,
  signer: Signer,
  names: SignerNames,
  options: SignWithOptions,
): Promise<boolean> {
  const own = signer.addresses && new Set(signer.addresses.map(hex.encode))
  const paths = new Map(options.paths?.map(({ address, path }) => [hex.encode(address), path]))
  const candidates = [...job.needed].flatMap(([name, { address: named }]) => {
    const address = names.addressOf(named)
    const isOwn = address !== undefined && (own === undefined || own.has(hex.encode(address)))
    return isOwn ? [{ name, named, address }] : []
  })
  const unsigned = candidates.filter(({ name }) => !job.signatures.has(name))
  // A signer that lists an address of the transaction counts even if it declines; one without a list must sign.
  let signs = own !== undefined && candidates.length > 0
  if (unsigned.length === 0) return signs
  const signers = unsigned.map(({ address }) => ({ address, path: paths.get(hex.encode(address)) }))
  const answers = await (signer.signAll === undefined
    ? askEach(signer, job, signers, options)
    : askOnce(signer.signAll, job, signers, changePathsOf(job, paths), options))
  for (const [i, { named }] of unsigned.entries()) {
    const signature = answers[i]
    if (signature === undefined) continue
    takeSignature(job, { address: named, signature }, options)
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
  { chain, hash, unsignedBytes, utxos }: Job,
  signers: QueriedSigners,
  changePaths: readonly string[],
  { extraEntropy }: SignOptions,
): Promise<readonly (Uint8Array | undefined)[]> {
  const [first] = signers
  const answers = await runSigner(first!.address, () =>
    signAll({
      hash: copyBytes(hash),
      unsignedBytes: copyBytes(unsignedBytes),
      chain: chain.alias,
      utxos: utxos.map((utxo) => chain.encodeUTXO(utxo)),
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
function changePathsOf({ chain, unsignedTx }: Job, paths: ReadonlyMap<string, string>): string[] {
  const outputs = chain.outputs(unsignedTx).filter(({ source }) => source === 'outputs')
  const owners = outputs.flatMap(({ output }) => output.addresses.map(hex.encode))
  return [...new Set(owners)].flatMap((name) => paths.get(name) ?? [])
}

/**
 * Refuses keys that own none of the UTXOs or accounts. Signers without known addresses are not checked.
 *
 * @throws SignError `UNUSED_KEY`
 */
export function refuseUnused(
  signers: readonly { readonly addresses?: readonly Uint8Array[] | undefined }[],
  jobs: readonly Job[],
  names: SignerNames,
  utxos: readonly (AnyUTXO | undefined)[],
  { accept = [] }: Pick<SignOptions, 'accept'>,
): void {
  if (accept.includes('UNUSED_KEY')) return
  // A signer of a job owns a UTXO; only the other keys must be compared with all owners.
  const others = signers
    .flatMap(({ addresses = [] }) => addresses)
    .filter((address) => {
      const signer = names.signerOf(address)
      return signer !== undefined && !jobs.some(({ needed }) => needed.has(hex.encode(signer)))
    })
  if (others.length === 0) return
  const owners = ownerNames(jobs[0]!.chain, utxos)
  const unused = others.find((address) => !owners.has(hex.encode(address)))
  if (unused === undefined) return
  throw new SignError('UNUSED_KEY', `the key of ${hex.encode(unused)} owns nothing that is spent`, {
    address: unused,
    hint: "omit the key, or pass accept: ['UNUSED_KEY']",
  })
}

/**
 * Refuses keys none of which is a signer. The signer set is part of the signed bytes, so other owners cannot sign.
 *
 * @throws SignError `KEY_NOT_A_SIGNER`
 */
export function refuseNonSigner(
  { addresses }: { readonly addresses?: readonly Uint8Array[] | undefined },
  { accept = [] }: Pick<SignOptions, 'accept'>,
): void {
  if (addresses?.length === 0) return
  // A caller that accepts unused keys also accepts that none of them is a signer.
  if (accept.includes('KEY_NOT_A_SIGNER') || accept.includes('UNUSED_KEY')) return
  const address = addresses?.[0]
  throw new SignError('KEY_NOT_A_SIGNER', 'none of the keys is a signer of the transaction', {
    address,
    hint: 'build it for other signers, or create a signing request with all signer sets; accounts need publicKeys',
  })
}
