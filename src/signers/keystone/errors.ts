import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'

/**
 * Codes of {@link KeystoneError}.
 *
 * `KEYSTONE_UR` a text that is not a UR, or one with a wrong checksum; `KEYSTONE_TYPE` a UR of another type than
 * expected; `KEYSTONE_CBOR` the content of a UR is not what its type says; `KEYSTONE_PATH` a key has no path, or one
 * that the device does not use; `KEYSTONE_UNSUPPORTED` the device cannot show a transaction like this;
 * `KEYSTONE_REQUEST_ID` a signature that belongs to another request; `KEYSTONE_SIGNATURE` a signature that no signer of
 * the request has made.
 */
export type KeystoneErrorCode =
  | 'KEYSTONE_UR'
  | 'KEYSTONE_TYPE'
  | 'KEYSTONE_CBOR'
  | 'KEYSTONE_PATH'
  | 'KEYSTONE_UNSUPPORTED'
  | 'KEYSTONE_REQUEST_ID'
  | 'KEYSTONE_SIGNATURE'

/** A request that cannot be made for a Keystone device, or an answer that cannot be used. */
export class KeystoneError extends AvmError {
  override readonly name = 'KeystoneError'
  declare readonly code: KeystoneErrorCode

  constructor(code: KeystoneErrorCode, message: string, details: ErrorDetails = {}) {
    super(code, message, details)
  }
}
