import { createReadStream, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { decodeTx } from '../chain/index.ts'
import { parseJSON } from '../codec/index.ts'
import { checkedHex } from '../encoding/index.ts'
import { AvmError } from '../errors.ts'
import { REQUEST_FORMAT } from '../sign/index.ts'
import { CliError, UsageError } from './errors.ts'
import type { Surroundings } from './surroundings.ts'
import { writeNewFile, writeWholeFile } from './write-file.ts'

/** More than the largest transaction in a request with all its signer sets; less than a text can hold. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024

/** The text of a file, or of standard input for `-`. */
export async function readText(path: string, io: Surroundings): Promise<string> {
  return Buffer.from(await readBytes(path, io)).toString('utf8')
}

/** The bytes of a file, or of standard input for `-`, which can be read only once. */
export async function readBytes(
  path: string,
  { stdin, signal }: Surroundings,
): Promise<Uint8Array> {
  if (path !== '-') return collect(createReadStream(path), path, signal)
  if (exhausted.has(stdin))
    throw new UsageError('BAD_VALUE', 'standard input was given twice', {
      hint: 'only one of the files can be -',
    })
  exhausted.add(stdin)
  return collect(stdin, 'standard input', signal)
}

/** Streams that were read to their end. */
const exhausted = new WeakSet<object>()

/** Reads a stream to its end, unless the user interrupts. */
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

/** Writes a new file that only its owner can read. An existing file is never overwritten. */
export function writeSecret(path: string, text: string): void {
  try {
    writeNewFile(path, text)
  } catch (cause) {
    if ((cause as { code?: string }).code === 'EEXIST')
      throw new CliError('FILE_EXISTS', `${path} already exists and may contain keys`, {
        cause,
        hint: 'choose another name',
      })
    throw unwritable(path, cause)
  }
}

/**
 * Writes a request or a transaction. Only requests and transactions are overwritten: a wrong file name must not
 * destroy a key.
 */
export function writeText(path: string, text: string): void {
  try {
    // A device or a pipe loses nothing.
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
    if (isFile && !isReplaceable(readFileSync(path, 'utf8')))
      throw new CliError('FILE_EXISTS', `${path} already exists and contains something else`, {
        hint: 'choose another name',
      })
    writeWholeFile(path, text)
  } catch (cause) {
    throw cause instanceof CliError ? cause : unwritable(path, cause)
  }
}

function isReplaceable(text: string): boolean {
  if (text.trim() === '') return true
  try {
    if (text.startsWith('0x')) return decodeTx(checkedHex.decode(text.trim())) !== undefined
    return (parseJSON(text) as { readonly format?: unknown } | null)?.format === REQUEST_FORMAT
  } catch (error) {
    if (error instanceof AvmError) return false
    throw error
  }
}

/** Creates a folder and its parents. `mkdirSync` with `recursive` never returns below /proc. */
export function makeFolder(path: string): void {
  try {
    makeFolders(path)
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

function makeFolders(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    const { code } = error as { readonly code?: string }
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeFolders(dirname(path))
    mkdirSync(path)
  }
}

/** A file or stream could not be read. */
export function unreadable(path: string, cause: unknown): CliError {
  return new CliError('FILE_UNREADABLE', `cannot read ${path}: ${reasonOf(cause)}`, {
    cause,
    hint: 'check its name and permissions',
  })
}

/** A file or stream could not be written. */
export function unwritable(path: string, cause: unknown): CliError {
  return new CliError('FILE_UNWRITABLE', `cannot write ${path}: ${reasonOf(cause)}`, { cause })
}

const REASONS: { readonly [code: string]: string } = {
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

function reasonOf(cause: unknown): string {
  const code = (cause as { code?: string }).code ?? 'unknown reason'
  return REASONS[code] ?? code
}
