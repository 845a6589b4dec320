import { hex } from '../../core/base/encoding/hex.ts'
import type { Queries } from '../database/database.ts'
import { type Bytes, type Digits, idColumns } from '../database/values.ts'
import type { AcceptedTx } from './foreign.ts'

/** The transactions of a block that concern this system. */
export type ConcernedTxs = {
  /** Those that are attempts, spend an input of a pending attempt, or spend a known output. */
  readonly related: readonly AcceptedTx[]
  /** Those that keys of this system may have signed. */
  readonly foreign: readonly AcceptedTx[]
  /** Those of them that are no attempts, if blocks of this height can contain payments without a claim. */
  readonly unclaimed: readonly AcceptedTx[]
}

type Columns = {
  readonly attempts: readonly Bytes[]
  readonly spending: readonly Bytes[]
  readonly conflicting: readonly Bytes[]
  readonly has_unwalked: boolean
  readonly unknown_from: Digits | null
}

/**
 * Selects the transactions of a block that concern this system. Its outputs must be in the tables, and nothing else of it.
 *
 * Every condition is a subquery of its own, which an index answers for each row: the planner would join, and read whole
 * tables while their statistics are old.
 */
export async function concernedTxs(
  tx: Queries,
  accepted: readonly AcceptedTx[],
  height: bigint,
): Promise<ConcernedTxs> {
  const spends = accepted.flatMap(({ txID, inputs }) => inputs.map((input) => ({ txID, input })))
  const [row] = await tx.query<Columns>(
    `SELECT ARRAY(SELECT t FROM unnest($1::bytea[]) AS given(t)
         WHERE (SELECT true FROM @.attempts WHERE tx_id = t LIMIT 1)) AS attempts,
       ARRAY(SELECT by FROM unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS spend(t, o, by)
         WHERE (SELECT true FROM @.outputs WHERE tx_id = t AND output_index = o)) AS spending,
       ARRAY(SELECT by FROM unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS spend(t, o, by)
         WHERE (SELECT true FROM @.attempt_inputs WHERE tx_id = t AND output_index = o LIMIT 1)) AS conflicting,
       EXISTS (SELECT FROM @.addresses WHERE NOT walked) AS has_unwalked,
       (SELECT unknown_from FROM @.chain) AS unknown_from`,
    [
      accepted.map(({ txID }) => txID),
      ...idColumns(spends.map(({ input }) => input)),
      spends.map(({ txID }) => txID),
    ],
  )
  const { attempts, spending, conflicting, has_unwalked, unknown_from } = row!
  const named = (txIDs: readonly Bytes[]) => {
    const names = new Set(txIDs.map(hex.encode))
    return ({ txID }: AcceptedTx) => names.has(hex.encode(txID))
  }
  const isRelated = named([...attempts, ...spending, ...conflicting])
  const related = accepted.filter(isRelated)
  // Recovering signers is slow. Once all addresses are walked, every output is known that own keys can spend, except what
  // another chain exported to them; before that, an address may own earlier outputs that are not.
  const foreign = accepted.filter(
    (one) => has_unwalked || isRelated(one) || one.tx.unsignedTx.type === 'ImportTx',
  )
  const isAttempt = named(attempts)
  const canBeUnknown = unknown_from !== null && height >= BigInt(unknown_from)
  return {
    related,
    foreign,
    unclaimed: canBeUnknown ? foreign.filter((one) => !isAttempt(one)) : [],
  }
}
