import { AvmError } from '../../core/base/errors.ts'
import { type Clock, stopwatch } from '../clock.ts'
import { AbortError, QuorumError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import { onAbort } from '../transport/abort.ts'
import { throwIfAborted } from '../transport/time-limit.ts'
import type { ServerLog } from './server-log.ts'
import { agreedOf, mostEqual } from './votes.ts'

/** The answer of one server. */
export type Answer<T> = { readonly server: number; readonly value: T }

/** The answers of a panel, and why other servers gave none. */
export type Answers<T> = {
  readonly answers: readonly Answer<T>[]
  readonly errors: readonly AvmError[]
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
   * Whether these answers suffice once the patience is over, so that nobody else is waited for.
   *
   * @defaultValue never
   */
  readonly isEnoughLate?: ((answers: readonly Answer<T>[]) => boolean) | undefined
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

const PATIENCE_MS = 1_000

/** Patience for lists, after the first one; at least twice the time that it took. */
export const LIST_PATIENCE_MS = 5_000

/** Servers of one chain that are asked the same question. */
export class Panel<S> {
  readonly servers: readonly S[]
  readonly quorum: number
  readonly log: ServerLog
  readonly clock: Clock

  constructor(servers: readonly S[], quorum: number, log: ServerLog, clock: Clock) {
    this.servers = servers
    this.quorum = quorum
    this.log = log
    this.clock = clock
  }

  /**
   * Asks as many servers as the quorum, and the others if those do not decide, fail, or take too long. Requests that are
   * not needed any more are aborted.
   *
   * @throws AbortError
   */
  async ask<T>(question: Question<S, T>, call: CallOptions): Promise<Answers<T>> {
    const { method, first = this.quorum, patienceMs = PATIENCE_MS, isLong } = question
    throwIfAborted(method, call.signal)
    const stop = new AbortController()
    const forget = onAbort(call.signal, () => stop.abort(call.signal?.reason))
    const waiting = this.log.order()
    const asked = new Set<number>()
    const answers: Answer<T>[] = []
    const errors: AvmError[] = []
    const passed = stopwatch(this.clock)
    let isImpatient = false
    try {
      await new Promise<void>((resolve, reject) => {
        const isDecided = () =>
          question.isEnough(answers, asked.size + waiting.length) ||
          (isImpatient && question.isEnoughLate?.(answers)) ||
          asked.size + waiting.length === 0
        const launch = (count: number) => {
          for (const server of waiting.splice(0, count)) void run(server)
        }
        const hurry = (ms: number) =>
          this.clock.sleep(ms, stop.signal).then(
            () => {
              isImpatient = true
              launch(waiting.length)
              next()
            },
            () => {},
          )
        const next = () => {
          if (isDecided()) resolve()
          else if (asked.size === 0) launch(waiting.length)
        }
        const run = async (server: number) => {
          asked.add(server)
          try {
            const value = await question.ask(
              this.servers[server]!,
              { ...call, signal: stop.signal },
              server,
            )
            if (answers.length === 0 && isLong) void hurry(Math.max(patienceMs, 2 * passed()))
            answers.push({ server, value })
          } catch (error) {
            if (stop.signal.aborted) return
            if (!(error instanceof AvmError)) return reject(error)
            errors.push(error)
            this.log.setAside(server, error.message)
            launch(1)
          } finally {
            asked.delete(server)
          }
          next()
        }
        onAbort(call.signal, () => reject(new AbortError(method, call.signal?.reason)))
        launch(first)
        if (!isLong) void hurry(patienceMs)
      })
      if (isImpatient)
        for (const server of asked) this.log.setAside(server, `${method}: no answer in time`)
      return { answers, errors }
    } finally {
      forget()
      stop.abort()
    }
  }

  /**
   * The answer that as many servers give as the quorum requires.
   *
   * @throws QuorumError if too few of them agree
   */
  async agree<T>(
    method: string,
    ask: Question<S, T>['ask'],
    isSame: (a: T, b: T) => boolean,
    call: CallOptions,
  ): Promise<T> {
    const { answers, errors } = await this.ask(
      {
        method,
        ask,
        isEnough: (given, left) => {
          const most = mostEqual(valuesOf(given), isSame)
          return most >= this.quorum || most + left < this.quorum
        },
      },
      call,
    )
    const values = valuesOf(answers)
    const agreed = agreedOf(values, this.quorum, isSame)
    if (agreed === undefined)
      throw new QuorumError(method, mostEqual(values, isSame), this, errors[0])
    for (const { server, value } of answers)
      if (isSame(value, agreed)) this.log.confirm(server)
      else this.log.setAside(server, `${method}: other servers agree on another answer`)
    return agreed
  }

  /**
   * The answers of all servers that give one in time, at least as many as the quorum.
   *
   * @throws QuorumError if there are fewer
   */
  async askAll<T>(method: string, ask: Question<S, T>['ask'], call: CallOptions): Promise<T[]> {
    const { answers, errors } = await this.askEvery(method, ask, call)
    if (answers.length < this.quorum) throw new QuorumError(method, answers.length, this, errors[0])
    return valuesOf(answers)
  }

  /** The answers of all servers that give one in time; maybe none. */
  askEvery<T>(method: string, ask: Question<S, T>['ask'], call: CallOptions): Promise<Answers<T>> {
    return this.ask(
      {
        method,
        ask,
        first: this.servers.length,
        isEnough: (_, left) => left === 0,
        isEnoughLate: (given) => given.length >= this.quorum,
      },
      call,
    )
  }
}

/** The values of answers. */
export function valuesOf<T>(answers: readonly Answer<T>[]): T[] {
  return answers.map(({ value }) => value)
}
