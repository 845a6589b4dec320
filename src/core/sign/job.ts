import { argument, type Check, integerFrom, list, object } from '../base/argument.ts'
import { equalBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'
import { sha256 } from '../base/hash/sha256.ts'
import type { ChainAlias, SignedTxOf, UnsignedTxOf } from '../chain/chain-types.ts'
import { type Credential, type CredentialSlot, credentialSlot } from '../chain/x/fx.ts'
import { encodeBare } from '../codec/codec.ts'
import type { Codec } from '../codec/io.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { CryptoError, type CryptoErrorCode } from '../crypto/errors.ts'
import { normalizeSignature } from '../crypto/signature.ts'
import { address } from './arguments.ts'
import { type AnyTx, type AnyUTXO, areSignedByAccounts, type Chain } from './chain.ts'
import { SignError, type SignErrorCode } from './errors.ts'
import type { AddressSignature, SlotPlace } from './faults.ts'
import { type CredentialPlan, planCredentials } from './spends.ts'

/** A transaction with all its signatures, ready to be issued. */
export type Signed<A extends ChainAlias = 'X'> = {
  readonly complete: true
  readonly signedTx: SignedTxOf<A>
  /** The encoded transaction. */
  readonly bytes: Uint8Array
  readonly txID: Uint8Array
}

/** A transaction with missing signatures. It has no signed form that could be issued by mistake. */
export type PartlySigned<A extends ChainAlias = 'X'> = {
  readonly complete: false
  readonly unsignedTx: UnsignedTxOf<A>
  /** The hash that every signature signs, 32 bytes. */
  readonly hash: Uint8Array
  /** The signatures so far. */
  readonly signatures: readonly AddressSignature[]
  /** The slots without a signature, in the order of the credentials. */
  readonly missing: readonly SlotPlace[]
}

/** The result of signing; check `complete` first. */
export type SignResult<A extends ChainAlias = 'X'> = Signed<A> | PartlySigned<A>

/** A transaction that is being signed, with one signature per address. */
export type Job = {
  readonly chain: Chain
  readonly unsignedTx: AnyTx
  readonly unsignedBytes: Uint8Array
  readonly hash: Uint8Array
  /** In the order of the credentials; none if accounts sign. */
  readonly utxos: readonly AnyUTXO[]
  readonly plans: readonly CredentialPlan[]
  /** Whether the signers are accounts, not addresses. */
  readonly signedByAccounts: boolean
  /** For each plan, its signers' addresses in hex. */
  readonly names: readonly (readonly string[])[]
  /** The first slot of each signer, by the hex of its address. */
  readonly needed: ReadonlyMap<string, SlotPlace>
  /** The signatures so far, 65 bytes each, by the hex of the address. */
  readonly signatures: Map<string, Uint8Array>
}

/**
 * Checks a transaction against the UTXOs that it spends and determines its signers.
 *
 * @param unsignedBytes - the encoded transaction, if the caller has it
 */
export function openJob(
  chain: Chain,
  unsignedTx: AnyTx,
  utxos: readonly (AnyUTXO | undefined)[],
  unsignedBytes: Uint8Array = chain.encodeUnsignedTx(unsignedTx),
): Job {
  const spends = chain.spends(unsignedTx)
  const plans = planCredentials(chain, spends, utxos)
  const needed = new Map<string, SlotPlace>()
  // Consecutive inputs often have the same owner: comparing is faster than encoding hex.
  let last: { readonly address: Uint8Array; readonly name: string } = {
    address: new Uint8Array(),
    name: '',
  }
  const names = plans.map(({ signers }, credential) =>
    signers.map((address, slot) => {
      if (equalBytes(address, last.address)) return last.name
      const name = hex.encode(address)
      last = { address, name }
      if (!needed.has(name)) needed.set(name, { credential, slot, address })
      return name
    }),
  )
  return {
    chain,
    unsignedTx,
    unsignedBytes,
    hash: sha256(unsignedBytes),
    // Planning has refused unknown ones.
    utxos: utxos as readonly AnyUTXO[],
    plans,
    signedByAccounts: areSignedByAccounts(spends),
    names,
    needed,
    signatures: new Map(),
  }
}

/** The signers of a transaction, in the order of their first slots: addresses or accounts. */
export function signersOf({ needed }: Job): Uint8Array[] {
  return Array.from(needed.values(), ({ address }) => address)
}

/**
 * Adds an external signature in any format of `normalizeSignature`, after checking that the address is a signer of
 * this transaction and that its key made the signature.
 */
export function takeSignature(
  job: Job,
  { address, signature }: AddressSignature,
  options?: BackendOption,
): void {
  const name = hex.encode(address)
  const place = job.needed.get(name)
  if (place === undefined)
    throw new SignError('WRONG_SIGNER', `address ${name} is not a signer of this transaction`, {
      address,
    })
  let normalized: Uint8Array
  try {
    normalized = normalizeSignature(signature, {
      hash: job.hash,
      signer: address,
      signerOf: job.signedByAccounts ? job.chain.accounts?.of : undefined,
      backend: options?.backend,
    })
  } catch (cause) {
    if (!isInvalidSignature(cause)) throw cause
    throw new SignError(
      cause.code,
      `invalid signature of ${name} for credential ${place.credential}, slot ${place.slot}: ${cause.message}`,
      { cause, ...place },
    )
  }
  const earlier = job.signatures.get(name)
  if (earlier !== undefined && hex.encode(earlier) !== hex.encode(normalized))
    throw new SignError(
      'SIGNATURE_DUPLICATE',
      `two different signatures of ${name} for the same transaction`,
      place,
    )
  job.signatures.set(name, normalized)
}

/** Whether an error means that the signature is invalid, not that checking it failed. */
function isInvalidSignature(
  error: unknown,
): error is CryptoError & { readonly code: SignErrorCode & CryptoErrorCode } {
  const codes: readonly string[] = ['SIG_INVALID', 'SIG_HIGH_S', 'SIG_MALFORMED', 'WRONG_SIGNER']
  return error instanceof CryptoError && codes.includes(error.code)
}

const credentialList: Codec<readonly CredentialSlot[]> = (io, v) => io.list(v, credentialSlot)

/** The result of signing so far. */
export function closeJob(job: Job): SignResult<ChainAlias> {
  const { unsignedTx, unsignedBytes, hash, plans, names, needed, signatures } = job
  if ([...needed.keys()].some((name) => !signatures.has(name)))
    return {
      complete: false,
      unsignedTx,
      hash,
      signatures: signaturesOf(job),
      missing: missingSlots(job),
    }
  const credentials = plans.map(
    ({ type }, i): Credential => ({
      type,
      signatures: names[i]!.map((name) => signatures.get(name)!),
    }),
  )
  const signedTx = { unsignedTx, credentials } as SignedTxOf<ChainAlias>
  // The signed bytes start with the unsigned ones, so those are not encoded again.
  const tail = encodeBare(credentialList, credentials)
  const bytes = new Uint8Array(unsignedBytes.length + tail.length)
  bytes.set(unsignedBytes)
  bytes.set(tail, unsignedBytes.length)
  return { complete: true, signedTx, bytes, txID: sha256(bytes) }
}

/** The signatures of a job, in the order of their first slots. */
export function signaturesOf({ needed, signatures }: Job): AddressSignature[] {
  return [...needed].flatMap(([name, { address }]) => {
    const signature = signatures.get(name)
    return signature === undefined ? [] : [{ address, signature }]
  })
}

/** The slots without a signature. */
export function missingSlots({ plans, names, signatures }: Job): SlotPlace[] {
  return plans.flatMap(({ signers }, credential) =>
    signers
      .map((address, slot) => ({ credential, slot, address }))
      .filter(({ slot }) => !signatures.has(names[credential]![slot]!)),
  )
}

const missingSlot: Check<SlotPlace> = object<SlotPlace>({
  credential: integerFrom(0),
  slot: integerFrom(0),
  address,
})

/**
 * Returns the signed transaction of a result.
 *
 * @throws SignError `INCOMPLETE` with the `missing` slots.
 *
 * @example
 * await client.issueTx(requireSigned(signDraft(draft, keys)).signedTx)
 */
export function requireSigned<A extends ChainAlias>(result: SignResult<A>): Signed<A> {
  // A result of the library, not an argument of options.
  if (result?.complete) return result
  const missing = argument('requireSigned', result?.missing, list(missingSlot), 'missing')
  const addresses = new Set(missing.map(({ address }) => hex.encode(address)))
  throw new SignError(
    'INCOMPLETE',
    `${missing.length} signatures of ${addresses.size} addresses are missing`,
    {
      missing,
      hint: 'missing lists the signers; create a signing request to collect their signatures',
    },
  )
}
