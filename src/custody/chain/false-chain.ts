import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import type { FollowedBlock } from '../../node/blocks/block-reader.ts'
import type { ClaimedPayment } from '../../wallet/store/store.ts'
import { type ChainRow, readChain } from '../database/chain-row.ts'
import { type Queries, type Session, transactionOn } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits, idColumns } from '../database/values.ts'
import { sweepPayment } from '../payouts/payout-content.ts'
import type { Settings } from '../settings.ts'
import { lockAsLeader } from './apply-block.ts'
import { recordCorrections } from './outputs.ts'
import { type ShownBlocks, shownBlocks } from './servers.ts'

/** A server to read blocks from instead of any, by its index, and the height up to which to do so. */
export type Detour = { readonly server: number; readonly height: bigint }

/** Maximum number of last blocks that are compared with those of a server, and how many are read at a time. */
const MAX_COMPARED = 1_000
const STEP = 16

/**
 * Checks whether servers have the last block that was applied. It is false, and came from a dishonest server, if more
 * servers show another block at its height, or as many do and only they show a block after it. Then the effects of the
 * false blocks are undone: their deposits become `void`, attempts that they decided are pending again.
 *
 * @returns if blocks were taken back, the server to read from up to the height of the last one: another server may show
 * the false blocks again
 */
export async function leaveFalseChain(
  settings: Settings,
  session: Session,
  epoch: bigint,
  signal: AbortSignal,
): Promise<Detour | undefined> {
  const { client, log } = settings
  const { nextHeight, lastBlock } = await readChain(session)
  if (nextHeight === undefined || lastBlock === undefined) return undefined
  const last = nextHeight - 1n
  const shown = await shownBlocks(client, { from: last, count: 2 }, signal)
  const server = refutingServer(shown, lastBlock)
  if (server === undefined) return undefined
  const details = { height: last, blockID: formatID(lastBlock) }
  const isStillShown = shown.some(([id]) => id !== undefined && equalBytes(id, lastBlock))
  const fork = await lastCommonHeight(settings, session, { last, isStillShown }, server, signal)
  if (fork === undefined) {
    await log('error', 'chain.refuted', 'servers have other blocks than those applied', details)
    return undefined
  }
  const undone = await transactionOn(session, async (tx) => {
    const chain = await lockAsLeader(tx, epoch)
    return isUnchanged(chain, nextHeight, lastBlock) ? takeBack(tx, settings, fork) : undefined
  })
  if (undone === undefined) return undefined
  await log('error', 'chain.reverted', 'false blocks of a dishonest server were taken back', {
    ...details,
    common: fork,
    ...undone,
  })
  return { server, height: last }
}

/**
 * A server that shows another block than one that was refused, to read this one block from; undefined if there is none.
 *
 * @param turn - selects among several servers: another may be dishonest, too
 */
export async function serverWithoutBlock(
  { client }: Settings,
  { block: { height, parentID }, blockID }: FollowedBlock,
  turn: number,
  signal: AbortSignal,
): Promise<Detour | undefined> {
  const shown = await shownBlocks(client, { from: height, parentID, count: 1 }, signal)
  const servers = shown.flatMap(([id], server) =>
    id === undefined || equalBytes(id, blockID) ? [] : [server],
  )
  const server = servers[turn % servers.length]
  return server === undefined ? undefined : { server, height }
}

function isUnchanged({ nextHeight, lastBlock }: ChainRow, next: bigint, last: Uint8Array): boolean {
  return nextHeight === next && lastBlock !== undefined && equalBytes(lastBlock, last)
}

/** The index of a server that shows the block by which ours is refuted; undefined if it is not. */
function refutingServer(shown: ShownBlocks, ours: Uint8Array): number | undefined {
  /**
   * Votes by block. Each server counts 1. If one of them also shows the next block, the block gets half a vote more,
   * which decides between blocks with equally many servers.
   */
  const votes = new Map<string, { server: number; servers: number; weight: number }>()
  shown.forEach(([first, second], server) => {
    if (first === undefined) return
    const name = hex.encode(first)
    const vote = votes.get(name) ?? { server, servers: 0, weight: 0 }
    const isFirstLonger = second !== undefined && vote.weight === vote.servers
    votes.set(name, {
      server: second === undefined ? vote.server : server,
      servers: vote.servers + 1,
      weight: vote.weight + (isFirstLonger ? 1.5 : 1),
    })
  })
  const own = votes.get(hex.encode(ours))?.weight ?? 0
  votes.delete(hex.encode(ours))
  const [best] = [...votes.values()].sort((a, b) => b.weight - a.weight)
  return best !== undefined && best.weight > own ? best.server : undefined
}

/** Height of the last block that a server has as well; undefined if it has none of the blocks that are compared. */
async function lastCommonHeight(
  { client, database }: Settings,
  session: Session,
  { last, isStillShown }: { readonly last: bigint; readonly isStillShown: boolean },
  server: number,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const source = client.servers()[server]!
  for (let end = last; last - end < MAX_COMPARED && end >= 1n; end -= BigInt(STEP)) {
    const from = end > STEP ? end - BigInt(STEP) + 1n : 1n
    const rows = await session.query<{ height: Digits; block_id: Bytes }>(
      'SELECT height, block_id FROM @.blocks WHERE height BETWEEN $1 AND $2 ORDER BY height DESC',
      [from, end],
    )
    const reader = source.blockReader({ from })
    const theirs: Uint8Array[] = []
    while (BigInt(theirs.length) <= end - from) {
      const blocks = await reader.read({ signal, limit: STEP })
      if (blocks.length === 0) break
      theirs.push(...blocks.map(({ blockID }) => blockID))
    }
    const common = rows.find(({ height, block_id }) => {
      const shown = theirs[Number(BigInt(height) - from)]
      return shown !== undefined && equalBytes(shown, block_id)
    })
    if (common !== undefined) return BigInt(common.height)
    if (rows.length === 0) break
  }
  // Even the first block that was applied may have been false. Nothing is known below it. If no server has any of the
  // blocks, it is rather another chain, or one that began anew.
  if (!isStillShown) return undefined
  const [row] = await database.query<{ first: Digits | null }>(
    'SELECT min(height) AS first FROM @.blocks',
  )
  const first = BigInt(row?.first ?? 0)
  return first > 0n && last - first < MAX_COMPARED ? first - 1n : undefined
}

type Undone = { readonly deposits: number; readonly attempts: number }

/** Undoes the effects of all blocks above a height. */
async function takeBack(
  tx: Queries,
  { context, channels }: Settings,
  height: bigint,
): Promise<Undone> {
  const { depositCursor } = await readChain(tx)
  // First: the database allows the changes below only for blocks above the last one.
  await tx.query(
    `WITH gone AS (DELETE FROM @.blocks WHERE height > $1),
       unknown AS (DELETE FROM @.unknown_outputs WHERE height > $1 AND payment IS NULL),
       audited AS (DELETE FROM @.audited_txs)
     UPDATE @.chain SET next_height = $1::bigint + 1, verified_at = NULL, read_at = NULL,
       last_block = (SELECT block_id FROM @.blocks WHERE height = $1)`,
    [height],
  )
  // An output of a false block is marked as spent by the transaction that created it, which is impossible for a real
  // one.
  const voided = await tx.query<{ cursor: Digits | null }>(
    `UPDATE @.outputs SET spent_tx = tx_id, spent_height = height, kind = 'void'
     WHERE height > $1 AND spent_tx IS DISTINCT FROM tx_id RETURNING cursor`,
    [height],
  )
  await tx.query(
    `UPDATE @.outputs SET spent_tx = NULL, spent_height = NULL
     WHERE spent_height > $1 AND spent_tx <> tx_id`,
    [height],
  )
  const attempts = await tx.query<{ seq: Digits; bytes: Bytes }>(
    `UPDATE @.attempts SET outcome = NULL, decided_by = NULL, decided_height = NULL, next_issue = now(),
       evidence = NULL, evidence_txs = NULL
     WHERE decided_height > $1 RETURNING seq, bytes`,
    [height],
  )
  /** Payments of sweeps by the hex of their digests: attempts with the same inputs have the same one. */
  const sweeps = new Map<string, ClaimedPayment>()
  for (const { seq, bytes } of attempts) {
    const spent = consumedUTXOs(decodeTx(bytesOf(bytes)).unsignedTx)
    const payment = sweepPayment(spent, context)
    const name = hex.encode(payment.digest)
    sweeps.set(name, sweeps.get(name) ?? payment)
    await restorePayment(tx, seq, sweeps.get(name)!)
    await tx.query(
      `WITH taken AS (
         INSERT INTO @.attempt_inputs (tx_id, output_index, attempt)
         SELECT t, o, $3 FROM unnest($1::bytea[], $2::bigint[]) AS input(t, o) ON CONFLICT DO NOTHING
       ), asked AS (
         UPDATE @.attempt_payments SET asked = false WHERE attempt = $3
       ), paid AS (
         UPDATE @.payments SET status = 'pending', outcome = NULL, outcome_tx = NULL, ended_at = NULL, draft = NULL
         WHERE seq IN (SELECT payment FROM @.attempt_payments WHERE attempt = $3)
       )
       UPDATE @.outputs SET claimed = true, draft = NULL
       FROM unnest($1::bytea[], $2::bigint[]) AS input(t, o) WHERE tx_id = t AND output_index = o`,
      [...idColumns(spent), seq],
    )
  }
  const deposits = voided.flatMap(({ cursor }) => (cursor === null ? [] : [cursor]))
  await recordCorrections(tx, channels, deposits, depositCursor)
  return {
    deposits: deposits.length,
    attempts: attempts.length,
  }
}

/**
 * Adds the payment of an attempt, if it has none. A payment with a generated key was deleted when its attempt was
 * accepted; without a payment, an attempt that is pending again could not be renewed.
 */
async function restorePayment(
  tx: Queries,
  attempt: Digits,
  { key, digest }: ClaimedPayment,
): Promise<void> {
  await tx.query(
    `WITH restored AS (
       INSERT INTO @.payments (key, digest, generated, status, pending_since)
       SELECT $2, $3, true, 'pending', now()
       WHERE NOT EXISTS (SELECT FROM @.attempt_payments WHERE attempt = $1)
       ON CONFLICT (key) DO UPDATE SET status = 'pending' RETURNING seq
     )
     INSERT INTO @.attempt_payments (attempt, position, payment) SELECT $1, 1, seq FROM restored`,
    [attempt, key, digest],
  )
}
