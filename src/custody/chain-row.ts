import type { NetworkContext } from '../chain/networks.ts'
import { requireBinding } from '../store/memory.ts'
import type { StoreBinding } from '../store/store.ts'
import type { Database, Queries } from './database.ts'
import { type Bytes, bytesOf, type Digits } from './values.ts'

/** The single row of the table `chain`. */
export type ChainRow = {
  /** Height of the next block to be applied; undefined before the first. */
  readonly nextHeight: bigint | undefined
  /** ID of the block before it, if known. */
  readonly lastBlock: Uint8Array | undefined
  readonly depositCursor: bigint
  readonly epoch: bigint
  readonly leader: string | undefined
  readonly appliedAt: Date | undefined
  /** The time of the database, which is the same for all processes. */
  readonly now: Date
  /** Whether outputs from before some addresses were added have not been looked for. */
  readonly hasUnwalked: boolean
}

type ChainColumns = {
  readonly next_height: Digits | null
  readonly last_block: Bytes | null
  readonly deposit_cursor: Digits
  readonly epoch: Digits
  readonly leader: string | null
  readonly applied_at: Date | null
  readonly now: Date
  readonly has_unwalked: boolean
}

const COLUMNS = `next_height, last_block, deposit_cursor, epoch, leader, applied_at, clock_timestamp() AS now,
  EXISTS (SELECT FROM @.addresses WHERE NOT walked) AS has_unwalked`

/** Reads the row. */
export async function readChain(queries: Queries): Promise<ChainRow> {
  return rowOf(await queries.query<ChainColumns>(`SELECT ${COLUMNS} FROM @.chain`))
}

/**
 * Reads the row and locks it until the transaction ends. Claims, outcomes and blocks are recorded under this lock, so
 * that each sees all earlier ones.
 */
export async function lockChain(tx: Queries): Promise<ChainRow> {
  return rowOf(await tx.query<ChainColumns>(`SELECT ${COLUMNS} FROM @.chain FOR UPDATE OF chain`))
}

function rowOf([row]: readonly ChainColumns[]): ChainRow {
  const { next_height, last_block, deposit_cursor, epoch, leader, applied_at, now } = row!
  return {
    nextHeight: next_height === null ? undefined : BigInt(next_height),
    lastBlock: last_block === null ? undefined : bytesOf(last_block),
    depositCursor: BigInt(deposit_cursor),
    epoch: BigInt(epoch),
    leader: leader ?? undefined,
    appliedAt: applied_at ?? undefined,
    now,
    hasUnwalked: row!.has_unwalked,
  }
}

/**
 * Binds the tables to a network and chain, or checks the binding.
 *
 * @throws StoreError `STORE_MISMATCH`
 */
export async function bindChain(
  database: Database,
  binding: StoreBinding & Partial<Pick<NetworkContext, 'hrp'>>,
): Promise<void> {
  const { networkID, chainID, hrp = null } = binding
  const read = () =>
    database.query<{ network_id: Digits | null; chain_id: Bytes }>(
      'SELECT network_id, chain_id FROM @.chain',
    )
  let [row] = await read()
  // Only once: roles that request payouts cannot change this row.
  if (row!.network_id === null) {
    await database.query(
      'UPDATE @.chain SET network_id = $1, chain_id = $2, hrp = $3 WHERE network_id IS NULL',
      [networkID, chainID, hrp],
    )
    ;[row] = await read()
  }
  const bound = { networkID: Number(row!.network_id), chainID: row!.chain_id }
  requireBinding(bound, { networkID, chainID })
}

/**
 * Lets the follower read blocks from a height on again; reading a block again has no effect on what is known. One
 * statement, which waits for a block that is being applied.
 *
 * @param isUnsynced - whether nothing is paid until all blocks are applied again. Blocks that were never applied may
 * create outputs which later ones spend.
 */
export async function rewind(tx: Queries, height: bigint, isUnsynced = false): Promise<void> {
  const start = height < 1n ? 1n : height
  await tx.query(
    `UPDATE @.chain SET next_height = $1, last_block = (SELECT block_id FROM @.blocks WHERE height = $1 - 1),
       synced_at = CASE WHEN $2 THEN NULL ELSE synced_at END
     WHERE next_height > $1`,
    [start, isUnsynced],
  )
}
