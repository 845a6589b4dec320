import { describe, expect, it } from 'vitest'
import type { Rejection } from '../../../src/node/issue/rejections.ts'
import { FEE_CHECK_MS } from '../../../src/wallet/machine/issuing.ts'
import { next, step } from '../../../src/wallet/machine/machine.ts'
import { type Facts, type Goal, type Run, startRun } from '../../../src/wallet/machine/run.ts'
import type { Attempt } from '../../../src/wallet/store/store.ts'

const goal: Goal = {
  kind: 'pay',
  isGiven: false,
  isMove: true,
  maxRebuilds: 3,
  replaces: true,
  queriesFirst: false,
  insists: false,
  quorum: 1,
  timeoutMs: 60_000,
  resendMs: 5_000,
}

const onC: Attempt = {
  kind: 'export',
  txID: new Uint8Array(32),
  bytes: new Uint8Array(),
  keys: ['a'],
  inputs: [],
  fromHeight: 1n,
  leg: { chain: 'C', inputs: [], note: new Uint8Array() },
}

const facts: Facts = {
  now: 20_000,
  isAborted: false,
  attempts: [onC],
  exported: undefined,
  variants: 1,
  servers: 1,
}

describe('the pause before an attempt on another chain is issued again', () => {
  const cases: readonly (readonly [string, Partial<Run>, number])[] = [
    ['that of the call, before a check of the fee', { feeCheckAt: 28_000 }, 5_000],
    ['until the check of the fee', { feeCheckAt: 21_000 }, 1_000],
    ['the shortest one if the check is due', { feeCheckAt: 15_000 }, 1],
    [
      'until the check is allowed, if it is due',
      { feeCheckAt: 15_000, compareAt: 20_000 + FEE_CHECK_MS / 5 },
      FEE_CHECK_MS / 5,
    ],
    [
      'that of the call if the check is never allowed',
      { feeCheckAt: 15_000, compareAt: Number.POSITIVE_INFINITY },
      5_000,
    ],
  ]
  for (const [name, progress, ms] of cases)
    it(`is ${name}`, () => {
      const run: Run = { ...startRun(goal, [], 'wait'), again: true, ...progress }
      expect(next(run, facts)).toEqual({ do: 'wait', ms })
    })
})

describe('the import of a move whose export was accepted', () => {
  const cancellation: Attempt = { ...onC, kind: 'cancellation' }
  const imported: Attempt = { ...onC, kind: 'import', leg: { ...onC.leg!, chain: 'P' } }
  const rejection = { code: 'INSUFFICIENT_FUNDS', remembered: true } as Rejection
  const run: Run = { ...startRun({ ...goal, kind: 'complete' }, [], 'issue'), again: true }
  const refused = { type: 'issued', turn: 0, rejection, refusals: 1, error: undefined } as const

  it('is compared with the current fee, although a cancellation of the export is pending', () => {
    const known = { ...facts, attempts: [onC, cancellation, imported], exported: onC }
    expect(step(run, refused, known).phase).toBe('compare')
  })

  it('is not issued again at once if it may not be replaced', () => {
    const known = { ...facts, attempts: [onC, cancellation] }
    expect(next({ ...run, phase: 'wait' }, known)).toEqual({ do: 'wait', ms: 5_000 })
  })
})

describe('after a refusal that the server remembers', () => {
  const onX: Attempt = { ...onC, kind: 'payment', leg: undefined }
  const cases = [
    // A server that finds the fee too low does not look for the inputs, which may not exist.
    ['INSUFFICIENT_FUNDS', 1, 'search'],
    ['UTXO_NOT_FOUND', 1, 'search'],
    ['TIME_LOCKED', 1, 'vary'],
    ['TIME_LOCKED', 8, 'vary'],
    ['TIME_LOCKED', 9, 'query'],
  ] as const
  for (const [code, variants, phase] of cases)
    it(`(${code}, ${variants} variants) the next phase is ${phase}`, () => {
      const rejection = { code, remembered: true } as Rejection
      const pay: Goal = { ...goal, isMove: false }
      const run: Run = { ...startRun(pay, [], 'wait'), again: true, rejection, rejections: 1 }
      const known = { ...facts, attempts: [onX, onX], variants }
      expect(step(run, { type: 'waited' }, known).phase).toBe(phase)
    })

  it('counts refusals in earlier calls', () => {
    const code = 'TIMELOCKED'
    const rejection: Rejection = { code, class: 'give-up', remembered: true, message: '' }
    const refused = { type: 'issued', turn: 3, rejection, error: undefined } as const
    const known = { ...facts, attempts: [onX], servers: 3 }
    const run: Run = { ...startRun({ ...goal, isMove: false }, [], 'issue'), again: true }
    const phaseAfter = (refusals: number) =>
      step(step(run, { ...refused, refusals }, known), { type: 'waited' }, known).phase
    expect([1, 2, 3, 4].map(phaseAfter)).toEqual(['query', 'query', 'vary', 'vary'])
  })
})
