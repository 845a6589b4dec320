import { type Check, msFrom, object, optional, signal } from '../../core/base/argument.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import { anyMs, sleepFor, stopwatch } from '../clock.ts'
import { AbortError, IssueError, TimeoutError, type WaitDetails } from '../errors.ts'
import { type IssueCalls, isNotFound, sendOnce } from './issue.ts'
import type { TxReference } from './reference.ts'
import { mayBeAccepted, type Rejection } from './rejections.ts'

/** Options of `waitForTx`. */
export type WaitOptions = {
  /** Aborts the call with an AbortError. */
  readonly signal?: AbortSignal | undefined
  /**
   * In milliseconds. Clearing a full mempool takes minutes, so a timeout does not mean that the transaction is lost.
   *
   * @defaultValue 60000
   */
  readonly timeoutMs?: number | undefined
  /**
   * First delay between polls in milliseconds; it grows to 2,000.
   *
   * @defaultValue 100
   */
  readonly pollMs?: number | undefined
  /**
   * Time in milliseconds, since the start or the last issue, after which a transaction that the node does not have is
   * issued again.
   *
   * @defaultValue 5000
   */
  readonly resendMs?: number | undefined
  /**
   * Time in milliseconds in which the transaction may still appear as accepted after the node reported missing
   * inputs.
   *
   * @defaultValue 1000
   */
  readonly graceMs?: number | undefined
}

/** Describes `WaitOptions`. Pauses below 1 ms would send requests without end. */
export const waitOptions: Check<WaitOptions> = object<WaitOptions>({
  signal: optional(signal),
  timeoutMs: optional(anyMs),
  pollMs: optional(msFrom(1)),
  resendMs: optional(msFrom(1)),
  graceMs: optional(anyMs),
})

/** An accepted transaction. */
export type Accepted = {
  readonly status: 'accepted'
  readonly txID: Uint8Array
  readonly tx: SignedTx
}

/** Limit of the growing delay between two queries of a status. */
export const MAX_POLL_MS = 2_000

/**
 * Polls until a transaction is accepted. If the transaction or its bytes are given, it is issued again when it is not
 * seen for a while; this never pays twice. With an ID only, it is not issued.
 *
 * @throws IssueError if the node rejects it and does not have it
 * @throws TimeoutError `TX_TIMEOUT` with what was observed
 */
export async function waitForTx(
  calls: IssueCalls,
  reference: TxReference,
  options: WaitOptions,
): Promise<Accepted> {
  return new Wait(calls, reference, options).run()
}

class Wait {
  private readonly calls: IssueCalls
  private readonly options: WaitOptions
  /** Undefined if only the ID is known. */
  private readonly bytes: Uint8Array | undefined
  private readonly txID: Uint8Array
  /** Milliseconds since the start. */
  private readonly passed: () => number
  private readonly timeoutMs: number
  private polls = 0
  private sends = 0
  private failures = 0
  private rejections = 0
  private lastSent = 0
  private lastAnswer: 'pending' | Rejection | undefined
  private lastError: AvmError | undefined
  /** A rejection that is final unless the transaction appears as accepted, and when it was received. */
  private finalRejection: { readonly error: IssueError; readonly since: number } | undefined

  constructor(calls: IssueCalls, { txID, bytes }: TxReference, options: WaitOptions) {
    this.calls = calls
    this.options = options
    this.txID = txID
    this.bytes = bytes
    this.timeoutMs = options.timeoutMs ?? 60_000
    this.passed = stopwatch(calls.clock)
  }

  async run(): Promise<Accepted> {
    const { clock } = this.calls
    for (let round = 0; ; round++) {
      const tx = await this.poll()
      if (tx !== undefined) return { status: 'accepted', txID: this.txID, tx }
      if (this.isRejected()) throw this.finalRejection!.error
      if (this.remainingMs() <= 0) throw this.timedOut()
      if (this.isSendingDue()) {
        await this.send()
        // A rejection is believed only after another poll.
        continue
      }
      const pause = Math.min(MAX_POLL_MS, (this.options.pollMs ?? 100) * 1.5 ** round)
      const jittered = pause * (0.75 + clock.random() / 2)
      await sleepFor(
        clock,
        Math.min(jittered, Math.max(1, this.remainingMs())),
        'waitForTx',
        this.options.signal,
      )
    }
  }

  private remainingMs(): number {
    return this.timeoutMs - this.passed()
  }

  private isRejected(): boolean {
    // A rejection is final only if the node, polled after it, does not have the transaction.
    if (this.finalRejection === undefined || this.lastError !== undefined) return false
    const grace = mayBeAccepted(this.lastAnswer as Rejection) ? (this.options.graceMs ?? 1_000) : 0
    return this.passed() - this.finalRejection.since >= grace
  }

  private isSendingDue(): boolean {
    if (this.bytes === undefined || this.finalRejection !== undefined) return false
    return this.passed() - this.lastSent >= (this.options.resendMs ?? 5_000)
  }

  private async poll(): Promise<SignedTx | undefined> {
    this.polls++
    try {
      const tx = await this.calls.getTxOnce(this.txID, this.failures, this.callOptions())
      this.lastError = undefined
      return tx
    } catch (error) {
      if (isNotFound(error)) {
        this.lastError = undefined
        return undefined
      }
      if (error instanceof AbortError || !(error instanceof AvmError)) throw error
      this.failures++
      this.lastError = error
      return undefined
    }
  }

  private async send(): Promise<void> {
    this.lastSent = this.passed()
    const sent = await sendOnce(this.calls, this.bytes!, this.sends++, this.callOptions())
    if (sent.answer === 'none') {
      this.lastError = sent.error
      return
    }
    this.lastAnswer = sent.answer === 'pending' ? 'pending' : sent.rejection
    if (sent.answer === 'pending') {
      this.rejections = 0
      return
    }
    const { rejection } = sent
    // The node does not remember it: the same bytes may succeed next time.
    if (rejection.class === 'retry-later' && !rejection.remembered) return
    this.rejections++
    if (this.rejections < this.calls.serverCount) {
      // Another node may have accepted it, so the next one is asked immediately.
      this.lastSent = Number.NEGATIVE_INFINITY
      return
    }
    const error = new IssueError(this.txID, rejection, sent.error)
    this.finalRejection = { error, since: this.passed() }
  }

  /** Limits one attempt to the remaining time. */
  private callOptions(): { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number } {
    const { signal } = this.options
    const timeoutMs = Math.max(1, Math.min(10_000, this.remainingMs()))
    return signal === undefined ? { timeoutMs } : { signal, timeoutMs }
  }

  private timedOut(): TimeoutError {
    const { txID, polls, sends, lastAnswer, lastError } = this
    const known: WaitDetails = {
      txID,
      polls,
      sends,
      lastAnswer,
      lastError,
    }
    return new TimeoutError(
      'TX_TIMEOUT',
      `transaction ${formatID(txID)} not accepted within ${this.timeoutMs} ms ` +
        `(polled ${polls} times, issued ${sends} times)`,
      this.timeoutMs,
      {
        known,
        hint: 'it may still be accepted: wait again, and do not replace it by one with other inputs',
        cause: lastError,
      },
    )
  }
}
