import { formatID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { RpcError } from '../../node/errors.ts'
import { eachInFlight } from '../../wallet/in-flight.ts'
import type { Claim } from '../../wallet/store/store.ts'
import { type Bytes, bytesOf, type Digits, textColumn } from '../database/values.ts'
import type { Settings } from '../settings.ts'

const REQUEST_TIMEOUT_MS = 10_000
/** Maximum number of attempts that are issued again at a time, and how many of them concurrently. */
const MAX_DUE = 16
const ATTEMPTS_IN_FLIGHT = 8
const MAX_RESEND_MS = 60_000
/** Pause before another server or worker issues what a server did not answer, or has rejected and remembers. */
const OTHER_RETRY_MS = 1_000

/**
 * SQL condition: an attempt is to be issued again. All blocks must have been applied since it was last issued, or the
 * longest pause has passed: otherwise it may be in one of them, and nodes would reject it because its inputs are spent.
 */
export const IS_DUE: string = `outcome IS NULL AND next_issue <= now() AND (issued_at < now() - ${MAX_RESEND_MS} * interval '1 millisecond'
  OR issued_at < (SELECT read_at FROM @.chain))`

/** A pending attempt that is due. */
export type DueAttempt = {
  readonly seq: Digits
  readonly tx_id: Bytes
  readonly kind: Claim['kind']
  readonly purpose: string
  readonly bytes: Bytes
  readonly from_height: Digits
  readonly fee: Digits
  /** How often it was issued; chooses the server. */
  readonly issued: number
  /** Number of rejections that nodes remember. */
  readonly refused: number
}

/**
 * Issues claimed transactions repeatedly until the follower has recorded their outcome. The answer of a node never ends
 * an attempt. While none of its servers answers, a worker leaves them to others, which may use other servers.
 */
export class PayoutIssuer {
  private readonly settings: Settings
  /** Number of requests since the last one that was answered. */
  private unanswered = 0
  /** How long attempts are left to other workers after the next round without an answer. */
  private leaveMs: number
  /** Until when attempts are left to other workers, as of `performance.now`. */
  private leavesUntil = Number.NEGATIVE_INFINITY

  constructor(settings: Settings) {
    this.settings = settings
    this.leaveMs = settings.limits.resendMs
  }

  /** Sends a claimed transaction once; `issued` chooses the server. */
  async issue({
    txID,
    bytes,
    issued,
  }: {
    readonly txID: Uint8Array
    readonly bytes: Uint8Array
    readonly issued: number
  }): Promise<void> {
    const { client, database, log } = this.settings
    const servers = client.servers()
    try {
      await servers[issued % servers.length]!.avm.issueTx(
        { tx: bytes },
        { timeoutMs: REQUEST_TIMEOUT_MS },
      )
      this.noteAnswer(true)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      // Gateways answer for a node that they do not reach.
      const isAnswered = error instanceof RpcError && !error.retryable
      this.noteAnswer(isAnswered)
      const isRemembered = isAnswered && error.rejection(decodeTx(bytes).unsignedTx.type).remembered
      await database.query(
        `UPDATE @.attempts SET last_error = $2, refused = refused + $3,
           next_issue = least(next_issue, now() + $4 * interval '1 millisecond')
         WHERE tx_id = $1 AND outcome IS NULL AND next_issue < 'infinity'`,
        [
          txID,
          textColumn(error.message).slice(0, 500),
          isRemembered ? 1 : 0,
          isRemembered || !isAnswered ? OTHER_RETRY_MS : MAX_RESEND_MS,
        ],
      )
      await log('warn', 'issue.failed', error.message, { txID: formatID(txID), code: error.code })
    }
  }

  /**
   * Issues attempts that are due, whichever worker claimed them.
   *
   * @param signal - once it is aborted, no further one is issued
   * @returns those that were not issued because every server has rejected them and remembers it
   */
  async issueDue(signal: AbortSignal): Promise<DueAttempt[]> {
    if (performance.now() < this.leavesUntil) return []
    const { client, database, limits } = this.settings
    // The update postpones the next issue, so two workers do not send the same attempt at the same time.
    const due = await database.query<DueAttempt>(
      `UPDATE @.attempts SET issued = issued + 1, issued_at = now(),
         next_issue = now() + least($1 * power(2, least(issued, 20)), $2) * interval '1 millisecond'
       WHERE seq IN (SELECT seq FROM @.attempts WHERE ${IS_DUE}
         ORDER BY next_issue LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING seq, tx_id, kind, purpose, bytes, from_height, fee, issued, refused`,
      [limits.resendMs, MAX_RESEND_MS, MAX_DUE],
    )
    const isRefusedByAll = ({ refused }: DueAttempt) =>
      refused > 0 && refused % client.servers().length === 0
    await eachInFlight(
      due.filter((row) => !isRefusedByAll(row)),
      ATTEMPTS_IN_FLIGHT,
      async ({ tx_id, bytes, issued }) => {
        if (signal.aborted) return
        await this.issue({ txID: bytesOf(tx_id), bytes: bytesOf(bytes), issued })
      },
    )
    this.leaveIfUnanswered()
    return due.filter(isRefusedByAll)
  }

  private noteAnswer(isAnswered: boolean): void {
    this.unanswered = isAnswered ? 0 : this.unanswered + 1
    if (!isAnswered) return
    this.leaveMs = this.settings.limits.resendMs
    this.leavesUntil = Number.NEGATIVE_INFINITY
  }

  /** Leaves attempts to other workers for a while, twice as long each time, if none of the servers answers. */
  private leaveIfUnanswered(): void {
    if (this.unanswered < this.settings.client.servers().length) return
    this.leavesUntil = performance.now() + this.leaveMs
    this.leaveMs = Math.min(MAX_RESEND_MS, 2 * this.leaveMs)
  }
}
