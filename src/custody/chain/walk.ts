import type { UTXO } from '../../core/chain/x/utxo.ts'
import { rewind } from '../database/chain-row.ts'
import { type Queries, type Session, transactionOn } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits } from '../database/values.ts'
import { extendAccounts } from '../deposits/accounts.ts'
import type { Settings } from '../settings.ts'
import { lockAsLeader } from './apply-block.ts'
import { describeOutputs, insertOutputs, knownAddresses } from './outputs.ts'
import { walkUTXOs } from './walk-pages.ts'

/** Number of addresses that are walked together. */
const ADDRESSES_PER_GROUP = 2_000

/** Number of blocks that a server may be behind. After a walk, as many blocks are applied again. */
export const MAX_SERVER_LAG = 8n

const WALK_TIMEOUT_MS = 600_000

/** Addresses that were not walked before, and what the node lists for them. */
export type WalkResult = {
  readonly addresses: readonly Uint8Array[]
  readonly utxos: readonly UTXO[]
  /** Height of the servers before they were asked. */
  readonly height: bigint
}

/** Addresses that were not walked yet, as many as are walked together. */
export async function addressesToWalk(queries: Queries): Promise<Uint8Array[]> {
  const rows = await queries.query<{ address: Bytes }>(
    'SELECT address FROM @.addresses WHERE NOT walked ORDER BY address LIMIT $1',
    [ADDRESSES_PER_GROUP],
  )
  return rows.map(({ address }) => bytesOf(address))
}

/** Looks for outputs that existed before their addresses were added, by a walk of the node's UTXOs. */
export async function readWalk(
  settings: Settings,
  addresses: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<WalkResult> {
  const call = { totalMs: WALK_TIMEOUT_MS, signal }
  return { addresses, ...(await walkUTXOs(settings, addresses, call)) }
}

/**
 * Adds the outputs that a walk has found. All blocks that existed at the time of the walk must be applied before, so
 * that their outputs are recorded with their heights. Blocks since the walk are applied again, which marks outputs that
 * they spend.
 */
export async function recordWalk(
  { assets, channels, log }: Settings,
  session: Session,
  epoch: bigint,
  { addresses, utxos, height }: WalkResult,
): Promise<void> {
  const added = await transactionOn(session, async (tx) => {
    const chain = await lockAsLeader(tx, epoch)
    const known = await knownAddresses(tx, addresses)
    const time = BigInt(Math.floor(chain.now.getTime() / 1000))
    const outputs = await describeOutputs(tx, utxos, known, { assets, time })
    const deposits = await insertOutputs(tx, outputs, chain.depositCursor, undefined)
    const numbered = await numberDeposits(tx, addresses, chain.depositCursor + BigInt(deposits))
    await tx.query('UPDATE @.addresses SET walked = true WHERE address = ANY($1::bytea[])', [
      addresses,
    ])
    await extendAccounts(
      tx,
      outputs.map(({ owner }) => owner),
    )
    const cursor = chain.depositCursor + BigInt(deposits + numbered)
    await tx.query(
      `WITH advanced AS (UPDATE @.chain SET deposit_cursor = $1)
       SELECT pg_notify($2, $1::text), pg_notify($3, '')`,
      [cursor, channels.deposits, channels.work],
    )
    // Even if nothing was found: a server that is behind does not list, or cannot prove, outputs of the last blocks.
    await rewind(tx, height + 1n - MAX_SERVER_LAG)
    return outputs.length
  })
  await log('info', 'addresses.walked', 'looked for outputs of new addresses', {
    addresses: addresses.length,
    utxos: added,
  })
}

/**
 * Gives cursors to unspent outputs that were in the table before their address was watched, so they become deposits.
 */
async function numberDeposits(
  tx: Queries,
  addresses: readonly Uint8Array[],
  cursor: bigint,
): Promise<number> {
  const [row] = await tx.query<{ count: Digits }>(
    `WITH found AS (
       SELECT o.tx_id, o.output_index, row_number() OVER (ORDER BY o.height NULLS FIRST, o.tx_id, o.output_index) AS n
       FROM @.outputs o JOIN @.addresses a ON a.address = o.address AND a.watched
       WHERE o.address = ANY($1::bytea[]) AND o.cursor IS NULL AND o.spent_tx IS NULL
     ), numbered AS (
       UPDATE @.outputs o SET cursor = $2::bigint + found.n FROM found
       WHERE o.tx_id = found.tx_id AND o.output_index = found.output_index RETURNING 1
     )
     SELECT count(*) AS count FROM numbered`,
    [addresses, cursor],
  )
  return Number(row!.count)
}
