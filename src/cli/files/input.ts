import { hex } from '../../core/base/encoding/hex.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { namesFile } from './file-names.ts'
import { readBytes } from './files.ts'

/**
 * The text that a command works on: the first argument, the file that it names, or standard input if it is `-` or
 * missing. Bytes of a binary file become hex.
 *
 * @throws UsageError `MISSING_ARGUMENT` if there is neither an argument nor input
 */
export async function argumentText(invocation: Invocation): Promise<string> {
  const [given] = invocation.values.args
  if (given !== undefined && given !== '-' && !namesFile(given)) return given
  const bytes = await inputBytes(invocation)
  // No text contains a zero byte, and every struct of the codec begins with one.
  return bytes.includes(0) ? hex.encode(bytes) : Buffer.from(bytes).toString('utf8')
}

/**
 * The text of the file that the first argument names, or of standard input if it is `-` or missing.
 *
 * @throws UsageError `MISSING_ARGUMENT` if there is neither an argument nor input
 */
export async function fileText(invocation: Invocation): Promise<string> {
  return Buffer.from(await inputBytes(invocation)).toString('utf8')
}

async function inputBytes({ values, io, command }: Invocation): Promise<Uint8Array> {
  const [given] = values.args
  if (given !== undefined) return readBytes(given, io)
  const bytes = io.stdin.isTTY === true ? new Uint8Array() : await readBytes('-', io)
  if (bytes.length > 0) return bytes
  throw new UsageError('MISSING_ARGUMENT', `avmkit ${command.name} needs an argument or input`, {
    hint: 'pass a text or a file, or pipe it into the command',
  })
}
