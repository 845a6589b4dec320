import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/**
 * Errors in documents whose kind is found out by reading them.
 *
 * `NOT_RECOGNIZED` the text is not of the expected kind; `NETWORK_UNKNOWN` the IDs of the network are not built in;
 * `QR_FRAME` a QR code of a series cannot be read or contradicts others; `TOO_LARGE_FOR_QR` a file does not fit in a
 * series of QR codes; `NO_INDEX` the keys or the vault have no address at an index; `NOT_YOURS` an address does not belong
 * to the keys or the vault.
 */
export type InspectErrorCode =
  | 'NOT_RECOGNIZED'
  | 'NETWORK_UNKNOWN'
  | 'QR_FRAME'
  | 'TOO_LARGE_FOR_QR'
  | 'NO_INDEX'
  | 'NOT_YOURS'

/** A document cannot be read as what it should be. */
export class InspectError extends AvmError {
  override readonly name = 'InspectError'
  declare readonly code: InspectErrorCode

  constructor(code: InspectErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
