import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'

/**
 * Codes of {@link PolicyError}. `FILE_MALFORMED` a file is not JSON, or a member is not what it should be;
 * `FILE_VERSION` a file has a version that this release does not know; `FILE_CHECKSUM` the contents have another checksum
 * than stated or expected; `BOOK_SIGNATURE` the key that the policy names has not signed the address book;
 * `BOOK_POLICY` the address book is for another policy or network; `BOOK_OUTDATED` the policy requires a later edition
 * of the address book; `VAULT_UNKNOWN` no such vault is registered.
 */
export type PolicyErrorCode =
  | 'FILE_MALFORMED'
  | 'FILE_VERSION'
  | 'FILE_CHECKSUM'
  | 'BOOK_SIGNATURE'
  | 'BOOK_POLICY'
  | 'BOOK_OUTDATED'
  | 'VAULT_UNKNOWN'

/** A policy, vault registration or address book that cannot be used. */
export class PolicyError extends AvmError {
  override readonly name = 'PolicyError'
  declare readonly code: PolicyErrorCode
  /** The member of the file, such as `vaults[0].threshold`; empty for the whole. */
  readonly path: string

  constructor(
    code: PolicyErrorCode,
    message: string,
    details: ErrorDetails & { path?: string } = {},
  ) {
    super(code, message, details)
    this.path = details.path ?? ''
  }
}
