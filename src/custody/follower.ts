import { equalBytes } from '../bytes/compare.ts'
import { AvmError } from '../errors.ts'
import type { BlockReader, FollowedBlock } from '../rpc/block-reader.ts'
import { BlockError } from '../rpc/errors.ts'
import { applyBlock } from './apply-block.ts'
import { type ChainRow, readChain, syncLock } from './chain-row.ts'
import { pause, RETRY_MS } from './channels.ts'
import { type Session, transactionOn } from './database.ts'
import { CustodyError } from './errors.ts'
import { type Detour, leaveFalseChain, serverWithoutBlock } from './false-chain.ts'
import { shownBlocks } from './servers.ts'
import type { Settings } from './settings.ts'
import { endStranded } from './stranded.ts'
import { readWalk, recordWalk, type Walk } from './walk.ts'

const READ_TIMEOUT_MS = 10_000
/** Pause between polls for the next block: doubles while there is none. */
const FIRST_POLL_MS = 50
const MAX_POLL_MS = 500
/** Interval at which it is recorded that all blocks are applied. */
const SYNC_RECORD_MS = 1_000
/** Interval at which the last block is compared with the servers' while no new block is accepted. */
const ANCHOR_CHECK_MS = 15_000

/**
 * Follows accepted blocks and applies each in one transaction of the database. All workers try; one at a time is the
 * leader. Leadership is an advisory lock of a database session that the server ends if it is silent for `leaderMs`, so
 * a leader that dies or is suspended loses it. A former leader that continues cannot commit: each block is applied
 * only under the epoch of the present leader.
 */
export class Follower {
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Follows until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, log } = this.settings
    while (!signal.aborted) {
      try {
        await this.reachServer(signal)
        await database.session((session) => this.lead(session, signal), { isOwn: true })
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        await log('warn', 'leader.lost', error.message, { code: error.code })
      }
      await pause(RETRY_MS, signal)
    }
  }

  /** Waits until a server answers. Until then another worker, which may use other servers, can lead. */
  private async reachServer(signal: AbortSignal): Promise<void> {
    const { client } = this.settings
    while (!signal.aborted)
      try {
        await client.avm.getHeight({}, { totalMs: READ_TIMEOUT_MS, signal })
        return
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        await pause(RETRY_MS, signal)
      }
  }

  /** Waits until this worker is elected, then follows. */
  private async lead(session: Session, signal: AbortSignal): Promise<void> {
    const { limits, log, worker } = this.settings
    const timeout = Math.max(1, Math.floor(limits.leaderMs))
    const beat = () => session.query('SELECT 1').catch(() => {})
    await session.query(
      `SET idle_session_timeout = ${timeout}; SET idle_in_transaction_session_timeout = ${timeout}`,
    )
    // Pauses and requests to the node can take longer than the session may be idle.
    const heartbeat = setInterval(beat, timeout / 4)
    try {
      while (!(await this.isElected(session))) {
        await pause(RETRY_MS, signal)
        if (signal.aborted) return
      }
      const [row] = await session.query<{ epoch: string }>(
        'UPDATE @.chain SET epoch = epoch + 1, leader = $1 RETURNING epoch',
        [worker],
      )
      const epoch = BigInt(row!.epoch)
      await log('info', 'leader.elected', 'this process follows the chain', { worker, epoch })
      await this.follow(session, epoch, signal)
    } finally {
      clearInterval(heartbeat)
    }
  }

  private async isElected(session: Session): Promise<boolean> {
    const [lock] = await session.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
      [`avmkit leader ${this.settings.database.schema}`],
    )
    return lock!.held
  }

  private async follow(session: Session, epoch: bigint, signal: AbortSignal): Promise<void> {
    const { client, limits, log } = this.settings
    let reader: BlockReader | undefined
    let pollMs = FIRST_POLL_MS
    // Number of reads without a block. Servers may be at different heights: each of them must have no further block.
    let behind = 0
    let syncRecordedAt = Number.NEGATIVE_INFINITY
    let anchoredAt = performance.now()
    let detour: Detour | undefined
    let applying: FollowedBlock | undefined
    // Number of blocks that were refused.
    let refused = 0
    // Whether blocks may have been taken back since `endStranded` last ran, maybe by a former leader.
    let mayBeStranded = true
    let walk: Walk | undefined
    // Whether addresses were walked since the election: without the first walk the hot wallet may seem to be empty.
    let hasWalked = false
    let failingSince: number | undefined
    while (!signal.aborted) {
      try {
        const chain = await this.chainAsLeader(session, epoch)
        const next = chain.nextHeight!
        if (detour !== undefined) mayBeStranded = true
        if (detour !== undefined && next > detour.height) {
          detour = undefined
          reader = undefined
        }
        // A rescan was requested, or the reader is ahead because too few servers showed the blocks that it read.
        if (reader === undefined || reader.next !== next || !follows(reader, chain.lastBlock)) {
          const source = detour === undefined ? client : client.servers()[detour.server]!
          reader = source.blockReader({ from: next, parentID: chain.lastBlock })
        }
        const blocks = await this.read(reader, signal)
        failingSince = undefined
        behind = blocks.length === 0 ? behind + 1 : 0
        if (detour !== undefined && blocks.length === 0) {
          // The server withholds the block that it has shown.
          detour = undefined
          reader = undefined
          behind = 0
          continue
        }
        for (const block of blocks) {
          if (signal.aborted) return
          anchoredAt = performance.now()
          pollMs = FIRST_POLL_MS
          applying = block
          const isApplied = await this.apply(session, block, epoch)
          applying = undefined
          if (isApplied) continue
          reader = undefined
          break
        }
        if (behind < client.servers().length) continue
        if (performance.now() - anchoredAt > ANCHOR_CHECK_MS) {
          anchoredAt = performance.now()
          detour = await leaveFalseChain(this.settings, session, epoch, signal)
          if (detour !== undefined) continue
        }
        if (walk !== undefined) {
          await recordWalk(this.settings, session, epoch, walk)
          walk = undefined
          continue
        }
        const mayRecordSync = hasWalked || !chain.hasUnwalked
        if (mayRecordSync && performance.now() - syncRecordedAt > SYNC_RECORD_MS) {
          if (mayBeStranded) await this.endStranded(session, epoch)
          mayBeStranded = false
          await this.recordSync(session, chain, syncRecordedAt < 0)
          syncRecordedAt = performance.now()
        }
        if (chain.hasUnwalked) {
          hasWalked = true
          walk = await readWalk(this.settings, session, signal)
          behind = 0
          continue
        }
        await pause(pollMs, signal)
        pollMs = Math.min(MAX_POLL_MS, pollMs * 2)
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        if (error instanceof CustodyError && error.code !== 'BLOCK_FORGED') throw error
        if (signal.aborted) return
        // No server could be reached, its blocks do not follow the last one, or a block was refused.
        reader = undefined
        await log('warn', 'follower.failed', error.message, { code: error.code })
        const isOtherChain = error instanceof BlockError || applying !== undefined
        detour = isOtherChain ? await this.tryToLeave(session, epoch, signal) : undefined
        if (applying !== undefined)
          detour ??= await serverWithoutBlock(this.settings, applying, refused++, signal)
        applying = undefined
        failingSince ??= performance.now()
        if (!isOtherChain && performance.now() - failingSince > limits.leaderMs)
          throw new CustodyError('LEADER_LOST', 'no server can be reached: the lead is given up')
        await pause(detour === undefined ? RETRY_MS : FIRST_POLL_MS, signal)
      }
    }
  }

  /** Calls `leaveFalseChain`; undefined if servers cannot be reached, which is tried again after the next failure. */
  private async tryToLeave(
    session: Session,
    epoch: bigint,
    signal: AbortSignal,
  ): Promise<Detour | undefined> {
    try {
      return await leaveFalseChain(this.settings, session, epoch, signal)
    } catch (error) {
      if (!(error instanceof AvmError) || error instanceof CustodyError) throw error
      return undefined
    }
  }

  private async endStranded(session: Session, epoch: bigint): Promise<void> {
    const payouts = await endStranded(session, epoch)
    if (payouts > 0)
      await this.settings.log(
        'error',
        'payout.held',
        'payouts spend outputs of blocks that were taken back',
        { payouts },
      )
  }

  private async chainAsLeader(session: Session, epoch: bigint): Promise<ChainRow> {
    const chain = await readChain(session)
    if (chain.epoch !== epoch)
      throw new CustodyError('LEADER_LOST', 'another process follows the chain now')
    return chain
  }

  /**
   * Records that all blocks were applied that existed when the chain's row was read, unless a rescan was requested
   * since.
   *
   * @param isFirst - whether it is the first time since the election, for which workers wait
   */
  private async recordSync(
    session: Session,
    { epoch, nextHeight, now }: ChainRow,
    isFirst: boolean,
  ): Promise<void> {
    const { database, channels } = this.settings
    await session.query('UPDATE @.chain SET synced_at = $3 WHERE epoch = $1 AND next_height = $2', [
      epoch,
      nextHeight,
      now,
    ])
    if (isFirst)
      await session.query(`SELECT pg_advisory_lock(hashtextextended($1, 0)), pg_notify($2, '')`, [
        syncLock(database.schema),
        channels.work,
      ])
  }

  /** Reads the next blocks, up to the first one that fewer servers than `quorum` show. */
  private async read(reader: BlockReader, signal: AbortSignal): Promise<FollowedBlock[]> {
    const { client, quorum } = this.settings
    const { next, parentID } = reader
    const blocks = await reader.read({ timeoutMs: READ_TIMEOUT_MS, signal })
    if (quorum <= 1 || blocks.length === 0) return blocks
    const range = { from: next, parentID, count: blocks.length }
    const shown = await shownBlocks(client, range, signal)
    const agreed = agreedBlocks(blocks, shown, quorum)
    if (agreed.length > 0) return agreed
    // Too few servers show the first block: read from one of those that agree on another.
    const server = shown.findIndex(([id]) => id !== undefined && countOf(shown, 0, id) >= quorum)
    if (server < 0) return []
    const others = client.servers()[server]!.blockReader({ from: next, parentID })
    const limit = blocks.length
    return agreedBlocks(
      await others.read({ timeoutMs: READ_TIMEOUT_MS, signal, limit }),
      shown,
      quorum,
    )
  }

  private async apply(session: Session, block: FollowedBlock, epoch: bigint): Promise<boolean> {
    const { assets, backend, channels, log } = this.settings
    const options = { epoch, assets, backend, channels }
    const { height } = block.block
    const applied = await transactionOn(session, async (tx) => {
      const done = await applyBlock(tx, block, options)
      await log('debug', 'block.applying', 'a block is about to be committed', { height })
      return done
    })
    if (applied === undefined) return false
    const { accepted, rejected, deposits, held } = applied
    await log('debug', 'block.applied', 'a block was applied', {
      height,
      deposits,
      accepted: accepted.length,
      rejected: rejected.length,
    })
    if (rejected.length > 0)
      await log('warn', 'attempt.rejected', 'other transactions spent inputs of attempts', {
        transactions: rejected.length,
      })
    if (held > 0)
      await log(
        'error',
        'payout.held',
        'a transaction without a claim may have made or canceled payouts',
        {
          payouts: held,
        },
      )
    return true
  }
}

function follows({ parentID }: BlockReader, lastBlock: Uint8Array | undefined): boolean {
  return parentID === undefined || lastBlock === undefined || equalBytes(parentID, lastBlock)
}

/** The first blocks, up to one that fewer servers than `quorum` show. */
function agreedBlocks(
  blocks: readonly FollowedBlock[],
  shown: readonly (readonly Uint8Array[])[],
  quorum: number,
): FollowedBlock[] {
  const disputed = blocks.findIndex(({ blockID }, i) => countOf(shown, i, blockID) < quorum)
  return blocks.slice(0, disputed < 0 ? blocks.length : disputed)
}

/** Number of servers that show a block at a position. */
function countOf(
  shown: readonly (readonly Uint8Array[])[],
  position: number,
  blockID: Uint8Array,
): number {
  return shown.filter((ids) => ids[position] !== undefined && equalBytes(ids[position], blockID))
    .length
}
