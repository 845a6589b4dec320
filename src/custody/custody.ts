import { AvmError } from '../core/base/errors.ts'
import { isRetryable } from '../node/errors.ts'
import type { CallOptions } from '../node/http.ts'
import { copyData, copyPlain } from '../wallet/snapshot.ts'
import { checkedOptions, requirePosition, requireSignal } from './arguments.ts'
import { rewind } from './database/chain-row.ts'
import { pause, RETRY_MS } from './database/channels.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate, requireSchema } from './database/migrate.ts'
import type { Digits } from './database/values.ts'
import { watchAccount } from './deposits/accounts.ts'
import {
  WATCH_OPTIONS,
  type WatchedAddress,
  type WatchOptions,
  watchAddresses,
} from './deposits/addresses.ts'
import {
  DEPOSITS_QUERY,
  type Deposit,
  type DepositsQuery,
  followDeposits,
  readDeposits,
} from './deposits/deposits.ts'
import { AUDIT_OPTIONS, type Audit, type AuditOptions, audit } from './operations/audit.ts'
import { logTo } from './operations/log.ts'
import { type CustodyStatus, readStatus } from './operations/status.ts'
import { type CustodyOptions, requireCustodyOptions, settingsOf } from './options.ts'
import { Claimer } from './payouts/claimer.ts'
import { PayoutIssuer } from './payouts/issuer.ts'
import { cancelPayouts, holdPayouts, releasePayouts } from './payouts/payout-changes.ts'
import { type PayoutRequest, type Requested, requestPayouts } from './payouts/payout-requests.ts'
import { PAYOUTS_QUERY, type Payout, type PayoutsQuery, readPayouts } from './payouts/payouts.ts'
import type { Settings } from './settings.ts'
import { Sweeper } from './sweeps/sweeper.ts'
import { Worker } from './worker.ts'

/** A signing request for cold keys. */
export type RefillRequest = {
  readonly id: bigint
  /** The text of the request, which `parseRequest` reads. */
  readonly request: string
}

/** Options of watching an xpub. */
export type WatchXpubOptions = {
  /**
   * Number of addresses that are watched beyond the last one that was paid.
   *
   * @defaultValue 20
   */
  readonly gap?: number | undefined
  /** The caller's name for the account; part of its deposits. */
  readonly reference?: string | undefined
}

/** A custody system. All processes with the same database work together. */
export type Custody = {
  /**
   * Creates or upgrades the tables.
   *
   * @throws CustodyError `SCHEMA_NEWER`
   */
  readonly migrate: () => Promise<void>
  /** Watches addresses, so that outputs to them become deposits. Returns the number of addresses given. */
  readonly watch: (addresses: Iterable<WatchedAddress>, options?: WatchOptions) => Promise<number>
  /** Watches the addresses of an xpub: always `gap` addresses beyond the last one that was paid. */
  readonly watchXpub: (xpub: string, options?: WatchXpubOptions) => Promise<void>
  /**
   * Deposits after a cursor, oldest first. Store the cursor in the transaction that credits the deposits: each is then
   * credited exactly once.
   *
   * @throws CustodyError `CURSOR_AHEAD` if no deposit has the cursor `after` yet
   */
  readonly deposits: (query?: DepositsQuery) => Promise<Deposit[]>
  /** Yields deposits in batches as they arrive, until the signal is aborted. */
  readonly followDeposits: (
    query?: DepositsQuery & Pick<CallOptions, 'signal'>,
  ) => AsyncGenerator<Deposit[], void, undefined>
  /**
   * Puts payouts into the queue, all of them or none.
   *
   * @throws StoreError `KEY_CONFLICT` if a key was used for other content, or by a wallet with the same tables
   */
  readonly requestPayouts: (payouts: readonly PayoutRequest[]) => Promise<Requested>
  /**
   * Payouts by key, or in the order of their requests.
   *
   * @throws CustodyError `PAYOUT_UNKNOWN` if no payout has the key `after`
   */
  readonly payouts: (query?: PayoutsQuery) => Promise<Payout[]>
  /** Keeps queued payouts from being made until they are released. The reason is shown as their note. */
  readonly hold: (keys: readonly string[], reason?: string) => Promise<void>
  /** Allows held payouts to be made; if the policy had held them, without asking it again. */
  readonly release: (keys: readonly string[]) => Promise<void>
  /** Cancels payouts: those in the queue at once, pending ones if the chain accepts their cancellation first. */
  readonly cancel: (keys: readonly string[]) => Promise<void>
  /**
   * Applies the sweep rules until none of them applies. Returns the number of transactions and signing requests made.
   */
  readonly sweep: () => Promise<number>
  /** Open signing requests for cold keys. */
  readonly requests: () => Promise<RefillRequest[]>
  /** Drops a signing request and releases its UTXOs. */
  readonly dropRequest: (id: bigint) => Promise<void>
  /** Adds up deposits, payouts and fees, and compares the UTXOs with those of the node. */
  readonly audit: (options?: AuditOptions) => Promise<Audit>
  /** Returns the state of the chain, the queue and the wallets. */
  readonly status: () => Promise<CustodyStatus>
  /**
   * Reads blocks again from a height on. Known data does not change; payouts wait until all blocks are applied again.
   */
  readonly rescan: (fromHeight: bigint) => Promise<void>
  /** Runs a worker until the signal is aborted: follows the chain, makes payouts and sweeps. */
  readonly work: (options?: Pick<CallOptions, 'signal'>) => Promise<void>
  /** Number of statements sent to the database so far. */
  readonly roundTrips: () => number
  /** Closes the database connections, except those of a pool that the caller passed. */
  readonly close: () => Promise<void>
}

/** Limit for one call of `sweep`. */
const MAX_SWEEPS = 1_000

/**
 * Opens a custody system on PostgreSQL.
 *
 * @example
 * const custody = await openCustody({ database: 'postgres://localhost/custody', client, keys })
 * await custody.migrate()
 * await custody.requestPayouts([{ key: 'withdrawal 1', to: 'X-fuji1…', amount: 10n ** 9n }])
 * await custody.work({ signal })
 */
export async function openCustody(options: CustodyOptions): Promise<Custody> {
  requireCustodyOptions(options)
  const database = await openDatabase(
    options.database,
    options.schema ?? 'avmkit',
    options.limits?.statementMs,
  )
  let ready: Promise<Settings> | undefined
  const settings = () => {
    ready ??= settingsOf(database, options).catch((error) => {
      ready = undefined
      throw error
    })
    return ready
  }
  let checked: Promise<void> | undefined
  /** The database, with its tables checked: for calls that need no node. */
  const tables = async () => {
    checked ??= requireSchema(database).catch((error) => {
      checked = undefined
      throw error
    })
    await checked
    return database
  }
  // Arguments are copied before anything is awaited, because the caller may reuse them for the next call.
  const withTables =
    <A extends readonly unknown[], R>(run: (database: Database, ...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const copy = copyPlain(args)
      return run(await tables(), ...copy)
    }
  return {
    migrate: () => migrate(database),
    watch: async (addresses, given) => {
      const watch = checkedOptions(given, WATCH_OPTIONS)
      const copy = copyPlain(addresses)
      const { context } = await settings()
      return watchAddresses(database, context, copy, watch)
    },
    watchXpub: async (xpub, given) => {
      const { gap = 20, reference } = checkedOptions(given, { gap: true, reference: true })
      await settings()
      await watchAccount(database, xpub, gap, reference)
    },
    deposits: withTables((db, query?: DepositsQuery) =>
      readDeposits(db, checkedOptions(query, DEPOSITS_QUERY)),
    ),
    followDeposits: async function* (follow) {
      const { signal, ...query } = checkedOptions(follow, { ...DEPOSITS_QUERY, signal: true })
      requireSignal(signal)
      yield* followDeposits(await tables(), query, signal)
    },
    requestPayouts: async (payouts) => {
      const copy = copyData(payouts)
      const { context } = await settings()
      return requestPayouts(database, context, copy)
    },
    payouts: withTables((db, query?: PayoutsQuery) =>
      readPayouts(db, checkedOptions(query, PAYOUTS_QUERY)),
    ),
    hold: withTables((db, keys: readonly string[], reason = 'held') =>
      holdPayouts(db, keys, reason),
    ),
    release: withTables(releasePayouts),
    cancel: withTables(cancelPayouts),
    sweep: async () => sweepAll(await settings()),
    requests: async () => {
      const rows = await (await tables()).query<{ id: Digits; request: string }>(
        'SELECT id, request FROM @.drafts WHERE request IS NOT NULL ORDER BY id',
      )
      return rows.map(({ id, request }) => ({ id: BigInt(id), request }))
    },
    dropRequest: async (id) => {
      requirePosition(id, 'id')
      await (await tables()).query('DELETE FROM @.drafts WHERE id = $1 AND request IS NOT NULL', [
        id,
      ])
    },
    audit: async (given) => {
      const auditOptions = checkedOptions(given, AUDIT_OPTIONS)
      requireSignal(auditOptions.signal)
      return audit(await settings(), auditOptions)
    },
    status: async () => readStatus(await tables(), options.client),
    rescan: async (fromHeight) => {
      requirePosition(fromHeight, 'height')
      await settings()
      await rewind(database, fromHeight, true)
    },
    work: async (run) => {
      const { signal = new AbortController().signal } = checkedOptions(run, { signal: true })
      requireSignal(signal)
      const ready = await retryWhileUnreachable(settings, signal, logTo(options.log))
      if (ready !== undefined) await new Worker(ready).run(signal)
    },
    roundTrips: () => database.roundTrips,
    close: () => database.close(),
  }
}

/** Repeats a call while the database or the node cannot be reached; undefined if the signal is aborted. */
async function retryWhileUnreachable<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  log: Settings['log'],
): Promise<T | undefined> {
  while (!signal.aborted)
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      if (error.code !== 'DATABASE_FAILED' && !isRetryable(error)) throw error
      await log('warn', 'worker.waiting', error.message, { code: error.code })
      await pause(RETRY_MS, signal)
    }
  return undefined
}

async function sweepAll(settings: Settings): Promise<number> {
  const sweeper = new Sweeper(settings, new Claimer(settings, new PayoutIssuer(settings)))
  for (let count = 0; ; count++)
    if (count === MAX_SWEEPS || !(await sweeper.step('nothing'))) return count
}
