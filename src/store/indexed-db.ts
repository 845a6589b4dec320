import type { LogDisk } from './file/disk.ts'
import { openFileStore } from './file/store.ts'
import { openDatabaseDisk } from './indexed-db/disk.ts'
import { takeWebLock } from './indexed-db/lock.ts'
import type { Store } from './store.ts'

/** A store in a database of the browser, which one tab has for itself until it closes it or ends. */
export type IndexedDBStore = Store & {
  /** Completes what is in progress and lets other tabs have the store. */
  readonly close: () => Promise<void>
  /** Rewrites the record without what is no longer needed. Happens by itself when half of a large one is. */
  readonly compact: () => Promise<void>
}

/**
 * Settings of an IndexedDB store.
 *
 * @inline
 */
export type IndexedDBStoreOptions = {
  /**
   * How long to wait while another tab has the store, in milliseconds.
   *
   * @defaultValue 0
   */
  readonly waitMs?: number | undefined
}

/**
 * A store for wallets in browsers. It is the file store with a database of IndexedDB for a disk: the same record, the
 * same checks when it is read, claims durable when they resolve. Web Locks let one tab or worker have it at a time; they
 * end with the tab, however it ends. The first operation opens it.
 *
 * Users can clear the data of a site, and browsers may do so when space runs out, unless `navigator.storage.persist()`
 * was granted: the first operation asks for it. A store that was cleared is a new one, which does not know the earlier
 * claims: paying their keys again may pay twice. If that happens while the store is open, operations fail with
 * `STORE_LOST`.
 *
 * Operations throw StoreError `STORE_IN_USE`, `STORE_LOST`, `STORE_CORRUPT`, `STORE_UNREADABLE`, `STORE_UNWRITABLE` and
 * `STORE_CLOSED` beside those of {@link Store}.
 *
 * @example
 * const store = indexedDBStore('payments')
 * const wallet = createWallet({ client, keys, store })
 * await wallet.transfer({ to, amount }, { key: 'invoice-7' })
 */
export function indexedDBStore(
  name: string,
  { waitMs = 0 }: IndexedDBStoreOptions = {},
): IndexedDBStore {
  let opened: { readonly disk: LogDisk; readonly close: () => void } | undefined
  const database = `avmkit store ${name}`
  const disk = lazyDisk(() => opened!.disk)
  return openFileStore(name, {
    disk,
    lock: async () => {
      const lock = await takeWebLock(database, waitMs)
      try {
        // Best effort: the browser or the user decides.
        await globalThis.navigator.storage?.persist?.().catch(() => false)
        opened = await openDatabaseDisk(database)
      } catch (error) {
        await lock.release()
        throw error
      }
      return {
        assertHeld: lock.assertHeld,
        release: async () => {
          opened?.close()
          await lock.release()
        },
      }
    },
  })
}

/** The disk of the database, which is open only while the lock is held. */
function lazyDisk(disk: () => LogDisk): LogDisk {
  return {
    open: (path) => disk().open(path),
    create: (path) => disk().create(path),
    facts: (path) => disk().facts(path),
    rename: (path, to) => disk().rename(path, to),
    remove: (path) => disk().remove(path),
    syncName: (path) => disk().syncName(path),
    // Asked for before the lock is taken; names are not aliases here.
    realPath: async (path) => path,
  }
}
