import { equalBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'
import { isCredential } from '../chain/x/fx.ts'
import { hashToSign } from '../chain/x/ids.ts'
import { signersOf } from '../chain/x/spends.ts'
import { type SignedTx, signedTx } from '../chain/x/tx.ts'
import { requireUTXOs, type UTXO } from '../chain/x/utxo.ts'
import { requireEncodable } from '../codec/codec.ts'
import type { BackendOption, Secp256k1Backend } from '../crypto/backend.ts'
import { CryptoError } from '../crypto/errors.ts'
import { addressOf, requireBackend } from '../crypto/secp256k1.ts'
import { SignError } from './errors.ts'
import type { SignatureFault } from './faults.ts'
import { type CredentialPlan, matchUTXOs, planCredentials } from './spends.ts'

/** The signer of a signature, or why it is invalid. */
type Recovered = { readonly signer: Uint8Array } | { readonly code: 'SIG_INVALID' | 'SIG_HIGH_S' }

/**
 * Verifies every signature of a transaction: recovers its signer and compares it with the owner at the signature index.
 * `utxos` may be in any order and include others.
 *
 * @throws SignError with the code of the first fault, and all of them in `faults`.
 *
 * @example
 * verifySignatures(decodeTx(bytes), draft.utxos)
 */
export function verifySignatures(
  tx: SignedTx,
  utxos: readonly UTXO[],
  options?: BackendOption,
): void {
  requireEncodable(signedTx, tx)
  requireUTXOs(utxos)
  const expected = signersOf(tx.unsignedTx).length
  if (tx.credentials.length !== expected)
    throw new SignError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `expected ${expected} credentials, found ${tx.credentials.length}`,
    )
  const plans = planCredentials(tx.unsignedTx, matchUTXOs(tx.unsignedTx, utxos))
  const recover = recovery(hashToSign(tx.unsignedTx), requireBackend(options?.backend))
  const faults = plans.flatMap((plan, credential) =>
    credentialFaults(plan, tx.credentials[credential]!, credential, recover),
  )
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

function credentialFaults(
  plan: CredentialPlan,
  found: SignedTx['credentials'][number],
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
  hash: Uint8Array,
  backend: Secp256k1Backend,
): (signature: Uint8Array) => Recovered {
  const known = new Map<string, Recovered>()
  return (signature) => {
    const name = hex.encode(signature)
    let recovered = known.get(name)
    if (recovered === undefined) {
      recovered = recoverSigner(hash, signature, backend)
      known.set(name, recovered)
    }
    return recovered
  }
}

function recoverSigner(
  hash: Uint8Array,
  signature: Uint8Array,
  backend: Secp256k1Backend,
): Recovered {
  try {
    return { signer: addressOf(backend.recover(hash, signature)) }
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    return { code: error.code === 'SIG_HIGH_S' ? 'SIG_HIGH_S' : 'SIG_INVALID' }
  }
}

function describeFault({ code, credential, slot, address, signer }: SignatureFault): string {
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
