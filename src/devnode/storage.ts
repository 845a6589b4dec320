import { checksum } from '../hash/sha256.ts'
import { builtin } from './builtin.ts'
import { DevNodeError } from './errors.ts'

const {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} = /* @__PURE__ */ builtin('node:fs')
const { join } = /* @__PURE__ */ builtin('node:path')

/** Length and checksum in front of each record. */
const FRAME_SIZE = 8
const MAGIC = new TextEncoder().encode('avmkit 1')

/** Folders open in this process. */
const inUse = new Set<string>()

/** An append-only file of records, each of which is on disk when `append` returns. */
export class RecordLog {
  /** What is in the file, in order. */
  records: Uint8Array[]
  private readonly folder: string
  private file: number
  private size: number
  private broken = false

  /**
   * Opens the log of a folder, making it where there is none. A record that a crash left unfinished
   * at the end is cut off; a damaged one before others is an error, for what stands behind it was
   * once accepted.
   */
  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
    takeLock(folder)
    try {
      const path = join(folder, 'chain.log')
      const bytes = existsSync(path) ? new Uint8Array(readFileSync(path)) : new Uint8Array(0)
      const { records, size } = readRecords(bytes)
      this.records = records
      this.size = size
      this.file = openSync(path, existsSync(path) ? 'r+' : 'w+')
      if (size < bytes.length) ftruncateSync(this.file, size)
      if (size === 0) this.write(MAGIC)
      fsyncSync(this.file)
      syncFolder(folder)
    } catch (error) {
      releaseLock(folder)
      throw error
    }
  }

  /** Adds a record. If that fails, the file is as before, or no more is written to it. */
  append(record: Uint8Array): void {
    if (this.broken) throw failed('an earlier write failed')
    const before = this.size
    try {
      this.write(framed(record))
      fsyncSync(this.file)
    } catch (error) {
      this.undo(before)
      throw failed((error as Error).message)
    }
    this.records.push(record)
  }

  /** Begins anew with these records, in a new file that takes the place of the old at once. */
  replace(records: readonly Uint8Array[]): void {
    const path = join(this.folder, 'chain.log')
    const next = `${path}.new`
    const file = openSync(next, 'w+')
    closeSync(this.file)
    this.file = file
    this.size = 0
    this.write(MAGIC)
    for (const record of records) this.write(framed(record))
    fsyncSync(file)
    renameSync(next, path)
    syncFolder(this.folder)
    this.records = [...records]
  }

  close(): void {
    closeSync(this.file)
    releaseLock(this.folder)
  }

  private write(bytes: Uint8Array): void {
    let done = 0
    while (done < bytes.length)
      done += writeSync(this.file, bytes, done, bytes.length - done, this.size + done)
    this.size += bytes.length
  }

  private undo(size: number): void {
    try {
      ftruncateSync(this.file, size)
      this.size = size
    } catch {
      this.broken = true
    }
  }
}

function framed(record: Uint8Array): Uint8Array {
  const whole = new Uint8Array(FRAME_SIZE + record.length)
  const view = new DataView(whole.buffer)
  view.setUint32(0, record.length)
  view.setUint32(4, checksum(record))
  whole.set(record, FRAME_SIZE)
  return whole
}

function readRecords(bytes: Uint8Array): { records: Uint8Array[]; size: number } {
  const records: Uint8Array[] = []
  const whole = MAGIC.every((byte, i) => bytes[i] === byte)
  if (!whole) {
    // A crash while the file was made leaves a beginning of the first bytes, or zeros.
    if (bytes.length < MAGIC.length || bytes.every((byte) => byte === 0))
      return { records, size: 0 }
    throw new DevNodeError('LOG_CORRUPT', 'expected a chain log of this library, found other bytes')
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = MAGIC.length
  while (at + FRAME_SIZE <= bytes.length) {
    const start = at + FRAME_SIZE
    const end = start + view.getUint32(at)
    if (end > bytes.length) break
    const record = bytes.slice(start, end)
    if (end === start || checksum(record) !== view.getUint32(at + 4)) {
      if (end === bytes.length || bytes.subarray(at).every((byte) => byte === 0)) break
      throw new DevNodeError('LOG_CORRUPT', `expected a whole record at offset ${at} of the log`)
    }
    records.push(record)
    at = end
  }
  return { records, size: at }
}

/** One node per folder: two that append to one file would destroy it. */
function takeLock(folder: string): void {
  const path = join(folder, 'lock')
  const owner = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
  if (inUse.has(folder) || (owner > 0 && owner !== process.pid && isAlive(owner)))
    throw new DevNodeError('LOG_FAILED', `another node uses the folder (process ${owner})`)
  writeFileSync(path, String(process.pid))
  inUse.add(folder)
}

function releaseLock(folder: string): void {
  inUse.delete(folder)
  rmSync(join(folder, 'lock'), { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** So that the file's name is on disk too, where the system lets a folder be synchronized. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r')
    fsyncSync(handle)
    closeSync(handle)
  } catch {
    // Windows does not open folders; its file system keeps names in a journal of its own.
  }
}

function failed(message: string): DevNodeError {
  return new DevNodeError('LOG_FAILED', `the chain log cannot be written: ${message}`)
}
