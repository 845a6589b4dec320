import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/** Errors of the page itself; all others come from the library. */
export type PageErrorCode =
  | 'INPUT_TOO_LARGE'
  | 'QR_FRAME'
  | 'QR_NOT_FOUND'
  | 'CAMERA_UNAVAILABLE'
  | 'DICE_INVALID'
  | 'PASSWORD_MISMATCH'
  | 'MISMATCH'

/** An error of the page itself. */
export class PageError extends AvmError {
  override readonly name = 'PageError'
  declare readonly code: PageErrorCode

  constructor(code: PageErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
