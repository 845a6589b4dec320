import { builtin } from './builtin.ts'
import { systemCode } from './file-error.ts'

/** Metadata of a file. */
export type FileStats = {
  /**
   * Identifies the file while it is open or has a name: equal for two names if and only if they refer to the same file.
   */
  readonly id: string
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  /** Number of names (hard links). */
  readonly links: number
  readonly isRegular: boolean
}

/** An open file, read at any position and written only at its end. */
export type DiskFile = {
  /** Reads up to `into.length` bytes; 0 at the end of the file. */
  readonly read: (into: Uint8Array, position: number) => Promise<number>
  /** Writes at the current end of the file. Returns the number of bytes written, which may be smaller. */
  readonly append: (bytes: Uint8Array) => Promise<number>
  /** Makes the content durable. */
  readonly sync: () => Promise<void>
  readonly truncate: (size: number) => Promise<void>
  readonly setMode: (mode: number) => Promise<void>
  readonly stat: () => Promise<FileStats>
  readonly close: () => Promise<void>
}

/**
 * The part of a file system that the lock and the log use. Errors have the `code` of the system call. Created, renamed
 * and removed names are durable after `syncName`.
 */
export type Disk = {
  /** Opens an existing file. */
  readonly open: (path: string) => Promise<DiskFile>
  /** Creates a file with mode 0600; fails with `EEXIST` if the name exists. */
  readonly create: (path: string) => Promise<DiskFile>
  readonly stat: (path: string) => Promise<FileStats>
  /** Creates a hard link; fails with `EEXIST` if the name exists. */
  readonly link: (path: string, to: string) => Promise<void>
  /** Renames a file and replaces an existing file with the new name. */
  readonly rename: (path: string, to: string) => Promise<void>
  /** Removes a name; has no effect if it does not exist. */
  readonly remove: (path: string) => Promise<void>
  readonly list: (directory: string) => Promise<string[]>
  /** Creates a directory and its missing parents durably with mode 0700; has no effect if it exists. */
  readonly makeDirectory: (path: string) => Promise<void>
  /** Makes the directory entry of this name durable. */
  readonly syncName: (path: string) => Promise<void>
  /** Resolves symbolic links; the file itself need not exist. */
  readonly realPath: (path: string) => Promise<string>
}

/** The part of a disk that a log needs. */
export type LogDisk = Pick<
  Disk,
  'open' | 'create' | 'stat' | 'rename' | 'remove' | 'syncName' | 'realPath'
>

/** Appends all bytes to a file. */
export async function appendAll(file: DiskFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const count = await file.append(bytes.subarray(done))
    if (count === 0) throw new Error('nothing was written')
    done += count
  }
}

const FILE_MODE = 0o600
const DIRECTORY_MODE = 0o700
const MAX_SYMBOLIC_LINKS = 40

/** Returns the file system of the machine. */
export function nodeDisk(): Disk {
  const { constants, promises: fs } = builtin('node:fs')
  const { dirname, basename, join, resolve } = builtin('node:path')
  const openFile = fileOpener()
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants

  const syncDirectory = async (path: string) => {
    // Windows cannot open directories; NTFS keeps names in its own journal.
    if (globalThis.process.platform === 'win32') return
    const directory = await fs.open(path, 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  }

  // Not `recursive` of mkdir, which never ends below a directory such as /proc/1, where nothing can be created.
  const makeDirectory = async (path: string): Promise<void> => {
    const parent = dirname(path)
    const make = () => fs.mkdir(path, { mode: DIRECTORY_MODE })
    try {
      await make().catch(async (error) => {
        if (systemCode(error) !== 'ENOENT' || parent === path) throw error
        await makeDirectory(parent)
        await make()
      })
    } catch (error) {
      // It exists, or another process was faster. The code is not always EEXIST, such as for the root of a drive.
      const found = await fs.stat(path).catch(() => undefined)
      if (found?.isDirectory()) return
      throw error
    }
    await syncDirectory(parent)
  }

  const realPath = async (path: string, depth = 0): Promise<string> => {
    try {
      return await fs.realpath(path)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || depth > MAX_SYMBOLIC_LINKS) throw error
    }
    const target = await fs.readlink(path).catch(() => undefined)
    if (target !== undefined) return realPath(resolve(dirname(path), target), depth + 1)
    const parent = dirname(resolve(path))
    return parent === path ? path : join(await realPath(parent, depth + 1), basename(path))
  }

  return {
    open: (path) => openFile(path, O_RDWR | O_APPEND),
    create: (path) => openFile(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL),
    stat: async (path) => fileStats(await fs.stat(path, { bigint: true })),
    link: (path, to) => fs.link(path, to),
    rename: (path, to) => fs.rename(path, to),
    remove: (path) => fs.rm(path, { force: true }),
    list: (directory) => fs.readdir(directory),
    makeDirectory: (path) => makeDirectory(resolve(path)),
    syncName: (path) => syncDirectory(dirname(path)),
    realPath: (path) => realPath(resolve(path)),
  }
}

/**
 * Opens files as plain descriptors, which stay open until they are closed. A `FileHandle` would be closed with a
 * warning when an unclosed store is garbage-collected.
 */
function fileOpener(): (path: string, flags: number) => Promise<DiskFile> {
  const fs = builtin('node:fs')
  const { promisify } = builtin('node:util')
  const open = promisify(fs.open)
  const read = promisify(fs.read)
  const write = promisify(fs.write)
  const fdatasync = promisify(fs.fdatasync)
  const ftruncate = promisify(fs.ftruncate)
  const fchmod = promisify(fs.fchmod)
  const fstat = promisify(fs.fstat)
  const close = promisify(fs.close)
  return async (path, flags) => {
    const descriptor = await open(path, flags, FILE_MODE)
    return {
      read: async (into, position) =>
        (await read(descriptor, into, 0, into.length, position)).bytesRead,
      append: async (bytes) => (await write(descriptor, bytes, 0, bytes.length, null)).bytesWritten,
      sync: () => fdatasync(descriptor),
      truncate: (size) => ftruncate(descriptor, size),
      setMode: (mode) => fchmod(descriptor, mode),
      stat: async () => fileStats(await fstat(descriptor, { bigint: true })),
      close: () => close(descriptor),
    }
  }
}

function fileStats(stats: {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mode: bigint
  readonly nlink: bigint
  readonly isFile: () => boolean
}): FileStats {
  return {
    id: `${stats.dev}:${stats.ino}`,
    size: Number(stats.size),
    // Windows has no permission bits and reports all of them as set.
    mode: globalThis.process.platform === 'win32' ? FILE_MODE : Number(stats.mode) & 0o777,
    links: Number(stats.nlink),
    isRegular: stats.isFile(),
  }
}
