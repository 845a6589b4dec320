import { statSync } from 'node:fs'
import type { ArgumentError } from '../../core/base/errors.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../errors.ts'

/** Shorter than an address, an ID or a transaction in any encoding. */
const MAX_BARE_NAME = 24

/**
 * Whether an argument is the name of a file: text with a dot or slash, which IDs and addresses do not have, or text
 * that is too short to be one.
 */
export function namesFile(text: string): boolean {
  return (/[./\\]/.test(text) || text.length <= MAX_BARE_NAME) && isFile(text)
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    // There is none, or the text cannot be a path: it is too long.
    return false
  }
}

/** The error of an argument that cannot be parsed: `BAD_VALUE` if it is the name of a file. */
export function explainFile(
  error: ArgumentError,
  { arguments: list, options }: Command,
  args: readonly string[],
): ArgumentError | UsageError {
  const takesFile = list.some(({ name, piped }) => name === 'FILE' || piped)
  if (takesFile || !args.some((text) => namesFile(text.split('=')[0]!))) return error
  return new UsageError('BAD_VALUE', 'the argument is the name of a file', {
    cause: error,
    hint: Object.hasOwn(options, 'key-file')
      ? 'pass a file with keys as --key-file FILE'
      : 'pass the content of the file',
  })
}
