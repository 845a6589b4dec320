import { hex } from '../../core/base/encoding/hex.ts'
import { withIndexes } from '../../wallet/store/indexes.ts'
import type { AccountIndexes } from '../../wallet/store/store.ts'
import { lockChain } from './chain-row.ts'
import type { Database, Queries } from './database.ts'

/** An entry of the column `wallet_indexes`. */
type Entry = readonly [account: string, receive: number, change: number, nextChange: number]

/** Reads how far the addresses of the accounts of wallets are used. */
export async function readIndexes(queries: Queries): Promise<readonly AccountIndexes[]> {
  const [row] = await queries.query<{ wallet_indexes: readonly Entry[] }>(
    'SELECT wallet_indexes FROM @.chain',
  )
  return row!.wallet_indexes.map(([account, receive, change, nextChange]) => ({
    account: hex.decode(account),
    receive,
    change,
    nextChange,
  }))
}

/** Records how far the addresses of an account are used. */
export async function recordIndexes(database: Database, indexes: AccountIndexes): Promise<void> {
  await database.transaction(async (tx) => {
    await lockChain(tx)
    const all = withIndexes(await readIndexes(tx), indexes)
    const entries = all.map(
      ({ account, receive, change, nextChange }): Entry => [
        hex.encode(account),
        receive,
        change,
        nextChange,
      ],
    )
    await tx.query('UPDATE @.chain SET wallet_indexes = $1', [JSON.stringify(entries)])
  })
}
