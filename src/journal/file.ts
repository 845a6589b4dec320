import { constants, realpathSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Journal, JournalEntry } from '../wallet/index.ts'
import { JournalError } from './errors.ts'
import { lineOf } from './lines.ts'
import { type Lock, takeLock } from './lock.ts'
import { readEntries } from './read.ts'

/** A journal that one program has for itself until it closes it. */
export type FileJournal = Journal & {
  /** Lets others have it, once what is being written is on the disk. What ends without it is found dead. */
  readonly close: () => Promise<void>
}

/**
 * Opens a journal in a file, which the first entry makes, for its owner only. Every entry is on the disk before
 * `append` resolves; one that a crash cut off does not count, since nothing was sent before it was whole.
 * Throws `JOURNAL_IN_USE` at once where another program has it.
 *
 * @example
 * const journal = fileJournal('payouts.journal')
 * const wallet = createWallet({ client, keys, journal })
 * await wallet.resume()
 * await wallet.transfer({ outputs }, { keys: outputs.map(({ id }) => id) })
 * await journal.close()
 */
export function fileJournal(path: string): FileJournal {
  const file = new JournalFile(realPath(path))
  return {
    append: (entry) => file.inTurn(() => file.append(entry)),
    load: () => file.inTurn(() => file.load()),
    close: () => file.close(),
  }
}

/** One lock for one file, by whatever name. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

class JournalFile {
  private readonly path: string
  private readonly lock: Lock
  /** How many bytes are whole lines on the disk; undefined before they were read. */
  private size: number | undefined
  /** Whether something may stand behind them that was not written to its end. */
  private torn = false
  private last: Promise<unknown> = Promise.resolve()
  private waiting = 0
  private closed = false

  constructor(path: string) {
    this.path = path
    this.lock = takeLock(path)
  }

  /** One after the other: lines of transactions under way at the same time must not mix. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed)
      throw new JournalError('JOURNAL_CLOSED', `the journal ${this.path} was closed`, this.path)
    this.waiting++
    const turn = this.last.then(() => {
      this.lock.require()
      return work()
    })
    this.last = turn.catch(() => {}).finally(() => this.waiting--)
    return turn
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    if (this.waiting > 0) await this.last
    this.lock.release()
  }

  async load(): Promise<JournalEntry[]> {
    const file = await this.opened('READ')
    if (file === undefined) {
      this.size = 0
      return []
    }
    try {
      if (this.torn) await this.mend(file, this.size!)
      const { entries, size } = await readEntries(file, this.path)
      if (this.size !== undefined && this.size !== size) throw this.changed()
      // A crash may have left half a line. And what a killed program wrote may not be on the disk yet.
      await this.mend(file, size)
      return entries
    } catch (cause) {
      throw cause instanceof JournalError ? cause : this.failed('READ', cause)
    } finally {
      await file.close()
    }
  }

  async append(entry: JournalEntry): Promise<void> {
    if (this.size === undefined) await this.load()
    const { size = 0 } = this
    const file = (await this.opened('WRITE'))!
    try {
      if (this.torn) await this.mend(file, size)
      if ((await file.stat()).size !== size) throw this.changed()
      const line = Buffer.from(lineOf(entry))
      this.torn = true
      await writeAt(file, line, size)
      await file.datasync()
      if (size === 0) await syncFolder(this.path)
      this.size = size + line.length
      this.torn = false
    } catch (cause) {
      throw cause instanceof JournalError ? cause : this.failed('WRITE', cause)
    } finally {
      await file.close()
    }
  }

  /** Undefined where there is nothing to read yet. The first entry makes the file, and no other. */
  private async opened(to: 'READ' | 'WRITE'): Promise<FileHandle | undefined> {
    const { O_RDWR, O_CREAT } = constants
    const isNew = !this.size
    try {
      return await open(this.path, to === 'WRITE' && isNew ? O_RDWR | O_CREAT : O_RDWR, 0o600)
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'ENOENT') throw this.failed(to, cause)
      if (!isNew) throw this.changed()
      if (to === 'WRITE') throw this.failed(to, cause)
      return undefined
    }
  }

  /** Takes off what is not a whole line, and has the rest on the disk. */
  private async mend(file: FileHandle, size: number): Promise<void> {
    // What is shorter would be filled up with zeros.
    if ((await file.stat()).size < size) throw this.changed()
    await file.truncate(size)
    await file.datasync()
    await syncFolder(this.path)
    this.size = size
    this.torn = false
  }

  private changed(): JournalError {
    return new JournalError(
      'JOURNAL_CORRUPT',
      `expected ${this.size} bytes in the journal ${this.path}, found another number`,
      this.path,
      { hint: 'something else writes to it or has removed it: nothing was sent' },
    )
  }

  private failed(what: 'READ' | 'WRITE', cause: unknown): JournalError {
    const { code = 'unknown reason' } = cause as { code?: string }
    return new JournalError(
      what === 'READ' ? 'JOURNAL_UNREADABLE' : 'JOURNAL_UNWRITABLE',
      `cannot ${what.toLowerCase()} the journal ${this.path}: ${code}`,
      this.path,
      { cause, hint: 'check its name, who may write there, and whether there is space left' },
    )
  }
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const left = bytes.length - done
    done += (await file.write(bytes, done, left, position + done)).bytesWritten
  }
}

/** So that the file's name is on the disk too. */
async function syncFolder(path: string): Promise<void> {
  // Windows does not open folders; its file system keeps names in a journal of its own.
  if (process.platform === 'win32') return
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
