import { multiplyBase } from '#curve'
import { isBelowOrder, isHigh, isScalar } from '../bytes/scalar.ts'
import { CryptoError } from './errors.ts'
import { signDeterministically } from './rfc6979.ts'

/**
 * The curve operations this library needs. Whatever computes them, the bytes and the refusals are the
 * same: make one with {@link checkedBackend}, which does all the checking.
 */
export type Secp256k1Backend = {
  /** Deterministic (RFC 6979) signature of a 32-byte hash: 65 bytes `r‖s‖v` with low s and v from 0 to 3. */
  readonly sign: (hash: Uint8Array, privateKey: Uint8Array) => Uint8Array
  /** The compressed public key (33 bytes) that made the 65-byte signature. */
  readonly recover: (hash: Uint8Array, signature: Uint8Array) => Uint8Array
  /** The compressed public key (33 bytes) of a private key (32 bytes). */
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
}

/** The bare computations behind a {@link Secp256k1Backend}; every argument has been checked before. */
export type Secp256k1Engine = {
  /** 65 bytes `r‖s‖v`, low s. The hash is below the group order and the key within 1 to order − 1. */
  readonly sign: (hash: Uint8Array, privateKey: Uint8Array) => Uint8Array
  /**
   * The compressed key, or nothing where there is no such point. r and s are within 1 to order − 1; the
   * recovery id is the argument, not the last byte of the signature.
   */
  readonly recover: (
    hash: Uint8Array,
    signature: Uint8Array,
    recoveryID: RecoveryID,
  ) => Uint8Array | undefined
  readonly publicKey: (privateKey: Uint8Array) => Uint8Array
}

/** Bit 0: the y of R is odd. Bit 1: the x of R is r plus the group order. */
export type RecoveryID = 0 | 1 | 2 | 3

/** Throws `KEY_INVALID` unless the bytes are a usable private key. */
export function assertPrivateKey(privateKey: Uint8Array): void {
  if (!(privateKey instanceof Uint8Array) || privateKey.length !== 32)
    throw new CryptoError('KEY_INVALID', `a private key is 32 bytes, got ${lengthOf(privateKey)}`, {
      reason: 'length',
    })
  if (!isScalar(privateKey))
    throw new CryptoError('KEY_INVALID', 'a private key is from 1 to the group order less one', {
      reason: 'range',
    })
}

/**
 * Puts the node's checks, in the node's order, before an engine. An engine never sees a hash from the
 * group order on when signing: libraries disagree on whether such a hash is reduced before it enters the
 * nonce, and the node's does not reduce it.
 */
export function checkedBackend(engine: Secp256k1Engine): Secp256k1Backend {
  return {
    sign(hash, privateKey) {
      checkHash(hash)
      assertPrivateKey(privateKey)
      return isBelowOrder(hash)
        ? engine.sign(hash, privateKey)
        : signDeterministically(hash, privateKey, multiplyBase)
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
      if (v > 3)
        throw new CryptoError('SIG_INVALID', `expected a recovery id from 0 to 3, found ${v}`, {
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
  if (!(hash instanceof Uint8Array) || hash.length !== 32)
    throw new CryptoError('HASH_INVALID', `a hash to sign is 32 bytes, got ${lengthOf(hash)}`, {
      reason: 'length',
    })
}

/** Length, high s, range: the order of `RecoverPublicKeyFromHash` in the node. */
function checkSignature(signature: Uint8Array): void {
  if (!(signature instanceof Uint8Array) || signature.length !== 65)
    throw new CryptoError('SIG_INVALID', `a signature is 65 bytes, got ${lengthOf(signature)}`, {
      reason: 'length',
    })
  if (isHigh(signature, 32)) throw new CryptoError('SIG_HIGH_S', 's is above half the group order')
  if (!isScalar(signature, 0) || !isScalar(signature, 32))
    throw new CryptoError('SIG_INVALID', 'r and s are from 1 to the group order less one', {
      reason: 'range',
    })
}

function badRecoveryID(v: number): CryptoError {
  return new CryptoError('SIG_INVALID', `expected a recovery id from 0 to 3, found ${v}`, {
    reason: 'recovery-id',
    ...(v >= 27 && v <= 30 ? { hint: 'take 27 away: the chain uses the plain recovery id' } : {}),
  })
}

function lengthOf(value: unknown): string {
  return value instanceof Uint8Array ? `${value.length}` : typeof value
}
