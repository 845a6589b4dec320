import { AvmError } from '../../core/base/errors.ts'

/**
 * Codes of {@link KeyServiceError}. `KEY_SERVICE_FAILED` the client of the service failed, which is the `cause`;
 * `KEY_SERVICE_KEY` the key is not a secp256k1 key; `KEY_SERVICE_REPLY` the service returned something else than was
 * asked for.
 */
export type KeyServiceErrorCode = 'KEY_SERVICE_FAILED' | 'KEY_SERVICE_KEY' | 'KEY_SERVICE_REPLY'

/** A key service or security module that did not return what was asked for. Nothing was signed. */
export class KeyServiceError extends AvmError {
  override readonly name = 'KeyServiceError'
  declare readonly code: KeyServiceErrorCode
}
