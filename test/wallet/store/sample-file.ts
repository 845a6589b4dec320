import type { Lock } from '../../../src/storage/lock.ts'
import { type FileStore, openFileStore } from '../../../src/wallet/store/file/store.ts'
import { MemoryDisk } from '../../helpers/memory-disk.ts'
import { accepted, binding, cancellation, payment, rival } from './samples.ts'

export const PATH = '/payments'
export const HEADER_SIZE = 32

/** A lock that is always free. */
export async function lock(): Promise<Lock> {
  return { isDirty: false, assertHeld: async () => {}, release: async () => {} }
}

/** The content of a file with compacted records and later changes. `finish` makes the last changes. */
export async function sampleFile(finish: (store: FileStore) => Promise<void>): Promise<Uint8Array> {
  const disk = new MemoryDisk()
  const store = openFileStore(PATH, { disk: disk.disk(), lock })
  await store.bind(binding)
  for (const name of ['a', 'b', 'c']) await store.claim(payment(name, name))
  await store.recordAcceptance(rival('a'))
  await store.recordAcceptance(accepted(payment('b', 'b'), 'b'))
  await store.compact()
  await store.claim(payment('d', 'd'))
  await store.claim(cancellation('d', 'd'))
  await store.recordAcceptance(rival('c'))
  await finish(store)
  await store.close()
  return disk.contentOf(PATH)!
}
