import { equalBytes } from '../../core/base/bytes/compare.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { BlockReader, FollowedBlock } from '../../node/blocks/block-reader.ts'
import { BlockError } from '../../node/errors.ts'
import { onAbort } from '../../node/transport/abort.ts'
import { type ChainRow, readChain, syncLock } from '../database/chain-row.ts'
import { pause, RETRY_MS } from '../database/channels.ts'
import { type Session, transactionOn } from '../database/database.ts'
import { deriveAddresses, MAX_DERIVED } from '../deposits/accounts.ts'
import { CustodyError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import { applyBlock } from './apply-block.ts'
import { type Detour, leaveFalseChain, serverWithoutBlock } from './false-chain.ts'
import { findServerProblem, READ_TIMEOUT_MS, type ServerProblem } from './servers.ts'
import { endStranded } from './stranded.ts'
import { addressesToWalk, readWalk, recordWalk, type WalkResult } from './walk.ts'

/** Pause between polls for the next block: doubles while there is none. */
const FIRST_BLOCK_POLL_MS = 50
const MAX_BLOCK_POLL_MS = 500
/** Interval at which it is recorded that all blocks are applied. */
const SYNC_RECORD_MS = 1_000
/** Interval at which the last block is compared with the servers' while no new block is accepted. */
const COMPARE_MS = 15_000

/** A walk that is read while blocks are applied. */
type RunningWalk = {
  readonly result: Promise<WalkResult>
  /** Resolves when the result is known; never rejects. */
  readonly ended: Promise<void>
  hasEnded: boolean
}

/**
 * The work of a worker that was elected: applies each accepted block in one transaction of the database, records when
 * all blocks are applied, and looks for earlier outputs of new addresses.
 */
export class Leader {
  private readonly settings: Settings
  private readonly session: Session
  private readonly epoch: bigint
  private reader: BlockReader | undefined
  /** The server to read from while a dishonest server may show false blocks again. */
  private detour: Detour | undefined
  /** The block that is being applied. */
  private applying: FollowedBlock | undefined
  /** Number of blocks that were refused. */
  private refused = 0
  /** Number of reads without a block, one after the other. */
  private emptyReads = 0
  private pollMs = FIRST_BLOCK_POLL_MS
  private syncRecordedAt = Number.NEGATIVE_INFINITY
  /** When the last block was applied or compared with the servers'. */
  private comparedAt = performance.now()
  /** Whether blocks may have been taken back since `endStranded` last ran, maybe by a former leader. */
  private mayBeStranded = true
  private walk: RunningWalk | undefined
  /** A walk that was read and is recorded once all blocks are applied. */
  private readyWalk: WalkResult | undefined
  /** Whether a walk has ended since the election: without the first one the hot wallet may seem to be empty. */
  private hasWalked = false
  /** Since when no server could be reached. */
  private failingSince: number | undefined
  /** Why the servers did not confirm the last block when they were last asked. */
  private problem: ServerProblem['code'] | undefined

  /** @param epoch - number of the election; others are elected under higher numbers */
  constructor(settings: Settings, session: Session, epoch: bigint) {
    this.settings = settings
    this.session = session
    this.epoch = epoch
  }

  /**
   * Leads until the signal is aborted.
   *
   * @throws CustodyError `LEADER_LOST`, `DATABASE_FAILED`
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController()
    const forget = onAbort(signal, () => stop.abort())
    if (signal.aborted) stop.abort()
    try {
      while (!stop.signal.aborted)
        try {
          await this.step(stop.signal)
        } catch (error) {
          await this.recover(error, stop.signal)
        }
    } finally {
      forget()
      stop.abort()
      await this.walk?.ended
    }
  }

  /** Applies the next blocks. If there are none, does one of the other tasks, or pauses. */
  private async step(signal: AbortSignal): Promise<void> {
    const chain = await this.readChain()
    const isDeriving = await deriveAddresses(this.session, MAX_DERIVED)
    const blocks = await this.read(chain, signal)
    for (const block of blocks) {
      if (signal.aborted) return
      if (!(await this.apply(block))) break
    }
    // Servers may be at different heights, and an empty read asks one of them: each must have no further block.
    if (this.emptyReads < this.settings.chain.emptyReads) return
    if (await this.compareLastBlock(signal)) return
    if (await this.finishWalk()) return
    const isUnconfirmed = this.problem !== undefined || this.isSyncDue()
    if (isUnconfirmed && !(await this.confirm(chain, signal))) {
      // If the last block was false, pending transactions that reach an honest server show it.
      if (this.problem === 'NODE_BEHIND') await this.recordRead(chain)
      await pause(RETRY_MS, signal)
      return
    }
    if (this.hasWalked || !chain.hasUnwalked) await this.recordSync(chain)
    // Except for the first one, walks wait until all addresses are derived, and then read many of them together.
    const mayWalk = this.walk === undefined && !(isDeriving && this.hasWalked)
    if (chain.hasUnwalked && mayWalk) await this.startWalk(signal)
    if (isDeriving) return
    await Promise.race([pause(this.pollMs, signal), ...(this.walk ? [this.walk.ended] : [])])
    this.pollMs = Math.min(MAX_BLOCK_POLL_MS, this.pollMs * 2)
  }

  /** Continues after a failure of the servers. Rethrows others. */
  private async recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { limits, log } = this.settings
    if (!(error instanceof AvmError)) throw error
    if (error instanceof CustodyError && error.code !== 'BLOCK_FORGED') throw error
    if (signal.aborted) return
    // No server could be reached, its blocks do not follow the last one, or a block was refused.
    this.reader = undefined
    await log('warn', 'follower.failed', error.message, { code: error.code })
    const { applying } = this
    this.applying = undefined
    // With a larger quorum the blocks of dishonest servers are never applied.
    const mayBeFalse = this.settings.chain.quorum === 1
    const isOtherChain = mayBeFalse && (error instanceof BlockError || applying !== undefined)
    this.detour = isOtherChain ? await this.tryToLeave(signal) : undefined
    if (applying !== undefined && mayBeFalse)
      this.detour ??= await serverWithoutBlock(this.settings, applying, this.refused++, signal)
    if (error instanceof BlockError && this.detour === undefined)
      await this.confirm(await this.readChain(), signal)
    this.failingSince ??= performance.now()
    if (!isOtherChain && performance.now() - this.failingSince > limits.leaderMs)
      throw new CustodyError('LEADER_LOST', 'no server can be reached: the lead is given up')
    await pause(this.detour === undefined ? RETRY_MS : FIRST_BLOCK_POLL_MS, signal)
  }

  /** Calls `leaveFalseChain`; undefined if servers cannot be reached, which is tried again after the next failure. */
  private async tryToLeave(signal: AbortSignal): Promise<Detour | undefined> {
    try {
      return await leaveFalseChain(this.settings, this.session, this.epoch, signal)
    } catch (error) {
      if (!(error instanceof AvmError) || error instanceof CustodyError) throw error
      return undefined
    }
  }

  private async readChain(): Promise<ChainRow> {
    const chain = await readChain(this.session)
    if (chain.epoch !== this.epoch)
      throw new CustodyError('LEADER_LOST', 'another process follows the chain now')
    return chain
  }

  private async read(chain: ChainRow, signal: AbortSignal): Promise<FollowedBlock[]> {
    const reader = this.readerFor(chain)
    const blocks = await reader.read({ timeoutMs: READ_TIMEOUT_MS, signal })
    this.failingSince = undefined
    this.emptyReads = blocks.length === 0 ? this.emptyReads + 1 : 0
    if (blocks.length === 0 && this.detour !== undefined) {
      // The server withholds the block that it has shown.
      this.detour = undefined
      this.reader = undefined
      this.emptyReads = 0
    }
    return blocks
  }

  private readerFor({ nextHeight, lastBlock }: ChainRow): BlockReader {
    const { client, chain } = this.settings
    const next = nextHeight!
    if (this.detour !== undefined) {
      this.mayBeStranded = true
      if (next > this.detour.height) {
        this.detour = undefined
        this.reader = undefined
      }
    }
    const { reader, detour } = this
    // Otherwise a rescan was requested.
    if (reader !== undefined && reader.next === next && continuesFrom(reader, lastBlock))
      return reader
    const source = detour === undefined ? client : client.servers()[detour.server]!
    this.reader = chain.blockReader({ from: next, parentID: lastBlock }, source)
    return this.reader
  }

  /** Applies a block. False if it is not the next one. */
  private async apply(block: FollowedBlock): Promise<boolean> {
    const { assets, backend, channels, log } = this.settings
    const options = { epoch: this.epoch, assets, backend, channels }
    const { height } = block.block
    this.comparedAt = performance.now()
    this.pollMs = FIRST_BLOCK_POLL_MS
    this.applying = block
    const applied = await transactionOn(this.session, async (tx) => {
      const done = await applyBlock(tx, block, options)
      await log('debug', 'block.applying', 'a block is about to be committed', { height })
      return done
    })
    this.applying = undefined
    if (applied === undefined) {
      this.reader = undefined
      return false
    }
    const { accepted, rejected, deposits, held } = applied
    await log('debug', 'block.applied', 'a block was applied', {
      height,
      deposits,
      accepted: accepted.length,
      rejected: rejected.length,
    })
    // Others may spend their outputs, which a false block had contained.
    if (rejected.length > 0) this.mayBeStranded = true
    if (rejected.length > 0)
      await log('warn', 'attempt.rejected', 'other transactions spent inputs of attempts', {
        transactions: rejected.length,
      })
    if (held > 0)
      await log(
        'error',
        'payout.held',
        'a transaction without a claim may have made or canceled payouts',
        { payouts: held },
      )
    return true
  }

  /** Compares the last block with the servers' from time to time. Returns whether blocks were taken back. */
  private async compareLastBlock(signal: AbortSignal): Promise<boolean> {
    if (this.settings.chain.quorum > 1) return false
    if (performance.now() - this.comparedAt <= COMPARE_MS) return false
    this.comparedAt = performance.now()
    this.detour = await leaveFalseChain(this.settings, this.session, this.epoch, signal)
    return this.detour !== undefined
  }

  /**
   * Asks the servers whether they have the last block that was applied. If they are behind it or have another one,
   * nothing is claimed until they have it.
   */
  private async confirm(chain: ChainRow, signal: AbortSignal): Promise<boolean> {
    const problem = await findServerProblem(this.settings, chain, {
      timeoutMs: READ_TIMEOUT_MS,
      signal,
    })
    if (signal.aborted) return false
    if (problem !== undefined && problem.code !== 'NODE_UNREACHABLE')
      await this.session.query('UPDATE @.chain SET verified_at = NULL WHERE epoch = $1', [
        this.epoch,
      ])
    if (problem !== undefined && problem.code !== this.problem)
      await this.settings.log('error', 'chain.unconfirmed', problem.message, { code: problem.code })
    this.problem = problem?.code
    return problem === undefined
  }

  /** Records that all blocks were applied that the servers have, although they do not have the last one. */
  private async recordRead({ nextHeight, now }: ChainRow): Promise<void> {
    await this.session.query(
      'UPDATE @.chain SET read_at = $3 WHERE epoch = $1 AND next_height = $2',
      [this.epoch, nextHeight, now],
    )
  }

  private isSyncDue(): boolean {
    return performance.now() - this.syncRecordedAt > SYNC_RECORD_MS
  }

  /** Starts a walk. Blocks are applied while it is read, which can take minutes. */
  private async startWalk(signal: AbortSignal): Promise<void> {
    const addresses = await addressesToWalk(this.session)
    if (addresses.length === 0) return
    const result = readWalk(this.settings, addresses, signal)
    const end = () => {
      walk.hasEnded = true
    }
    const walk: RunningWalk = { result, ended: result.then(end, end), hasEnded: false }
    this.walk = walk
  }

  /**
   * Takes the result of a walk, and records it once the blocks that were accepted meanwhile are applied. Returns
   * whether it did one of the two.
   *
   * @throws AvmError if the walk failed
   */
  private async finishWalk(): Promise<boolean> {
    if (this.readyWalk !== undefined) {
      await recordWalk(this.settings, this.session, this.epoch, this.readyWalk)
      this.readyWalk = undefined
      return true
    }
    if (!this.walk?.hasEnded) return false
    const { result } = this.walk
    this.walk = undefined
    this.hasWalked = true
    this.readyWalk = await result
    this.emptyReads = 0
    return true
  }

  /**
   * Records from time to time that all blocks were applied that existed when the chain's row was read, unless a rescan
   * was requested since.
   */
  private async recordSync({ nextHeight, now }: ChainRow): Promise<void> {
    if (!this.isSyncDue()) return
    const { database, channels } = this.settings
    const isFirst = this.syncRecordedAt < 0
    await this.endStranded()
    await this.session.query(
      'UPDATE @.chain SET verified_at = $3, read_at = $3 WHERE epoch = $1 AND next_height = $2',
      [this.epoch, nextHeight, now],
    )
    // Workers wait for this lock after an election.
    if (isFirst)
      await this.session.query(
        `SELECT pg_advisory_lock(hashtextextended($1, 0)), pg_notify($2, '')`,
        [syncLock(database.schema), channels.work],
      )
    this.syncRecordedAt = performance.now()
  }

  private async endStranded(): Promise<void> {
    if (!this.mayBeStranded) return
    const payouts = await endStranded(this.session, this.epoch)
    if (payouts > 0)
      await this.settings.log(
        'error',
        'payout.held',
        'payouts spend outputs of blocks that were taken back',
        { payouts },
      )
    this.mayBeStranded = false
  }
}

function continuesFrom({ parentID }: BlockReader, lastBlock: Uint8Array | undefined): boolean {
  return parentID === undefined || lastBlock === undefined || equalBytes(parentID, lastBlock)
}
