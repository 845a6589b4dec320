import type { Clock } from '../clock.ts'
import { QuorumError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import {
  type Answer,
  type Answers,
  Inquiry,
  type Members,
  PATIENCE_MS,
  type Question,
} from './inquiry.ts'
import type { ServerLog } from './server-log.ts'
import { agreedOf, mostEqual } from './votes.ts'

/** Patience for lists, after the first one; at least twice the time that it took. */
export const LIST_PATIENCE_MS = 5_000

/** The time limit of a request: a server that needs longer does not answer. */
const MAX_LATE_MS = 10_000
const MAX_LATE_LIST_MS = 60_000

/**
 * The wait for a question that is asked again and again. It grows as long as the question ends late, so that servers
 * that are slow are heard in the end, and servers that never answer delay a decision only for a moment. A slow server
 * whose answer has decided is waited for again at once.
 */
export class LateWait {
  ms: number
  private readonly minMs: number
  private readonly maxMs: number

  constructor(minMs: number = PATIENCE_MS, maxMs: number = MAX_LATE_MS) {
    this.ms = minMs
    this.minMs = minMs
    this.maxMs = maxMs
  }

  note({ isLate, longestMs }: Pick<Answers<unknown>, 'isLate' | 'longestMs'>): void {
    const ms = 2 * (isLate ? this.ms : longestMs)
    this.ms = Math.min(this.maxMs, Math.max(this.minMs, ms))
  }
}

/** The wait for the remaining lists of UTXOs while servers disagree. */
export function lateLists(): LateWait {
  return new LateWait(LIST_PATIENCE_MS, MAX_LATE_LIST_MS)
}

/** Servers of one chain that are asked the same question. */
export class Panel<S> implements Members<S> {
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
  ask<T>(question: Question<S, T>, call: CallOptions): Promise<Answers<T>> {
    return new Inquiry(this, question, call).run()
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
