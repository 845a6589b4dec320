import { AvmError, type ErrorDetails } from '../errors.ts'

/**
 * What can be wrong with a journal on disk. `JOURNAL_IN_USE`: another program has it, or has taken it.
 * `JOURNAL_CORRUPT`: it holds what this library did not write, or no longer holds what it wrote.
 */
export type JournalErrorCode =
  | 'JOURNAL_IN_USE'
  | 'JOURNAL_CORRUPT'
  | 'JOURNAL_UNREADABLE'
  | 'JOURNAL_UNWRITABLE'
  | 'JOURNAL_CLOSED'

/** A journal on disk that cannot be used. Nothing is sent that it does not have. */
export class JournalError extends AvmError {
  override readonly name = 'JournalError'
  declare readonly code: JournalErrorCode
  /** The file of the journal. */
  readonly path: string

  constructor(code: JournalErrorCode, message: string, path: string, details?: ErrorDetails) {
    super(code, message, details)
    this.path = path
  }
}
