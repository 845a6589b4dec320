import { describe, expect, it } from 'vitest'
import { next, step } from '../../../src/wallet/machine/machine.ts'
import {
  type Answer,
  type Event,
  type Facts,
  type Phase,
  type Run,
  startRun,
} from '../../../src/wallet/machine/run.ts'
import { attempt, cancellation, exportOnC, move, facts as noFacts, pay } from './setup.ts'

const facts: Facts = { ...noFacts, attempts: [attempt] }
const payment = { key: 'a', digest: new Uint8Array(32) }
const runIn = (phase: Phase, changes: Partial<Run> = {}): Run => ({
  ...startRun(pay, [payment], phase),
  ...changes,
})

/** Phases in which a transaction is pending, and those before. */
const ISSUING = ['query', 'issue', 'compare', 'wait', 'search', 'vary'] as const
const DRAFTING = ['look', 'recall', 'draft', 'avoid', 'sign', 'claim', 'close'] as const
const LISTING = ['list', 'reissue'] as const

describe('next', () => {
  const pending = { do: 'answer', answer: { is: 'pending' } }

  for (const phase of [...ISSUING, ...DRAFTING, ...LISTING])
    it(`is ${phase} in that phase`, () => {
      const isListing = phase === 'list' || phase === 'reissue'
      const listing = { goal: move, listedFrom: 1 }
      const known = { ...facts, attempts: [exportOnC], exported: exportOnC }
      const run = runIn(phase, isListing ? listing : {})
      expect(next(run, isListing ? known : facts).do).toBe(phase)
    })

  for (const phase of ISSUING) {
    it(`ends the call in phase ${phase} when it is too late or the caller aborts`, () => {
      for (const deadline of [20_000, 19_999])
        expect(next(runIn(phase, { deadline }), facts)).toEqual(pending)
      expect(next(runIn(phase, { deadline: 20_001 }), facts).do).toBe(phase)
      expect(next(runIn(phase), { ...facts, isAborted: true })).toEqual(pending)
    })

    it(`reads the store in phase ${phase} when nothing is pending any more, also if it is too late`, () => {
      for (const deadline of [60_000, 20_000])
        expect(next(runIn(phase, { deadline }), { ...facts, attempts: [] })).toEqual({ do: 'look' })
    })
  }

  for (const phase of DRAFTING)
    it(`goes on in phase ${phase} although nothing is pending, or the caller aborts`, () => {
      const run = runIn(phase, { deadline: 0 })
      expect(next(run, { ...facts, attempts: [], isAborted: true }).do).toBe(phase)
    })

  it('reads the store instead of replacing what is not pending any more', () => {
    for (const phase of ['draft', 'sign', 'claim'] as const)
      for (const attempts of [[], [cancellation]])
        expect(next(runIn(phase, { isReplacing: true }), { ...facts, attempts })).toEqual({
          do: 'look',
        })
    expect(next(runIn('sign', { isReplacing: true }), facts)).toEqual({ do: 'sign' })
  })

  it('hands on what the phase needs', () => {
    const inputs = [{ txID: new Uint8Array(32), outputIndex: 1 }]
    expect(next(runIn('recall'), facts)).toEqual({ do: 'recall', payments: [payment] })
    expect(next(runIn('avoid', { avoided: inputs }), facts)).toEqual({ do: 'avoid', inputs })
    for (const again of [true, false])
      expect(next(runIn('claim', { again }), facts)).toEqual({ do: 'claim', again })
  })

  describe('with an answer', () => {
    const failed: Answer = { is: 'failed', error: new Error() }
    const outcome = { status: 'accepted', txID: attempt.txID } as const
    const ended: Answer = { is: 'ended', outcome, records: [] }

    it('gives it', () => {
      for (const answer of [failed, ended, { is: 'pending' } as const])
        expect(next(runIn('wait', { answer }), facts)).toEqual({ do: 'answer', answer })
    })

    it('reads the store first if the payments have ended although they were to be left pending', () => {
      const left = runIn('wait', { answer: { is: 'pending' } })
      expect(next(left, { ...facts, attempts: [] })).toEqual({ do: 'look' })
      for (const answer of [failed, ended])
        expect(next(runIn('wait', { answer }), { ...facts, attempts: [] }).do).toBe('answer')
    })

    it('that payments are left pending, outside of issuing, does not', () => {
      const left = runIn('look', { answer: { is: 'pending' } })
      expect(next(left, { ...facts, attempts: [] })).toEqual(pending)
    })
  })
})

describe('step', () => {
  const before = new Error('before')
  const error = new Error('now')
  const cases: readonly (readonly [Event, Partial<Run>])[] = [
    [{ type: 'drafted' }, { phase: 'sign', error: before }],
    [{ type: 'avoided' }, { phase: 'draft', error: before }],
    [{ type: 'signed' }, { phase: 'claim', error: before }],
    [{ type: 'closed' }, { phase: 'look', error: before }],
    [{ type: 'queried' }, { phase: 'issue', error: before }],
    [
      { type: 'queried', error },
      { phase: 'issue', error },
    ],
    [{ type: 'varied' }, { phase: 'query', error: before }],
    [
      { type: 'varied', error },
      { phase: 'query', error },
    ],
  ]
  for (const [event, changes] of cases)
    it(`after ${event.type}${'error' in event ? ' with an error' : ''} changes the phase to ${changes.phase}`, () => {
      const run = runIn('vary', { isReplacing: true, error: before })
      expect(step(run, event, facts)).toEqual({ ...run, ...changes })
    })
})
