import { AvmError, type ErrorDetails } from '../src/errors.ts'

/** What can go wrong between the reader of the page and the library. */
export type PageErrorCode =
  | 'INPUT_TOO_LARGE'
  | 'QR_FRAME'
  | 'QR_NOT_FOUND'
  | 'TOO_LARGE_FOR_QR'
  | 'CAMERA_UNAVAILABLE'
  | 'DICE_INVALID'
  | 'MISMATCH'

/** The page could not do what was asked. */
export class PageError extends AvmError {
  override readonly name = 'PageError'
  declare readonly code: PageErrorCode

  constructor(code: PageErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
