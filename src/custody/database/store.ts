import { argument, type Check, object, optional, text } from '../../core/base/argument.ts'
import { checkedStore } from '../../wallet/store/memory.ts'
import type { PaymentRecord, PaymentStatus, Store } from '../../wallet/store/store.ts'
import { recordOutcomes } from '../chain/outcomes.ts'
import { CustodyError } from '../errors.ts'
import { attemptFrom, KEYS_OF_ATTEMPT } from './attempt-rows.ts'
import { bindChain, lockChain, readStoreID, recordWalletBlock } from './chain-row.ts'
import { loadClaims, recordClaim } from './claim-rows.ts'
import { CONTENT_COLUMNS, type ContentColumns, contentFrom } from './content-columns.ts'
import {
  type Database,
  type DatabasePool,
  databaseArgument,
  openDatabase,
  sqlStateOf,
} from './database.ts'
import { endedAttemptOf, HAS_ENDED, loadEnded, loadEndedOfWallets, loadTxs } from './ended-rows.ts'
import { SQL_STATES } from './guards.ts'
import { requireSchema } from './migrate.ts'
import { type Bytes, bytesOf, type Digits, keyColumn, keyOf } from './values.ts'
import { readIndexes, recordIndexes } from './wallet-indexes.ts'

/** A {@link Store} on PostgreSQL. `close` closes its connections, except those of a pool that the caller passed. */
export type PostgresStore = Store & { readonly close: () => Promise<void> }

/** Options of {@link postgresStore}. */
export type PostgresStoreOptions = {
  /**
   * Name of the schema with the tables.
   *
   * @defaultValue `avmkit`
   */
  readonly schema?: string | undefined
}

const storeOptions: Check<PostgresStoreOptions> = object<PostgresStoreOptions>({
  schema: optional(text),
})

/**
 * Opens the claims of a custody database as the store of a wallet, so that several processes can pay with the same
 * keys. The tables must exist: `custody.migrate()` creates them.
 *
 * @example
 * const store = await postgresStore('postgres://localhost/custody')
 * const wallet = createWallet({ client, keys, store })
 */
export async function postgresStore(
  database: string | DatabasePool,
  options: PostgresStoreOptions = {},
): Promise<PostgresStore> {
  const { schema = 'avmkit' } = argument('postgresStore', options, storeOptions)
  const place = argument('postgresStore', database, databaseArgument, 'database')
  const opened = await openDatabase(place, schema)
  return { ...databaseStore(opened), close: () => opened.close() }
}

type RecordColumns = ContentColumns & {
  readonly seq: Digits
  readonly key: string
  readonly digest: Bytes
  readonly generated: boolean
  readonly status: string
  readonly outcome: PaymentStatus | null
  readonly outcome_tx: Bytes | null
  readonly newest: Bytes | null
  readonly claimed_at: Date | null
  readonly ended_at: Date | null
  readonly has_ended: boolean
}

const RECORDS = `
  SELECT p.seq, p.key, p.digest, p.generated, p.status, p.outcome, p.outcome_tx, p.ended_at, ${CONTENT_COLUMNS},
  ${HAS_ENDED} AS has_ended, (
    SELECT a.tx_id FROM @.attempt_payments ap JOIN @.attempts a ON a.seq = ap.attempt
    WHERE ap.payment = p.seq AND a.outcome IS NULL AND a.kind <> 'cancellation' ORDER BY a.seq DESC LIMIT 1
  ) AS newest, (
    SELECT min(a.claimed_at) FROM @.attempt_payments ap JOIN @.attempts a ON a.seq = ap.attempt
    WHERE ap.payment = p.seq
  ) AS claimed_at FROM @.payments p`

/** Number of records that `list` reads at a time. */
const RECORDS_PER_PAGE = 1000

/** Time after which custody workers issue a payment of a wallet, in case the wallet has stopped. */
const WALLET_RESEND_MS = 60_000

/** Number of accepted transactions that a wallet is told. */
const MAX_MADE = 1024

/** The claims of an open custody database as the store of a wallet. */
export function databaseStore(database: Database): Store {
  return checkedStore({
    bind: async (binding) => {
      await requireSchema(database)
      await bindChain(database, binding)
      if (binding.block !== undefined) await recordWalletBlock(database, binding.block)
      if (binding.indexes !== undefined) await recordIndexes(database, binding.indexes)
      const ended = await loadEndedOfWallets(database)
      const made = await loadMade(database)
      return {
        ...(await readStoreID(database)),
        ended: ended.map(endedAttemptOf),
        made,
        found: [],
        indexes: await readIndexes(database),
      }
    },
    claim: async (claim) => {
      const claiming = database.transaction(async (tx) => {
        await lockChain(tx)
        await recordClaim(tx, claim, { purpose: 'wallet', fee: 0n, resendMs: WALLET_RESEND_MS })
      })
      await claiming.catch((cause) => {
        // A wallet may pay a payout of the queue by its key.
        if (sqlStateOf(cause) !== SQL_STATES.limit) throw cause
        const keys = claim.payments.map(({ key }) => key)
        throw new CustodyError('LIMIT_REACHED', 'a limit stops the payment', { cause, keys })
      })
    },
    // Claims belong to the database and not to a process: once committed, any process may issue them.
    assertOwned: async () => {},
    recordAcceptance: async (acceptance) => {
      await database.transaction(async (tx) => {
        await lockChain(tx)
        await recordOutcomes(tx, {
          accepted: [acceptance],
          isTold: true,
          // A transaction without a claim may have made payouts. The follower holds them then, so it decides.
          isRival: (_, conflicting, ofWallets) => conflicting.every((one) => ofWallets.has(one)),
        })
      })
    },
    cancel: (key) =>
      database.transaction(async (tx) => {
        await lockChain(tx)
        const { claims } = await loadClaims(tx, { keys: [key] })
        if (!claims.cancel(key)) return
        // `draft` too: a rejected payout is back in the queue, where a worker may have reserved it.
        await tx.query(
          `UPDATE @.payments SET status = 'canceled', outcome = 'canceled', draft = NULL, ended_at = now()
           WHERE key = $1`,
          [keyColumn(key)],
        )
      }),
    payments: async (keys) => {
      const rows = await database.query<RecordColumns>(`${RECORDS} WHERE p.key = ANY($1::text[])`, [
        keys.map(keyColumn),
      ])
      const records = await recordsOf(database, rows)
      const found = new Map(records.map((record) => [record.key, record]))
      return keys.map((key) => found.get(key) ?? { key, status: 'unknown' })
    },
    list: async function* () {
      for (let after: Digits = '0'; ; ) {
        const rows = await database.query<RecordColumns>(
          `${RECORDS} WHERE p.seq > $1 ORDER BY p.seq LIMIT ${RECORDS_PER_PAGE}`,
          [after],
        )
        for (const record of await recordsOf(database, rows))
          if (record.status !== 'unknown') yield record
        if (rows.length < RECORDS_PER_PAGE) return
        after = rows.at(-1)!.seq
      }
    },
    attempts: async function* (key) {
      const rows = await database.query<Parameters<typeof attemptFrom>[0]>(
        `SELECT a.kind, a.bytes, a.from_height, a.leg, ${KEYS_OF_ATTEMPT} AS keys
         FROM @.attempts a WHERE a.outcome IS NULL AND ($1::text IS NULL OR EXISTS (
           SELECT FROM @.attempt_payments ap JOIN @.payments p ON p.seq = ap.payment
           WHERE ap.attempt = a.seq AND p.key = $1))
         ORDER BY a.seq`,
        [key === undefined ? null : keyColumn(key)],
      )
      for (const row of rows) yield attemptFrom(row)
    },
  })
}

/** IDs of the last transactions of wallets that were accepted. Not all of them are named by records of payments. */
async function loadMade(database: Database): Promise<Uint8Array[]> {
  const rows = await database.query<{ tx_id: Bytes }>(
    // An export ends when its import is accepted.
    `SELECT tx_id FROM @.attempts
     WHERE purpose = 'wallet' AND (outcome = 'accepted' OR kind = 'export' AND outcome IS NOT NULL)
     ORDER BY seq DESC LIMIT ${MAX_MADE}`,
  )
  return rows.map(({ tx_id }) => bytesOf(tx_id))
}

/** The records of payments, with their ended attempts. */
async function recordsOf(
  database: Database,
  rows: readonly RecordColumns[],
): Promise<PaymentRecord[]> {
  const keys = rows.filter((row) => row.has_ended).map(({ key }) => key)
  if (keys.length === 0) return rows.map(recordOf)
  const ended = await loadTxs(database, await loadEnded(database, { keys }))
  return rows.map((row) => {
    const record = recordOf(row)
    const own = ended.filter((one) => one.keys.includes(record.key)).map(endedAttemptOf)
    return own.length === 0 || !row.has_ended ? record : { ...record, ended: own }
  })
}

/** The record of a payment as a wallet sees it: a queued payout is `unknown`, as if it was not requested. */
function recordOf(row: RecordColumns): PaymentRecord {
  const key = keyOf(row.key)
  const { generated, newest, outcome, outcome_tx } = row
  const claimedAt = timeOf(row.claimed_at)
  const endedAt = timeOf(row.ended_at)
  const record = {
    key,
    digest: bytesOf(row.digest),
    generated,
    content: contentFrom(row),
    claimedAt,
  }
  if (newest !== null && outcome !== 'accepted')
    return { ...record, status: 'pending', txID: bytesOf(newest) }
  if (outcome !== null && outcome_tx !== null)
    return { ...record, status: outcome, txID: bytesOf(outcome_tx), endedAt }
  return row.status === 'canceled'
    ? { ...record, status: 'canceled', endedAt }
    : { key, status: 'unknown' }
}

/** A time of the database, in Unix seconds. */
function timeOf(date: Date | null): bigint | undefined {
  return date === null ? undefined : BigInt(Math.floor(date.getTime() / 1000))
}
