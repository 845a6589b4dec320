import type { DiskFile, FileStats, LogDisk } from '../disk.ts'
import { FileError } from '../file-error.ts'

/*
 * The file operations of a log on an IndexedDB database. `files` contains the ID and size of each file by name,
 * `chunks` the bytes of each append by file ID and position. Every change is one transaction with strict durability, so
 * appends are atomic and `sync` has nothing to do.
 */

const FILES = 'files'
const CHUNKS = 'chunks'
const FILE_MODE = 0o600

type StoredFile = { readonly id: string; readonly size: number }

/** A disk in a database. */
export type DatabaseDisk = {
  readonly disk: LogDisk
  readonly close: () => void
}

/** Opens or creates a database. */
export async function openDatabaseDisk(name: string): Promise<DatabaseDisk> {
  const database = await openIndexedDB(name)
  let lost: FileError | undefined
  // The user has cleared the site's data, or the browser has lost it.
  database.addEventListener('close', () => {
    lost = new FileError('FILE_LOST', `the database ${name} was removed`, {
      hint: 'find out why before you pay again: the record of earlier payments is gone',
    })
  })
  const run = async <T>(
    mode: IDBTransactionMode,
    work: (files: IDBObjectStore, chunks: IDBObjectStore) => Promise<T>,
  ): Promise<T> => {
    if (lost !== undefined) throw lost
    try {
      return await inTransaction(database, mode, work)
    } catch (error) {
      // If the database was removed, either error can come first.
      throw lost ?? error
    }
  }
  const entryOf = async (files: IDBObjectStore, path: string): Promise<StoredFile> => {
    const entry = await done<StoredFile | undefined>(files.get(path))
    if (entry === undefined) throw missing(path)
    return entry
  }
  const stat = (path: string) =>
    run('readonly', async (files) => fileStats(await entryOf(files, path)))
  const disk: LogDisk = {
    open: async (path) => fileOf((await stat(path)).id, run),
    create: (path) =>
      run('readwrite', async (files) => {
        const id = crypto.randomUUID()
        const entry: StoredFile = { id, size: 0 }
        await done(files.add(entry, path))
        return fileOf(id, run)
      }),
    stat,
    rename: (path, to) =>
      run('readwrite', async (files, chunks) => {
        const entry = await entryOf(files, path)
        const old = await done<StoredFile | undefined>(files.get(to))
        if (old !== undefined) await done(chunks.delete(chunksFrom(old.id, 0)))
        await done(files.put(entry, to))
        await done(files.delete(path))
      }),
    remove: (path) =>
      run('readwrite', async (files, chunks) => {
        const entry = await done<StoredFile | undefined>(files.get(path))
        if (entry === undefined) return
        await done(chunks.delete(chunksFrom(entry.id, 0)))
        await done(files.delete(path))
      }),
    syncName: async () => {},
    realPath: async (path) => path,
  }
  return { disk, close: () => database.close() }
}

type Run = <T>(
  mode: IDBTransactionMode,
  work: (files: IDBObjectStore, chunks: IDBObjectStore) => Promise<T>,
) => Promise<T>

/** Returns the file with an ID, whatever its current name is. */
function fileOf(id: string, run: Run): DiskFile {
  const find = async (
    files: IDBObjectStore,
  ): Promise<{ readonly path: IDBValidKey; readonly entry: StoredFile }> => {
    const [paths, entries] = await Promise.all([
      done(files.getAllKeys()),
      done<StoredFile[]>(files.getAll()),
    ])
    const at = entries.findIndex((entry) => entry.id === id)
    if (at === -1) throw missing(id)
    return { path: paths[at]!, entry: entries[at]! }
  }
  const resize = async (files: IDBObjectStore, size: number) => {
    const { path } = await find(files)
    const entry: StoredFile = { id, size }
    await done(files.put(entry, path))
  }
  return {
    read: (into, position) =>
      run('readonly', async (_files, chunks) => {
        const chunk = await chunkAt(chunks, id, position)
        if (chunk === undefined) return 0
        const bytes = chunk.bytes.subarray(
          position - chunk.start,
          position - chunk.start + into.length,
        )
        into.set(bytes)
        return bytes.length
      }),
    append: (bytes) =>
      run('readwrite', async (files, chunks) => {
        const { entry } = await find(files)
        await done(chunks.add(bytes.slice(), [id, entry.size]))
        await resize(files, entry.size + bytes.length)
        return bytes.length
      }),
    sync: async () => {},
    truncate: (size) =>
      run('readwrite', async (files, chunks) => {
        const last = await chunkAt(chunks, id, size)
        await done(chunks.delete(chunksFrom(id, size)))
        if (last !== undefined && last.start < size)
          await done(chunks.put(last.bytes.slice(0, size - last.start), [id, last.start]))
        await resize(files, size)
      }),
    setMode: async () => {},
    stat: () => run('readonly', async (files) => fileStats((await find(files)).entry)),
    close: async () => {},
  }
}

function fileStats({ id, size }: StoredFile): FileStats {
  return { id, size, mode: FILE_MODE, links: 1, isRegular: true }
}

/** Returns the chunk that contains a position, if any. */
async function chunkAt(
  chunks: IDBObjectStore,
  id: string,
  position: number,
): Promise<{ readonly start: number; readonly bytes: Uint8Array } | undefined> {
  const range = IDBKeyRange.bound([id, 0], [id, position])
  const cursor = await done(chunks.openCursor(range, 'prev'))
  if (cursor === null) return undefined
  const [, start] = cursor.key as [string, number]
  const bytes = cursor.value as Uint8Array
  return position < start + bytes.length ? { start, bytes } : undefined
}

/** Returns the key range of the chunks of a file that start at a position or later. */
function chunksFrom(id: string, position: number): IDBKeyRange {
  return IDBKeyRange.bound([id, position], [id, Number.MAX_SAFE_INTEGER])
}

function openIndexedDB(name: string): Promise<IDBDatabase> {
  const { indexedDB } = globalThis as { indexedDB?: IDBFactory }
  if (indexedDB === undefined)
    throw new FileError('FILE_UNREADABLE', 'this platform has no IndexedDB')
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore(FILES)
    request.result.createObjectStore(CHUNKS)
  }
  return done(request)
}

/** Runs work in one transaction and resolves once it is durable. Any error aborts the transaction. */
async function inTransaction<T>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  work: (files: IDBObjectStore, chunks: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const transaction = database.transaction([FILES, CHUNKS], mode, { durability: 'strict' })
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () =>
      reject(transaction.error ?? new Error('the transaction was aborted'))
  })
  try {
    const result = await work(transaction.objectStore(FILES), transaction.objectStore(CHUNKS))
    await ended
    return result
  } catch (error) {
    ended.catch(() => {})
    try {
      transaction.abort()
    } catch {
      // The transaction has already ended.
    }
    throw error
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function missing(name: string): Error {
  return Object.assign(new Error(`there is no file ${name}`), { code: 'ENOENT' })
}
