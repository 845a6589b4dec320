import { AvmError } from '../../core/base/errors.ts'
import { leaderLock } from '../database/chain-row.ts'
import { pause, RETRY_MS } from '../database/channels.ts'
import type { Session } from '../database/database.ts'
import type { Settings } from '../settings.ts'
import { Leader } from './leader.ts'

const REACH_TIMEOUT_MS = 10_000

/**
 * Lets one worker at a time lead: follow accepted blocks and apply them. All workers try to. Leadership is an advisory
 * lock of a database session, which the server ends if it is silent for `leaderMs`, so a leader that dies or is
 * suspended loses it. A former leader that continues cannot commit: each block is applied only under the epoch of the present leader.
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
        await database.session((session) => this.lead(session, signal), { isDedicated: true })
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        if (signal.aborted) return
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
        await client.avm.getHeight({}, { totalMs: REACH_TIMEOUT_MS, signal })
        return
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        await pause(RETRY_MS, signal)
      }
  }

  /** Waits until this worker is elected, then leads. */
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
      await new Leader(this.settings, session, epoch).run(signal)
    } finally {
      clearInterval(heartbeat)
    }
  }

  private async isElected(session: Session): Promise<boolean> {
    const [lock] = await session.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
      [leaderLock(this.settings.database.schema)],
    )
    return lock!.held
  }
}
