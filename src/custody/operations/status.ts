import {
  bigintFrom,
  boolean,
  bytesOf as bytes,
  type Check,
  date,
  integerFrom,
  invalid,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../../core/base/argument.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { ignoreAvmError } from '../../node/errors.ts'
import type { WalletName } from '../chain/outputs.ts'
import { findServerProblem } from '../chain/servers.ts'
import { readChain, readSynced } from '../database/chain-row.ts'
import type { Database } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits } from '../database/values.ts'
import { IS_UNLOCKED } from '../payouts/funding.ts'
import type { PayoutStatus } from '../payouts/payouts.ts'
import type { Settings } from '../settings.ts'

/** Balance of an asset in the hot wallet, in cold storage or at deposit addresses, in its smallest unit. */
export type Reserve = {
  /** Where the funds are. */
  readonly wallet: WalletName
  /** 32 bytes. */
  readonly assetID: Uint8Array
  /** Amount that can be spent now. */
  readonly free: bigint
  /** Amount that is reserved for drafts, or spent by pending transactions. */
  readonly reserved: bigint
  /** Amount that cannot be spent with one signature, or not yet. */
  readonly locked: bigint
  /** Number of UTXOs. */
  readonly utxos: number
}

/**
 * What keeps a system from claiming payments. `NODE_UNREACHABLE`: fewer servers answer than must agree. `NODE_BEHIND`:
 * they have not reached the last block that was applied. `CHAIN_MISMATCH`: they have another block at its height.
 * `NOT_SYNCED`: no worker has found all blocks applied within the last minute. `FENCING`: a fence is not complete.
 */
export type CustodyProblem = {
  readonly code: 'NODE_UNREACHABLE' | 'NODE_BEHIND' | 'CHAIN_MISMATCH' | 'NOT_SYNCED' | 'FENCING'
  readonly message: string
}

/** State of a custody system. */
export type CustodyStatus = {
  /** Whether there are no problems. Otherwise no payment is claimed. */
  readonly healthy: boolean
  readonly problems: readonly CustodyProblem[]
  /** Time of the reading, by the clock of the database, as are all other times. */
  readonly now: Date
  /** Last block that was applied; undefined before the first. */
  readonly height: bigint | undefined
  /** Height that as many servers of the node as the quorum have reached; undefined if too few answer. */
  readonly nodeHeight: bigint | undefined
  /** Number of blocks of the node that are not applied yet; undefined if its height is not known. */
  readonly lag: bigint | undefined
  /** Seconds since all blocks of the node were applied; undefined until then, also after a rescan was requested. */
  readonly syncedSecondsAgo: number | undefined
  /** Name of the process that follows the chain, or did last. */
  readonly leader: string | undefined
  /** Cursor of the last deposit; 0 before the first. */
  readonly depositCursor: bigint
  /** `toWalk`: whether UTXOs of some watched addresses have not been read yet. */
  readonly addresses: { readonly toWalk: boolean }
  /** Payouts by status; held ones are not among the queued. */
  readonly payouts: { readonly [status in PayoutStatus | 'held']: number }
  /** Time at which the oldest queued payout was requested. */
  readonly oldestQueued: Date | undefined
  /** Time since which the oldest pending payout is pending. */
  readonly pendingSince: Date | undefined
  /** Amounts that the hot wallet lacks for the next payouts, per asset. */
  readonly missing: readonly { readonly assetID: Uint8Array; readonly amount: bigint }[]
  /** Transactions whose outcome is not known. */
  readonly pendingTransactions: number
  /** Error of the last request about the oldest pending transaction that has one. */
  readonly lastError: string | undefined
  /** Balances per wallet and asset. */
  readonly reserves: readonly Reserve[]
}

/** May be negative by the time that a statement takes. */
const elapsed: Check<number> = (value, at) => {
  if (!Number.isFinite(value)) throw invalid(value, at, 'a number of seconds')
  return value as number
}
const count = integerFrom(0)
const amount = bigintFrom(0n)
const assetID = bytes(ID_SIZE)

/** Describes a status, as `custody.status` returns it. */
export const custodyStatus: Check<CustodyStatus> = object<CustodyStatus>({
  healthy: boolean,
  problems: list(
    object<CustodyProblem>({
      code: oneOf('NODE_UNREACHABLE', 'NODE_BEHIND', 'CHAIN_MISMATCH', 'NOT_SYNCED', 'FENCING'),
      message: text,
    }),
  ),
  now: date,
  height: optional(bigintFrom(-1n)),
  nodeHeight: optional(amount),
  lag: optional(amount),
  syncedSecondsAgo: optional(elapsed),
  leader: optional(text),
  depositCursor: amount,
  addresses: object<CustodyStatus['addresses']>({ toWalk: boolean }),
  payouts: object<CustodyStatus['payouts']>({
    queued: count,
    held: count,
    pending: count,
    paid: count,
    failed: count,
    canceled: count,
  }),
  oldestQueued: optional(date),
  pendingSince: optional(date),
  missing: list(object<CustodyStatus['missing'][number]>({ assetID, amount })),
  pendingTransactions: count,
  lastError: optional(text),
  reserves: list(
    object<Reserve>({
      wallet: oneOf<WalletName>('deposit', 'hot', 'cold'),
      assetID,
      free: amount,
      reserved: amount,
      locked: amount,
      utxos: count,
    }),
  ),
})

const NODE_TIMEOUT_MS = 3_000

/** Reads the state of the queue, the funds and the follower. */
export async function readStatus(
  settings: Pick<Settings, 'database' | 'client' | 'chain'>,
): Promise<CustodyStatus> {
  const { database, chain } = settings
  const row = await readChain(database)
  const { nextHeight, leader, depositCursor, now, hasUnwalked } = row
  const [nodeHeight, problem] = await Promise.all([
    chain.height({ totalMs: NODE_TIMEOUT_MS }).catch(ignoreAvmError),
    findServerProblem(settings, row, { timeoutMs: NODE_TIMEOUT_MS }),
  ])
  const problems: CustodyProblem[] = problem === undefined ? [] : [problem]
  if (!(await readSynced(database, database.schema)))
    problems.push({ code: 'NOT_SYNCED', message: 'no worker has applied all blocks' })
  const [fence] = await database.query('SELECT FROM @.chain WHERE fence_height IS NOT NULL')
  if (fence !== undefined)
    problems.push({ code: 'FENCING', message: 'payouts wait until the fence is complete' })
  const [queue] = await database.query<{
    counts: { readonly [status: string]: number } | null
    oldest: Date | null
    since: Date | null
    attempts: Digits
    error: string | null
    synced: number | null
  }>(
    `SELECT (SELECT jsonb_object_agg(status, n) FROM (SELECT status, count(*) AS n FROM @.payments
           WHERE address IS NOT NULL GROUP BY status) AS c) AS counts,
       (SELECT min(requested_at) FROM @.payments WHERE status = 'queued') AS oldest,
       (SELECT min(pending_since) FROM @.payments WHERE status = 'pending') AS since,
       (SELECT count(*) FROM @.attempts WHERE outcome IS NULL) AS attempts,
       (SELECT last_error FROM @.attempts WHERE outcome IS NULL AND last_error IS NOT NULL
          ORDER BY seq LIMIT 1) AS error,
       (SELECT extract(epoch FROM now() - verified_at)::float8 FROM @.chain) AS synced`,
  )
  const counts = queue!.counts ?? {}
  const height = nextHeight === undefined ? undefined : nextHeight - 1n
  const lag =
    nodeHeight === undefined || height === undefined
      ? undefined
      : nodeHeight > height
        ? nodeHeight - height
        : 0n
  return {
    healthy: problems.length === 0,
    problems,
    now,
    height,
    nodeHeight,
    lag,
    syncedSecondsAgo: queue!.synced ?? undefined,
    leader,
    depositCursor,
    addresses: { toWalk: hasUnwalked },
    payouts: {
      queued: counts.queued ?? 0,
      held: counts.held ?? 0,
      pending: counts.pending ?? 0,
      paid: counts.accepted ?? 0,
      failed: counts.rejected ?? 0,
      canceled: counts.canceled ?? 0,
    },
    oldestQueued: queue!.oldest ?? undefined,
    pendingSince: queue!.since ?? undefined,
    missing: await readMissing(database),
    pendingTransactions: Number(queue!.attempts),
    lastError: queue!.error ?? undefined,
    reserves: await readReserves(database),
  }
}

async function readMissing(database: Database): Promise<CustodyStatus['missing']> {
  const rows = await database.query<{ missing_asset: Bytes; amount: Digits }>(
    `SELECT missing_asset, max(missing) AS amount FROM @.payments
     WHERE status = 'queued' AND missing IS NOT NULL GROUP BY missing_asset ORDER BY missing_asset`,
  )
  return rows.map((row) => ({ assetID: bytesOf(row.missing_asset), amount: BigInt(row.amount) }))
}

async function readReserves(database: Database): Promise<Reserve[]> {
  const rows = await database.query<{
    wallet: WalletName
    asset_id: Bytes
    free: Digits
    reserved: Digits
    total: Digits
    utxos: Digits
  }>(
    `SELECT wallet, asset_id, count(*) AS utxos, sum(amount) AS total,
       coalesce(sum(amount) FILTER (WHERE draft IS NOT NULL OR claimed), 0) AS reserved,
       coalesce(sum(amount) FILTER (WHERE draft IS NULL AND NOT claimed AND is_simple
         AND ${IS_UNLOCKED}), 0) AS free
     FROM @.outputs WHERE spent_tx IS NULL GROUP BY wallet, asset_id ORDER BY wallet, asset_id`,
  )
  return rows.map((row) => {
    const [free, reserved, total] = [BigInt(row.free), BigInt(row.reserved), BigInt(row.total)]
    return {
      wallet: row.wallet,
      assetID: bytesOf(row.asset_id),
      free,
      reserved,
      locked: total - free - reserved,
      utxos: Number(row.utxos),
    }
  })
}
