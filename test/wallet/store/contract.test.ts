import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { databaseStore } from '../../../src/custody/database/store.ts'
import { openFileStore } from '../../../src/wallet/store/file/store.ts'
import {
  type FileStore,
  fileStore,
  memoryStore,
  type Store,
} from '../../../src/wallet/store/index.ts'
import { newDatabase } from '../../custody/postgres.ts'
import { MemoryDisk } from '../../helpers/memory-disk.ts'
import { todaysOf } from '../../helpers/todays-cases.ts'
import { storeContract } from './contract.ts'
import { binding, collect, contentOf, payment } from './samples.ts'

const folder = mkdtempSync(join(tmpdir(), 'avmkit-store-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, String(++files), 'payments.store')

/** A store that is reopened for every operation, so that all results are read from the file. */
function reopened(open: () => FileStore, after: (store: FileStore) => Promise<void>): Store {
  const once = async <T>(work: (store: FileStore) => Promise<T>) => {
    const store = open()
    try {
      return await work(store)
    } finally {
      await after(store)
      await store.close()
    }
  }
  return {
    bind: (value) => once((store) => store.bind(value)),
    claim: (value) => once((store) => store.claim(value)),
    assertOwned: () => once((store) => store.assertOwned()),
    recordAcceptance: (value) => once((store) => store.recordAcceptance(value)),
    cancel: (key) => once((store) => store.cancel(key)),
    payments: (keys) => once((store) => store.payments(keys)),
    list: async function* () {
      yield* await once((store) => collect(store.list()))
    },
    attempts: async function* (key) {
      yield* await once((store) => collect(store.attempts(key)))
    },
  }
}

const lock = async () => ({ isDirty: false, assertHeld: async () => {}, release: async () => {} })
const stores: { readonly [name: string]: () => Store | Promise<Store> } = {
  'memory store': memoryStore,
  'file store': () => fileStore(newPath()),
  'PostgreSQL store': async () => databaseStore(await newDatabase()),
}

/** Stores that differ from a file store only in what they write to, or in when they write and read. */
const repeated: typeof stores = {
  'file store on a disk in memory': () =>
    openFileStore('/payments', { disk: new MemoryDisk().disk(), lock }),
  'file store, opened for each operation': () => {
    const path = newPath()
    return reopened(
      () => fileStore(path),
      async () => {},
    )
  },
  'file store, compacted after each operation': () => {
    const path = newPath()
    return reopened(
      () => fileStore(path),
      (store) => store.compact(),
    )
  },
}

describe.each([...Object.entries(stores), ...todaysOf(Object.entries(repeated))])(
  '%s',
  (_name, make) => storeContract(make),
)

describe('calls from plain JavaScript with invalid arguments', () => {
  type Calls = { readonly [name: string]: (argument: unknown) => Promise<unknown> }
  const move = { ...payment('a', 'a'), kind: 'export' }
  const invalid: { readonly [name: string]: readonly unknown[] } = {
    bind: [null, 5, {}, { ...binding, networkID: 1.5 }, { ...binding, chainID: 'x' }],
    payments: [null, 5, 'x', {}],
    recordAcceptance: [{ txID: new Uint8Array(32), inputs: null }],
    claim: [
      null,
      5,
      {},
      { ...payment('a', 'a'), payments: null },
      { ...payment('a', 'a'), payments: [null] },
      { ...payment('a', 'a'), bytes: null },
      { ...move, leg: null },
      { ...move, leg: {} },
      { ...move, leg: { chain: 'P', inputs: null, note: new Uint8Array(1) } },
      { ...move, leg: { chain: 'P', inputs: [null], note: new Uint8Array(1) } },
    ],
  }
  for (const name of ['memory store', 'file store'])
    it(`throw an AvmError: ${name}`, async () => {
      const store = await stores[name]!()
      const calls = store as unknown as Calls
      const failing = async (method: string) => {
        for (const argument of invalid[method]!)
          await expect(calls[method]!(argument)).rejects.toBeInstanceOf(AvmError)
      }
      await failing('bind')
      // What was refused has not bound the store.
      await store.bind(binding)
      for (const method of Object.keys(invalid)) await failing(method)
      expect(await contentOf(store)).toEqual({ payments: [], attempts: [] })
    })
})
