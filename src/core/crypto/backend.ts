import { argument, type Check, capability } from '../base/argument.ts'
import { equalBytes } from '../base/bytes/compare.ts'
import { isBelowOrder, isHigh, isScalar } from '../base/bytes/scalar.ts'
import { isBytes } from '../base/require.ts'
import { CryptoError, type CryptoErrorCode } from './errors.ts'

/**
 * The curve operations that this library needs. Every backend gives the same bytes and throws the same errors, because
 * {@link checkedBackend}, which creates backends, does all the checking.
 */
export type Secp256k1Backend = {
  /**
   * Signature (RFC 6979) of a 32-byte hash: 65 bytes `r‖s‖v` with low s and v from 0 to 3. The signature is
   * recovered and compared with the public key before it is returned.
   *
   * @param extraEntropy - 32 bytes that also enter the nonce (RFC 6979, section 3.6). The same bytes give the
   * same signature; other bytes give another valid one.
   * @param publicKey - the 33 bytes that the signature must recover to. Default: derived from the private key, which
   * takes nearly as long as computing the signature.
   * @throws CryptoError `HASH_INVALID`, `KEY_INVALID`, `ENTROPY_INVALID`, or `BACKEND_FAILED` if the signature
   * does not verify.
   */
  readonly sign: (
    hash: Uint8Array,
    privateKey: Uint8Array,
    extraEntropy?: Uint8Array,
    publicKey?: Uint8Array,
  ) => Uint8Array
  /**
   * Recovers the compressed public key (33 bytes) behind a 65-byte signature.
   *
   * @throws CryptoError `HASH_INVALID`, `SIG_INVALID` or `SIG_HIGH_S`
   */
  readonly recover: (hash: Uint8Array, signature: Uint8Array) => Uint8Array
  /** Derives the compressed public key (33 bytes) of a private key (32 bytes). */
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
}

/**
 * The backend option of every function and class that computes on the curve. The backend computes signatures,
 * recoveries and public keys. All backends give the same bytes and the same errors; they differ in speed.
 */
export type BackendOption = {
  /**
   * A key chain that was created with a backend of its own signs with that one instead.
   *
   * @defaultValue `nobleBackend`
   */
  readonly backend?: Secp256k1Backend | undefined
}

/** The computations behind a {@link Secp256k1Backend}. The backend has checked every argument. */
export type Secp256k1Engine = {
  /** Returns 65 bytes `r‖s‖v` with low s. The hash is below the group order, the key from 1 to the order − 1. */
  readonly sign: (hash: Uint8Array, privateKey: Uint8Array, extraEntropy?: Uint8Array) => Uint8Array
  /**
   * Returns the compressed public key, or `undefined` if none can be recovered. r and s are from 1 to the order − 1;
   * the recovery ID is the argument, not the last byte of the signature.
   */
  readonly recover: (
    hash: Uint8Array,
    signature: Uint8Array,
    recoveryID: RecoveryID,
  ) => Uint8Array | undefined
  /** Returns the compressed public key. */
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
}

const curveEngine: Check<Secp256k1Engine> = capability<Secp256k1Engine>(
  'an engine',
  'sign',
  'recover',
  'publicKey',
)

/** Bit 0: the y of R is odd. Bit 1: the x of R is r plus the group order. */
export type RecoveryID = 0 | 1 | 2 | 3

/**
 * Checks length and range of a private key.
 *
 * @throws CryptoError `KEY_INVALID`
 */
export function assertPrivateKey(privateKey: Uint8Array): void {
  checkLength('KEY_INVALID', 'a private key', privateKey, 32)
  if (!isScalar(privateKey))
    throw new CryptoError('KEY_INVALID', 'private key out of range', {
      reason: 'range',
    })
}

/**
 * Creates a backend from an engine: adds the node's checks, in the node's order, and verifies every signature that
 * the engine makes. A wrong signature, from a bug or a hardware fault, can reveal the key.
 *
 * A hash that is not below the group order is rejected: libraries disagree on whether it is reduced before it enters
 * the nonce. A SHA-256 hash is that large with probability 2^-128.
 */
export function checkedBackend(engine: Secp256k1Engine): Secp256k1Backend {
  argument('checkedBackend', engine, curveEngine)
  return {
    sign(hash, privateKey, extraEntropy, publicKey) {
      checkHash(hash)
      if (!isBelowOrder(hash))
        throw new CryptoError('HASH_INVALID', 'hash out of range: not below the group order', {
          reason: 'range',
        })
      assertPrivateKey(privateKey)
      if (extraEntropy !== undefined)
        checkLength('ENTROPY_INVALID', 'extra entropy', extraEntropy, 32)
      const signature = engine.sign(hash, privateKey, extraEntropy)
      const expected = publicKey ?? engine.publicKey(privateKey)
      if (!isSignatureOf(expected, hash, signature, engine))
        throw new CryptoError('BACKEND_FAILED', 'the new signature does not verify', {
          reason: 'verification',
          hint: 'do not use the signature; check the backend and the hardware',
        })
      return signature
    },
    recover(hash, signature) {
      checkHash(hash)
      checkSignature(signature)
      const v = signature[64]!
      if (v > 7) throw badRecoveryID(v)
      const publicKey = engine.recover(hash, signature, (v & 3) as RecoveryID)
      if (publicKey === undefined)
        throw new CryptoError('SIG_INVALID', 'no public key can be recovered from the signature', {
          reason: 'no-point',
        })
      // Only now: the node reports a recovery ID from 4 to 7 after it has recovered a key.
      if (v > 3)
        throw new CryptoError('SIG_INVALID', `expected a recovery ID from 0 to 3, found ${v}`, {
          reason: 'compressed',
        })
      return publicKey
    },
    publicKey(privateKey) {
      assertPrivateKey(privateKey)
      return engine.publicKey(privateKey)
    },
  }
}

function checkHash(hash: Uint8Array): void {
  checkLength('HASH_INVALID', 'a hash', hash, 32)
}

function checkLength(code: CryptoErrorCode, what: string, value: unknown, size: number): void {
  const found = isBytes(value) ? value.length : typeof value
  if (found !== size)
    throw new CryptoError(code, `expected ${what} of ${size} bytes, found ${found}`, {
      reason: 'length',
    })
}

function isSignatureOf(
  publicKey: Uint8Array,
  hash: Uint8Array,
  signature: Uint8Array,
  engine: Secp256k1Engine,
): boolean {
  const v = signature[64]
  if (signature.length !== 65 || v === undefined || v > 3) return false
  if (isHigh(signature, 32) || !isScalar(signature, 0) || !isScalar(signature, 32)) return false
  const recovered = engine.recover(hash, signature, v as RecoveryID)
  return recovered !== undefined && equalBytes(recovered, publicKey)
}

/** Checks length, high s, then range: the order of the node's `RecoverPublicKeyFromHash`. */
function checkSignature(signature: Uint8Array): void {
  checkLength('SIG_INVALID', 'a signature', signature, 65)
  if (isHigh(signature, 32)) throw new CryptoError('SIG_HIGH_S', 's is above half the group order')
  if (!isScalar(signature, 0) || !isScalar(signature, 32))
    throw new CryptoError('SIG_INVALID', 'r or s out of range', {
      reason: 'range',
    })
}

function badRecoveryID(v: number): CryptoError {
  return new CryptoError('SIG_INVALID', `expected a recovery ID from 0 to 3, found ${v}`, {
    reason: 'recovery-id',
    ...(v >= 27 && v <= 30 ? { hint: 'subtract 27: the chain uses recovery IDs from 0 to 3' } : {}),
  })
}
