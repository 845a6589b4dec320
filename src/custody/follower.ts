import { equalBytes } from '../bytes/compare.ts'
import { AvmError } from '../errors.ts'
import type { BlockReader, FollowedBlock } from '../rpc/block-reader.ts'
import { extendAccounts } from './accounts.ts'
import { applyBlock } from './apply-block.ts'
import { readChain } from './chain-row.ts'
import { pause } from './channels.ts'
import { type Session, transactionOn } from './database.ts'
import { CustodyError } from './errors.ts'
import type { Settings } from './settings.ts'
import { walkAddresses } from './walk.ts'

const READ_TIMEOUT_MS = 10_000
/** Pauses between two looks for the next block. */
const FIRST_POLL_MS = 50
const MAX_POLL_MS = 500
const RETRY_MS = 1_000

/**
 * Follows accepted blocks and applies each in one transaction of the database. All workers try; one at a time is the
 * leader. Leadership is an advisory lock of a database session that the server ends if it is silent for `leaderMs`, so
 * a leader that dies or is suspended loses it. A former leader that continues cannot commit: each block is applied
 * only under the epoch of the present leader.
 */
export class Follower {
  private readonly settings: Settings
  /** Whether this process is the leader. */
  isLeader = false
  lastError: unknown

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Follows until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, log } = this.settings
    while (!signal.aborted) {
      try {
        await database.session((session) => this.lead(session, signal), { isOwn: true })
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        this.lastError = error
        await log('warn', 'leader.lost', error.message, { code: error.code })
      } finally {
        this.isLeader = false
      }
      await pause(RETRY_MS, signal)
    }
  }

  private async lead(session: Session, signal: AbortSignal): Promise<void> {
    const { database, limits, log, worker } = this.settings
    const timeout = Math.max(1, Math.floor(limits.leaderMs))
    await session.query(`SET idle_session_timeout = ${timeout}`)
    await session.query(`SET idle_in_transaction_session_timeout = ${timeout}`)
    const [lock] = await session.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
      [`avmkit leader ${database.schema}`],
    )
    if (!lock!.held) return
    const [row] = await session.query<{ epoch: string }>(
      'UPDATE @.chain SET epoch = epoch + 1, leader = $1 RETURNING epoch',
      [worker],
    )
    const epoch = BigInt(row!.epoch)
    this.isLeader = true
    await log('info', 'leader.elected', 'this process follows the chain', { worker, epoch })
    // Requests to the node can take longer than the session may be silent.
    const heartbeat = setInterval(() => session.query('SELECT 1').catch(() => {}), timeout / 4)
    try {
      await this.follow(session, epoch, signal)
    } finally {
      clearInterval(heartbeat)
    }
  }

  private async follow(session: Session, epoch: bigint, signal: AbortSignal): Promise<void> {
    const { log } = this.settings
    let reader: BlockReader | undefined
    let pollMs = FIRST_POLL_MS
    while (!signal.aborted) {
      try {
        const chain = await readChain(session)
        if (chain.epoch !== epoch)
          throw new CustodyError('LEADER_LOST', 'another process follows the chain now')
        // Somebody has asked for earlier blocks.
        if (reader === undefined || reader.next !== chain.nextHeight)
          reader = this.readerAt(chain.nextHeight!, chain.lastBlock)
        const blocks = await this.read(reader, signal)
        for (const block of blocks) {
          if (signal.aborted) return
          if (await this.apply(session, block, epoch)) continue
          reader = undefined
          break
        }
        if (blocks.length === 0) {
          const hasWalked = await walkAddresses(this.settings, session, epoch, signal)
          if (!hasWalked) {
            await this.noteSync(session, epoch)
            await pause(pollMs, signal)
          }
          pollMs = Math.min(MAX_POLL_MS, pollMs * 2)
        } else pollMs = FIRST_POLL_MS
        this.lastError = undefined
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        if (error instanceof CustodyError && error.code !== 'BLOCK_FORGED') throw error
        if (signal.aborted) return
        // Servers that cannot be reached, or whose blocks do not follow the last one.
        reader = undefined
        this.lastError = error
        await log('warn', 'follower.failed', error.message, { code: error.code })
        await pause(RETRY_MS, signal)
      }
    }
  }

  /** Tells workers that all blocks are applied, once a second. */
  private async noteSync(session: Session, epoch: bigint): Promise<void> {
    const { channels } = this.settings
    await session.query(
      `WITH synced AS (
         UPDATE @.chain SET synced_at = now()
         WHERE epoch = $1 AND (synced_at IS NULL OR synced_at < now() - interval '1 second')
           AND NOT EXISTS (SELECT FROM @.addresses WHERE NOT walked)
         RETURNING 1
       ) SELECT pg_notify($2, '') FROM synced`,
      [epoch, channels.work],
    )
  }

  private readerAt(from: bigint, parentID: Uint8Array | undefined): BlockReader {
    return this.settings.client.blockReader({ from, parentID })
  }

  /** Reads blocks, as many of them as enough servers show. */
  private async read(reader: BlockReader, signal: AbortSignal): Promise<FollowedBlock[]> {
    const { quorum } = this.settings
    const { next, parentID } = reader
    const blocks = await reader.read({ timeoutMs: READ_TIMEOUT_MS, signal })
    if (quorum <= 1 || blocks.length === 0) return blocks
    const shown = await this.shownBlocks(next, parentID, blocks.length, signal)
    const agreed = blocks.findIndex(
      ({ blockID }, i) =>
        shown.filter((list) => list[i] !== undefined && equalBytes(list[i]!, blockID)).length <
        quorum,
    )
    return agreed < 0 ? blocks : blocks.slice(0, agreed)
  }

  /** The IDs of the blocks from a height on, by each server alone. */
  private async shownBlocks(
    from: bigint,
    parentID: Uint8Array | undefined,
    count: number,
    signal: AbortSignal,
  ): Promise<Uint8Array[][]> {
    return Promise.all(
      this.settings.client.servers().map(async (server) => {
        const reader = server.blockReader({ from, parentID })
        const ids: Uint8Array[] = []
        try {
          while (ids.length < count) {
            const blocks = await reader.read({ timeoutMs: READ_TIMEOUT_MS, signal })
            if (blocks.length === 0) break
            ids.push(...blocks.map(({ blockID }) => blockID))
          }
        } catch (error) {
          // A server that shows nothing does not agree.
          if (!(error instanceof AvmError)) throw error
        }
        return ids
      }),
    )
  }

  private async apply(session: Session, block: FollowedBlock, epoch: bigint): Promise<boolean> {
    const { assets, backend, channels, log } = this.settings
    const options = { epoch, assets, backend, channels }
    const applied = await transactionOn(session, async (tx) => {
      const done = await applyBlock(tx, block, options)
      await log('debug', 'block.applying', 'a block is about to be committed', {
        height: block.block.height,
      })
      return done
    })
    if (applied === undefined) return false
    const { accepted, rejected, deposits, paid, held } = applied
    await log('debug', 'block.applied', 'a block was applied', {
      height: block.block.height,
      deposits,
      accepted: accepted.length,
      rejected: rejected.length,
    })
    if (rejected.length > 0)
      await log('warn', 'attempt.rejected', 'other transactions spent inputs of attempts', {
        transactions: rejected.length,
      })
    if (held > 0)
      await log('error', 'payout.held', 'a transaction without a claim may have made payouts', {
        payouts: held,
      })
    await extendAccounts(session, paid)
    return true
  }
}
