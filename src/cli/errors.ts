import { AvmError, type ErrorDetails } from '../errors.ts'

/** What can be wrong with the command line itself; such a run ends with 2. */
export type UsageErrorCode =
  | 'UNKNOWN_COMMAND'
  | 'UNKNOWN_OPTION'
  | 'MISSING_VALUE'
  | 'UNEXPECTED_VALUE'
  | 'BAD_VALUE'
  | 'MISSING_ARGUMENT'
  | 'TOO_MANY_ARGUMENTS'
  | 'MISSING_OPTION'
  | 'KEY_IN_ARGUMENT'
  | 'NO_URL'
  | 'NO_KEYS'
  | 'CONFIRMATION_NEEDED'

/** A command line that cannot be followed. It never quotes a value, which may be a secret. */
export class UsageError extends AvmError {
  override readonly name = 'UsageError'
  declare readonly code: UsageErrorCode

  constructor(code: UsageErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}

/** What can go wrong between the command line and the library. */
export type CliErrorCode =
  | 'FILE_UNREADABLE'
  | 'FILE_EXISTS'
  | 'FILE_UNWRITABLE'
  | 'CONFIG_INVALID'
  | 'NOT_RECOGNIZED'
  | 'NETWORK_UNKNOWN'
  | 'ASSET_UNKNOWN'
  | 'EVM_ADDRESS'
  | 'NETWORK_MISMATCH'
  | 'PORT_UNAVAILABLE'
  | 'CSV_INVALID'
  | 'NOT_CONFIRMED'
  | 'INTERRUPTED'

/** A command that could not do its work for a reason outside the library. */
export class CliError extends AvmError {
  override readonly name = 'CliError'
  declare readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
