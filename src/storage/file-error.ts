import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/**
 * Codes of `FileError`. `FILE_IN_USE`: another process has the lock. `FILE_LOST`: the lock was taken over, or another
 * process removed, replaced or changed the file. `FILE_CORRUPT`: a record is damaged.
 */
export type FileErrorCode =
  | 'FILE_IN_USE'
  | 'FILE_LOST'
  | 'FILE_CORRUPT'
  | 'FILE_UNREADABLE'
  | 'FILE_UNWRITABLE'

/** An error of the lock or the log. The store and the development node translate it to their own error class. */
export class FileError extends AvmError {
  override readonly name = 'FileError'
  declare readonly code: FileErrorCode
  /** For `FILE_CORRUPT`: the number of the damaged record, counted from 1; 0 for the file header. */
  readonly record: number | undefined

  constructor(
    code: FileErrorCode,
    message: string,
    details: ErrorDetails & { readonly record?: number } = {},
  ) {
    super(code, message, details)
    this.record = details.record
  }
}

/** Returns the system's error code, such as `ENOENT`, or undefined. */
export function systemCode(error: unknown): string | undefined {
  return (error as { code?: string } | null | undefined)?.code
}

/** Returns a `FileError` unchanged, and wraps other errors in one. */
export function fileError(
  code: 'FILE_UNREADABLE' | 'FILE_UNWRITABLE',
  path: string,
  cause: unknown,
): FileError {
  if (cause instanceof FileError) return cause
  const verb = code === 'FILE_UNREADABLE' ? 'read' : 'write'
  return new FileError(code, `cannot ${verb} ${path}: ${systemCode(cause) ?? String(cause)}`, {
    cause,
    hint: 'check the path, its permissions and the free space',
  })
}
