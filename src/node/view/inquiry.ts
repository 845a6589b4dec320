import { AvmError } from '../../core/base/errors.ts'
import { type Clock, stopwatch } from '../clock.ts'
import { AbortError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import { onAbort } from '../transport/abort.ts'
import { throwIfAborted } from '../transport/time-limit.ts'
import type { ServerLog } from './server-log.ts'

/** The answer of one server. */
export type Answer<T> = { readonly server: number; readonly value: T }

/** The answers of a panel, and why other servers gave none. */
export type Answers<T> = {
  readonly answers: readonly Answer<T>[]
  readonly errors: readonly AvmError[]
  /** Whether some servers were not waited for any longer, although their answers might have decided. */
  readonly isLate: boolean
  /** Milliseconds that the slowest answer took. */
  readonly longestMs: number
}

/** A question to several servers. */
export type Question<S, T> = {
  /** Name of the request, for reports. */
  readonly method: string
  readonly ask: (server: S, call: CallOptions, index: number) => Promise<T>
  /**
   * Whether these answers decide.
   *
   * @param left - number of servers that may still answer
   */
  readonly isEnough: (answers: readonly Answer<T>[], left: number) => boolean
  /**
   * Whether these answers, at least as many as the quorum, suffice after a further wait for the other servers.
   *
   * @defaultValue never: all servers are waited for until the answers decide
   */
  readonly isEnoughLate?: ((answers: readonly Answer<T>[]) => boolean) | undefined
  /**
   * Minimum of that wait in milliseconds.
   *
   * @defaultValue `patienceMs`
   */
  readonly lateMs?: number | undefined
  /**
   * How many servers are asked at once.
   *
   * @defaultValue the quorum
   */
  readonly first?: number | undefined
  /**
   * Milliseconds after which the other servers are asked as well.
   *
   * @defaultValue 1000
   */
  readonly patienceMs?: number | undefined
  /** Whether the patience begins with the first answer, because all answers take long. */
  readonly isLong?: boolean | undefined
}

/** Default patience. */
export const PATIENCE_MS = 1_000

/** Once enough servers have answered, the others may take this many times as long as these, at least the patience. */
const LATE_FACTOR = 4

/** A server that takes longer than this, and {@link LATE_FACTOR} times as long as others, is asked last. */
const SLOW_MS = 200

/** Servers that are asked, and how many must agree. */
export type Members<S> = {
  readonly servers: readonly S[]
  readonly quorum: number
  readonly log: ServerLog
  readonly clock: Clock
}

/** One question to several servers, from the first request until the answers decide. */
export class Inquiry<S, T> {
  private readonly panel: Members<S>
  private readonly question: Question<S, T>
  private readonly call: CallOptions
  private readonly stop = new AbortController()
  /** Servers that were not asked yet. */
  private readonly waiting: number[]
  /** Servers that have not answered yet, and the time since they were asked. */
  private readonly asked = new Map<number, () => number>()
  private readonly answers: Answer<T>[] = []
  /** Milliseconds that each answer took. */
  private readonly times: number[] = []
  private readonly errors: AvmError[] = []
  private readonly passed: () => number
  /** Milliseconds after which all servers are asked. */
  private patienceMs: number
  /** Whether enough servers have answered, and the others are waited for only so long. */
  private isLateSet = false
  /** Whether that time is over. */
  private isLate = false
  private resolve = () => {}
  private reject: (error: unknown) => void = () => {}

  constructor(panel: Members<S>, question: Question<S, T>, call: CallOptions) {
    this.panel = panel
    this.question = question
    this.call = call
    this.waiting = panel.log.order()
    this.passed = stopwatch(panel.clock)
    this.patienceMs = question.patienceMs ?? PATIENCE_MS
  }

  async run(): Promise<Answers<T>> {
    const { stop, call } = this
    const { method, first = this.panel.quorum, isLong } = this.question
    throwIfAborted(method, call.signal)
    const decided = new Promise<void>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    const forget = onAbort(call.signal, () => {
      stop.abort(call.signal?.reason)
      this.reject(new AbortError(method, call.signal?.reason))
    })
    try {
      this.launch(first)
      if (!isLong) this.askOthersLater()
      await decided
    } finally {
      forget()
      stop.abort()
    }
    this.judge()
    const { answers, errors, isLate, asked } = this
    const longestMs = Math.max(0, ...this.times)
    return { answers, errors, isLate: isLate && asked.size > 0, longestMs }
  }

  /** Asks the next servers. */
  private launch(count: number): void {
    for (const server of this.waiting.splice(0, count)) this.ask(server).catch(this.reject)
  }

  private async ask(server: number): Promise<void> {
    const { panel, question, stop, asked, answers } = this
    const waited = stopwatch(panel.clock)
    asked.set(server, waited)
    try {
      const limits = { ...this.call, signal: stop.signal }
      const value = await question.ask(panel.servers[server]!, limits, server)
      if (stop.signal.aborted) return
      answers.push({ server, value })
      this.times.push(waited())
      if (question.isLong && answers.length === 1) {
        this.patienceMs = Math.max(this.patienceMs, 2 * this.passed())
        this.askOthersLater()
      }
    } catch (error) {
      if (stop.signal.aborted) return
      if (!(error instanceof AvmError)) throw error
      this.errors.push(error)
      panel.log.setAside(server, error.message)
      this.launch(1)
    } finally {
      asked.delete(server)
    }
    this.proceed()
  }

  private askOthersLater(): void {
    this.after(this.patienceMs, () => {
      this.launch(this.waiting.length)
      this.proceed()
    })
  }

  /** Ends if the answers decide. Otherwise asks further servers, or limits the wait for those that were asked. */
  private proceed(): void {
    const { question, waiting, asked, answers, panel } = this
    if (this.isDecided()) {
      this.resolve()
      return
    }
    if (asked.size === 0) this.launch(waiting.length)
    if (this.isLateSet || waiting.length > 0 || answers.length < panel.quorum) return
    this.isLateSet = true
    const { patienceMs = PATIENCE_MS, lateMs = patienceMs } = question
    // From now on, so that a server that answers late does not shorten the time of those that were asked later.
    this.after(Math.max(lateMs, LATE_FACTOR * Math.max(...this.times)), () => {
      this.isLate = true
      this.proceed()
    })
  }

  private isDecided(): boolean {
    const { question, answers } = this
    const left = this.asked.size + this.waiting.length
    return (
      question.isEnough(answers, left) ||
      (this.isLate && question.isEnoughLate?.(answers) === true) ||
      left === 0
    )
  }

  private after(ms: number, act: () => void): void {
    const { clock } = this.panel
    const { signal } = this.stop
    const sleep = clock.sleep(ms, signal)
    sleep.then(act).catch((error) => signal.aborted || this.reject(error))
  }

  /** Sets servers aside that did not answer in time, and asks a slow one last. */
  private judge(): void {
    const { asked, answers, times, panel, question } = this
    for (const [server, waited] of asked)
      if (waited() >= this.patienceMs)
        panel.log.setAside(server, `${question.method}: no answer in time`)
    const lastMs = times.at(-1) ?? 0
    const isSlow = lastMs > Math.max(SLOW_MS, LATE_FACTOR * Math.max(...times.slice(0, -1)))
    if (times.length > 1 && isSlow) panel.log.demote(answers.at(-1)!.server)
  }
}
