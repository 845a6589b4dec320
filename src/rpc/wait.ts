import { txID as idOf } from '../chain/ids.ts'
import { encodeTx, type SignedTx } from '../chain/tx.ts'
import { formatID, ID_SIZE } from '../encoding/ids.ts'
import { AvmError } from '../errors.ts'
import { sleepFor, stopwatch } from './clock.ts'
import { AbortError, IssueError, TimeoutError, type WaitFacts } from './errors.ts'
import { type IssueCalls, isNotFound, sendOnce } from './issue.ts'
import { type ID, idBytes } from './params.ts'
import { mayBeAccepted, type Refusal } from './refusals.ts'

/** How long and how often. */
export type WaitOptions = {
  readonly signal?: AbortSignal | undefined
  /** 60 000 unless told. A full mempool takes minutes, so time that ran out does not mean lost. */
  readonly timeoutMs?: number | undefined
  /** First pause between two questions, 100 unless told; it grows to 2 000. */
  readonly pollMs?: number | undefined
  /** How long nothing is seen before the same bytes are sent again; 5 000 unless told. */
  readonly resendMs?: number | undefined
  /** How long an acceptance may still show after the node missed the inputs; 1 000 unless told. */
  readonly graceMs?: number | undefined
}

/** A transaction that is accepted, for good. */
export type Accepted = {
  readonly status: 'accepted'
  readonly txID: Uint8Array
  readonly tx: SignedTx
}

const MAX_POLL_MS = 2_000

/**
 * Polls until a transaction is accepted. Given the transaction or its bytes, it sends them again when
 * nothing is seen for a while, which never pays twice; given only an ID it can but look. Throws `IssueError`
 * when the node refuses it and does not have it, and `TimeoutError` with all that is known when time runs out.
 */
export async function waitForTx(
  calls: IssueCalls,
  tx: SignedTx | ID,
  options: WaitOptions = {},
): Promise<Accepted> {
  return new Wait(calls, tx, options).run()
}

class Wait {
  private readonly calls: IssueCalls
  private readonly options: WaitOptions
  /** Absent where only the ID is known. */
  private readonly bytes: Uint8Array | undefined
  private readonly txID: Uint8Array
  /** Milliseconds since the wait began. */
  private readonly passed: () => number
  private readonly timeoutMs: number
  private polls = 0
  private sends = 0
  private failures = 0
  private refusals = 0
  private lastSent = 0
  private lastAnswer: 'pending' | Refusal | undefined
  private lastError: AvmError | undefined
  /** A refusal that will be the end unless the transaction shows up, and since when. */
  private ending: { readonly error: IssueError; readonly since: number } | undefined

  constructor(calls: IssueCalls, tx: SignedTx | ID, options: WaitOptions) {
    this.calls = calls
    this.options = options
    if (typeof tx === 'string' || (tx instanceof Uint8Array && tx.length === ID_SIZE))
      this.txID = idBytes(tx)
    else {
      this.bytes = tx instanceof Uint8Array ? tx : encodeTx(tx)
      this.txID = idOf(this.bytes)
    }
    this.timeoutMs = options.timeoutMs ?? 60_000
    this.passed = stopwatch(calls.clock)
  }

  async run(): Promise<Accepted> {
    const { clock } = this.calls
    for (let round = 0; ; round++) {
      const tx = await this.poll()
      if (tx !== undefined) return { status: 'accepted', txID: this.txID, tx }
      if (this.isOver()) throw this.ending!.error
      if (this.left() <= 0) throw this.timedOut()
      if (this.isSendingDue()) {
        await this.send()
        // What the node said is believed only after another look.
        continue
      }
      const pause = Math.min(MAX_POLL_MS, (this.options.pollMs ?? 100) * 1.5 ** round)
      const jittered = pause * (0.75 + clock.random() / 2)
      await sleepFor(
        clock,
        Math.min(jittered, Math.max(1, this.left())),
        'waitForTx',
        this.options.signal,
      )
    }
  }

  private left(): number {
    return this.timeoutMs - this.passed()
  }

  private isOver(): boolean {
    // A refusal is believed only where the node, asked after it, does not have the transaction.
    if (this.ending === undefined || this.lastError !== undefined) return false
    const grace = mayBeAccepted(this.lastAnswer as Refusal) ? (this.options.graceMs ?? 1_000) : 0
    return this.passed() - this.ending.since >= grace
  }

  private isSendingDue(): boolean {
    if (this.bytes === undefined || this.ending !== undefined) return false
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
    this.lastAnswer = sent.answer === 'pending' ? 'pending' : sent.refusal
    if (sent.answer === 'pending') {
      this.refusals = 0
      return
    }
    const { refusal } = sent
    // Not remembered: the same bytes may succeed at the next sending.
    if (refusal.class === 'retry-later' && !refusal.remembered) return
    this.refusals++
    if (this.refusals < this.calls.serverCount) {
      // What one node refuses, another may have taken: the next one is asked at once.
      this.lastSent = Number.NEGATIVE_INFINITY
      return
    }
    const error = new IssueError(this.txID, refusal, sent.error)
    this.ending = { error, since: this.passed() }
  }

  /** One attempt must not outlast the wait. */
  private callOptions(): { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number } {
    const { signal } = this.options
    const timeoutMs = Math.max(1, Math.min(10_000, this.left()))
    return signal === undefined ? { timeoutMs } : { signal, timeoutMs }
  }

  private timedOut(): TimeoutError {
    const { txID, polls, sends, lastAnswer, lastError } = this
    const known: WaitFacts = {
      txID,
      polls,
      sends,
      lastAnswer,
      lastError,
    }
    return new TimeoutError(
      'TX_TIMEOUT',
      `expected transaction ${formatID(txID)} to be accepted within ${this.timeoutMs} ms, ` +
        `it was not seen (asked ${polls} times, sent ${sends} times)`,
      this.timeoutMs,
      {
        known,
        hint: 'it may be accepted yet: wait again, and do not replace it by one with other inputs',
        cause: lastError,
      },
    )
  }
}
