import { channelsOf } from '../database/channels.ts'
import { type Database, databaseErrorOf } from '../database/database.ts'
import { SQL_STATES } from '../database/guards.ts'
import { keyColumn, keyOf, textColumn } from '../database/values.ts'
import { CustodyError } from '../errors.ts'

/** SQLSTATE of a row that violates a check constraint of its table. */
const CHECK_VIOLATION = '23514'

/** Decisions that are made in somebody's name, which counts. */
const DECISIONS: readonly string[] = ['approve', 'deny']

/**
 * Calls a function of the database that changes payouts: all of them, or none if one is unknown or its status does not
 * allow it. Operators have the right to call these functions, and not to change rows.
 *
 * @param name - `hold` keeps queued payouts from being made until they are released; `release` returns held ones to the
 * queue; `cancel` cancels those in the queue at once and pending ones if the chain allows it; `approve` and `deny` record a
 * decision in the name of the identity that the database acts for, or else of the role of its sessions
 * @throws CustodyError `PAYOUT_UNKNOWN`, `PAYOUT_STATUS`; `APPROVAL_REFUSED` if whoever approves has requested a payout
 */
export async function changePayouts(
  database: Database,
  name: 'hold' | 'release' | 'cancel' | 'approve' | 'deny',
  keys: readonly string[],
  reason: string,
): Promise<void> {
  const isNamed = database.actor !== undefined && DECISIONS.includes(name)
  try {
    await database.transaction(async (tx) => {
      await tx.query(`SELECT @.${isNamed ? `${name}_for` : name}($1::text[], $2)`, [
        keys.map(keyColumn),
        textColumn(reason),
      ])
      await tx.query(`SELECT pg_notify($1, '')`, [channelsOf(database.schema).work])
    })
  } catch (cause) {
    throw explained(cause, keys)
  }
}

/** The error of such a function as an error of this library. */
export function explained(cause: unknown, keys: readonly string[]): unknown {
  const { code, message = '', detail } = databaseErrorOf(cause) ?? {}
  const concerned = () => (JSON.parse(detail ?? '[]') as string[]).map(keyOf)
  const hint = 'nothing was changed'
  if (code === SQL_STATES.unknown)
    return new CustodyError('PAYOUT_UNKNOWN', message, { cause, keys: concerned(), hint })
  if (code === SQL_STATES.status)
    return new CustodyError('PAYOUT_STATUS', message, { cause, keys: concerned(), hint })
  if (code === SQL_STATES.refused)
    return new CustodyError('PAYOUT_STATUS', message, { cause, keys, hint })
  if (code === SQL_STATES.approval)
    return new CustodyError('APPROVAL_REFUSED', message, { cause, keys: concerned(), hint })
  if (code === SQL_STATES.payment)
    return new CustodyError('PAYMENT_UNKNOWN', message, { cause, keys, hint })
  if (code === CHECK_VIOLATION) {
    const invalid = 'a row that is not a valid payout cannot be released'
    return new CustodyError('PAYOUT_STATUS', invalid, { cause, keys, hint: `cancel it; ${hint}` })
  }
  return cause
}
