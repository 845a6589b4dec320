import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { requireBinding, withBlock } from '../../wallet/store/memory.ts'
import type { BlockReference, StoreBinding } from '../../wallet/store/store.ts'
import type { Database, Queries } from './database.ts'
import { type Bytes, bytesOf, type Digits } from './values.ts'

/** The single row of the table `chain`. */
export type ChainRow = {
  /** Height of the next block to be applied; undefined before the first. */
  readonly nextHeight: bigint | undefined
  /** ID of the block before it, if known. */
  readonly lastBlock: Uint8Array | undefined
  /** Cursor of the last deposit; 0n before the first. */
  readonly depositCursor: bigint
  /** Number of elections of a leader so far. */
  readonly epoch: bigint
  /** Name of the worker that was elected last. */
  readonly leader: string | undefined
  /** The time of the database, which is the same for all processes. */
  readonly now: Date
  /** Whether there are addresses whose earlier outputs have not been searched yet. */
  readonly hasUnwalked: boolean
}

type ChainColumns = {
  readonly next_height: Digits | null
  readonly last_block: Bytes | null
  readonly deposit_cursor: Digits
  readonly epoch: Digits
  readonly leader: string | null
  readonly now: Date
  readonly has_unwalked: boolean
}

const COLUMNS = `next_height, last_block, deposit_cursor, epoch, leader, clock_timestamp() AS now,
  EXISTS (SELECT FROM @.addresses WHERE NOT walked) AS has_unwalked`

/** Reads the row. */
export async function readChain(queries: Queries): Promise<ChainRow> {
  return rowOfChain(await queries.query<ChainColumns>(`SELECT ${COLUMNS} FROM @.chain`))
}

/** Height of the next block to be applied; undefined before the first. */
export async function readNextHeight(queries: Queries): Promise<bigint | undefined> {
  const [row] = await queries.query<Pick<ChainColumns, 'next_height'>>(
    'SELECT next_height FROM @.chain',
  )
  return row!.next_height === null ? undefined : BigInt(row!.next_height)
}

/**
 * Reads the row and locks it until the transaction ends. Claims, outcomes and blocks are recorded under this lock, so
 * that each sees all earlier ones.
 */
export async function lockChain(tx: Queries): Promise<ChainRow> {
  return rowOfChain(
    await tx.query<ChainColumns>(`SELECT ${COLUMNS} FROM @.chain FOR UPDATE OF chain`),
  )
}

function rowOfChain([row]: readonly ChainColumns[]): ChainRow {
  const { next_height, last_block, deposit_cursor, epoch, leader, now } = row!
  return {
    nextHeight: next_height === null ? undefined : BigInt(next_height),
    lastBlock: last_block === null ? undefined : bytesOf(last_block),
    depositCursor: BigInt(deposit_cursor),
    epoch: BigInt(epoch),
    leader: leader ?? undefined,
    now,
    hasUnwalked: row!.has_unwalked,
  }
}

/** Name of the advisory lock of the session of the worker that follows the chain. */
export function leaderLock(schema: string): string {
  return `avmkit leader ${schema}`
}

/**
 * Name of the advisory lock that the leader's session holds once it has applied all blocks since its election.
 * Unlike a row, the lock is not copied to a standby or a backup: on a server with an older state nobody holds it until
 * a leader has followed the chain from that state on.
 */
export function syncLock(schema: string): string {
  return `avmkit synced ${schema}`
}

/** Number of seconds for which the leader's record that all blocks are applied is valid. */
const SYNC_VALID_SECONDS = 60

/**
 * SQL condition on the row: a leader follows the chain on this database server and has applied all blocks since it was
 * elected, most recently within the last minute, and the servers had the last one. Nothing is claimed before that: after a backup was restored, or a
 * standby that was behind took over, payments that the database has lost must be found in blocks first. The time
 * detects a backup that is restored while the leader keeps its session and with it the lock.
 *
 * @param lock - the parameter of the statement that has the name of the lock, such as `$1`
 */
export function isSynced(lock: string): string {
  // The lock is not available, even as a shared one, while a leader holds it.
  return `verified_at > now() - interval '${SYNC_VALID_SECONDS} seconds' AND NOT pg_try_advisory_xact_lock_shared(hashtextextended(${lock}, 0))`
}

/** Whether `isSynced` holds. */
export async function readSynced(queries: Queries, schema: string): Promise<boolean> {
  const [row] = await queries.query<{ is_synced: boolean | null }>(
    `SELECT ${isSynced('$1')} AS is_synced FROM @.chain`,
    [syncLock(schema)],
  )
  return row!.is_synced === true
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
    database.query<{ network_id: Digits | null; chain_id: Bytes; hrp: string | null }>(
      'SELECT network_id, chain_id, hrp FROM @.chain',
    )
  let [row] = await read()
  // Only if it is not bound yet: roles that request payouts cannot change this row.
  if (row!.network_id === null) {
    await database.query(
      'UPDATE @.chain SET network_id = $1, chain_id = $2, hrp = $3 WHERE network_id IS NULL',
      [networkID, chainID, hrp],
    )
    ;[row] = await read()
  }
  const bound = { networkID: Number(row!.network_id), chainID: row!.chain_id }
  requireBinding(bound, { networkID, chainID })
  // A wallet that has bound the tables does not know the address prefix.
  if (row!.hrp === null && hrp !== null)
    await database.query('UPDATE @.chain SET hrp = $1 WHERE hrp IS NULL', [hrp])
}

/** A block that a wallet has applied, as JSON. */
type BlockColumn = { readonly height: string; readonly id: string; readonly firm: boolean }

type BlockColumns = Pick<ChainColumns, 'next_height' | 'last_block'> & {
  readonly store_id: Bytes
  readonly wallet_blocks: readonly BlockColumn[]
}

/** The ID of the store, and the blocks that the follower and wallets have applied, the newest one last. */
export async function readStoreID(
  queries: Queries,
): Promise<{ readonly id: Uint8Array; readonly blocks: readonly BlockReference[] }> {
  const [row] = await queries.query<BlockColumns>(
    'SELECT store_id, next_height, last_block, wallet_blocks FROM @.chain',
  )
  const { store_id, next_height, last_block, wallet_blocks } = row!
  const blocks = wallet_blocks.map(blockOf)
  if (next_height !== null && last_block !== null) {
    const height = BigInt(next_height) - 1n
    blocks.push({ height, blockID: bytesOf(last_block), firm: true })
  }
  // In the order of their heights: `withBlock` removes those above a block that is added.
  const ordered = blocks.toSorted((a, b) => Number(a.height - b.height))
  return { id: bytesOf(store_id), blocks: ordered.reduce(withBlock, []) }
}

/** Records a block that a wallet has applied, unless the follower has applied later ones. */
export async function recordWalletBlock(database: Database, block: BlockReference): Promise<void> {
  await database.transaction(async (tx) => {
    const { nextHeight } = await lockChain(tx)
    if (nextHeight !== undefined && nextHeight > block.height) return
    const [row] = await tx.query<BlockColumns>('SELECT wallet_blocks FROM @.chain')
    const blocks = withBlock(row!.wallet_blocks.map(blockOf), block)
    await tx.query('UPDATE @.chain SET wallet_blocks = $1', [
      JSON.stringify(
        blocks.map(({ height, blockID, firm = false }): BlockColumn => {
          return { height: String(height), id: hex.encode(blockID), firm }
        }),
      ),
    ])
  })
}

function blockOf({ height, id, firm }: BlockColumn): BlockReference {
  return { height: BigInt(height), blockID: hex.decode(id), firm }
}

/**
 * Makes the follower read blocks again from a height on; applying a block again adds nothing. It is one statement,
 * which waits for a block that is being applied.
 *
 * @param isUnsynced - whether payouts wait until all blocks are applied again. Needed if some of them were never
 * applied: they may create outputs that later blocks spend.
 */
export async function rewind(tx: Queries, height: bigint, isUnsynced = false): Promise<void> {
  const start = height < 1n ? 1n : height
  await tx.query(
    `UPDATE @.chain SET next_height = $1, last_block = (SELECT block_id FROM @.blocks WHERE height = $1 - 1),
       verified_at = CASE WHEN $2 THEN NULL ELSE verified_at END, read_at = CASE WHEN $2 THEN NULL ELSE read_at END,
       unknown_from = CASE WHEN $2 THEN least(unknown_from, $1) ELSE unknown_from END
     WHERE next_height > $1`,
    [start, isUnsynced],
  )
}
