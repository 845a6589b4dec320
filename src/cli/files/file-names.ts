import { existsSync } from 'node:fs'
import type { ArgumentError } from '../../core/base/errors.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../errors.ts'

/** Whether an argument is the name of a file. Only text with a dot or slash can be one: IDs and addresses have neither. */
export function namesFile(text: string): boolean {
  return /[./\\]/.test(text) && existsSync(text)
}

/** The error of an argument that cannot be parsed: `BAD_VALUE` if it is the name of a file. */
export function explainFile(
  error: ArgumentError,
  { arguments: list, options }: Command,
  args: readonly string[],
): ArgumentError | UsageError {
  const takesFile = list.some(({ name }) => name === 'FILE')
  if (takesFile || !args.some((text) => namesFile(text.split('=')[0]!))) return error
  return new UsageError('BAD_VALUE', 'the argument is the name of a file', {
    cause: error,
    hint: Object.hasOwn(options, 'key-file')
      ? 'pass a file with keys as --key-file FILE'
      : 'pass the content of the file',
  })
}
