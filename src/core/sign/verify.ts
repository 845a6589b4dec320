import { argument, type Check, object, optional } from '../base/argument.ts'
import { equalBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'
import { sha256 } from '../base/hash/sha256.ts'
import type { ChainAlias, SignedTxOf, UTXOOf } from '../chain/chain-types.ts'
import { type CredentialSlot, isCredential } from '../chain/x/fx.ts'
import type { BackendOption, Secp256k1Backend } from '../crypto/backend.ts'
import { CryptoError } from '../crypto/errors.ts'
import { addressOf, backendOption, nobleBackend } from '../crypto/secp256k1.ts'
import { chainArgument } from './arguments.ts'
import { type AnyUTXO, areSignedByAccounts, type Chain, type Spend } from './chain.ts'
import { SignError } from './errors.ts'
import type { SignatureFault } from './faults.ts'
import { type Job, openJob } from './job.ts'
import { chainNamed } from './registry.ts'
import { type CredentialPlan, findUTXOs, planCredentials } from './spends.ts'

/** The signer of a signature, or why it is invalid. */
type Recovered = { readonly signer: Uint8Array } | { readonly code: 'SIG_INVALID' | 'SIG_HIGH_S' }

/** Options of {@link verifySignatures}. */
export type VerifySignaturesOptions<A extends ChainAlias = ChainAlias> = BackendOption & {
  /**
   * The chain of the transaction.
   *
   * @defaultValue `X`
   */
  readonly chain?: A | undefined
}

const verifyOptions: Check<VerifySignaturesOptions> = object<VerifySignaturesOptions>({
  backend: backendOption,
  chain: optional(chainArgument),
})

/**
 * Verifies every signature of a transaction: recovers its signer and compares it with the owner at the signature index,
 * or with the account. `utxos` may be in any order and include others.
 *
 * @throws SignError `UTXO_UNKNOWN` if a spent UTXO is not in `utxos`, `UTXO_MISMATCH` if its asset or amount is not the
 * one that the input states, or the code of the first fault, with all faults of signatures in `faults`.
 *
 * @example
 * verifySignatures(decodeTx(bytes), draft.utxos)
 */
export function verifySignatures<A extends ChainAlias = 'X'>(
  given: SignedTxOf<A>,
  givenUTXOs: readonly UTXOOf<A>[],
  givenOptions: VerifySignaturesOptions<A> = {},
): void {
  const options = argument('verifySignatures', givenOptions, verifyOptions)
  const chain = chainNamed(options.chain ?? 'X')
  const tx = argument('verifySignatures', given, (value) => chain.copyTx(value as never), 'tx')
  const known = argument(
    'verifySignatures',
    givenUTXOs,
    (value) => chain.copyUTXOs(value as never),
    'utxos',
  )
  const utxos = findUTXOs(chain, tx.unsignedTx, known)
  const job = openJob(chain, tx.unsignedTx, utxos)
  if (tx.credentials.length !== job.plans.length)
    throw new SignError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `expected ${job.plans.length} credentials, found ${tx.credentials.length}`,
    )
  const faults = signatureFaults(job, tx, options)
  const [first] = faults
  if (first === undefined) return
  const { code, credential, slot, address } = first
  throw new SignError(code, describeFault(first), {
    credential,
    slot,
    address,
    faults,
  })
}

/** How many signatures a transaction has. */
export type SignatureCount = {
  readonly needed: number
  /** Signatures that were verified. */
  readonly made: number
  /** Signatures that do not verify. */
  readonly invalid: readonly SignatureFault[]
  /** Signatures that cannot be verified, because the UTXOs are not known. */
  readonly unverified: number
}

/** Counts the signatures of a transaction. `utxos` are in the order of the credentials; undefined for unknown ones. */
export function countSignatures(
  chain: Chain,
  { unsignedTx, credentials }: SignedTxOf<ChainAlias>,
  utxos: readonly (AnyUTXO | undefined)[],
): SignatureCount {
  const spends = chain.spends(unsignedTx)
  const hash = sha256(chain.encodeUnsignedTx(unsignedTx))
  const signedByAccounts = areSignedByAccounts(spends)
  const recover = recovery({ chain, hash, signedByAccounts }, nobleBackend)
  const count = { needed: 0, made: 0, invalid: [] as SignatureFault[], unverified: 0 }
  spends.forEach((spend, credential) => {
    count.needed += spend.signers.signatureIndices.length
    const found = credentials[credential]
    if (found === undefined) return
    const plan = planIfKnown(chain, spend, utxos[credential])
    if (plan === undefined) {
      const signatures = isCredential(found) ? found.signatures : []
      count.unverified += signatures.filter((signature) =>
        signature.some((byte) => byte > 0),
      ).length
      return
    }
    const faults = credentialFaults(plan, found, credential, recover)
    // The signatures of a credential of the wrong type are not verified.
    if (!faults.some(({ code }) => code === 'WRONG_CREDENTIAL_TYPE'))
      count.made += plan.signers.length - faults.filter(({ slot }) => slot !== undefined).length
    count.invalid.push(...faults.filter(({ code }) => code !== 'SIGNATURE_MISSING'))
  })
  for (let credential = spends.length; credential < credentials.length; credential++)
    count.invalid.push({ code: 'CREDENTIAL_SIGNERS_MISMATCH', credential })
  return count
}

/** The signers of a spend; undefined if its UTXO is not known, or not the one that it spends. */
function planIfKnown(
  chain: Chain,
  spend: Spend,
  utxo: AnyUTXO | undefined,
): CredentialPlan | undefined {
  try {
    return planCredentials(chain, [spend], spend.account === undefined ? [utxo] : [])[0]
  } catch (error) {
    if (error instanceof SignError) return undefined
    throw error
  }
}

/** The faults of all signatures of a transaction, in the order of its credentials. */
function signatureFaults(
  job: Job,
  { credentials }: SignedTxOf<ChainAlias>,
  options: BackendOption,
): SignatureFault[] {
  const recover = recovery(job, options.backend ?? nobleBackend)
  return job.plans.flatMap((plan, credential) =>
    credentialFaults(plan, credentials[credential]!, credential, recover),
  )
}

function credentialFaults(
  plan: CredentialPlan,
  found: CredentialSlot,
  credential: number,
  recover: (signature: Uint8Array) => Recovered,
): SignatureFault[] {
  if (!isCredential(found) || found.type !== plan.type)
    return [{ code: 'WRONG_CREDENTIAL_TYPE', credential }]
  const faults: SignatureFault[] = []
  plan.signers.forEach((address, slot) => {
    const place = { credential, slot, address }
    const signature = found.signatures[slot]
    if (signature === undefined || signature.every((byte) => byte === 0)) {
      faults.push({ code: 'SIGNATURE_MISSING', ...place })
      return
    }
    const recovered = recover(signature)
    if ('code' in recovered) {
      faults.push({ code: recovered.code, ...place })
      return
    }
    const { signer } = recovered
    if (equalBytes(signer, address)) return
    // Whether the signature of another slot of this credential was copied to this one.
    const isCopy = found.signatures.some((other, i) => i !== slot && equalBytes(other, signature))
    faults.push({ code: isCopy ? 'SIGNATURE_DUPLICATE' : 'WRONG_SIGNER', ...place, signer })
  })
  if (found.signatures.length > plan.signers.length)
    faults.push({ code: 'CREDENTIAL_SIGNERS_MISMATCH', credential })
  return faults
}

/** Recovers each distinct signature once: inputs of one key have the same signature. */
function recovery(
  { chain, hash, signedByAccounts }: Pick<Job, 'chain' | 'hash' | 'signedByAccounts'>,
  backend: Secp256k1Backend,
): (signature: Uint8Array) => Recovered {
  const signerOf = (signedByAccounts && chain.accounts?.of) || addressOf
  const known = new Map<string, Recovered>()
  return (signature) => {
    const name = hex.encode(signature)
    let recovered = known.get(name)
    if (recovered === undefined) {
      recovered = recoverSigner(hash, signature, signerOf, backend)
      known.set(name, recovered)
    }
    return recovered
  }
}

function recoverSigner(
  hash: Uint8Array,
  signature: Uint8Array,
  signerOf: (publicKey: Uint8Array) => Uint8Array,
  backend: Secp256k1Backend,
): Recovered {
  try {
    return { signer: signerOf(backend.recover(hash, signature)) }
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    return { code: error.code === 'SIG_HIGH_S' ? 'SIG_HIGH_S' : 'SIG_INVALID' }
  }
}

/** Describes a fault in one line. */
export function describeFault({ code, credential, slot, address, signer }: SignatureFault): string {
  const place =
    slot === undefined ? `credential ${credential}` : `credential ${credential}, slot ${slot}`
  if (code === 'WRONG_CREDENTIAL_TYPE') return `${place} has the wrong type`
  if (code === 'CREDENTIAL_SIGNERS_MISMATCH') return `${place} has more signatures than signers`
  if (address === undefined) return `${code} in ${place}`
  const expected = `expected a signature of ${hex.encode(address)} in ${place}`
  if (signer !== undefined) return `${expected}, found a signature of ${hex.encode(signer)}`
  return code === 'SIGNATURE_MISSING'
    ? `${expected}, found none`
    : `${expected}, found an invalid one`
}
