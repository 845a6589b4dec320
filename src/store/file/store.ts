import type { Store } from '../store.ts'
import { nodeDisk } from './disk.ts'
import { takeLock } from './lock.ts'
import { machineProcesses } from './processes.ts'
import { StoreFile, type StoreParts } from './store-file.ts'

/** A store in a file, which one process has for itself until it closes it. */
export type FileStore = Store & {
  /** Completes what is in progress and lets other processes have the file. */
  readonly close: () => Promise<void>
  /** Rewrites the file without what is no longer needed. Happens by itself when half of a large file is. */
  readonly compact: () => Promise<void>
}

/**
 * Options of `fileStore`.
 *
 * @inline
 */
export type FileStoreOptions = {
  /**
   * How long to wait while another process has the file, in milliseconds.
   *
   * @defaultValue 0
   */
  readonly waitMs?: number | undefined
}

/**
 * A store in a file, which the first `bind` creates with mode 0600; an existing file gets that mode. The first
 * operation locks and reads it. Claims are durable when they resolve; concurrent claims share one sync.
 *
 * Every record is verified when the file is read. A file that was restored from a backup, or cut off at the end of an
 * earlier record, cannot be told from one that never had more: it does not know the later claims, and paying their
 * keys again may pay twice. A missing file is a new store.
 *
 * The lock is the directory `<path>.lock`. It is taken over only if its holder is proven dead. Where that cannot be
 * proven (another machine, a file system without sockets), `STORE_IN_USE` says so, and the directory has to be removed
 * by hand.
 *
 * Operations throw StoreError `STORE_IN_USE`, `STORE_LOST`, `STORE_CORRUPT`, `STORE_UNREADABLE`, `STORE_UNWRITABLE` and
 * `STORE_CLOSED` beside those of {@link Store}. After `STORE_LOST` the store stays unusable.
 *
 * @throws StoreError `STORE_UNREADABLE` on a platform without files, such as a browser
 *
 * @example
 * const store = fileStore('payouts.store')
 * const wallet = createWallet({ client, keys, store })
 * await wallet.transfer({ to, amount }, { key: 'invoice-7' })
 * await store.close()
 */
export function fileStore(path: string, { waitMs = 0 }: FileStoreOptions = {}): FileStore {
  return storeOf(
    new StoreFile(path, () => {
      const disk = nodeDisk()
      const processes = machineProcesses()
      return { disk, lock: (directory) => takeLock(directory, { disk, processes, waitMs }) }
    }),
  )
}

/** A file store on any disk and lock. */
export function openFileStore(path: string, parts: StoreParts): FileStore {
  return storeOf(new StoreFile(path, () => parts))
}

function storeOf(file: StoreFile): FileStore {
  return {
    bind: (binding) => file.bind(binding),
    claim: (claim) => file.claim(claim),
    assertOwned: () => file.assertOwned(),
    settle: (acceptance) => file.settle(acceptance),
    payments: (keys) => file.payments(keys),
    list: () => file.list(),
    attempts: (key) => file.attempts(key),
    close: () => file.close(),
    compact: () => file.compact(),
  }
}
