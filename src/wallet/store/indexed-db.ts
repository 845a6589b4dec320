import { argument, optional, text } from '../../core/base/argument.ts'
import type { LogDisk } from '../../storage/disk.ts'
import { openDatabaseDisk } from '../../storage/indexed-db/disk.ts'
import { takeWebLock } from '../../storage/indexed-db/lock.ts'
import { fileStoreOptions, openFileStore } from './file/store.ts'
import type { Store } from './store.ts'

/** A store in an IndexedDB database, locked by one tab or worker until it closes the store or ends. */
export type IndexedDBStore = Store & {
  /** Completes pending operations and releases the lock. */
  readonly close: () => Promise<void>
  /** Rewrites the log without obsolete records. Runs automatically when more than half of a large log is obsolete. */
  readonly compact: () => Promise<void>
}

/**
 * Options of `indexedDBStore`.
 *
 * @inline
 */
export type IndexedDBStoreOptions = {
  /**
   * Maximum time to wait while another tab has locked the store, in milliseconds.
   *
   * @defaultValue 0
   */
  readonly waitMs?: number | undefined
}

/**
 * Creates a store for wallets in browsers: the file store on an IndexedDB database instead of a disk, with the same log
 * format and checks. A claim is durable when it resolves. A Web Lock restricts the store to one tab or worker; the
 * browser releases it when the tab ends for any reason. The first operation opens the store.
 *
 * Users can clear the data of a site, and browsers may do so when space runs out, unless `navigator.storage.persist()`
 * was granted; the first operation requests it. A cleared store is a new one without the earlier claims: paying their
 * keys again may pay twice. If the data is cleared while the store is open, operations fail with `STORE_LOST`.
 *
 * In addition to the errors of {@link Store}, operations throw StoreError `STORE_IN_USE`, `STORE_LOST`,
 * `STORE_CORRUPT`, `STORE_UNREADABLE`, `STORE_UNWRITABLE` and `STORE_CLOSED`.
 *
 * @example
 * const store = indexedDBStore('payments')
 * const wallet = createWallet({ client, keys, store })
 * await wallet.transfer({ to, amount }, { key: 'invoice-7' })
 */
export function indexedDBStore(name: string, options?: IndexedDBStoreOptions): IndexedDBStore {
  const path = argument('indexedDBStore', name, text, 'name')
  const { waitMs = 0 } = argument('indexedDBStore', options, optional(fileStoreOptions)) ?? {}
  let opened: { readonly disk: LogDisk; readonly close: () => void } | undefined
  const database = `avmkit store ${path}`
  const disk = lazyDisk(() => opened!.disk)
  return openFileStore(path, {
    disk,
    lock: async () => {
      const lock = await takeWebLock(database, waitMs)
      try {
        // Optional: the browser or the user may refuse persistence.
        await globalThis.navigator.storage?.persist?.().catch(() => false)
        opened = await openDatabaseDisk(database)
      } catch (error) {
        await lock.release()
        throw error
      }
      return {
        ...lock,
        release: async () => {
          opened?.close()
          await lock.release()
        },
      }
    },
  })
}

/** A disk that can be passed on before the database is open, which is the case only while the lock is held. */
function lazyDisk(disk: () => LogDisk): LogDisk {
  return {
    open: (path) => disk().open(path),
    create: (path) => disk().create(path),
    stat: (path) => disk().stat(path),
    rename: (path, to) => disk().rename(path, to),
    remove: (path) => disk().remove(path),
    syncName: (path) => disk().syncName(path),
    // Called before the lock is taken. A database has no symbolic links.
    realPath: async (path) => path,
  }
}
