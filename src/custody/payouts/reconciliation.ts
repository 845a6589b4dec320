import { bytesOf as bytes, type Check, list, object, optional } from '../../core/base/argument.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { position } from '../arguments.ts'
import { channelsOf } from '../database/channels.ts'
import type { Database } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits, keyColumn, keyOf } from '../database/values.ts'
import { explained } from './payout-changes.ts'
import { payoutKey } from './payouts.ts'

/**
 * A payment to others that keys of this system have signed, but that was not claimed here: by a database that was lost,
 * or by another holder of the keys.
 */
export type UnknownPayment = {
  readonly txID: Uint8Array
  readonly outputIndex: number
  readonly height: bigint
  readonly to: string
  readonly assetID: Uint8Array
  /** In the asset's smallest unit. */
  readonly amount: bigint
  /** Payouts with the same content that are queued or held: one of them may be this payment. */
  readonly keys: readonly string[]
}

/** Selects unknown payments. */
export type ReconciliationQuery = {
  /**
   * Only payments of blocks from this height on.
   *
   * @defaultValue 0
   */
  readonly since?: bigint | undefined
}

/** An operator's decision about an unknown transaction. */
export type Attribution = {
  readonly txID: Uint8Array
  /**
   * Key of the payout that it made, which becomes paid.
   *
   * @defaultValue none: its open outputs made no payouts of this system
   */
  readonly key?: string | undefined
}

/** Describes the argument of `custody.unknownPayments`. */
export const reconciliationQuery: Check<ReconciliationQuery> = object<ReconciliationQuery>({
  since: optional(position),
})

/** Describes the argument of `custody.attribute`. */
export const attributions: Check<readonly Attribution[]> = list(
  object<Attribution>({ txID: bytes(ID_SIZE), key: optional(payoutKey) }),
)

/** Unknown payments that no operator has decided about, oldest first. */
export async function unknownPayments(
  database: Database,
  { since = 0n }: ReconciliationQuery,
): Promise<UnknownPayment[]> {
  const rows = await database.query<{
    tx_id: Bytes
    output_index: Digits
    height: Digits
    address: Bytes
    asset_id: Bytes
    amount: Digits
    hrp: string
    keys: readonly string[] | null
  }>(
    `SELECT u.tx_id, u.output_index, u.height, u.address, u.asset_id, u.amount, (SELECT hrp FROM @.chain) AS hrp,
       (SELECT array_agg(p.key ORDER BY p.seq) FROM @.payments p WHERE p.status IN ('queued', 'held')
          AND p.address = u.address AND p.asset_id = u.asset_id AND p.amount = u.amount) AS keys
     FROM @.unknown_outputs u WHERE u.resolved_at IS NULL AND u.height >= $1
     ORDER BY u.height, u.tx_id, u.output_index`,
    [since],
  )
  return rows.map((row) => ({
    txID: bytesOf(row.tx_id),
    outputIndex: Number(row.output_index),
    height: BigInt(row.height),
    to: formatAddress({ chain: 'X', hrp: row.hrp, address: bytesOf(row.address) }),
    assetID: bytesOf(row.asset_id),
    amount: BigInt(row.amount),
    keys: (row.keys ?? []).map(keyOf),
  }))
}

/**
 * Records decisions, all of them or none.
 *
 * @throws CustodyError `PAYOUT_UNKNOWN`, `PAYOUT_STATUS`, `PAYMENT_UNKNOWN`
 */
export async function attribute(
  database: Database,
  decisions: readonly Attribution[],
): Promise<void> {
  // Those without a key come last: they decide about the outputs that are left.
  const ordered = [
    ...decisions.filter(({ key }) => key !== undefined),
    ...decisions.filter(({ key }) => key === undefined),
  ]
  try {
    await database.transaction(async (tx) => {
      for (const { txID, key } of ordered)
        if (key === undefined) await tx.query('SELECT @.dismiss($1)', [txID])
        else await tx.query('SELECT @.attribute($1, $2)', [keyColumn(key), txID])
      await tx.query(`SELECT pg_notify($1, '')`, [channelsOf(database.schema).work])
    })
  } catch (cause) {
    throw explained(
      cause,
      decisions.flatMap(({ key }) => key ?? []),
    )
  }
}
