import { posix } from 'node:path'
import type { Disk, DiskFile, FileStats } from '../../src/storage/disk.ts'

/** Random numbers from 0 to 1 (exclusive) that follow from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A fault of an operation: the process dies, or the operation fails with a system error. */
export type Fault = 'crash' | 'EIO' | 'ENOSPC'

type Change = { readonly append: Uint8Array } | { readonly truncate: number }

const SECTOR_SIZE = 512

class MemoryFile {
  readonly id: string
  mode = 0o600
  content = new Uint8Array(0)
  /** The durable content. */
  durable = new Uint8Array(0)
  /** Changes since the last sync. */
  unsynced: Change[] = []

  constructor(id: string) {
    this.id = id
  }

  change(change: Change): void {
    this.content = changed(this.content, change)
    this.unsynced.push(change)
  }

  sync(): void {
    for (const change of this.unsynced.splice(0)) this.durable = changed(this.durable, change)
  }

  /** As Linux does: the data is dropped, a later sync reports success, and the disk has a hole. */
  failSync(): void {
    this.unsynced = this.unsynced.map((change) =>
      'append' in change ? { append: new Uint8Array(change.append.length) } : change,
    )
  }

  crash(random: () => number): void {
    const kept = Math.floor(random() * (this.unsynced.length + 1))
    const changes = this.unsynced.splice(0)
    for (const change of changes.slice(0, kept)) this.durable = changed(this.durable, change)
    const torn = changes[kept]
    if (torn !== undefined && 'append' in torn) this.tear(torn.append, random)
    this.content = this.durable
  }

  /** Keeps the start of what was appended. The size may have been durable before the last sectors. */
  private tear(bytes: Uint8Array, random: () => number): void {
    const start = this.durable.length
    const cut = random() < 0.1 ? 0 : Math.floor(random() * (bytes.length + 1))
    const sector = cut === 0 ? 0 : Math.ceil((start + cut) / SECTOR_SIZE) * SECTOR_SIZE - start
    const isZeroed = sector < bytes.length && random() < 0.5
    this.durable = changed(this.durable, { append: bytes.slice(0, isZeroed ? sector : cut) })
    const zeros = isZeroed ? Math.ceil(random() * (bytes.length - sector)) : 0
    this.durable = changed(this.durable, { append: new Uint8Array(zeros) })
  }
}

type Names = Map<string, MemoryFile>

class MemoryDirectory {
  names: Names = new Map()
  private durable: Names = new Map()
  /** Changes of names since the last sync; those of one operation happen together. */
  private unsynced: (readonly [string, MemoryFile | undefined])[][] = []

  change(...entries: (readonly [string, MemoryFile | undefined])[]): void {
    apply(this.names, entries)
    this.unsynced.push(entries)
  }

  sync(): void {
    for (const entries of this.unsynced.splice(0)) apply(this.durable, entries)
  }

  crash(random: () => number): void {
    const kept = Math.floor(random() * (this.unsynced.length + 1))
    for (const entries of this.unsynced.splice(0).slice(0, kept)) apply(this.durable, entries)
    this.names = new Map(this.durable)
    for (const file of new Set(this.names.values())) file.crash(random)
  }
}

/**
 * A disk in memory that loses what was not synced when it crashes: of each file a random number of unsynced changes
 * survives, the last of them in part; of each directory a random number of unsynced creations, renames and removals.
 * Everything random follows from the seed.
 */
export class MemoryDisk {
  /** Number of operations so far. */
  operations = 0
  /** Decides about faults; called before every operation with its name and number. */
  faultOf: (operation: string, index: number) => Fault | undefined = () => undefined
  private readonly random: () => number
  private readonly directories = new Map<string, MemoryDirectory>()
  private files = 0
  /** Incremented by each crash; operations of older processes fail. */
  private life = 0
  private dead = false

  constructor(seed = 1) {
    this.random = seeded(seed)
  }

  /** Whether the process has died in an operation; `crash` starts a new one. */
  get isDead(): boolean {
    return this.dead
  }

  /** Crashes the machine: all processes die, and unsynced changes may be lost. */
  crash(): void {
    this.life++
    this.dead = false
    for (const directory of this.directories.values()) directory.crash(this.random)
  }

  /** Kills all processes; the system keeps what they wrote. */
  restart(): void {
    this.life++
    this.dead = false
  }

  /** The visible content of a file. */
  contentOf(path: string): Uint8Array | undefined {
    return this.find(path)?.content
  }

  /** Creates a durable file. */
  put(path: string, content: Uint8Array, mode = 0o600): void {
    const file = new MemoryFile(String(++this.files))
    file.change({ append: content })
    file.sync()
    file.mode = mode
    this.directoryOf(path).change([posix.basename(path), file])
    this.directoryOf(path).sync()
  }

  /** Returns the disk for a new process. */
  disk(): Disk {
    const life = this.life
    const run = async <T>(operation: string, work: () => T, fail?: (fault: Fault) => void) => {
      // Yields to other tasks, as a real disk does.
      await undefined
      if (this.dead || life !== this.life) throw new Crash()
      const fault = this.faultOf(operation, this.operations++)
      if (fault === undefined) return work()
      fail?.(fault)
      if (fault !== 'crash') throw systemError(fault)
      this.dead = true
      // The operation may have been executed although it failed.
      if (fail === undefined && this.random() < 0.5) work()
      throw new Crash()
    }
    return {
      open: (path) => run('open', () => this.fileOf(this.existing(path), run)),
      create: (path) =>
        run('create', () => {
          if (this.find(path) !== undefined) throw systemError('EEXIST')
          const file = new MemoryFile(String(++this.files))
          this.directoryOf(path).change([posix.basename(path), file])
          return this.fileOf(file, run)
        }),
      stat: (path) => run('stat', () => this.detailsOf(this.existing(path))),
      link: (path, to) =>
        run('link', () => {
          if (this.find(to) !== undefined) throw systemError('EEXIST')
          this.directoryOf(to).change([posix.basename(to), this.existing(path)])
        }),
      rename: (path, to) =>
        run('rename', () => {
          const file = this.existing(path)
          this.directoryOf(to).change([posix.basename(path), undefined], [posix.basename(to), file])
        }),
      remove: (path) =>
        run('remove', () => {
          if (this.find(path) !== undefined)
            this.directoryOf(path).change([posix.basename(path), undefined])
        }),
      list: (path) => run('list', () => [...this.directory(path).names.keys()]),
      makeDirectory: (path) =>
        run('makeDirectory', () => {
          if (!this.directories.has(path)) this.directories.set(path, new MemoryDirectory())
        }),
      syncName: (path) => run('syncDirectory', () => this.directory(posix.dirname(path)).sync()),
      realPath: (path) => run('realPath', () => path),
    }
  }

  private fileOf(
    file: MemoryFile,
    run: <T>(operation: string, work: () => T, fail?: (fault: Fault) => void) => Promise<T>,
  ): DiskFile {
    let isClosed = false
    const use: typeof run = (operation, work, fail) =>
      run(
        operation,
        () => {
          if (isClosed) throw systemError('EBADF')
          return work()
        },
        fail,
      )
    return {
      read: (into, position) =>
        use('read', () => {
          const part = file.content.subarray(position, position + into.length)
          into.set(part)
          return part.length
        }),
      append: (bytes) =>
        use(
          'append',
          () => {
            const isShort = bytes.length > 1 && this.random() < 0.1
            const count = isShort ? Math.ceil(this.random() * bytes.length) : bytes.length
            file.change({ append: bytes.slice(0, count) })
            return count
          },
          () => {
            const count = Math.floor(this.random() * (bytes.length + 1))
            file.change({ append: bytes.slice(0, count) })
          },
        ),
      sync: () =>
        use(
          'sync',
          () => file.sync(),
          (fault) => (fault === 'crash' ? undefined : file.failSync()),
        ),
      truncate: (size) => use('truncate', () => file.change({ truncate: size })),
      setMode: (mode) =>
        use('setMode', () => {
          file.mode = mode
        }),
      stat: () => use('stat', () => this.detailsOf(file)),
      close: async () => {
        isClosed = true
      },
    }
  }

  private detailsOf(file: MemoryFile): FileStats {
    const { id, mode, content } = file
    let links = 0
    for (const { names } of this.directories.values())
      for (const other of names.values()) if (other === file) links++
    return { id, mode, links, size: content.length, isRegular: true }
  }

  private directory(path: string): MemoryDirectory {
    // The root always exists.
    if (path === '/' && !this.directories.has(path))
      this.directories.set('/', new MemoryDirectory())
    const found = this.directories.get(path)
    if (found === undefined) throw systemError('ENOENT')
    return found
  }

  private directoryOf(path: string): MemoryDirectory {
    return this.directory(posix.dirname(path))
  }

  private find(path: string): MemoryFile | undefined {
    return this.directoryOf(path).names.get(posix.basename(path))
  }

  private existing(path: string): MemoryFile {
    const file = this.find(path)
    if (file === undefined) throw systemError('ENOENT')
    return file
  }
}

/** The error of operations of a dead process. */
export class Crash extends Error {}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function apply(names: Names, entries: (readonly [string, MemoryFile | undefined])[]): void {
  for (const [name, file] of entries)
    if (file === undefined) names.delete(name)
    else names.set(name, file)
}

function changed(content: Uint8Array, change: Change): Uint8Array<ArrayBuffer> {
  const size = 'append' in change ? content.length + change.append.length : change.truncate
  const result = new Uint8Array(size)
  result.set(content.subarray(0, size))
  if ('append' in change) result.set(change.append, content.length)
  return result
}
