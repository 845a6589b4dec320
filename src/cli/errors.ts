import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/**
 * Errors in the command line itself; the exit code is 2.
 *
 * `UNKNOWN_OPTION` the command has no such option; `BAD_VALUE` an argument or a value of an option is invalid;
 * `MISSING_ARGUMENT` a required argument is missing; `MISSING_OPTION` a required option is missing; `KEY_IN_ARGUMENT`
 * an argument contains a private key, a mnemonic or a password; `NO_URL` no node or API is configured; `NO_KEYS` no
 * suitable key is configured.
 */
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
  | 'NO_PASSWORD'
  | 'ACCOUNT_UNKNOWN'
  | 'CONFIRMATION_NEEDED'

/** An invalid command line. The message never quotes a value, which may be a secret. */
export class UsageError extends AvmError {
  override readonly name = 'UsageError'
  declare readonly code: UsageErrorCode

  constructor(code: UsageErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}

/**
 * Errors between the command line and the library.
 *
 * `UNKNOWN_OPTION` the config file has an unknown setting, a CSV file an unknown column, or a sweep rule an unknown
 * member; `FILE_EXISTS` the output file exists and is not overwritten; `CONFIG_INVALID` the config file cannot be used;
 * `FILE_UNREADABLE` a file cannot be read; `CSV_INVALID` a line of a CSV file is invalid; `RULES_INVALID` the file of
 * sweep rules cannot be used.
 */
export type CliErrorCode =
  | 'UNKNOWN_OPTION'
  | 'FILE_UNREADABLE'
  | 'FILE_EXISTS'
  | 'FILE_UNWRITABLE'
  | 'CONFIG_INVALID'
  | 'CSV_INVALID'
  | 'RULES_INVALID'
  | 'ASSET_UNKNOWN'
  | 'EVM_ADDRESS'
  | 'NETWORK_MISMATCH'
  | 'PORT_UNAVAILABLE'
  | 'NOT_A_DEVNODE'
  | 'TOO_LARGE_FOR_QR'
  | 'UTXOS_RESERVED'
  | 'NOT_CONFIRMED'
  | 'PASSWORD_MISMATCH'
  | 'PASSWORD_WEAK'
  | 'ACCOUNT_EXISTS'
  | 'ACCOUNT_CHANGED'
  | 'ACCOUNTS_INVALID'
  | 'NOT_ENCRYPTED'
  | 'VAULT_CHECKSUM'
  | 'INTERRUPTED'

/** A command failed for a reason outside the library. */
export class CliError extends AvmError {
  override readonly name = 'CliError'
  declare readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
  }
}
