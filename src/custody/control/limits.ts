import { formatAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { channelsOf } from '../database/channels.ts'
import { type Database, databaseErrorOf } from '../database/database.ts'
import { SQL_STATES } from '../database/guards.ts'
import { type Bytes, bytesOf, type Digits } from '../database/values.ts'
import { CustodyError } from '../errors.ts'
import { type LimitRow, type LimitRule, rowOfRule } from './limit-rules.ts'

/** A rule that holds, with who set it and when. IDs are bytes, addresses texts. */
export type Limit = LimitRule & {
  /** The role of the database session; after a slash the identity that it acted for. */
  readonly setBy: string
  readonly setAt: Date
}

type LimitColumns = {
  readonly name: string
  readonly type: LimitRule['type']
  readonly per: LimitRow['per']
  readonly amount: Digits | null
  readonly seconds: Digits | null
  readonly assets: readonly Bytes[] | null
  readonly units: readonly Digits[] | null
  readonly count: number | null
  readonly approvers: readonly string[] | null
  readonly destinations: readonly Bytes[] | null
  readonly set_by: string
  readonly set_at: Date
  readonly hrp: string | null
}

/** The rules that hold, by name. */
export async function readLimits(database: Database): Promise<Limit[]> {
  const rows = await database.query<LimitColumns>(
    `SELECT l.*, (SELECT hrp FROM @.chain) AS hrp FROM @.limits l WHERE removed_at IS NULL ORDER BY name`,
  )
  return rows.map((row) => ({ ...ruleOf(row), setBy: row.set_by, setAt: row.set_at }))
}

/** The rule behind a row. */
function ruleOf(row: LimitColumns): LimitRule {
  const { name, type } = row
  const ids = row.assets?.map(bytesOf)
  const units = row.units?.map(BigInt)
  const assetIDs = ids === undefined ? {} : { assetIDs: ids }
  const assets =
    ids?.length === 1 && units![0] === 1n
      ? { assetID: ids[0]! }
      : { assets: (ids ?? []).map((assetID, i) => ({ assetID, unit: units![i]! })) }
  const amount = BigInt(row.amount ?? 0)
  const seconds = row.seconds === null ? {} : { seconds: Number(row.seconds) }
  switch (type) {
    case 'limit':
      return { type, name, per: row.per!, amount, ...seconds, ...assets }
    case 'approvals': {
      const approvers = row.approvers === null ? {} : { approvers: row.approvers }
      return { type, name, amount, count: row.count!, ...approvers, ...assets }
    }
    case 'allow': {
      const destinations = row.destinations?.map((one) =>
        formatAddress({ chain: 'X', hrp: row.hrp ?? '', address: bytesOf(one) }),
      )
      return { type, name, ...(destinations && { destinations }), ...assetIDs }
    }
    case 'delay':
      return { type, name, seconds: Number(row.seconds), ...assetIDs }
  }
}

/**
 * Adds a rule, or replaces the one with the same name.
 *
 * @throws CustodyError `LIMIT_INVALID` if the database refuses it
 */
export async function setLimit(
  database: Database,
  context: NetworkContext,
  rule: LimitRule,
): Promise<void> {
  const row = rowOfRule(rule, context, 'setLimit')
  const bytes = (list: readonly Uint8Array[] | null) => list?.map((one) => `\\x${hex.encode(one)}`)
  const columns = {
    ...row,
    amount: row.amount?.toString(),
    assets: bytes(row.assets),
    units: row.units?.map(String),
    destinations: bytes(row.destinations),
  }
  const given = Object.entries(columns).filter(([, value]) => value !== null && value !== undefined)
  await change(database, '@.set_limit($1::jsonb)', JSON.stringify(Object.fromEntries(given)))
}

/**
 * Ends a rule.
 *
 * @throws CustodyError `LIMIT_UNKNOWN` if no rule has the name
 */
export async function removeLimit(database: Database, name: string): Promise<void> {
  await change(database, '@.remove_limit($1)', name)
}

/** SQLSTATE of a row that violates a check constraint of its table. */
const CHECK_VIOLATION = '23514'

async function change(database: Database, call: string, value: string): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      await tx.query(`SELECT ${call}`, [value])
      await tx.query(`SELECT pg_notify($1, '')`, [channelsOf(database.schema).work])
    })
  } catch (cause) {
    const { code, message = '' } = databaseErrorOf(cause) ?? {}
    const hint = 'nothing was changed'
    if (code === SQL_STATES.rule) throw new CustodyError('LIMIT_UNKNOWN', message, { cause, hint })
    if (code === CHECK_VIOLATION)
      throw new CustodyError('LIMIT_INVALID', `the database refuses the rule`, { cause, hint })
    throw cause
  }
}
