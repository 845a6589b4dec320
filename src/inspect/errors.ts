import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/**
 * Errors in documents whose kind is found out by reading them.
 *
 * `NOT_RECOGNIZED` the text is not of the expected kind; `NETWORK_UNKNOWN` the IDs of the network are not built in.
 */
export type InspectErrorCode = 'NOT_RECOGNIZED' | 'NETWORK_UNKNOWN'

/** A document cannot be read as what it should be. */
export class InspectError extends AvmError {
  override readonly name = 'InspectError'
  declare readonly code: InspectErrorCode

  constructor(code: InspectErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
