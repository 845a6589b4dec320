import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { CliError, UsageError } from './errors.ts'
import type { Surroundings } from './surroundings.ts'

/** The text of a file, or of standard input for `-`. */
export async function readText(path: string, io: Surroundings): Promise<string> {
  return Buffer.from(await readBytes(path, io)).toString('utf8')
}

/** The bytes of a file, or of standard input for `-`. */
export async function readBytes(path: string, io: Surroundings): Promise<Uint8Array> {
  if (path === '-') return readAll(io)
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new CliError('FILE_UNREADABLE', `cannot read ${path}: ${reasonOf(cause)}`, {
      cause,
      hint: 'check its name and who may read it',
    })
  }
}

/** Inputs that were read to their end. */
const exhausted = new WeakSet<object>()

/** Everything that comes from standard input, once. */
async function readAll({ stdin }: Surroundings): Promise<Uint8Array> {
  if (exhausted.has(stdin))
    throw new UsageError('BAD_VALUE', 'standard input was named twice', {
      hint: 'only one of the files can be -',
    })
  exhausted.add(stdin)
  const chunks: Buffer[] = []
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Writes a new file that only its owner can read. One that exists is never overwritten. */
export function writeSecret(path: string, text: string): void {
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      writeSync(file, text)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    if ((cause as { code?: string }).code === 'EEXIST')
      throw new CliError('FILE_EXISTS', `${path} exists already and may hold other keys`, {
        cause,
        hint: 'choose another name',
      })
    throw unwritable(path, cause)
  }
}

/** Writes a file that holds no secret, replacing what was there. */
export function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (cause) {
    throw unwritable(path, cause)
  }
}

/** What could not be written to a file or stream, and why. */
export function unwritable(path: string, cause: unknown): CliError {
  return new CliError('FILE_UNWRITABLE', `cannot write ${path}: ${reasonOf(cause)}`, { cause })
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of its path is not a folder',
  ENOSPC: 'no space left',
}

function reasonOf(cause: unknown): string {
  const code = (cause as { code?: string }).code ?? 'unknown reason'
  return REASONS[code] ?? code
}
