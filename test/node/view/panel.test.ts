import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AbortError, type CallOptions, QuorumError } from '../../../src/node/index.ts'
import type { Question } from '../../../src/node/view/inquiry.ts'
import { LateWait, Panel } from '../../../src/node/view/panel.ts'
import { ServerLog } from '../../../src/node/view/server-log.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { failure, ordersOf, silence } from './fake-servers.ts'

/** Answers after some milliseconds; an error is thrown. */
type Server = { readonly ms?: number; readonly says?: unknown; readonly error?: Error }

const HANGS: Server = { ms: Number.POSITIVE_INFINITY }
const FAILS: Server = { error: failure() }

const unhandled: unknown[] = []
const onUnhandled = (error: unknown) => unhandled.push(error)
beforeEach(() => {
  process.on('unhandledRejection', onUnhandled)
})
afterEach(async () => {
  for (let i = 0; i < 10; i++) await nextTurn()
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled.splice(0)).toEqual([])
})

function panelOf(servers: readonly Server[], quorum: number) {
  const clock = virtualClock()
  const log = new ServerLog(servers.length, clock)
  const panel = new Panel(servers, quorum, log, clock)
  const start = clock.now()
  /** Server and millisecond of each request. */
  const asked: (readonly [server: number, ms: number])[] = []
  /** Servers whose requests have not ended. */
  const open = new Set<number>()
  const ask = async ({ ms = 1, says, error }: Server, call: CallOptions, index: number) => {
    asked.push([index, clock.now() - start])
    open.add(index)
    try {
      await (ms === Number.POSITIVE_INFINITY ? silence(call) : clock.sleep(ms, call.signal))
      if (error !== undefined) throw error
      return says as string
    } finally {
      open.delete(index)
    }
  }
  const question = (more: Partial<Question<Server, string>> = {}): Question<Server, string> => ({
    method: 'm',
    ask,
    isEnough: (given) => given.length >= quorum,
    ...more,
  })
  const setAside = () =>
    log
      .report(servers.map((_, i) => ({ server: `${i}`, lastAsked: undefined, height: undefined })))
      .flatMap((entry, i) => (entry.setAside ? [i] : []))
  return {
    clock,
    log,
    panel,
    asked,
    open,
    question,
    ask,
    setAside,
    passed: () => clock.now() - start,
    order: () => asked.map(([server]) => server),
  }
}

const same = (a: unknown, b: unknown) => a === b
const serversOf = ({ answers }: { readonly answers: readonly { readonly server: number }[] }) =>
  answers.map(({ server }) => server)

describe('Panel.ask', () => {
  it('asks as many servers as the quorum, at the same time', async () => {
    const at = panelOf([{}, {}, {}, {}], 2)
    expect(serversOf(await at.panel.ask(at.question(), {}))).toEqual([0, 1])
    expect(at.asked).toEqual([
      [0, 0],
      [1, 0],
    ])
  })

  it('asks in the order of the log', async () => {
    const at = panelOf([{}, {}, {}], 2)
    at.log.setAside(0, 'x')
    await at.panel.ask(at.question(), {})
    expect(at.order()).toEqual([1, 2])
  })

  it('replaces each server that fails by the next one, and sets it aside', async () => {
    const at = panelOf([FAILS, FAILS, {}, {}, {}], 2)
    const { answers, errors } = await at.panel.ask(at.question(), {})
    expect(serversOf({ answers })).toEqual([2, 3])
    expect(errors).toHaveLength(2)
    expect(at.order()).toEqual([0, 1, 2, 3])
    expect(at.setAside()).toEqual([0, 1])
  })

  it('asks all others as soon as the answers do not decide', async () => {
    const at = panelOf([{}, {}, {}, {}], 2)
    await at.panel.ask(at.question({ isEnough: (given) => given.length === 4 }), {})
    expect(at.asked.map(([, ms]) => ms)).toEqual([0, 0, 1, 1])
  })

  it('asks all others after a second', async () => {
    const at = panelOf([HANGS, {}, { ms: 5 }, { ms: 7 }], 2)
    expect(serversOf(await at.panel.ask(at.question(), {}))).toEqual([1, 2])
    expect(at.asked.slice(2)).toEqual([
      [2, 1_000],
      [3, 1_000],
    ])
  })

  it('ends when all have failed', async () => {
    const at = panelOf([FAILS, FAILS], 2)
    const { answers, errors } = await at.panel.ask(at.question({ isEnough: () => false }), {})
    expect([answers.length, errors.length]).toEqual([0, 2])
  })

  it('says how many servers may still answer', async () => {
    const at = panelOf([{}, FAILS, {}], 2)
    const lefts: number[] = []
    const isEnough = (_: unknown, left: number) => {
      lefts.push(left)
      return false
    }
    await at.panel.ask(at.question({ isEnough }), {})
    expect(lefts.at(0)).toBe(2)
    expect(lefts.at(-1)).toBe(0)
  })

  it('aborts requests that are not needed any more, and leaves no timer', async () => {
    const at = panelOf([HANGS, {}, {}], 2)
    await at.panel.ask(at.question(), {})
    await nextTurn()
    expect([...at.open]).toEqual([])
    const sleeps = at.clock.slept()
    for (let i = 0; i < 20; i++) await nextTurn()
    expect(at.clock.slept()).toBe(sleeps)
  })

  it('passes the limits of the call to every server', async () => {
    const at = panelOf([{}, {}], 2)
    const limits: CallOptions[] = []
    const ask = async (_: Server, call: CallOptions) => {
      limits.push(call)
      return 'x'
    }
    await at.panel.ask(at.question({ ask }), { totalMs: 5, timeoutMs: 3 })
    expect(limits).toMatchObject([
      { totalMs: 5, timeoutMs: 3 },
      { totalMs: 5, timeoutMs: 3 },
    ])
  })

  it('throws errors that are not failures of servers', async () => {
    const at = panelOf([{ error: new TypeError('bug') }, HANGS, {}], 2)
    await expect(at.panel.ask(at.question(), {})).rejects.toThrow(TypeError)
    expect([...at.open]).toEqual([])
  })

  for (const when of ['the first answer', 'the patience'])
    it(`throws what the decision throws after ${when}`, async () => {
      const at = panelOf([when === 'the patience' ? HANGS : {}, HANGS, HANGS], 2)
      const isEnough = () => {
        throw new TypeError('bug')
      }
      await expect(at.panel.ask(at.question({ isEnough }), {})).rejects.toThrow(TypeError)
    })

  it('does not return answers that come after its end', async () => {
    const at = panelOf([{}, {}, {}], 1)
    let answerLate = () => {}
    const ask = (_: Server, __: CallOptions, index: number) =>
      index === 0
        ? Promise.resolve('x')
        : new Promise<string>((resolve) => {
            answerLate = () => resolve('late')
          })
    const result = await at.panel.ask(at.question({ ask, first: 2 }), {})
    answerLate()
    await nextTurn()
    expect(serversOf(result)).toEqual([0])
  })

  describe('when the caller aborts', () => {
    it('throws an AbortError with the reason and aborts the requests', async () => {
      const at = panelOf([HANGS, HANGS], 2)
      const caller = new AbortController()
      const asking = at.panel.ask(at.question(), { signal: caller.signal })
      await nextTurn()
      caller.abort('enough')
      await expect(asking).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
      await nextTurn()
      expect([...at.open]).toEqual([])
      expect(at.setAside()).toEqual([])
    })

    it('asks nobody if it was before', async () => {
      const at = panelOf([{}], 1)
      const asking = at.panel.ask(at.question(), { signal: AbortSignal.abort() })
      await expect(asking).rejects.toThrow(AbortError)
      expect(at.asked).toEqual([])
    })

    it('asks nobody else, although a server answers nevertheless', async () => {
      const at = panelOf([{}, {}, {}], 2)
      const caller = new AbortController()
      const asked: number[] = []
      let answer = () => {}
      const ask = (_: Server, __: CallOptions, index: number) => {
        asked.push(index)
        return new Promise<string>((resolve) => {
          answer = () => resolve('x')
        })
      }
      const question = at.question({ ask, first: 1, isEnough: () => false })
      const asking = at.panel.ask(question, { signal: caller.signal })
      caller.abort()
      await expect(asking).rejects.toThrow(AbortError)
      answer()
      await nextTurn()
      expect(asked).toEqual([0])
    })
  })

  it('leaves no listener on the signal of the caller', async () => {
    const { signal } = new AbortController()
    for (const servers of [
      [{}, {}],
      [HANGS, {}, {}],
      [FAILS, FAILS],
    ]) {
      const at = panelOf(servers, 2)
      await at.panel.ask(at.question(), { signal })
      expect(getEventListeners(signal, 'abort')).toEqual([])
    }
  })
})

describe('Panel.ask for long answers', () => {
  const long = { isLong: true, patienceMs: 5_000 }

  it('does not ask others while nobody has answered', async () => {
    const at = panelOf([{ ms: 60_000 }, { ms: 70_000 }, {}], 2)
    expect(serversOf(await at.panel.ask(at.question(long), {}))).toEqual([0, 1])
    expect(at.order()).toEqual([0, 1])
  })

  it('asks others after the patience, which begins with the first answer', async () => {
    const at = panelOf([{ ms: 100 }, HANGS, { ms: 100 }], 2)
    expect(serversOf(await at.panel.ask(at.question(long), {}))).toEqual([0, 2])
    expect(at.asked).toEqual([
      [0, 0],
      [1, 0],
      [2, 5_100],
    ])
  })

  it('has at least twice the time of the first answer as patience', async () => {
    const at = panelOf([{ ms: 30_000 }, HANGS, { ms: 30_000 }], 2)
    await at.panel.ask(at.question(long), {})
    expect(at.asked[2]).toEqual([2, 90_000])
  })
})

describe('Panel.ask with answers that suffice late', () => {
  const never = { isEnough: (_: unknown, left: number) => left === 0, isEnoughLate: () => true }

  it('waits for another patience after enough have answered', async () => {
    const at = panelOf([{}, {}, HANGS], 2)
    const result = await at.panel.ask(at.question({ ...never, first: 3 }), {})
    expect(serversOf(result)).toEqual([0, 1])
    expect(at.passed()).toBe(1_001)
  })

  it('gives servers that were asked later the same time', async () => {
    // The first answers just before the others would be asked anyway.
    const at = panelOf([{ ms: 999 }, {}, { ms: 900 }, HANGS], 2)
    const result = await at.panel.ask(at.question(never), {})
    expect(serversOf(result)).toEqual([1, 0, 2])
  })

  it('does not begin to wait before all are asked', async () => {
    const at = panelOf([{}, {}, HANGS, { ms: 900 }], 2)
    const result = await at.panel.ask(at.question({ ...never, first: 3 }), {})
    expect(serversOf(result)).toEqual([0, 1, 3])
  })

  it('tells whether servers were left out', async () => {
    for (const [last, isLate] of [
      [HANGS, true],
      [{ ms: 900 }, false],
    ] as const) {
      const at = panelOf([{}, {}, last], 2)
      const result = await at.panel.ask(at.question({ ...never, first: 3 }), {})
      expect(result.isLate).toBe(isLate)
    }
  })

  it('gives slow servers more time than fast ones took', async () => {
    const at = panelOf([{}, { ms: 1_500 }, { ms: 6_000 }, HANGS], 2)
    const result = await at.panel.ask(at.question({ ...never, first: 4 }), {})
    expect(serversOf(result)).toEqual([0, 1, 2])
  })

  it('waits until there are as many as the quorum', async () => {
    const at = panelOf([{}, { ms: 20_000 }, HANGS], 2)
    expect(serversOf(await at.panel.ask(at.question({ ...never, first: 3 }), {}))).toEqual([0, 1])
  })

  it('waits on while they do not suffice', async () => {
    const at = panelOf([{}, {}, { ms: 20_000 }], 2)
    const isEnoughLate = () => false
    const result = await at.panel.ask(at.question({ ...never, isEnoughLate, first: 3 }), {})
    expect(serversOf(result)).toEqual([0, 1, 2])
  })
})

describe('LateWait', () => {
  it('grows up to the time limit of a request while questions end late, and begins again', () => {
    const wait = new LateWait()
    const times = [true, true, true, true, false].map((isLate) => {
      wait.note({ isLate, longestMs: 5 })
      return wait.ms
    })
    expect(times).toEqual([2_000, 4_000, 8_000, 10_000, 1_000])
  })

  it('remains as long as a slow answer that was used requires', () => {
    const wait = new LateWait()
    const times = [0, 400, 600, 3_000, 7_000, 9_999, 2].map((longestMs) => {
      wait.note({ isLate: false, longestMs })
      return wait.ms
    })
    expect(times).toEqual([1_000, 1_000, 1_200, 6_000, 10_000, 10_000, 1_000])
  })
})

describe('Panel sets servers aside', () => {
  it('that give no answer in time', async () => {
    const at = panelOf([HANGS, {}, {}], 2)
    await at.panel.ask(at.question(), {})
    expect(at.setAside()).toEqual([0])
    expect(at.log.order()).toEqual([1, 2, 0])
  })

  it('but not those that were asked only a moment ago', async () => {
    const at = panelOf([{ ms: 1_001 }, {}, { ms: 50 }], 2)
    await at.panel.ask(at.question(), {})
    expect(at.order()).toEqual([0, 1, 2])
    expect(at.setAside()).toEqual([])
  })

  it('and prefers others to one that takes nearly as long as it may', async () => {
    const at = panelOf([{ ms: 990 }, { ms: 20 }, { ms: 20 }], 2)
    await at.panel.ask(at.question(), {})
    expect(at.log.order()).toEqual([1, 2, 0])
    expect(at.setAside()).toEqual([])
  })

  for (const times of [
    [20, 190],
    [300, 900],
  ])
    it(`and does not mind answers after ${times.join(' and ')} ms`, async () => {
      const at = panelOf([...times.map((ms) => ({ ms })).reverse(), {}], 2)
      await at.panel.ask(at.question(), {})
      expect(at.log.order()).toEqual([0, 1, 2])
    })
})

describe('Panel.agree', () => {
  const TRUE: Server = { says: 'true' }
  const LIARS: { readonly [name: string]: Server } = {
    lies: { says: 'false' },
    hangs: HANGS,
    fails: FAILS,
    'lies late': { says: 'false', ms: 999 },
    'lies after the patience': { says: 'false', ms: 1_001 },
  }
  for (const [name, liar] of Object.entries(LIARS))
    for (const [n, k] of [
      [3, 2],
      [4, 2],
      [5, 2],
      [5, 3],
    ] as const)
      it(`gives the honest answer if ${k - 1} of ${n} servers, quorum ${k}: each ${name}`, async () => {
        const roles = Array.from({ length: n }, (_, i) => (i < k - 1 ? liar : TRUE))
        const orders = n < 5 ? ordersOf(roles) : [roles, [...roles].reverse()]
        for (const servers of orders) {
          const at = panelOf(servers, k)
          expect(await at.panel.agree('m', at.ask, same, {})).toBe('true')
          expect(at.passed()).toBeLessThan(2_100)
        }
      })

  it('sets aside who said something else, and confirms the others', async () => {
    const at = panelOf([LIARS.lies!, TRUE, TRUE], 2)
    at.log.setAside(1, 'x')
    await at.panel.agree('m', at.ask, same, {})
    expect(at.setAside()).toEqual([0])
  })

  it('asks no more than needed for a decision', async () => {
    const at = panelOf([TRUE, TRUE, TRUE, TRUE], 2)
    await at.panel.agree('m', at.ask, same, {})
    expect(at.order()).toEqual([0, 1])
  })

  it('throws a QuorumError that can be retried, with the first failure as its cause', async () => {
    const at = panelOf([FAILS, TRUE, LIARS.lies!], 2)
    const agreeing = at.panel.agree('m', at.ask, same, {})
    await expect(agreeing).rejects.toThrow(QuorumError)
    await expect(agreeing).rejects.toMatchObject({
      code: 'NO_QUORUM',
      method: 'm',
      agreeing: 1,
      quorum: 2,
      retryable: true,
      cause: FAILS.error,
    })
  })

  it('does not wait for servers whose answers cannot change the result', async () => {
    const at = panelOf([{ says: 'a' }, { says: 'b' }, { says: 'c' }, HANGS], 3)
    await expect(at.panel.agree('m', at.ask, same, {})).rejects.toThrow(QuorumError)
    expect(at.passed()).toBeLessThan(1_000)
  })
})

describe('Panel.askAll and askEvery', () => {
  it('have the answers of all servers', async () => {
    const at = panelOf([{ says: 1 }, { says: 2, ms: 500 }, { says: 3 }], 2)
    expect((await at.panel.askAll('m', at.ask, {})).sort()).toEqual([1, 2, 3])
  })

  it('do not wait for a server that hangs', async () => {
    const at = panelOf([HANGS, { says: 2 }, { says: 3 }], 2)
    expect(await at.panel.askAll('m', at.ask, {})).toEqual([2, 3])
    expect(at.passed()).toBeLessThan(2_000)
  })

  it('wait for a second honest server, although a liar is faster', async () => {
    const at = panelOf([{ says: 'lie' }, { says: 1, ms: 1_200 }, { says: 2, ms: 1_300 }], 2)
    expect(await at.panel.askAll('m', at.ask, {})).toEqual(['lie', 1, 2])
  })

  it('differ if too few answer', async () => {
    const at = panelOf([FAILS, { says: 2 }, FAILS], 2)
    await expect(at.panel.askAll('m', at.ask, {})).rejects.toMatchObject({
      code: 'NO_QUORUM',
      agreeing: 1,
      cause: FAILS.error,
    })
    const { answers, errors } = await at.panel.askEvery('m', at.ask, {})
    expect([answers.length, errors.length]).toEqual([1, 2])
  })
})
