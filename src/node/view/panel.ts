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
  /** Whether some servers were not waited for any longer, although their answers might have decided. */
  readonly isLate: boolean
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

const PATIENCE_MS = 1_000

/** Patience for lists, after the first one; at least twice the time that it took. */
export const LIST_PATIENCE_MS = 5_000

/** Once enough servers have answered, the others may take this many times as long as these, at least the patience. */
const LATE_FACTOR = 4

const MAX_LATE_MS = 8_000

/** A server that takes longer than this, and {@link LATE_FACTOR} times as long as others, is asked last. */
const SLOW_MS = 200

/**
 * The wait for a question that is asked again and again. It grows as long as the question ends late, so that servers
 * that are slow are heard in the end, and servers that never answer delay a decision only for a moment.
 */
export class LateWait {
  ms: number = PATIENCE_MS

  note({ isLate }: { readonly isLate: boolean }): void {
    this.ms = isLate ? Math.min(MAX_LATE_MS, 2 * this.ms) : PATIENCE_MS
  }
}

/** Servers of one chain that are asked the same question. */
export class Panel<S> {
  readonly servers: readonly S[]
  readonly quorum: number
  readonly log: ServerLog
  readonly clock: Clock
  private readonly confirming = new LateWait()

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
    const { lateMs = patienceMs } = question
    throwIfAborted(method, call.signal)
    const stop = new AbortController()
    const waiting = this.log.order()
    /** Servers that have not answered yet, and the time since they were asked. */
    const asked = new Map<number, () => number>()
    const answers: Answer<T>[] = []
    /** Milliseconds that each answer took. */
    const times: number[] = []
    const errors: AvmError[] = []
    const passed = stopwatch(this.clock)
    let askOthersMs = patienceMs
    let isLateSet = false
    let isLate = false
    let forget = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        const isDecided = () =>
          question.isEnough(answers, asked.size + waiting.length) ||
          (isLate && question.isEnoughLate?.(answers)) ||
          asked.size + waiting.length === 0
        const launch = (count: number) => {
          for (const server of waiting.splice(0, count)) run(server).catch(reject)
        }
        const after = (ms: number, act: () => void) => {
          const sleep = this.clock.sleep(ms, stop.signal)
          sleep.then(act).catch((error) => stop.signal.aborted || reject(error))
        }
        const askOthersLater = () =>
          after(askOthersMs, () => {
            launch(waiting.length)
            next()
          })
        const next = () => {
          if (isDecided()) return resolve()
          if (asked.size === 0) launch(waiting.length)
          // From now on, so that a server that answers late does not shorten the time of those that were asked later.
          if (isLateSet || waiting.length > 0 || answers.length < this.quorum) return
          isLateSet = true
          after(Math.max(lateMs, LATE_FACTOR * Math.max(...times)), () => {
            isLate = true
            next()
          })
        }
        const run = async (server: number) => {
          const waited = stopwatch(this.clock)
          asked.set(server, waited)
          try {
            const limits = { ...call, signal: stop.signal }
            const value = await question.ask(this.servers[server]!, limits, server)
            if (stop.signal.aborted) return
            answers.push({ server, value })
            times.push(waited())
            if (isLong && answers.length === 1) {
              askOthersMs = Math.max(patienceMs, 2 * passed())
              askOthersLater()
            }
          } catch (error) {
            if (stop.signal.aborted) return
            if (!(error instanceof AvmError)) throw error
            errors.push(error)
            this.log.setAside(server, error.message)
            launch(1)
          } finally {
            asked.delete(server)
          }
          next()
        }
        forget = onAbort(call.signal, () => {
          stop.abort(call.signal?.reason)
          reject(new AbortError(method, call.signal?.reason))
        })
        launch(first)
        if (!isLong) askOthersLater()
      })
      for (const [server, waited] of asked)
        if (waited() >= askOthersMs) this.log.setAside(server, `${method}: no answer in time`)
      const lastMs = times.at(-1) ?? 0
      const isSlow = lastMs > Math.max(SLOW_MS, LATE_FACTOR * Math.max(...times.slice(0, -1)))
      if (times.length > 1 && isSlow) this.log.demote(answers.at(-1)!.server)
      return { answers, errors, isLate: isLate && asked.size > 0 }
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
   * What any server returns, for answers that a hash proves; undefined if none does.
   *
   * @throws AvmError if no server answers
   */
  async find<T>(
    method: string,
    ask: Question<S, T | undefined>['ask'],
    call: CallOptions,
  ): Promise<T | undefined> {
    const isFound = ({ value }: Answer<T | undefined>) => value !== undefined
    const { answers, errors } = await this.ask(
      {
        method,
        first: 1,
        ask,
        isEnough: (given) => given.some(isFound),
        isEnoughLate: () => true,
      },
      call,
    )
    if (answers.length === 0) throw errors[0]
    return answers.find(isFound)?.value
  }

  /** Whether as many servers as the quorum say yes; those that do not answer in time say no. */
  async isConfirmed(
    method: string,
    ask: Question<S, boolean>['ask'],
    call: CallOptions,
  ): Promise<boolean> {
    const { quorum } = this
    const count = (given: readonly Answer<boolean>[]) => given.filter(({ value }) => value).length
    const result = await this.ask<boolean>(
      {
        method,
        ask,
        isEnough: (given, left) => count(given) >= quorum || count(given) + left < quorum,
        isEnoughLate: () => true,
        lateMs: this.confirming.ms,
      },
      call,
    )
    this.confirming.note(result)
    return count(result.answers) >= quorum
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
        isEnoughLate: () => true,
      },
      call,
    )
  }
}

/** The values of answers. */
export function valuesOf<T>(answers: readonly Answer<T>[]): T[] {
  return answers.map(({ value }) => value)
}
