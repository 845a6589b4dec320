import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { loadWasmBackend } from '../../src/core/crypto/backends/wasm.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { syncLock } from '../../src/custody/database/chain-row.ts'
import type { Database, Queries } from '../../src/custody/database/database.ts'
import {
  type Custody,
  type CustodyEvent,
  type CustodyOptions,
  openCustody,
  type Payout,
  type PayoutRequest,
  type PayoutStatus,
} from '../../src/custody/index.ts'
import { settingsOf } from '../../src/custody/options.ts'
import { Claimer } from '../../src/custody/payouts/claimer.ts'
import { PayoutIssuer } from '../../src/custody/payouts/issuer.ts'
import { Payer } from '../../src/custody/payouts/payer.ts'
import type { Settings } from '../../src/custody/settings.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'
import { createNodeClient, type Fetch, type NodeClient } from '../../src/node/index.ts'
import { newDatabase } from './postgres.ts'

export const AVAX = 1_000_000_000n
export const FEE = 1_000_000n

const backend = await loadWasmBackend()

/** Keys made of one repeated byte each. */
export function keysOf(...bytes: number[]): KeyChain {
  return new KeyChain(
    bytes.map((byte) => new Uint8Array(32).fill(byte)),
    { backend },
  )
}

export function textOf(address: Uint8Array): string {
  return formatAddress({ chain: 'X', hrp: 'local', address })
}

/** An address that nobody has a key for. */
export function receiver(n: number): string {
  const address = new Uint8Array(20).fill(0xee)
  new DataView(address.buffer).setUint32(0, n)
  return textOf(address)
}

/** A development node, a database and a custody system with one hot key. */
export type Scene = {
  readonly node: DevNode
  readonly client: NodeClient
  readonly database: Database
  readonly keys: KeyChain
  readonly hot: string
  readonly events: CustodyEvent[]
  /** Opens the same system again, as another process would. */
  readonly open: (options?: Partial<CustodyOptions>) => Promise<Custody>
  /** The settings of such a process, for tests of its parts. */
  readonly settings: (options?: Partial<CustodyOptions>) => Promise<Settings>
  /** Starts a worker. Returns a function that stops it. */
  readonly work: (custody: Custody) => () => Promise<void>
}

export async function scene(
  options: DevNodeOptions & { readonly through?: (fetch: Fetch) => Fetch } = {},
): Promise<Scene> {
  const { through = (fetch: Fetch) => fetch, ...nodeOptions } = options
  const database = await newDatabase()
  const node = await createDevNode({ backend, ...nodeOptions })
  onTestFinished(() => node.close())
  const client = createNodeClient({
    url: 'http://node.test',
    fetch: through((url, init) => node.fetch(url, init)),
  })
  const keys = keysOf(1)
  const events: CustodyEvent[] = []
  const { pool } = database as unknown as { readonly pool: CustodyOptions['database'] }
  const optionsWith = (own: Partial<CustodyOptions>): CustodyOptions => ({
    database: pool,
    schema: database.schema,
    client,
    keys,
    backend,
    log: (event) => {
      events.push(event)
    },
    ...own,
  })
  const open = (own: Partial<CustodyOptions> = {}) => openCustody(optionsWith(own))
  const work = (custody: Custody) => {
    const controller = new AbortController()
    const running = custody.work({ signal: controller.signal })
    let isStopped = false
    const stop = async () => {
      if (isStopped) return
      isStopped = true
      controller.abort()
      await running
    }
    onTestFinished(stop)
    return stop
  }
  const hot = textOf(keys.addresses[0]!)
  const settings = (own: Partial<CustodyOptions> = {}) => settingsOf(database, optionsWith(own))
  return { node, client, database, keys, hot, events, open, settings, work }
}

/** The part of a worker that makes payouts. */
export function payerOf(settings: Settings): Payer {
  return new Payer(settings, new Claimer(settings, new PayoutIssuer(settings)))
}

/** Adds UTXOs that no block has created; each number becomes the bytes of a transaction ID. */
export async function addUTXOs(
  database: Queries,
  numbers: readonly number[],
  {
    assetID,
    address,
    amount,
    wallet = 'hot',
  }: {
    readonly assetID: Uint8Array
    readonly address: Uint8Array
    readonly amount: bigint
    readonly wallet?: string
  },
): Promise<void> {
  await database.query(
    `INSERT INTO @.outputs (tx_id, output_index, asset_id, amount, address, wallet, kind, origin, is_simple,
       locktime, utxo, height)
     SELECT t, 0, $2, $4::bigint, $3, $5, 'plain', 'other', true, 0, '\\x0000'::bytea || t || int4send(0) || $2
       || int4send(7) || int8send($4) || int8send(0) || int4send(1) || int4send(1) || $3, 1
     FROM unnest($1::bytea[]) AS given(t)`,
    [numbers.map((n) => new Uint8Array(32).fill(n)), assetID, address, amount, wallet],
  )
}

/**
 * Makes workers see a leader that has applied all blocks, until the test ends or the returned function is called. Can
 * be called again on emptied tables.
 */
export async function beSynced(database: Database): Promise<() => Promise<void>> {
  // In the future: a test on a busy machine may take longer than the record is valid.
  await database.query(`UPDATE @.chain SET verified_at = now() + interval '1 hour'`)
  let release = () => {}
  let ready = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const locked = new Promise<void>((resolve) => {
    ready = resolve
  })
  const holding = database.session(
    async (session) => {
      const name = syncLock(database.schema)
      const [row] = await session.query<{ held: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
        [name],
      )
      ready()
      if (!row!.held) return
      await released
      // Not left to the end of the session, which the server may notice later.
      await session.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name])
    },
    { isDedicated: true },
  )
  await locked
  const end = async () => {
    release()
    await holding
  }
  onTestFinished(end)
  return end
}

/** Payouts p0, p1, … of 1 AVAX to receivers. */
export function payoutsTo(...receivers: number[]): PayoutRequest[] {
  return receivers.map((n, i) => ({ key: `p${i}`, to: receiver(n), amount: AVAX }))
}

/** Waits until all payouts, or those with these keys, have a status, and returns them. */
export function allPayouts(
  custody: Custody,
  status: PayoutStatus,
  keys?: readonly string[],
): Promise<Payout[]> {
  return until(`all ${status}`, async () => {
    const list = await custody.payouts({ keys })
    const isAll = keys === undefined || list.length === keys.length
    return isAll && list.every((one) => one.status === status) && list
  })
}

/** Waits until a leader has applied all blocks. */
export async function allApplied(custody: Custody): Promise<void> {
  await until('synced', async () => (await custody.status()).syncedSecondsAgo !== undefined)
}

/** Applies the sweep rules once a leader has applied all blocks. */
export async function sweepSynced(custody: Custody): Promise<number> {
  await until('healthy', async () => (await custody.status()).healthy)
  return custody.sweep()
}

/** The balances of receivers, in nAVAX. */
export async function balances({ client }: Scene, ...receivers: number[]): Promise<bigint[]> {
  const list = receivers.map((n) =>
    client.avm.getBalance({ address: receiver(n), assetID: 'AVAX' }),
  )
  return (await Promise.all(list)).map(({ balance }) => balance)
}

/** Below the time limit of a test, and long enough for a machine that is busy with other work. */
const MAX_WAIT_MS = 200_000

/** Waits until `look` returns a truthy value, and returns it. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  // A monotonic clock: tests may replace `Date`.
  const deadline = performance.now() + MAX_WAIT_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`not within ${MAX_WAIT_MS} ms: ${what}`)
    await sleep(10)
  }
}
