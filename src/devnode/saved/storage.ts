import { builtin } from '../../storage/builtin.ts'
import { type Disk, nodeDisk } from '../../storage/disk.ts'
import { FileError, systemCode } from '../../storage/file-error.ts'
import { encodeFrame, encodeHeader, type LogEnd, readFrames } from '../../storage/frames.ts'
import { type Lock, takeLock } from '../../storage/lock.ts'
import { machineProcesses } from '../../storage/processes.ts'
import { DevNodeError, unavailable } from '../errors.ts'

const { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, writeSync } =
  /* @__PURE__ */ builtin('node:fs', unavailable)
const { join } = /* @__PURE__ */ builtin('node:path', unavailable)
const { randomBytes } = /* @__PURE__ */ builtin('node:crypto', unavailable)

/** First bytes of the file: its kind and the version of its format. */
const STATE_FILE_KIND = 'avmkdn01'

/**
 * The log of a development node. It has the file format and the lock of the file store, but writes synchronously: a
 * block is on disk when `append` returns, and is accepted after that.
 */
export class RecordLog {
  /** The payloads of all records, in order. */
  records: Uint8Array[]
  private readonly folder: string
  private readonly lock: Lock
  private file: number
  private end: LogEnd
  /** Whether an incomplete record could not be removed, so that nothing can be appended. */
  private broken = false

  private constructor(folder: string, lock: Lock, records: Uint8Array[], end?: LogEnd) {
    this.folder = folder
    this.lock = lock
    this.records = records
    if (end === undefined) {
      const created = this.create(records)
      this.file = created.file
      this.end = created.end
    } else {
      this.file = openSync(this.path, 'r+')
      this.end = end
    }
  }

  /**
   * Opens the log of a folder and creates it if necessary. An incomplete record at the end, which a crash may leave,
   * is removed. A damaged record before others is an error, because the blocks after it were accepted.
   *
   * @throws DevNodeError `LOG_CORRUPT`, `LOG_FAILED`
   */
  static async open(folder: string): Promise<RecordLog> {
    const disk = nodeDisk()
    try {
      await disk.makeDirectory(folder)
      const processes = machineProcesses()
      const lock = await takeLock(join(folder, 'chain.lock'), { disk, processes, waitMs: 0 })
      try {
        const records: Uint8Array[] = []
        const end = await readLog(disk, join(folder, 'chain.log'), records)
        return new RecordLog(folder, lock, records, end)
      } catch (error) {
        await lock.release()
        throw error
      }
    } catch (error) {
      throw logError(error)
    }
  }

  /** Appends a record. If that fails, the file is as before; if that is not possible, further calls fail as well. */
  append(record: Uint8Array): void {
    if (this.broken) throw failed('an earlier write failed')
    try {
      const { bytes, end } = encodeFrame(this.end, record)
      writeAll(this.file, bytes, this.end.size)
      fsyncSync(this.file)
      this.end = end
    } catch (error) {
      this.undo()
      throw failed((error as Error).message)
    }
    this.records.push(record)
  }

  /** Replaces all records. A crash or a failure leaves either the old or the new ones. */
  replace(records: readonly Uint8Array[]): void {
    const { file, end } = this.create(records)
    closeSync(this.file)
    this.file = file
    this.end = end
    this.records = [...records]
  }

  /** Closes the file and releases the lock. */
  async close(): Promise<void> {
    closeSync(this.file)
    await this.lock.release()
  }

  private get path(): string {
    return join(this.folder, 'chain.log')
  }

  /** Writes a new file and renames it to that of the log, so that a crash leaves the old or the new one. */
  private create(records: readonly Uint8Array[]): { file: number; end: LogEnd } {
    const temporary = `${this.path}.tmp`
    let file: number | undefined
    try {
      file = openSync(temporary, 'w+')
      const header = encodeHeader(STATE_FILE_KIND, randomBytes(16))
      writeAll(file, header.bytes, 0)
      let end = header.end
      for (const record of records) {
        const frame = encodeFrame(end, record)
        writeAll(file, frame.bytes, end.size)
        end = frame.end
      }
      fsyncSync(file)
      renameSync(temporary, this.path)
      syncFolder(this.folder)
      return { file, end }
    } catch (error) {
      if (file !== undefined) closeSync(file)
      throw failed((error as Error).message)
    }
  }

  /** Removes an incomplete record. */
  private undo(): void {
    try {
      ftruncateSync(this.file, this.end.size)
    } catch {
      this.broken = true
    }
  }
}

/** Reads and verifies a log, and removes an incomplete end. Returns undefined if there is no file. */
async function readLog(
  disk: Disk,
  path: string,
  records: Uint8Array[],
): Promise<LogEnd | undefined> {
  const file = await disk.open(path).catch((error) => {
    if (systemCode(error) !== 'ENOENT') throw error
    return undefined
  })
  if (file === undefined) return undefined
  try {
    const { torn, ...end } = await readFrames(file, STATE_FILE_KIND, (payload) => {
      records.push(payload.slice())
    })
    if (torn) await file.truncate(end.size)
    await file.sync()
    return end
  } finally {
    await file.close()
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  let done = 0
  while (done < bytes.length)
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
}

/** Makes the name of the file durable, if the system allows it. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r')
    fsyncSync(handle)
    closeSync(handle)
  } catch {
    // Windows cannot open folders; its file system keeps a journal of names.
  }
}

/** Translates errors of the lock and of reading. */
function logError(error: unknown): unknown {
  if (!(error instanceof FileError))
    return error instanceof DevNodeError ? error : failed(String(error))
  return error.code === 'FILE_CORRUPT'
    ? new DevNodeError('LOG_CORRUPT', `chain log damaged: ${error.message}`)
    : failed(error.message)
}

function failed(message: string): DevNodeError {
  return new DevNodeError('LOG_FAILED', `cannot use the chain log: ${message}`)
}
