import {
  boolean,
  type Check,
  integerFrom,
  type Members,
  object,
  optional,
} from '../../core/base/argument.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { position } from '../arguments.ts'
import type { DepositKind } from '../chain/outputs.ts'
import { readChain } from '../database/chain-row.ts'
import { channelsOf, listenToChannel } from '../database/channels.ts'
import type { Database } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits } from '../database/values.ts'
import { CustodyError } from '../errors.ts'

/** An output to a watched address, or a correction of one. */
export type Deposit = {
  /** Deposits and corrections are numbered 1, 2, 3, … without gaps. A deposit becomes visible only after all with lower cursors. */
  readonly cursor: bigint
  readonly txID: Uint8Array
  readonly outputIndex: number
  /** The watched address; the first of them if the output has several owners. */
  readonly address: string
  readonly assetID: Uint8Array
  /** In the asset's smallest unit; 0 for NFTs, properties and minting rights. */
  readonly amount: bigint
  /** Height of the block that created it; undefined if it was found by a walk and not in a block. */
  readonly height: bigint | undefined
  /** Whether `height` is undefined, because the output existed before the address was watched. */
  readonly existing: boolean
  readonly kind: DepositKind
  /** The caller's name for the user, as given when the address was watched. */
  readonly reference: string | undefined
  /**
   * Cursor of an earlier deposit that this is a correction of, with `kind` as it is now: `void` if a dishonest server had
   * invented it. Undefined for a deposit.
   */
  readonly corrects: bigint | undefined
}

/** Selects deposits. */
export type DepositsQuery = {
  /**
   * Cursor of the last deposit that was processed.
   *
   * @defaultValue 0
   */
  readonly after?: bigint | undefined
  /** @defaultValue 1000 */
  readonly limit?: number | undefined
  /**
   * Whether only corrections are read.
   *
   * @defaultValue false
   */
  readonly corrections?: boolean | undefined
}

/** Members of {@link depositsQuery}, for queries with a signal. */
export const DEPOSITS_QUERY: Members<DepositsQuery> = {
  after: optional(position),
  limit: optional(integerFrom(1, 100_000)),
  corrections: optional(boolean),
}

/** Describes the argument of `custody.deposits`. */
export const depositsQuery: Check<DepositsQuery> = object<DepositsQuery>(DEPOSITS_QUERY)

type DepositColumns = {
  readonly cursor: Digits
  readonly tx_id: Bytes
  readonly output_index: Digits
  readonly address: Bytes
  readonly asset_id: Bytes
  readonly amount: Digits
  readonly height: Digits | null
  readonly kind: DepositKind
  readonly reference: string | null
  readonly corrects: Digits | null
  readonly hrp: string
}

/** Time that a reader waits for a notification before it polls. */
const DEPOSIT_POLL_MS = 5_000

/**
 * Reads deposits in the order of their cursors.
 *
 * @throws CustodyError `CURSOR_AHEAD`
 */
export async function readDeposits(
  database: Database,
  { after = 0n, limit = 1000, corrections = false }: DepositsQuery,
): Promise<Deposit[]> {
  const rows = await database.query<DepositColumns>(
    `SELECT n.cursor, o.tx_id, o.output_index, o.address, o.asset_id, o.amount, o.height, coalesce(n.kind, o.kind) AS kind,
       a.reference, n.corrects, (SELECT hrp FROM @.chain) AS hrp
     FROM (
       (SELECT cursor, NULL::bigint AS corrects, NULL AS kind FROM @.outputs WHERE cursor > $1 AND NOT $3
          ORDER BY cursor LIMIT $2)
       UNION ALL
       (SELECT cursor, corrects, kind FROM @.corrections WHERE cursor > $1 ORDER BY cursor LIMIT $2)
       ORDER BY cursor LIMIT $2
     ) AS n JOIN @.outputs o ON o.cursor = coalesce(n.corrects, n.cursor)
       LEFT JOIN @.addresses a ON a.address = o.address
     ORDER BY n.cursor`,
    [after, limit, corrections],
  )
  if (rows.length === 0 && after > 0n) await requireReached(database, after)
  return rows.map((row) => ({
    cursor: BigInt(row.cursor),
    txID: bytesOf(row.tx_id),
    outputIndex: Number(row.output_index),
    address: formatAddress({ chain: 'X', hrp: row.hrp, address: bytesOf(row.address) }),
    assetID: bytesOf(row.asset_id),
    amount: BigInt(row.amount),
    height: row.height === null ? undefined : BigInt(row.height),
    existing: row.height === null,
    kind: row.kind,
    reference: row.reference ?? undefined,
    corrects: row.corrects === null ? undefined : BigInt(row.corrects),
  }))
}

/**
 * Rejects a cursor that no deposit has yet: the reader has seen deposits that the database has lost, and would miss the
 * new deposits that get their cursors.
 */
async function requireReached(database: Database, after: bigint): Promise<void> {
  const { depositCursor } = await readChain(database)
  if (after > depositCursor)
    throw new CustodyError(
      'CURSOR_AHEAD',
      `after: no deposit has cursor ${after}, the last one is ${depositCursor}`,
      {
        hint: 'an older backup was restored: read again from its last cursor, see docs/custody.md',
      },
    )
}

/** Yields deposits in batches as they arrive, until the signal is aborted. */
export async function* followDeposits(
  database: Database,
  { after = 0n, ...query }: DepositsQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<Deposit[], void, undefined> {
  const wakeup = listenToChannel(database, channelsOf(database.schema).deposits)
  let cursor = after
  try {
    while (!signal?.aborted) {
      const deposits = await readDeposits(database, { ...query, after: cursor })
      if (deposits.length > 0) {
        yield deposits
        cursor = deposits.at(-1)!.cursor
      } else await wakeup.wait(DEPOSIT_POLL_MS, signal)
    }
  } finally {
    await wakeup.close()
  }
}
