import { describe, expect, it } from 'vitest'
import type { Rejection, RejectionCode } from '../../../src/node/issue/rejections.ts'
import { FEE_CHECK_MS } from '../../../src/wallet/machine/issuing.ts'
import { next, step } from '../../../src/wallet/machine/machine.ts'
import {
  type Comparison,
  type Facts,
  type Goal,
  type Phase,
  type Run,
  startRun,
} from '../../../src/wallet/machine/run.ts'
import {
  attempt,
  cancel,
  cancellation,
  complete,
  exportOnC,
  importOnP,
  move,
  facts as noFacts,
  pay,
} from './setup.ts'

/** An export on C, which is pending. */
const facts: Facts = { ...noFacts, attempts: [exportOnC] }
/** A payment on X, which is pending. */
const onX: Facts = { ...noFacts, attempts: [attempt] }

const refusal = (code: RejectionCode, remembered = true): Rejection => ({
  code,
  class: 'rebuild',
  remembered,
  message: '',
})

const runIn = (phase: Phase, changes: Partial<Run> = {}, of: Goal = pay): Run => ({
  ...startRun(of, [], phase),
  again: true,
  ...changes,
})

describe('a call that waits for an outcome', () => {
  const known = { ...facts, attempts: [exportOnC, importOnP], exported: exportOnC }
  const rejection = refusal('MEMPOOL_FULL')

  it('asks servers for everything that is pending, except what was accepted', () => {
    expect(next(runIn('query', {}, move), known)).toEqual({
      do: 'query',
      attempts: [importOnP],
      ms: 40_000,
    })
    expect(next(runIn('query'), { ...onX, attempts: [attempt, cancellation] })).toEqual({
      do: 'query',
      attempts: [attempt, cancellation],
      ms: 40_000,
    })
  })

  it('issues, compares, searches and varies the import, or the newest', () => {
    const run = (phase: Phase) => runIn(phase, { rejection, turn: 3 }, move)
    const one = { attempt: importOnP, ms: 40_000 }
    expect(next(run('issue'), known)).toEqual({ do: 'issue', ...one })
    expect(next(run('compare'), known)).toEqual({
      do: 'compare',
      ...one,
      exported: exportOnC,
      rejection,
    })
    expect(next(run('search'), known)).toEqual({ do: 'search', ...one, turn: 3 })
    expect(next(run('vary'), known)).toEqual({ do: 'vary', attempt: importOnP })
    const two = { ...onX, attempts: [attempt, cancellation] }
    expect(next(runIn('issue'), two)).toMatchObject({ attempt: cancellation })
  })
})

describe('the pause before an attempt is issued again', () => {
  const checked = { feeCheckAt: 28_000 }
  const never = Number.POSITIVE_INFINITY
  const cases: readonly (readonly [string, Facts, Partial<Run>, number])[] = [
    ['is that of the call, before a check of the fee', facts, checked, 5_000],
    ['lasts until the check of the fee', facts, { feeCheckAt: 21_000 }, 1_000],
    ['is the shortest one if the check is due', facts, { feeCheckAt: 15_000 }, 1],
    [
      'lasts until the check is allowed, if it is due',
      facts,
      { feeCheckAt: 15_000, compareAt: 22_000 },
      2_000,
    ],
    [
      'is that of the call if the check is never allowed',
      facts,
      { feeCheckAt: 15_000, compareAt: never },
      5_000,
    ],
    ['is that of the call on X, where no fee is checked', onX, {}, 5_000],
    ['doubles each time', onX, { round: 3, deadline: 90_000 }, 40_000],
    ['is at most a minute', onX, { round: 9, deadline: 900_000 }, 60_000],
    ['lasts no longer than the call', onX, { round: 9, deadline: 50_000 }, 30_000],
    [
      'begins with a second after a remembered refusal',
      onX,
      { rejection: refusal('TIMELOCKED') },
      1_000,
    ],
    ['then doubles as well', onX, { rejection: refusal('TIMELOCKED'), round: 2 }, 4_000],
    [
      'is that of the call after a refusal that servers forget',
      onX,
      { rejection: refusal('MEMPOOL_FULL', false) },
      5_000,
    ],
  ]
  for (const [name, known, progress, ms] of cases)
    it(name, () => {
      expect(next(runIn('wait', progress), known)).toEqual({ do: 'wait', ms })
    })

  it('is that of the call if the attempt may not be replaced', () => {
    const run = runIn('wait', {}, { ...move, replaces: false })
    expect(next(run, facts)).toEqual({ do: 'wait', ms: 5_000 })
  })
})

describe('after an attempt was issued', () => {
  const outdated = refusal('INSUFFICIENT_FUNDS')
  const missing = refusal('UTXO_NOT_FOUND')
  const both = { attempts: [attempt, cancellation] }
  const moved = { attempts: [exportOnC, cancellation, importOnP], exported: exportOnC }
  const three = { ...onX, servers: 3 }

  type Case = readonly [
    string,
    Facts,
    { of?: Goal; run?: Partial<Run>; rejection?: Rejection; refusals?: number },
    'compare' | 'wait',
  ]
  const cases: readonly Case[] = [
    ['it is not compared without a reason', onX, {}, 'wait'],
    ['it is compared if it is refused as outdated', onX, { rejection: outdated }, 'compare'],
    [
      'it is not if replacing it is not allowed',
      onX,
      { of: { ...pay, replaces: false }, rejection: outdated },
      'wait',
    ],
    ['it is not for another refusal', onX, { rejection: refusal('TIMELOCKED') }, 'wait'],
    [
      'it is not before that is allowed',
      onX,
      { rejection: outdated, run: { compareAt: 20_001 } },
      'wait',
    ],
    [
      'it is once that is allowed',
      onX,
      { rejection: outdated, run: { compareAt: 20_000 } },
      'compare',
    ],
    [
      'it is if it is a cancellation',
      { ...onX, ...both },
      { of: cancel, rejection: outdated },
      'compare',
    ],
    [
      'it is not if a call completes a batch that is being canceled',
      { ...onX, ...both },
      { of: complete, rejection: outdated },
      'wait',
    ],
    ['it is if a call completes it', onX, { of: complete, rejection: outdated }, 'compare'],
    [
      'it is if it is an import, although a cancellation of the export is pending',
      { ...facts, ...moved },
      { of: { ...move, kind: 'complete' }, rejection: outdated },
      'compare',
    ],
    ['its fee is not checked on X', onX, { run: { feeCheckAt: 0 } }, 'wait'],
    ['its fee is not checked early', facts, { run: { feeCheckAt: 20_001 } }, 'wait'],
    ['its fee is checked in time', facts, { run: { feeCheckAt: 20_000 } }, 'compare'],
    [
      'its fee is not checked if replacing it is not allowed',
      facts,
      { of: { ...move, replaces: false }, run: { feeCheckAt: 0 } },
      'wait',
    ],
    // A server that is behind does not have the newest UTXOs yet: each is asked, and one of them twice.
    ['an input may be missing on some servers', three, { rejection: missing, refusals: 3 }, 'wait'],
    ['an input is missing on all servers', three, { rejection: missing, refusals: 4 }, 'compare'],
    [
      'an imported input is missing on all servers',
      three,
      { rejection: refusal('ATOMIC_UTXO_NOT_FOUND'), refusals: 4 },
      'compare',
    ],
    [
      'all have refused it before a variant is made',
      { ...three, variants: 2 },
      { rejection: missing, refusals: 1 },
      'compare',
    ],
  ]
  for (const [name, known, { of, run, rejection, refusals = 0 }, phase] of cases)
    it(name, () => {
      const event = { type: 'issued', turn: 7, rejection, refusals, error: rejection } as const
      expect(step(runIn('issue', run, of), event, known)).toMatchObject({
        phase,
        turn: 7,
        rejection,
        rejections: refusals,
        error: rejection,
      })
    })
})

describe('after it was compared, an attempt', () => {
  const before = new Error('before')
  const now = new Error('now')
  const later = { feeCheckAt: 20_000 + FEE_CHECK_MS }
  const cases: readonly (readonly [string, Comparison, Rejection | undefined, object])[] = [
    ['is replaced if it is outdated', 'outdated', undefined, { phase: 'draft', isReplacing: true }],
    [
      'is left for a later call if it is useless',
      'useless',
      undefined,
      { answer: { is: 'pending' } },
    ],
    [
      'is asked for if it is current',
      'current',
      undefined,
      { phase: 'query', isReplacing: false, compareAt: 20_000 + FEE_CHECK_MS },
    ],
    [
      'is issued again after a pause if it is current but was refused',
      'current',
      refusal('INSUFFICIENT_FUNDS'),
      { phase: 'wait', isReplacing: false, compareAt: 20_000 + FEE_CHECK_MS },
    ],
  ]
  for (const [name, comparison, rejection, expected] of cases)
    it(name, () => {
      const run = runIn('compare', { rejection, error: before })
      const compared = (error?: unknown) =>
        step(run, { type: 'compared', comparison, error }, facts)
      expect(compared()).toMatchObject({ answer: undefined, ...later, ...expected, error: before })
      expect(compared(now).error).toBe(now)
    })
})

describe('after a pause', () => {
  const outdated = refusal('INSUFFICIENT_FUNDS')
  const cases: readonly (readonly [string, Facts, Partial<Run>, Phase])[] = [
    ['servers are asked for the attempt', onX, {}, 'query'],
    [
      'also after a refusal that they forget',
      onX,
      { rejection: refusal('MEMPOOL_FULL', false) },
      'query',
    ],
    ['a fee is checked that is due', facts, { feeCheckAt: 20_000 }, 'compare'],
    ['a fee is not checked early', facts, { feeCheckAt: 20_001 }, 'query'],
    ['no fee is checked on X', onX, { rejection: outdated, rejections: 9 }, 'search'],
    [
      'what is refused on another chain is not searched in blocks of X',
      facts,
      { rejection: outdated, rejections: 1, compareAt: 30_000 },
      'vary',
    ],
  ]
  for (const [name, known, changes, phase] of cases)
    it(name, () => {
      expect(
        step(runIn('wait', { ...changes, round: 4 }), { type: 'waited' }, known),
      ).toMatchObject({
        phase,
        round: 5,
      })
    })
})

describe('after a refusal that the server remembers', () => {
  const cases = [
    // A server that finds the fee too low does not look for the inputs, which may not exist.
    ['INSUFFICIENT_FUNDS', 1, 'search'],
    ['UTXO_NOT_FOUND', 1, 'search'],
    ['TIMELOCKED', 1, 'vary'],
    ['TIMELOCKED', 8, 'vary'],
    ['TIMELOCKED', 9, 'query'],
  ] as const
  for (const [code, variants, phase] of cases)
    it(`(${code}, ${variants} variants) the next phase is ${phase}`, () => {
      const run = runIn('wait', { rejection: refusal(code), rejections: 1 })
      const known = { ...onX, attempts: [attempt, attempt], variants }
      expect(step(run, { type: 'waited' }, known).phase).toBe(phase)
    })

  it('counts refusals in earlier calls', () => {
    const rejection = refusal('TIMELOCKED')
    const refused = { type: 'issued', turn: 3, rejection, error: undefined } as const
    const known = { ...onX, servers: 3 }
    const phaseAfter = (refusals: number) =>
      step(step(runIn('issue'), { ...refused, refusals }, known), { type: 'waited' }, known).phase
    expect([1, 2, 3, 4].map(phaseAfter)).toEqual(['query', 'query', 'vary', 'vary'])
  })

  it('makes no variant of one of 25 attempts', () => {
    const phaseOf = (count: number) => {
      const known = { ...onX, attempts: Array(count).fill(attempt) }
      return step(runIn('search', { rejections: 1 }), { type: 'searched' }, known).phase
    }
    expect([24, 25].map(phaseOf)).toEqual(['vary', 'query'])
  })
})
