import { AvmError, type EncodingErrorCode, type ErrorDetails } from '../errors.ts'

/** What can be wrong with a key, a signature, a mnemonic or a derivation path. */
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
 * Which of the faults behind one code was met. `compressed` marks the one signature fault for which
 * the node has a text of its own: a recovery id of 4 to 7 that would recover a key if 4 were taken away.
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
  | EncodingErrorCode

/** A key, signature, mnemonic or path that cannot be used. No message of it repeats a secret. */
export class CryptoError extends AvmError {
  override readonly name = 'CryptoError'
  declare readonly code: CryptoErrorCode
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
