import { type ArgumentErrorCode, AvmError, type ErrorDetails } from '../base/errors.ts'

/**
 * Codes of {@link CryptoError}.
 *
 * `HASH_INVALID` a hash that is not 32 bytes, or not below the group order; `ENTROPY_INVALID` extra entropy that is not
 * 32 bytes; `PATH_INVALID` the derivation path is invalid or of another account.
 */
export type CryptoErrorCode =
  | 'KEY_INVALID'
  | 'KEY_UNKNOWN'
  | 'KEY_WIPED'
  | 'HASH_INVALID'
  | 'ENTROPY_INVALID'
  | 'RANDOM_FAILED'
  | 'SIG_INVALID'
  | 'SIG_HIGH_S'
  | 'SIG_MALFORMED'
  | 'WRONG_SIGNER'
  | 'MNEMONIC_INVALID'
  | 'PATH_INVALID'
  | 'XPUB_INVALID'
  | 'BACKEND_UNAVAILABLE'
  | 'BACKEND_FAILED'

/**
 * Distinguishes the causes of one code. `compressed` is a recovery ID from 4 to 7 with which a key can be recovered
 * after subtracting 4: the node reports this case with a message of its own.
 */
export type CryptoErrorReason =
  | 'length'
  | 'range'
  | 'recovery-id'
  | 'compressed'
  | 'no-point'
  | 'verification'
  | 'der'
  | 'word-count'
  | 'unknown-word'
  | 'checksum'
  | ArgumentErrorCode

/** An invalid key, signature, mnemonic or derivation path. Messages never contain secrets. */
export class CryptoError extends AvmError {
  override readonly name = 'CryptoError'
  declare readonly code: CryptoErrorCode
  /** Why a key, signature or mnemonic is invalid. */
  readonly reason?: CryptoErrorReason

  constructor(
    code: CryptoErrorCode,
    message: string,
    details: ErrorDetails & { readonly reason?: CryptoErrorReason } = {},
  ) {
    super(code, message, details)
    if (details.reason !== undefined) this.reason = details.reason
  }
}
