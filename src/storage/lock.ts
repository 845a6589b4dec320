import { appendAll, type Disk, type DiskFile } from './disk.ts'
import { FileError, fileError, systemCode } from './file-error.ts'
import type { LockHolder, Processes } from './processes.ts'

/*
 * A lock is a directory with one file per generation: `1`, `2`, … The highest generation is the current one. Its file
 * describes the holder, or says that the lock is free. To take a lock whose highest generation is free or whose
 * holder is proven dead, a process
 *
 *   1. announces itself, so that others can determine that it is alive,
 *   2. writes a description of itself to a temporary file,
 *   3. links that file to the name of the next generation with link(2), which fails if another process was faster,
 *   4. lists the directory again; if a higher generation exists, removes its own and starts again,
 *   5. removes all lower generations.
 *
 * To release it, the holder replaces its file by one that contains `free`, or `free, dirty` after a failed write. A
 * generation is removed only while a higher one exists, so generations only grow. A process that was suspended between
 * any two steps therefore detects that its generation is not the highest, or that the file of its generation is not its
 * own.
 */

/** A lock held by this process. */
export type Lock = {
  /**
   * Whether the previous holder died, or released the lock after a failed write. What it wrote last may be in the
   * system's memory but not on the disk, and syncing again may report success without writing it.
   */
  readonly isDirty: boolean
  /**
   * Checks that this process still holds the lock.
   *
   * @throws FileError `FILE_LOST` if another process has taken the lock or removed it
   */
  readonly assertHeld: () => Promise<void>
  /**
   * Releases the lock.
   *
   * @param isDirty - passed on to the next holder
   */
  readonly release: (isDirty?: boolean) => Promise<void>
}

/** Options of `takeLock`. */
export type LockOptions = {
  readonly disk: Disk
  readonly processes: Processes
  /** Maximum time to wait while another process has the lock, in milliseconds. */
  readonly waitMs: number
}

const FREE = 'free'
const FREE_DIRTY = 'free, dirty'
const MAX_RACES = 1000
const LOCK_RETRY_MS = 50
const GENERATION = /^[1-9]\d{0,14}$/
/** Temporary files and sockets, named after the nonce of their process. */
const BELONGINGS = /^[0-9a-f]{32}\.(tmp|sock)$/

/**
 * Takes the lock in a directory, which is created if necessary.
 *
 * @throws FileError `FILE_IN_USE` if another process has the lock or may have it; `FILE_UNWRITABLE`
 */
export async function takeLock(directory: string, options: LockOptions): Promise<Lock> {
  const { disk, processes, waitMs } = options
  const deadline = processes.now() + waitMs
  try {
    for (;;) {
      await disk.makeDirectory(directory)
      const result = await tryLock(directory, options)
      if ('release' in result) return result
      const remaining = deadline - processes.now()
      // Not `remaining <= 0`, which would wait forever if `waitMs` is not a number.
      if (!(remaining > 0)) throw inUse(directory, result)
      await processes.sleep(Math.min(remaining, LOCK_RETRY_MS))
    }
  } catch (cause) {
    throw fileError('FILE_UNWRITABLE', directory, cause)
  }
}

/** Why the lock cannot be taken. */
type Obstacle = { readonly holder: LockHolder | undefined; readonly isAlive: boolean }

async function tryLock(directory: string, options: LockOptions): Promise<Lock | Obstacle> {
  // Each further round means that another process took the lock in between.
  for (let i = 0; i < MAX_RACES; i++) {
    const generation = await highest(directory, options.disk)
    const obstacle = await obstacleIn(directory, generation, options)
    if (obstacle === 'removed') continue
    if (obstacle !== undefined) return obstacle
    if (!GENERATION.test(String(generation + 1))) return { holder: undefined, isAlive: false }
    const isDirty = (await readLockFile(options.disk, `${directory}/${generation}`)) !== FREE
    const lock = await createGeneration(directory, generation + 1, isDirty, options)
    if (lock !== undefined) return lock
  }
  return { holder: undefined, isAlive: true }
}

/** Returns the current generation; 0 if there is none. */
async function highest(directory: string, disk: Disk): Promise<number> {
  const names = await disk.list(directory)
  return Math.max(0, ...names.filter((name) => GENERATION.test(name)).map(Number))
}

/** Returns undefined if the generation is free or its holder is dead, and `removed` if its file no longer exists. */
async function obstacleIn(
  directory: string,
  generation: number,
  { disk, processes }: LockOptions,
): Promise<Obstacle | 'removed' | undefined> {
  if (generation === 0) return undefined
  const text = await readLockFile(disk, `${directory}/${generation}`)
  if (text === undefined) return 'removed'
  if (text === FREE || text === FREE_DIRTY) return undefined
  const holder = parseHolder(text)
  if (holder === undefined) return { holder, isAlive: false }
  const liveness = await processes.probe(directory, holder)
  return liveness === 'dead' ? undefined : { holder, isAlive: liveness === 'alive' }
}

/** Creates the file of a generation. Returns undefined if another process was faster. */
async function createGeneration(
  directory: string,
  generation: number,
  isDirty: boolean,
  { disk, processes }: LockOptions,
): Promise<Lock | undefined> {
  const { holder, withdraw } = await processes.announce(directory)
  const temporary = `${directory}/${holder.nonce}.tmp`
  const path = `${directory}/${generation}`
  let file: DiskFile | undefined
  try {
    file = await writeLockFile(disk, temporary, JSON.stringify(holder))
    await disk.link(temporary, path)
    await disk.remove(temporary)
    if ((await highest(directory, disk)) === generation) {
      await removeOthers(directory, generation, holder, disk)
      const { assertHeld, release } = heldLock(directory, generation, holder, file, {
        disk,
        withdraw,
      })
      return { isDirty, assertHeld, release }
    }
    await disk.remove(path)
  } catch (error) {
    await file?.close()
    await disk.remove(temporary).catch(() => {})
    await withdraw()
    // ENOENT: the new holder removed the temporary file, or the directory was removed.
    if (['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) return undefined
    throw error
  }
  await file.close()
  await withdraw()
  return undefined
}

/**
 * Removes lower generations and the files of other processes. A process that is taking the lock at the same time then
 * fails to create its generation and starts again.
 */
async function removeOthers(
  directory: string,
  generation: number,
  { nonce }: LockHolder,
  disk: Disk,
): Promise<void> {
  const names = await disk.list(directory)
  const lower = names.filter((name) => GENERATION.test(name) && Number(name) < generation)
  lower.sort((a, b) => Number(a) - Number(b))
  const belongings = names.filter((name) => BELONGINGS.test(name) && !name.startsWith(nonce))
  for (const name of [...lower, ...belongings]) await disk.remove(`${directory}/${name}`)
}

function heldLock(
  directory: string,
  generation: number,
  { nonce }: LockHolder,
  /** Stays open, so that its inode is not reused for another file. */
  file: DiskFile,
  { disk, withdraw }: { readonly disk: Disk; readonly withdraw: () => Promise<void> },
): Omit<Lock, 'isDirty'> {
  const path = `${directory}/${generation}`
  const assertHeld = async () => {
    const [own, found, current] = await Promise.all([
      file.stat(),
      disk.stat(path).catch(undefinedIfMissing),
      highest(directory, disk).catch(undefinedIfMissing),
    ]).catch((cause) => {
      throw fileError('FILE_UNREADABLE', directory, cause)
    })
    if (found?.id === own.id && current === generation) return
    throw new FileError('FILE_LOST', `the lock ${directory} was taken over or removed`, {
      hint: 'another process may use the file now',
    })
  }
  return {
    assertHeld,
    release: async (isDirty = false) => {
      const temporary = `${directory}/${nonce}.tmp`
      try {
        await assertHeld()
        await (await writeLockFile(disk, temporary, isDirty ? FREE_DIRTY : FREE)).close()
        await disk.rename(temporary, path)
      } catch (error) {
        if (!(error instanceof FileError)) throw fileError('FILE_UNWRITABLE', directory, error)
      } finally {
        await file.close()
        // Not earlier, because other processes would take this one for dead.
        await withdraw()
      }
    },
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error
}

async function readLockFile(disk: Disk, path: string): Promise<string | undefined> {
  let file: DiskFile
  try {
    file = await disk.open(path)
  } catch (error) {
    return undefinedIfMissing(error)
  }
  try {
    const bytes = new Uint8Array(4096)
    let size = 0
    for (let count = 1; count > 0 && size < bytes.length; size += count)
      count = await file.read(bytes.subarray(size), size)
    return new TextDecoder().decode(bytes.subarray(0, size))
  } finally {
    await file.close()
  }
}

/** Writes and syncs a file. Without the sync, a power failure could leave an empty description. */
async function writeLockFile(disk: Disk, path: string, text: string): Promise<DiskFile> {
  const file = await disk.create(path)
  try {
    await appendAll(file, new TextEncoder().encode(text))
    await file.sync()
    return file
  } catch (error) {
    await file.close()
    await disk.remove(path).catch(() => {})
    throw error
  }
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const holder = JSON.parse(text) as LockHolder
    return typeof holder.nonce === 'string' && Number.isSafeInteger(holder.pid) ? holder : undefined
  } catch {
    return undefined
  }
}

function inUse(directory: string, { holder, isAlive }: Obstacle): FileError {
  const who = holder === undefined ? 'a process' : `process ${holder.pid} on host ${holder.host}`
  return isAlive
    ? new FileError('FILE_IN_USE', `${who} has the lock ${directory}`, {
        hint: 'wait until it ends, or stop it',
      })
    : new FileError('FILE_IN_USE', `${who} may have the lock ${directory}`, {
        hint: `it cannot be proven dead from here; if you are sure that nothing uses the file, remove ${directory}`,
      })
}
