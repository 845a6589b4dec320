import {
  argument,
  type Check,
  msFrom,
  object,
  optional,
  text,
} from '../../../core/base/argument.ts'
import { nodeDisk } from '../../../storage/disk.ts'
import { takeLock } from '../../../storage/lock.ts'
import { machineProcesses } from '../../../storage/processes.ts'
import { checkedStore } from '../memory.ts'
import type { Store, StoreBinding } from '../store.ts'
import { StoreFile, type StoreParts } from './store-file.ts'

/** A store in a file, locked by one process until it is closed. */
export type FileStore = Store & {
  /** Completes pending operations and releases the lock. */
  readonly close: () => Promise<void>
  /** Rewrites the file without obsolete records. Runs automatically when more than half of a large file is obsolete. */
  readonly compact: () => Promise<void>
  /** The network and chain that the file is bound to; undefined for a new one. */
  readonly binding: () => Promise<StoreBinding | undefined>
}

/**
 * Options of `fileStore`.
 *
 * @inline
 */
export type FileStoreOptions = {
  /**
   * Maximum time to wait while another process has locked the file, in milliseconds.
   *
   * @defaultValue 0
   */
  readonly waitMs?: number | undefined
}

/** Also those of `indexedDBStore`. */
export const fileStoreOptions: Check<FileStoreOptions> = object<FileStoreOptions>({
  waitMs: optional(msFrom(0)),
})

/**
 * Creates a store in a file. The first operation locks and reads the file; the first `bind` creates it with mode 0600,
 * and an existing file gets that mode. A claim is durable when it resolves. Concurrent claims share one sync.
 *
 * Every record is verified when the file is read. A file that was restored from a backup, or truncated at the end of an
 * earlier record, is valid but does not contain the later claims: paying their keys again may pay twice. A missing
 * file is a new store.
 *
 * The lock is the directory `<path>.lock`. It is taken over only if its holder is proven dead. If that cannot be proven
 * (another machine, a file system without sockets), operations fail with `STORE_IN_USE` until the directory is removed
 * manually.
 *
 * In addition to the errors of {@link Store}, operations throw StoreError `STORE_IN_USE`, `STORE_LOST`,
 * `STORE_CORRUPT`, `STORE_UNREADABLE` (also on a platform without files, such as a browser), `STORE_UNWRITABLE` and
 * `STORE_CLOSED`. After `STORE_LOST` the store remains unusable.
 *
 * @example
 * const store = fileStore('payouts.store')
 * const wallet = createWallet({ client, keys, store })
 * await wallet.transfer({ to, amount }, { key: 'invoice-7' })
 * await store.close()
 */
export function fileStore(path: string, options?: FileStoreOptions): FileStore {
  const name = argument('fileStore', path, text, 'path')
  const { waitMs = 0 } = argument('fileStore', options, optional(fileStoreOptions)) ?? {}
  return storeOf(
    new StoreFile(name, () => {
      const disk = nodeDisk()
      const processes = machineProcesses()
      return { disk, lock: (directory) => takeLock(directory, { disk, processes, waitMs }) }
    }),
  )
}

/** Creates a file store on a given disk and lock. */
export function openFileStore(path: string, parts: StoreParts): FileStore {
  return storeOf(new StoreFile(path, () => parts))
}

function storeOf(file: StoreFile): FileStore {
  return checkedStore<FileStore>({
    bind: (binding) => file.bind(binding),
    claim: (claim) => file.claim(claim),
    assertOwned: () => file.assertOwned(),
    recordAcceptance: (acceptance) => file.recordAcceptance(acceptance),
    cancel: (key) => file.cancel(key),
    payments: (keys) => file.payments(keys),
    list: () => file.list(),
    attempts: (key) => file.attempts(key),
    close: () => file.close(),
    compact: () => file.compact(),
    binding: () => file.binding(),
  })
}
