import { isHigh, negate } from '../bytes/scalar.ts'
import { isBytes } from '../encoding/require.ts'
import type { BackendOption, Secp256k1Backend } from './backend.ts'
import { signatureFromDER } from './der.ts'
import { CryptoError } from './errors.ts'
import { addressOf, nobleBackend } from './secp256k1.ts'

/** What an external signature is checked against. */
export type SignatureCheck = BackendOption & {
  /** The 32 bytes that were signed. */
  readonly hash: Uint8Array
  /** The expected signer: an address (20 bytes) or a compressed public key (33 bytes). */
  readonly signer: Uint8Array
}

/**
 * Converts a signature of a hardware device, key service or other library to the chain's 65 bytes and checks that the
 * expected signer made it. Accepts 65 bytes `r‖s‖v`, 64 bytes `r‖s` and DER. A high s is negated. A missing recovery
 * ID is searched for; a given one must be correct.
 *
 * @throws CryptoError `WRONG_SIGNER`, `SIG_MALFORMED`, `SIG_INVALID`, `HASH_INVALID`, `KEY_INVALID`
 *
 * @example
 * const signature = normalizeSignature(der, { hash, signer: address })
 */
export function normalizeSignature(signature: Uint8Array, check: SignatureCheck): Uint8Array {
  const { hash, signer, backend = nobleBackend } = check ?? {}
  if (!isBytes(signature))
    throw new CryptoError('SIG_MALFORMED', `expected signature bytes, found ${typeof signature}`)
  const size = isBytes(signer) ? signer.length : undefined
  if (size !== 20 && size !== 33)
    throw new CryptoError(
      'KEY_INVALID',
      `expected a signer of 20 or 33 bytes, found ${size ?? typeof signer}`,
    )

  const found = new Uint8Array(65)
  // A DER signature of 64 or 65 bytes has 40 leading zero bits in r and s, which does not occur by chance.
  const raw = signature.length === 64 || signature.length === 65
  found.set(raw ? signature : fromDER(signature))
  const high = isHigh(found, 32)
  if (high) negate(found, 32)

  if (signature.length === 65) {
    // Negating s flips the parity of R, which is bit 0. The backend refuses other values.
    if (high && found[64]! < 4) found[64]! ^= 1
    if (isFrom(signer, backend.recover(hash, found))) return found
    throw wrongSigner()
  }
  for (let recoveryID = 0; recoveryID < 4; recoveryID++) {
    found[64] = recoveryID
    if (isFrom(signer, recovered(hash, found, backend))) return found
  }
  throw wrongSigner()
}

/** Like `recover`, but returns undefined if the recovery ID has no point. */
function recovered(
  hash: Uint8Array,
  signature: Uint8Array,
  backend: Secp256k1Backend,
): Uint8Array | undefined {
  try {
    return backend.recover(hash, signature)
  } catch (error) {
    if (error instanceof CryptoError && error.reason === 'no-point') return undefined
    throw error
  }
}

function isFrom(signer: Uint8Array, publicKey: Uint8Array | undefined): boolean {
  if (publicKey === undefined) return false
  const actual = signer.length === 33 ? publicKey : addressOf(publicKey)
  return actual.every((byte, i) => byte === signer[i])
}

function fromDER(bytes: Uint8Array): Uint8Array {
  const found = signatureFromDER(bytes)
  if (found !== undefined) return found
  throw new CryptoError(
    'SIG_MALFORMED',
    `expected 65 bytes r‖s‖v, 64 bytes r‖s or DER, found ${bytes.length} other bytes`,
    { reason: 'der' },
  )
}

function wrongSigner(): CryptoError {
  return new CryptoError('WRONG_SIGNER', 'the signature was not made by the expected signer')
}
