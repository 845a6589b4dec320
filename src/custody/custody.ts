import {
  argument,
  type Check,
  integerFrom,
  object,
  optional,
  signal,
  text,
} from '../core/base/argument.ts'
import { AvmError } from '../core/base/errors.ts'
import { iterate } from '../core/base/iterate.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import { isRetryable } from '../node/errors.ts'
import type { CallOptions } from '../node/http.ts'
import type { ChainView } from '../node/view/view.ts'
import { position, reference } from './arguments.ts'
import { identity, type LimitRule, limitRule, ruleName } from './control/limit-rules.ts'
import { type Limit, readLimits, removeLimit, setLimit } from './control/limits.ts'
import { readSynced, rewind } from './database/chain-row.ts'
import { pause, RETRY_MS } from './database/channels.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate, requireSchema } from './database/migrate.ts'
import { watchAccount } from './deposits/accounts.ts'
import {
  type WatchedAddress,
  type WatchOptions,
  watchAddresses,
  watchedAddresses,
  watchOptions,
} from './deposits/addresses.ts'
import {
  DEPOSITS_QUERY,
  type Deposit,
  type DepositsQuery,
  depositsQuery,
  followDeposits,
  readDeposits,
} from './deposits/deposits.ts'
import { CustodyError } from './errors.ts'
import { type Audit, type AuditOptions, audit, auditOptions } from './operations/audit.ts'
import { type EventsQuery, eventsQuery, readEvents, type StatusEvent } from './operations/events.ts'
import { logTo } from './operations/log.ts'
import { type CustodyStatus, readStatus } from './operations/status.ts'
import { type CustodyOptions, chainOf, custodyOptions, settingsOf } from './options.ts'
import { Claimer } from './payouts/claimer.ts'
import { PayoutIssuer } from './payouts/issuer.ts'
import { changePayouts } from './payouts/payout-changes.ts'
import {
  eachPayout,
  type PayoutRequest,
  type PayoutResult,
  payoutRequests,
  type Requested,
  requestEach,
  requestPayouts,
} from './payouts/payout-requests.ts'
import {
  type Payout,
  type PayoutsQuery,
  payoutKeys,
  payoutsQuery,
  readPayouts,
} from './payouts/payouts.ts'
import {
  type Attribution,
  attribute,
  attributions,
  type ReconciliationQuery,
  reconciliationQuery,
  type UnknownPayment,
  unknownPayments,
} from './payouts/reconciliation.ts'
import type { Settings } from './settings.ts'
import { makeFence } from './sweeps/fence.ts'
import { dropRequest, openRequests, type RefillRequest, refill } from './sweeps/refill.ts'
import { Sweeper } from './sweeps/sweeper.ts'
import { Worker } from './worker.ts'

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

const watchXpubOptions: Check<WatchXpubOptions> = object<WatchXpubOptions>({
  gap: optional(integerFrom(1, 100_000)),
  reference: optional(reference),
})

/** Options of calls that a signal ends. */
export type SignalOptions = Pick<CallOptions, 'signal'>

const followQuery: Check<DepositsQuery & SignalOptions> = object<DepositsQuery & SignalOptions>({
  ...DEPOSITS_QUERY,
  signal: optional(signal),
})

const workOptions: Check<SignalOptions> = object<SignalOptions>({ signal: optional(signal) })

/** Calls that somebody makes: events record who. */
export type CustodyActions = {
  /**
   * Puts payouts into the queue, all of them or none.
   *
   * @throws StoreError `KEY_CONFLICT` if a key was used for other content, or by a wallet with the same tables
   */
  readonly requestPayouts: (payouts: readonly PayoutRequest[]) => Promise<Requested>
  /**
   * Puts payouts into the queue, each for itself: a payout that is refused does not affect the others. Results are in the
   * order of the payouts.
   */
  readonly requestEach: (payouts: readonly PayoutRequest[]) => Promise<PayoutResult[]>
  /** Keeps queued payouts from being made until they are released. The reason is shown as their note. */
  readonly hold: (keys: readonly string[], reason?: string) => Promise<void>
  /** Allows held payouts to be made; if the policy had held them, without asking it again. */
  readonly release: (keys: readonly string[], reason?: string) => Promise<void>
  /** Cancels payouts: those in the queue at once, pending ones if the chain accepts their cancellation first. */
  readonly cancel: (keys: readonly string[], reason?: string) => Promise<void>
  /**
   * Approves payouts in the queue. Who approves must not have requested any of them.
   *
   * @throws CustodyError `APPROVAL_REFUSED`, `PAYOUT_UNKNOWN`, `PAYOUT_STATUS`
   */
  readonly approve: (keys: readonly string[], reason?: string) => Promise<void>
  /** Denies payouts in the queue, and holds them. Where approvals are needed, they wait until the same person approves them. */
  readonly deny: (keys: readonly string[], reason?: string) => Promise<void>
  /**
   * Records what operators have decided about unknown payments, all of it or nothing. A payout that such a transaction
   * made becomes paid. To have one paid that it did not make, release it.
   *
   * @throws CustodyError `PAYMENT_UNKNOWN`, `PAYOUT_UNKNOWN`, `PAYOUT_STATUS`
   */
  readonly attribute: (decisions: readonly Attribution[]) => Promise<void>
  /**
   * Adds a limit, or replaces the one with the same name. It holds for all claims from then on.
   *
   * @throws CustodyError `LIMIT_INVALID`
   */
  readonly setLimit: (rule: LimitRule) => Promise<void>
  /** @throws CustodyError `LIMIT_UNKNOWN` */
  readonly removeLimit: (name: string) => Promise<void>
}

/** A custody system. All processes with the same database work together. */
export type Custody = CustodyActions & {
  /**
   * The same calls in the name of somebody whom a service has identified. Events have this name after the role of the
   * database, and it is the one that approvals count under. Needs a role that may call `approve_for`.
   */
  readonly actingFor: (identity: string) => CustodyActions
  /** The limits that hold, by name. */
  readonly limits: () => Promise<Limit[]>
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
    query?: DepositsQuery & SignalOptions,
  ) => AsyncGenerator<Deposit[], void, undefined>
  /**
   * Payouts by key, or in the order of their requests.
   *
   * @throws CustodyError `PAYOUT_UNKNOWN` if no payout has the key `after`
   */
  readonly payouts: (query?: PayoutsQuery) => Promise<Payout[]>
  /**
   * Payments to others that keys of this system have signed without a claim, and that no operator has decided about:
   * those of a database that was lost, or of another holder of the keys. Queued payouts with the same content are held.
   */
  readonly unknownPayments: (query?: ReconciliationQuery) => Promise<UnknownPayment[]>
  /**
   * Changes of the statuses of payouts, attempts and deposits, oldest first. An event becomes visible only after all with
   * lower cursors. Rows are only ever added.
   */
  readonly events: (query?: EventsQuery) => Promise<StatusEvent[]>
  /**
   * Applies the sweep rules until none of them applies. Returns the number of transactions and signing requests made.
   *
   * @throws CustodyError `NOT_SYNCED` if no worker has applied all blocks
   */
  readonly sweep: () => Promise<number>
  /**
   * Spends all UTXOs of the hot wallet back to it, so that transactions which a lost database had claimed can no longer be
   * accepted. Waits until this is so; payouts wait meanwhile. Needs the keys of the hot wallet and a worker that runs.
   * Returns the number of transactions.
   *
   * @throws CustodyError `NOT_SYNCED`; `FENCE_INCOMPLETE` if the hot wallet cannot pay the fees
   */
  readonly fence: (options?: SignalOptions) => Promise<number>
  /**
   * Applies the refill rules: makes a signing request for cold keys for each asset of which the hot wallet has too little,
   * unless one is open. Returns the open ones. Needs no keys.
   *
   * @throws CustodyError `NOT_SYNCED`
   */
  readonly refill: () => Promise<RefillRequest[]>
  /** Open signing requests for cold keys: those whose transaction is in no block yet. */
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
  readonly work: (options?: SignalOptions) => Promise<void>
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
  const config = argument('openCustody', options, custodyOptions)
  const database = await openDatabase(
    config.database,
    config.schema ?? 'avmkit',
    config.limits?.statementMs,
  )
  let opened: ChainView | undefined
  const view = () => {
    opened ??= chainOf(config)
    return opened
  }
  // The view comes first, because the other steps write to the database.
  const openSettings = async () => settingsOf(database, config, view())
  let ready: Promise<Settings> | undefined
  const settings = () => {
    ready ??= openSettings().catch((error) => {
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
  // Arguments are checked and copied before anything is awaited, because the caller may reuse them for the next call.
  const context = async () => (await settings()).context
  return {
    ...actionsOf(database, tables, context),
    actingFor: (given) =>
      actionsOf(
        database.actingFor(argument('actingFor', given, identity, 'identity')),
        tables,
        context,
      ),
    limits: async () => readLimits(await tables()),
    migrate: () => migrate(database),
    watch: async (addresses, given = {}) => {
      const watched = argument('watch', addresses, watchedAddresses, 'addresses')
      const how = argument('watch', given, watchOptions)
      const { context } = await settings()
      return watchAddresses(database, context, watched, how)
    },
    watchXpub: async (xpub, given = {}) => {
      const account = argument('watchXpub', xpub, text, 'xpub')
      const { gap = 20, reference } = argument('watchXpub', given, watchXpubOptions)
      await settings()
      await watchAccount(database, account, gap, reference)
    },
    deposits: async (given = {}) => {
      const query = argument('deposits', given, depositsQuery)
      return readDeposits(await tables(), query)
    },
    followDeposits: (given = {}) =>
      iterate(
        () => argument('followDeposits', given, followQuery),
        async function* ({ signal, ...query }) {
          yield* followDeposits(await tables(), query, signal)
        },
      ),
    payouts: async (given = {}) => {
      const query = argument('payouts', given, payoutsQuery)
      return readPayouts(await tables(), query)
    },
    unknownPayments: async (given = {}) => {
      const query = argument('unknownPayments', given, reconciliationQuery)
      return unknownPayments(await tables(), query)
    },
    events: async (given = {}) => {
      const query = argument('events', given, eventsQuery)
      return readEvents(await tables(), query)
    },
    sweep: async () => sweepAll(await settings()),
    fence: async (given = {}) => {
      const { signal = new AbortController().signal } = argument('fence', given, workOptions)
      const ready = await settings()
      return makeFence(ready, sweeperOf(ready), signal)
    },
    refill: async () => {
      const ready = await settings()
      return refill(ready, sweeperOf(ready))
    },
    requests: async () => openRequests(await tables()),
    dropRequest: async (id) => {
      const row = argument('dropRequest', id, position, 'id')
      await dropRequest(await tables(), row)
    },
    audit: async (given = {}) => {
      const checked = argument('audit', given, auditOptions)
      return audit(await settings(), checked)
    },
    status: async () =>
      readStatus({ database: await tables(), client: config.client, chain: view() }),
    rescan: async (fromHeight) => {
      const height = argument('rescan', fromHeight, position, 'fromHeight')
      await settings()
      await rewind(database, height, true)
    },
    work: async (given = {}) => {
      const { signal = new AbortController().signal } = argument('work', given, workOptions)
      const prepare = () => database.requireSessions().then(settings)
      const ready = await retryWhileUnreachable(prepare, signal, logTo(config.log))
      if (ready !== undefined) await new Worker(ready).run(signal)
    },
    roundTrips: () => database.roundTrips,
    close: () => database.close(),
  }
}

/**
 * The calls that events record an actor of.
 *
 * @param tables - resolves once the tables are checked
 */
function actionsOf(
  database: Database,
  tables: () => Promise<Database>,
  context: () => Promise<NetworkContext>,
): CustodyActions {
  const change =
    (name: Parameters<typeof changePayouts>[1], otherwise: string) =>
    async (keys: readonly string[], reason: string = otherwise) => {
      const changed = argument(name, keys, payoutKeys, 'keys')
      const note = argument(name, reason, text, 'reason')
      await tables()
      await changePayouts(database, name, changed, note)
    }
  return {
    requestPayouts: async (payouts) => {
      const requests = argument('requestPayouts', payouts, payoutRequests, 'payouts')
      return requestPayouts(database, await context(), requests)
    },
    requestEach: async (payouts) => {
      const requests = argument('requestEach', payouts, eachPayout, 'payouts')
      return requestEach(database, await context(), requests)
    },
    hold: change('hold', 'held'),
    release: change('release', ''),
    cancel: change('cancel', ''),
    approve: change('approve', ''),
    deny: change('deny', ''),
    attribute: async (decisions) => {
      const decided = argument('attribute', decisions, attributions, 'decisions')
      await tables()
      await attribute(database, decided)
    },
    setLimit: async (rule) => {
      const checked = argument('setLimit', rule, limitRule, 'rule')
      await setLimit(database, await context(), checked)
    },
    removeLimit: async (name) => {
      const checked = argument('removeLimit', name, ruleName, 'name')
      await tables()
      await removeLimit(database, checked)
    },
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

function sweeperOf(settings: Settings): Sweeper {
  return new Sweeper(settings, new Claimer(settings, new PayoutIssuer(settings)))
}

async function sweepAll(settings: Settings): Promise<number> {
  const { database } = settings
  if (!(await readSynced(database, database.schema)))
    throw new CustodyError('NOT_SYNCED', 'not all blocks are applied: nothing can be swept', {
      hint: 'run a worker, and see the problems of custody.status()',
    })
  const sweeper = sweeperOf(settings)
  for (let count = 0; ; count++)
    if (count === MAX_SWEEPS || !(await sweeper.step('nothing'))) return count
}
