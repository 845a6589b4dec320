import { argument, bytesOf, type Check, fn, object, optional } from '../base/argument.ts'
import { equalBytes } from '../base/bytes/compare.ts'
import { isHigh, negate } from '../base/bytes/scalar.ts'
import { isBytes } from '../base/require.ts'
import type { BackendOption, Secp256k1Backend } from './backend.ts'
import { signatureFromDER } from './der.ts'
import { CryptoError } from './errors.ts'
import { addressOf, backendOption, nobleBackend } from './secp256k1.ts'

/** What an external signature is checked against. */
export type SignatureCheck = BackendOption & {
  /** The 32 bytes that were signed. */
  readonly hash: Uint8Array
  /** The expected signer: an address (20 bytes) or a compressed public key (33 bytes). */
  readonly signer: Uint8Array
  /**
   * How the signer is derived from its compressed public key.
   *
   * @defaultValue its address
   */
  readonly signerOf?: ((publicKey: Uint8Array) => Uint8Array) | undefined
}

const signatureCheck: Check<SignatureCheck> = object<SignatureCheck>({
  hash: bytesOf(),
  signer: bytesOf(),
  signerOf: optional(fn<(publicKey: Uint8Array) => Uint8Array>()),
  backend: backendOption,
})

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
  const checked = argument('normalizeSignature', check, signatureCheck)
  const { hash, signer, signerOf = addressOf, backend = nobleBackend } = checked
  if (!isBytes(signature))
    throw new CryptoError('SIG_MALFORMED', `expected signature bytes, found ${typeof signature}`)
  if (signer.length !== 20 && signer.length !== 33)
    throw new CryptoError(
      'KEY_INVALID',
      `expected a signer of 20 or 33 bytes, found ${signer.length}`,
    )

  const normalized = new Uint8Array(65)
  // A DER signature of 64 or 65 bytes has 40 leading zero bits in r and s, which does not occur by chance.
  const raw = signature.length === 64 || signature.length === 65
  normalized.set(raw ? signature : fromDER(signature))
  const high = isHigh(normalized, 32)
  if (high) negate(normalized, 32)

  if (signature.length === 65) {
    // Negating s flips bit 0 of the recovery ID, the parity of R. The backend rejects recovery IDs above 3.
    if (high && normalized[64]! < 4) normalized[64]! ^= 1
    if (isKeyOf(signer, backend.recover(hash, normalized), signerOf)) return normalized
    throw wrongSigner()
  }
  for (let recoveryID = 0; recoveryID < 4; recoveryID++) {
    normalized[64] = recoveryID
    if (isKeyOf(signer, recoverIfPossible(hash, normalized, backend), signerOf)) return normalized
  }
  throw wrongSigner()
}

/** Like `recover`, but returns undefined if there is no point for the recovery ID. */
function recoverIfPossible(
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

/** Whether a public key is that of the signer, given as an address or a public key. */
function isKeyOf(
  signer: Uint8Array,
  publicKey: Uint8Array | undefined,
  signerOf: (publicKey: Uint8Array) => Uint8Array,
): boolean {
  if (publicKey === undefined) return false
  const actual = signer.length === 33 ? publicKey : signerOf(publicKey)
  return isBytes(actual) && equalBytes(actual, signer)
}

function fromDER(bytes: Uint8Array): Uint8Array {
  const decoded = signatureFromDER(bytes)
  if (decoded !== undefined) return decoded
  throw new CryptoError(
    'SIG_MALFORMED',
    `invalid signature of ${bytes.length} bytes: expected 65 bytes r‖s‖v, 64 bytes r‖s or DER`,
    { reason: 'der' },
  )
}

function wrongSigner(): CryptoError {
  return new CryptoError('WRONG_SIGNER', 'the signature was not made by the expected signer')
}
