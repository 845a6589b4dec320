import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AvmError } from '../../core/base/errors.ts'
import { detect } from '../../inspect/detect.ts'
import { CliError } from '../errors.ts'
import { unwritable } from './files.ts'

/**
 * Writes a new file that only its owner can read. An existing file is never overwritten.
 *
 * @throws CliError `FILE_EXISTS`, `FILE_UNWRITABLE`
 */
export function writeSecret(path: string, text: string): void {
  writeNew(path, text, 'already exists and may contain keys')
}

/**
 * Writes a new file. An existing file is never overwritten.
 *
 * @throws CliError `FILE_EXISTS`, `FILE_UNWRITABLE`
 */
export function writeNew(path: string, text: string, ifExists = 'already exists'): void {
  try {
    writeNewFile(path, text)
  } catch (cause) {
    if ((cause as { code?: string }).code === 'EEXIST') throw fileExists(path, ifExists, cause)
    throw unwritable(path, cause)
  }
}

/**
 * Writes a request or a transaction. Only requests, transactions and empty files are overwritten, so that a mistyped
 * file name cannot destroy a key.
 *
 * @throws CliError `FILE_EXISTS`, `FILE_UNWRITABLE`
 */
export function writeText(path: string, text: string): void {
  replaceFile(path, text, (old) => {
    if (!isReplaceable(old)) throw fileExists(path, 'already exists and contains something else')
  })
}

/**
 * Writes a file or replaces it with a single rename.
 *
 * @param check - throws if the previous content must not be lost; not called for devices and pipes
 * @throws CliError `FILE_UNWRITABLE`
 */
export function replaceFile(path: string, text: string, check?: (old: string) => void): void {
  try {
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
    if (isFile && check !== undefined) check(readFileSync(path, 'utf8'))
    writeWholeFile(path, text)
  } catch (cause) {
    throw cause instanceof CliError ? cause : unwritable(path, cause)
  }
}

function fileExists(path: string, message: string, cause?: unknown): CliError {
  return new CliError('FILE_EXISTS', `${path} ${message}`, { cause, hint: 'choose another name' })
}

function isReplaceable(text: string): boolean {
  if (text.trim() === '') return true
  try {
    return ['request', 'tx', 'pTx', 'cTx'].includes(detect(text).kind)
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

/** Writes a new file completely or not at all. The platform's error has the code `EEXIST` if the file exists. */
function writeNewFile(path: string, text: string): void {
  withTemporary(path, 0o600, text, (temporary) => {
    // A rename would replace an existing file, so an empty file is created first, which fails if there is one. A hard
    // link would be one step, but FAT file systems do not support it.
    closeSync(openSync(path, 'wx', 0o600))
    renameSync(temporary, path)
  })
}

/**
 * Writes a file, or replaces it and keeps its mode. Readers see either the old or the new content, also after a crash.
 * Symbolic links are followed. Devices and pipes are written to directly.
 */
function writeWholeFile(path: string, text: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) {
    writeThrough(path, text)
    return
  }
  const target = found === undefined ? path : realpathSync(path)
  const mode = found === undefined ? undefined : found.mode & 0o7777
  withTemporary(target, mode, text, (temporary) => renameSync(temporary, target))
}

/** Writes a text to a temporary file in the folder of the target, syncs it and calls `publish`, which renames it. */
function withTemporary(
  target: string,
  mode: number | undefined,
  text: string,
  publish: (temporary: string) => void,
): void {
  const folder = dirname(target)
  const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  const file = openSync(temporary, 'wx', mode ?? 0o666)
  try {
    try {
      // `openSync` applies the umask; `fchmod` does not.
      if (mode !== undefined) fchmodSync(file, mode)
      writeAll(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    publish(temporary)
  } catch (error) {
    removeIfThere(temporary)
    throw error
  }
  syncFolder(folder)
}

function writeThrough(path: string, text: string): void {
  const file = openSync(path, 'w')
  try {
    writeAll(file, text)
  } finally {
    closeSync(file)
  }
}

/** On a disk that is nearly full, a write may succeed partially. */
function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  for (let done = 0; done < bytes.length; ) {
    const written = writeSync(file, bytes, done)
    if (written === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' })
    done += written
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // The caller throws the error that made this necessary.
  }
}

/** Syncs the directory entry. Windows cannot open folders. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
