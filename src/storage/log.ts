import { equalBytes } from '../core/base/bytes/compare.ts'
import { concat } from '../core/base/bytes/concat.ts'
import { appendAll, type DiskFile, type LogDisk } from './disk.ts'
import { FileError, fileError, systemCode } from './file-error.ts'
import { encodeFrame, encodeHeader, type LogEnd, MAX_RECORD_SIZE, readFrames } from './frames.ts'

/** Options of `AppendLog.open`. */
export type LogOptions = {
  readonly disk: LogDisk
  /** Resolved path, without symbolic links. */
  readonly path: string
  /** 8 ASCII characters at the start of the file that identify its format. */
  readonly kind: string
  /** Fails if this process no longer owns the file. Called before every write and after every sync. */
  readonly assertOwned: () => Promise<void>
}

/** Callbacks for the records of a log. They throw `FILE_CORRUPT` for invalid records. */
export type Replay = {
  /** Called for each record in order; the payload is valid only during the call. */
  readonly record: (payload: Uint8Array, record: number) => void
  /** Called after the last record, before the file is changed. */
  readonly end: (records: number) => void
}

type Waiter = {
  readonly sync: boolean
  readonly resolve: () => void
  readonly reject: (error: FileError) => void
}

const WRITE_SIZE = 1 << 20
/** Records written without sync are synced when they reach this size. */
const MAX_UNSYNCED_SIZE = 1 << 20

/**
 * An append-only file of records. `append` queues a record; `flush` makes everything queued durable. Concurrent calls
 * of `flush` share one write and one sync.
 *
 * After a failed write or sync, all records that were not durable before are lost: all waiting calls fail, and
 * `failure` is set until `recover` has truncated the file and read it again. A failed sync must not be repeated: the
 * system may have dropped the data and then report success. `FILE_LOST` is permanent.
 */
export class AppendLog {
  failure: FileError | undefined
  private readonly options: LogOptions
  /** Undefined until the file exists. */
  private file: DiskFile | undefined
  private id = ''
  /** ID of the file that `rewrite` is renaming to `path`. */
  private replacingID: string | undefined
  /** End of the log with all queued records. */
  private end: LogEnd = { size: 0, records: 0, checksum: new Uint8Array(0) }
  /** End of the log with all written records. */
  private written: LogEnd = this.end
  /** End of the log with all durable records. */
  private synced: LogEnd = this.end
  private isNameDurable = false
  private queue: { readonly bytes: Uint8Array; readonly end: LogEnd }[] = []
  private waiters: Waiter[] = []
  private running: Promise<void> | undefined

  private constructor(options: LogOptions) {
    this.options = options
  }

  /**
   * Opens a log, verifies and replays its records, removes an incomplete tail, and makes the rest durable. If there is
   * no file, `rewrite` creates it.
   *
   * @throws FileError `FILE_CORRUPT`, `FILE_UNREADABLE`, `FILE_UNWRITABLE`
   */
  static async open(options: LogOptions, replay: Replay): Promise<AppendLog> {
    const log = new AppendLog(options)
    try {
      await log.load(replay)
      return log
    } catch (cause) {
      await log.file?.close().catch(() => {})
      throw fileError('FILE_UNREADABLE', options.path, cause)
    }
  }

  /** Whether the file exists. */
  get exists(): boolean {
    return this.file !== undefined
  }

  /** Size in bytes, including queued records. */
  get size(): number {
    return this.end.size
  }

  /** Number of records that are durable. */
  get syncedRecords(): number {
    return this.synced.records
  }

  private async load(replay: Replay): Promise<void> {
    const { disk, path, kind } = this.options
    await disk.remove(this.temporaryPath)
    const stats = await disk.stat(path).catch((error) => {
      if (systemCode(error) !== 'ENOENT') throw error
    })
    if (stats === undefined) return
    // Checked before opening: opening a pipe would block until its other end is opened.
    if (!stats.isRegular) throw new FileError('FILE_UNREADABLE', `${path} is not a regular file`)
    if (stats.links > 1)
      throw new FileError('FILE_UNREADABLE', `${path} has ${stats.links} hard links`, {
        hint: 'each name has its own lock: keep only one name',
      })
    this.file = await disk.open(path)
    if ((stats.mode & 0o077) !== 0) await this.file.setMode(0o600)
    this.id = (await this.file.stat()).id
    const { torn, ...end } = await readFrames(this.file, kind, replay.record)
    replay.end(end.records)
    if (torn) await this.file.truncate(end.size)
    // A killed process may have left data that is only in the system's cache.
    await this.file.sync()
    await disk.syncName(path)
    this.isNameDurable = true
    this.setEnd(end)
  }

  private setEnd(end: LogEnd): void {
    this.end = end
    this.written = end
    this.synced = end
  }

  /**
   * Queues a record; `flush` writes it.
   *
   * @returns its number
   */
  append(payload: Uint8Array): number {
    if (this.failure !== undefined) throw this.failure
    if (payload.length > MAX_RECORD_SIZE)
      throw new FileError(
        'FILE_UNWRITABLE',
        `a record of ${payload.length} bytes exceeds the limit of ${MAX_RECORD_SIZE}`,
      )
    const frame = encodeFrame(this.end, payload)
    this.queue.push(frame)
    this.end = frame.end
    return frame.end.records
  }

  /**
   * Writes all queued records. With `sync`, resolves once they are durable and this process is known to still own the
   * file.
   *
   * @throws FileError `FILE_UNWRITABLE`, `FILE_LOST`
   */
  flush({ sync }: { readonly sync: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure)
      this.waiters.push({ sync, resolve, reject })
      this.running ??= this.run()
    })
  }

  private async run(): Promise<void> {
    // Calls in the same turn of the event loop share the first write.
    await undefined
    let waiters: Waiter[] = []
    try {
      while (this.waiters.length > 0) {
        waiters = this.waiters.splice(0)
        await this.write(waiters.some(({ sync }) => sync))
        for (const { resolve } of waiters) resolve()
      }
    } catch (cause) {
      this.failure = fileError('FILE_UNWRITABLE', this.options.path, cause)
      this.queue = []
      for (const { reject } of [...waiters, ...this.waiters.splice(0)]) reject(this.failure)
    }
    this.running = undefined
  }

  private async write(sync: boolean): Promise<void> {
    const frames = this.queue.splice(0)
    const end = frames.at(-1)?.end ?? this.written
    await this.assertUnchanged(this.written.size)
    if (frames.length > 0) {
      await appendAll(this.file!, concat(frames.map(({ bytes }) => bytes)))
      this.written = end
    }
    if (!sync && end.size - this.synced.size < MAX_UNSYNCED_SIZE) return
    if (end.size > this.synced.size) await this.file!.sync()
    if (!this.isNameDurable) await this.syncName()
    // Another process may have taken over the file while this one was suspended during the write.
    await this.assertUnchanged(end.size)
    this.synced = end
  }

  /**
   * Fails unless this process owns the file and the path still refers to it.
   *
   * @throws FileError `FILE_LOST`
   */
  async assertOwned(): Promise<void> {
    await this.assertUnchanged(undefined).catch((cause) => {
      throw fileError('FILE_UNREADABLE', this.options.path, cause)
    })
  }

  /** Also checks the size, unless it is undefined: another size means that another process has written. */
  private async assertUnchanged(size: number | undefined): Promise<void> {
    const { disk, path, assertOwned } = this.options
    await assertOwned()
    if (this.file === undefined) return
    const stats = await disk.stat(path).catch((error) => {
      if (systemCode(error) !== 'ENOENT') throw error
    })
    const isOurs = stats?.id === this.id || (stats !== undefined && stats.id === this.replacingID)
    if (!isOurs) throw this.lost('removed or replaced')
    if (size !== undefined && stats.size !== size) throw this.lost('changed')
  }

  private lost(what: string): FileError {
    return new FileError('FILE_LOST', `${this.options.path} was ${what} by another process`, {
      hint: 'find out what happened to the file, then open it again',
    })
  }

  /**
   * Truncates the file to the records that were durable before `failure`, and reads it again.
   *
   * @throws FileError `FILE_LOST`, `FILE_CORRUPT`, `FILE_UNREADABLE`, `FILE_UNWRITABLE`
   */
  async recover(replay: Replay): Promise<void> {
    const { failure, file, synced } = this
    if (failure === undefined) return
    if (failure.code === 'FILE_LOST') throw failure
    const { path, kind } = this.options
    try {
      await this.assertUnchanged(undefined)
      if (file !== undefined) {
        // `truncate` would extend a shorter file with zeros.
        if ((await file.stat()).size < synced.size) throw this.lost('changed')
        await file.truncate(synced.size)
        await file.sync()
        const { torn, ...end } = await readFrames(file, kind, replay.record)
        replay.end(end.records)
        if (torn || !isSameEnd(end, synced)) throw this.lost('changed')
      }
      this.setEnd(synced)
      this.failure = undefined
    } catch (cause) {
      this.failure = fileError('FILE_UNWRITABLE', path, cause)
      throw this.failure
    }
  }

  /**
   * Replaces all records, or creates the file. After a crash, the file contains either the old or the new records.
   * Nothing may be appended until it resolves. If it fails, the old file remains in use.
   *
   * @throws FileError `FILE_UNWRITABLE`, `FILE_LOST`
   */
  async rewrite(payloads: Iterable<Uint8Array>): Promise<void> {
    const { disk, path } = this.options
    await this.flush({ sync: false })
    try {
      const { file, id, end } = await this.writeTemporary(payloads)
      try {
        await this.assertUnchanged(this.written.size)
        this.replacingID = id
        await disk.rename(this.temporaryPath, path)
      } catch (error) {
        await file.close()
        throw error
      }
      const old = this.file
      this.file = file
      this.id = id
      this.setEnd(end)
      this.isNameDurable = false
      await old?.close()
      // If this fails, the next flush repeats it. Until then, a crash may restore the old file.
      await this.syncName()
      await this.assertUnchanged(end.size)
    } catch (cause) {
      await disk.remove(this.temporaryPath).catch(() => {})
      throw fileError('FILE_UNWRITABLE', path, cause)
    } finally {
      this.replacingID = undefined
    }
  }

  private async writeTemporary(
    payloads: Iterable<Uint8Array>,
  ): Promise<{ file: DiskFile; id: string; end: LogEnd }> {
    const { disk, kind } = this.options
    await disk.remove(this.temporaryPath)
    const file = await disk.create(this.temporaryPath)
    try {
      const header = encodeHeader(kind, crypto.getRandomValues(new Uint8Array(16)))
      let end = header.end
      let batch = [header.bytes]
      let size = header.bytes.length
      for (const payload of payloads) {
        const frame = encodeFrame(end, payload)
        end = frame.end
        size += frame.bytes.length
        batch.push(frame.bytes)
        if (size < WRITE_SIZE) continue
        await appendAll(file, concat(batch))
        batch = []
        size = 0
      }
      await appendAll(file, concat(batch))
      await file.sync()
      return { file, id: (await file.stat()).id, end }
    } catch (error) {
      await file.close().catch(() => {})
      throw error
    }
  }

  /** Makes everything durable and closes the file. */
  async close(): Promise<void> {
    const isDurable = this.end.size === this.synced.size && this.isNameDurable
    try {
      if (this.exists && this.failure === undefined && !isDurable) await this.flush({ sync: true })
    } finally {
      await this.running
      await this.file?.close()
      this.file = undefined
    }
  }

  private async syncName(): Promise<void> {
    await this.options.disk.syncName(this.options.path)
    this.isNameDurable = true
  }

  private get temporaryPath(): string {
    return `${this.options.path}.tmp`
  }
}

function isSameEnd(a: LogEnd, b: LogEnd): boolean {
  return a.size === b.size && a.records === b.records && equalBytes(a.checksum, b.checksum)
}
