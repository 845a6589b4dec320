import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a new file that only its owner can read. It appears under its name with all of its contents or not at
 * all, and never replaces another file.
 *
 * @throws the error of the platform, with code `EEXIST` if there is a file of this name.
 */
export function writeNewFile(path: string, text: string): void {
  withTemporary(path, 0o600, text, (temporary) => {
    // A rename replaces whatever has the name, so the name is taken first, which fails if there is a file. A hard
    // link would do both at once, but the file systems of memory sticks have none.
    closeSync(openSync(path, 'wx', 0o600))
    renameSync(temporary, path)
  })
}

/**
 * Writes a file, or replaces one and keeps its mode. Whoever reads it meanwhile, or after a crash, finds the old
 * contents or the new ones. A link is followed. Devices and pipes are written to directly.
 */
export function writeWholeFile(path: string, text: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) {
    writeThrough(path, text)
    return
  }
  const target = found === undefined ? path : realpathSync(path)
  const mode = found === undefined ? undefined : found.mode & 0o7777
  withTemporary(target, mode, text, (temporary) => renameSync(temporary, target))
}

/** Writes a text to a file beside the target, makes it durable and hands it to `publish`. */
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
      // The mode of `openSync` is reduced by the process; a mode that is asked for is exact.
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

/** A disk that is nearly full takes a part of a write and reports that as success. */
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
    // The error that led here says more.
  }
}

/** Makes the name durable, too. Windows cannot open folders. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
