import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { compareBytes, equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import {
  type FileStore,
  fileStore,
  memoryStore,
  type PaymentRecord,
  type Store,
  StoreError,
} from '../../wallet/store/index.ts'
import { CliError, UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import type { Surroundings } from '../surroundings.ts'

/** How long a command waits while another process uses the journal. */
const MAX_WAIT_MS = 60_000
/** One attempt to lock the journal; an interruption takes effect after it. */
const ATTEMPT_MS = 200

/** The network that a journal belongs to. */
export type JournalNetwork = Pick<NetworkContext, 'name' | 'networkID' | 'chainID'>

/**
 * The folder of default journals. Relative paths are ignored, as the XDG specification demands: the journal would
 * depend on the folder in which a command runs, and a payment could be made twice.
 *
 * @throws UsageError `MISSING_OPTION` if the environment names none
 */
export function journalFolder({ XDG_STATE_HOME, HOME, LOCALAPPDATA }: Surroundings['env']): string {
  const folder = [XDG_STATE_HOME, HOME && join(HOME, '.local', 'state'), LOCALAPPDATA].find(
    (path) => path !== undefined && isAbsolute(path),
  )
  if (folder !== undefined) return join(folder, 'avmkit')
  throw new UsageError('MISSING_OPTION', 'no folder for the journal: HOME is not set', {
    hint: 'pass --journal FILE, or set XDG_STATE_HOME or HOME',
  })
}

/** The journal that the user named, or the default one of a network, chain and set of keys. */
export function journalPath(
  { values, io }: Invocation,
  network: JournalNetwork,
  addresses: readonly Uint8Array[],
): string {
  return values.text('journal') ?? defaultPath(journalFolder(io.env), network, addresses)
}

function defaultPath(
  folder: string,
  { name, networkID, chainID }: JournalNetwork,
  addresses: readonly Uint8Array[],
): string {
  const digest = createHash('sha256').update(`${networkID}\n`).update(chainID)
  const unique = new Map(addresses.map((address) => [hex.encode(address), address]))
  for (const address of [...unique.values()].sort(compareBytes)) digest.update(address)
  return join(folder, `${name}-${digest.digest('hex').slice(0, 16)}.journal`)
}

/**
 * Opens a journal that is closed when the command ends. Waits while another process uses it.
 *
 * @throws StoreError `STORE_IN_USE` after a minute, `STORE_CORRUPT`, `STORE_UNREADABLE`, `STORE_UNWRITABLE`
 */
export async function openJournal(path: string, invocation: Invocation): Promise<FileStore> {
  const { signal } = invocation.io
  const store = fileStore(path, { waitMs: ATTEMPT_MS })
  // The outcome of the command matters more than a journal that cannot be closed properly.
  invocation.atEnd(() =>
    store.close().catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error
      invocation.warn(error.code, error.message)
    }),
  )
  const deadline = performance.now() + MAX_WAIT_MS
  for (let attempts = 0; ; attempts++)
    try {
      // The first operation locks and reads the file.
      await store.payments([])
      return store
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'STORE_IN_USE') throw error
      if (signal?.aborted)
        throw new CliError('INTERRUPTED', 'interrupted while waiting for another process')
      if (performance.now() >= deadline) throw error
      if (attempts === 0) invocation.warn(error.code, 'waiting for another avmkit process')
    }
}

/**
 * Opens a journal that should exist. Returns undefined if it does not exist and is the default one.
 */
export async function openExistingJournal(
  path: string,
  invocation: Invocation,
): Promise<FileStore | undefined> {
  if (existsSync(path)) return openJournal(path, invocation)
  if (!invocation.values.has('journal')) return undefined
  throw new CliError('FILE_UNREADABLE', `cannot read ${path}: there is no such file`, {
    hint: 'check --journal; the first payment creates the file',
  })
}

/**
 * A copy of what the journal of keys knows of their account and payments, for commands that only read: they neither
 * change the journal nor wait for a command that uses it. Without a journal, or while it is in use, the copy is empty.
 */
export async function journalSnapshot(
  invocation: Invocation,
  network: JournalNetwork,
  identity: readonly Uint8Array[],
): Promise<Store> {
  const copy = memoryStore()
  const path = journalOf(invocation, network, identity)
  if (identity.length === 0 || path === undefined || !existsSync(path)) return copy
  const { networkID, chainID } = network
  const store = fileStore(path)
  try {
    const bound = await store.binding()
    if (bound?.networkID !== networkID || !equalBytes(bound.chainID, chainID)) return copy
    const { indexes = [] } = (await store.bind({ networkID, chainID })) ?? {}
    for (const one of indexes) await copy.bind({ networkID, chainID, indexes: one })
    const payments: PaymentRecord[] = []
    for await (const payment of store.list()) payments.push(payment)
    return {
      ...copy,
      list: async function* () {
        yield* payments
      },
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    invocation.warn(
      error.code,
      `addresses that only the journal knows are missing: ${error.message}`,
    )
    return copy
  } finally {
    await store.close().catch(() => {})
  }
}

/** The journal; undefined for a command that only reads, if there is no folder for journals. */
function journalOf(
  invocation: Invocation,
  network: JournalNetwork,
  identity: readonly Uint8Array[],
): string | undefined {
  try {
    return journalPath(invocation, network, identity)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return undefined
  }
}
