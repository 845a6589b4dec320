import { AvmError, type ErrorDetails } from '../../base/errors.ts'

/**
 * Why a key file cannot be encrypted or decrypted: `KEYFILE_DAMAGED` the file was truncated or modified,
 * `KEYFILE_WRONG_PASSWORD` the password is wrong, `KEYFILE_UNSUPPORTED` the file has another version, or a cost or size
 * outside the limits, `BAD_PASSWORD` the password is empty.
 */
export type KeyFileErrorCode =
  | 'KEYFILE_DAMAGED'
  | 'KEYFILE_WRONG_PASSWORD'
  | 'KEYFILE_UNSUPPORTED'
  | 'BAD_PASSWORD'

/**
 * An encrypted key file that cannot be opened. Encrypting also throws it, for an empty password or arguments outside
 * the limits. The message contains nothing of the file or the password.
 */
export class KeyFileError extends AvmError {
  override readonly name = 'KeyFileError'
  declare readonly code: KeyFileErrorCode

  constructor(code: KeyFileErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
