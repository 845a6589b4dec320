import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../core/base/encoding/ids.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { blockTxIDs, hashToSign, utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { decodeUTXO } from '../../core/chain/x/utxo.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import type { FollowedBlock } from '../../node/blocks/block-reader.ts'
import { isSignedFor, isSignedLike } from '../../wallet/evidence/signatures.ts'
import type { Attempt } from '../../wallet/store/store.ts'
import { type ChainRow, lockChain } from '../database/chain-row.ts'
import type { Queries } from '../database/database.ts'
import { type Bytes, idColumns } from '../database/values.ts'
import { extendAccounts } from '../deposits/accounts.ts'
import { CustodyError } from '../errors.ts'
import { concernedTxs } from './concerned.ts'
import { type AcceptedTx, holdForeign } from './foreign.ts'
import { type DecidedAttempts, recordOutcomes } from './outcomes.ts'
import { describeOutputs, insertOutputs, knownAddresses, markReturned } from './outputs.ts'
import { recordUnknown } from './unknown.ts'

/** Number of last blocks whose IDs are kept, so that reading can start again below the tip. */
const KEPT_BLOCKS = 10_000n

/** Greatest time of a block in seconds that the table can store. Nodes accept no block that is from the future. */
const MAX_BLOCK_TIME = 2n ** 63n - 1n

/** Options for applying a block. */
export type ApplyOptions = {
  /** The epoch of this leader: a number that grows with every election. */
  readonly epoch: bigint
  /** Assets whose deposits can be of the kind `plain`. */
  readonly assets: readonly Uint8Array[]
  readonly backend: Secp256k1Backend
  /** Names of the channels to notify. */
  readonly channels: { readonly deposits: string; readonly work: string }
}

/** Result of applying a block. */
export type Applied = DecidedAttempts & {
  /** Number of new deposits. */
  readonly deposits: number
  /** Number of payouts that are held because a transaction without a claim may have made or canceled them. */
  readonly held: number
}

/**
 * Locks the chain's row and makes sure that this process is still the leader.
 *
 * @throws CustodyError `LEADER_LOST`
 */
export async function lockAsLeader(tx: Queries, epoch: bigint): Promise<ChainRow> {
  const chain = await lockChain(tx)
  if (chain.epoch !== epoch)
    throw new CustodyError('LEADER_LOST', 'another process follows the chain now')
  return chain
}

/**
 * Applies a block and advances the height, in one transaction of the database. Undefined if it is not the next block,
 * because another call has rewound or advanced the height. Applying a block again adds nothing.
 *
 * @throws CustodyError `LEADER_LOST`, `BLOCK_FORGED`
 */
export async function applyBlock(
  tx: Queries,
  { block, blockID }: FollowedBlock,
  { epoch, assets, backend, channels }: ApplyOptions,
): Promise<Applied | undefined> {
  const chain = await lockAsLeader(tx, epoch)
  const { height, parentID, time, txs } = block
  const isNext = chain.nextHeight === height
  if (!isNext || (chain.lastBlock !== undefined && !equalBytes(chain.lastBlock, parentID)))
    return undefined
  if (time > MAX_BLOCK_TIME)
    throw new CustodyError('BLOCK_FORGED', `block ${height}: no time is ${time} seconds`, {
      hint: 'a server is dishonest or serves another chain; nothing of the block was applied',
    })
  const txIDs = blockTxIDs(block)
  const accepted = txs.map((one, i): AcceptedTx => {
    const inputs = consumedUTXOs(one.unsignedTx)
    return { tx: one, txID: txIDs[i]!, inputs }
  })
  const created = txs.flatMap((one, i) => createdUTXOs(one, txIDs[i]!))
  const owners = new Map(
    created.flatMap(({ output }) => output.addresses.map((one) => [hex.encode(one), one])),
  )
  const known = await knownAddresses(tx, [...owners.values()])
  const outputs = await describeOutputs(tx, created, known, { assets, time })
  const deposits = await insertOutputs(tx, outputs, chain.depositCursor, height)
  // Most transactions of a chain are those of others, and statements for hundreds of their inputs would find nothing.
  const concerned = await concernedTxs(tx, accepted, height)
  await markSpent(tx, concerned.related, height, backend)
  if (outputs.length > 0) await markReturned(tx, concerned.related)
  const decided = await recordOutcomes(tx, {
    accepted: concerned.related.length > 0 ? accepted : [],
    height,
    isRival: (...evidence) => isRival(...evidence, backend),
    // A move depends on transactions of two chains, so the wallet that makes the move records its outcome.
    skipMoves: true,
  })
  // After the outcomes: only now is a payout whose attempt a foreign transaction has rejected back in the queue.
  const { foreign, unclaimed } = concerned
  const held = await holdForeign(tx, { height, accepted: foreign, decided, known }, backend)
  await recordUnknown(tx, unclaimed, height, backend)
  const wakesWorkers = decided.accepted.length + decided.rejected.length + outputs.length > 0
  await tx.query(
    `WITH kept AS (
       INSERT INTO @.blocks VALUES ($1, $2, $3)
       ON CONFLICT (height) DO UPDATE SET block_id = excluded.block_id, time = excluded.time
     ), advanced AS (
       UPDATE @.chain SET next_height = $1::bigint + 1, last_block = $2, applied_at = now(),
         deposit_cursor = $4
     )
     SELECT CASE WHEN $5 THEN pg_notify($6, $4::text) END, CASE WHEN $7 THEN pg_notify($8, '') END`,
    [
      height,
      blockID,
      time,
      chain.depositCursor + BigInt(deposits),
      deposits > 0,
      channels.deposits,
      wakesWorkers,
      channels.work,
    ],
  )
  if (height % 1000n === 0n)
    await tx.query('DELETE FROM @.blocks WHERE height < $1', [height - KEPT_BLOCKS])
  // In the same transaction: otherwise a leader that stops right after it would never extend the accounts.
  await extendAccounts(
    tx,
    outputs.map(({ owner }) => owner),
  )
  return { ...decided, held, deposits }
}

/**
 * Marks outputs as spent.
 *
 * @throws CustodyError `BLOCK_FORGED` if the owner did not sign one of them: such a block cannot have been accepted
 */
async function markSpent(
  tx: Queries,
  accepted: readonly AcceptedTx[],
  height: bigint,
  backend: Secp256k1Backend,
): Promise<void> {
  if (accepted.length === 0) return
  const spends = accepted.flatMap(({ txID, inputs }) => inputs.map((input) => ({ txID, input })))
  const rows = await tx.query<{ spent_tx: Bytes; utxo: Bytes }>(
    `WITH spent AS (
       UPDATE @.outputs SET spent_height = $4, spent_tx = by
       FROM unnest($1::bytea[], $2::bigint[], $3::bytea[]) AS spend(t, o, by)
       -- Not just IS NULL: without fresh statistics the index of unspent outputs would be read completely.
       WHERE tx_id = t AND output_index = o AND coalesce(spent_tx, '') = '' RETURNING spent_tx, utxo
     ), dated AS (
       -- A wallet with the same store may have recorded the outcome before the block was applied.
       UPDATE @.attempts SET decided_height = $4
       WHERE tx_id = ANY($3::bytea[]) AND outcome = 'accepted' AND decided_height IS NULL
     )
     SELECT spent_tx, utxo FROM spent
     WHERE NOT EXISTS (
       SELECT FROM @.attempts a WHERE a.tx_id = spent_tx AND a.outcome IS DISTINCT FROM 'rejected')`,
    [...idColumns(spends.map(({ input }) => input)), spends.map(({ txID }) => txID), height],
  )
  const byTxID = new Map(accepted.map((one) => [hex.encode(one.txID), one]))
  for (const { spent_tx, utxo } of rows) {
    const spender = byTxID.get(hex.encode(spent_tx))!
    const { output, ...id } = decodeUTXO(utxo)
    if (!isSignedFor(spender.tx, id, output, backend))
      throw new CustodyError(
        'BLOCK_FORGED',
        `block ${height}: ${formatID(spender.txID)} spends ${formatUTXOID(id)} without its owner's signature`,
        { hint: 'a server is dishonest or serves another chain; nothing of the block was applied' },
      )
  }
}

/**
 * Whether a transaction was signed, for each attempt that it conflicts with, by the owners of an input that both spend:
 * a dishonest server can invent blocks, but not these signatures. A transaction with the same content as an attempt of
 * a wallet may be a variant that the database has lost, and so the payment itself: the wallet decides.
 */
function isRival(
  { tx, inputs }: AcceptedTx,
  conflicting: readonly Attempt[],
  ofWallets: ReadonlySet<Attempt>,
  backend: Secp256k1Backend,
): boolean {
  const spent = new Set(inputs.map(utxoKey))
  const hash = hashToSign(tx.unsignedTx)
  return conflicting.every((attempt) => {
    const own = decodeTx(attempt.bytes)
    if (ofWallets.has(attempt) && equalBytes(hashToSign(own.unsignedTx), hash)) return false
    const shared = attempt.inputs.filter((id) => spent.has(utxoKey(id)))
    return shared.some((id) => isSignedLike(tx, id, own, backend))
  })
}
