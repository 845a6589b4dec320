import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { mayNameSecret } from '../../inspect/secrets.ts'
import { CliError, UsageError } from '../errors.ts'
import type { Surroundings } from '../surroundings.ts'

/** Above the size of the largest request with all its signer sets, and below the limit of a string. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024

/** The text of a file, or of standard input for `-`. Errors call the file by `name`. */
export async function readText(path: string, io: Surroundings, name?: string): Promise<string> {
  return Buffer.from(await readBytes(path, io, name)).toString('utf8')
}

/** The bytes of a file, or of standard input for `-`, which can be read only once. */
export async function readBytes(
  path: string,
  { stdin, signal }: Surroundings,
  name: string = mayNameSecret(path) ? 'the named file' : path,
): Promise<Uint8Array> {
  if (path !== '-') return collect(createReadStream(path), name, signal)
  if (exhausted.has(stdin))
    throw new UsageError('BAD_VALUE', 'standard input was given twice', {
      hint: 'only one of the files can be -',
    })
  exhausted.add(stdin)
  return collect(stdin, 'standard input', signal)
}

/** Streams that were read to their end. */
const exhausted = new WeakSet<object>()

/** Reads a stream to its end or until the user interrupts. */
async function collect(
  stream: NodeJS.ReadableStream,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    if (signal !== undefined) addAbortSignal(signal, stream as Readable)
    for await (const chunk of stream as AsyncIterable<Buffer | string>) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > MAX_INPUT_BYTES) break
    }
  } catch (cause) {
    if (signal?.aborted) throw new CliError('INTERRUPTED', `interrupted while reading ${name}`)
    throw unreadable(name, cause)
  }
  if (size <= MAX_INPUT_BYTES) return Buffer.concat(chunks)
  throw new CliError('FILE_UNREADABLE', `cannot read ${name}: it is larger than 64 MB`, {
    hint: 'is this the right file?',
  })
}

/** A file or stream could not be read. */
export function unreadable(path: string, cause: unknown): CliError {
  return new CliError('FILE_UNREADABLE', `cannot read ${path}: ${systemReason(cause)}`, {
    cause,
    hint: 'check its name and permissions',
  })
}

/** A file or stream could not be written. */
export function unwritable(path: string, cause: unknown): CliError {
  return new CliError('FILE_UNWRITABLE', `cannot write ${path}: ${systemReason(cause)}`, { cause })
}

const FILE_ERROR_REASONS: { readonly [code: string]: string } = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  EEXIST: 'it is a file',
  ENOTDIR: 'part of its path is not a folder',
  ENOSPC: 'no space left',
  EFBIG: 'the file would be too large',
  EDQUOT: 'no space left',
}

function systemReason(cause: unknown): string {
  const code = (cause as { code?: string }).code ?? 'unknown reason'
  return FILE_ERROR_REASONS[code] ?? code
}
