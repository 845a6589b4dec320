import { describe, expect, it } from 'vitest'
import { FundsError } from '../../../src/core/coins/errors.ts'
import { step } from '../../../src/wallet/machine/machine.ts'
import { type Facts, type Goal, type Run, startRun } from '../../../src/wallet/machine/run.ts'
import { StoreError, type StoreErrorCode } from '../../../src/wallet/store/errors.ts'
import type { Attempt } from '../../../src/wallet/store/index.ts'

const goal: Goal = {
  kind: 'pay',
  isGiven: false,
  isMove: false,
  maxRebuilds: 3,
  replaces: true,
  queriesFirst: false,
  insists: false,
  quorum: 1,
  timeoutMs: 60_000,
  resendMs: 5_000,
}

const facts: Facts = {
  now: 20_000,
  isAborted: false,
  attempts: [],
  exported: undefined,
  variants: 1,
  servers: 1,
}

const attempt: Attempt = {
  kind: 'payment',
  txID: new Uint8Array(32),
  bytes: new Uint8Array(),
  keys: ['a'],
  inputs: [],
  fromHeight: 1n,
}

/** The progress of a call after the store has refused its claim. */
function refused(
  code: StoreErrorCode,
  changes: Partial<Run> = {},
  of: Goal = goal,
  known: Facts = facts,
) {
  const run: Run = { ...startRun(of, [], 'claim'), ...changes }
  return step(run, { type: 'refused', error: new StoreError(code, 'refused') }, known)
}

describe('a claim that the store refuses', () => {
  for (const code of ['KEY_ACCEPTED', 'KEY_CANCELED', 'KEY_PENDING'] as const)
    for (const isReplacing of [false, true])
      it(`(${code}, ${isReplacing ? 'a replacement' : 'the first'}) makes the call read the store again`, () => {
        const run = refused(code, { isReplacing })
        expect([run.phase, run.isReplacing, run.answer]).toEqual(['look', false, undefined])
      })

  it('for an unknown key makes only a cancellation read the store again', () => {
    expect(refused('KEY_UNKNOWN', {}, { ...goal, kind: 'cancel' }).phase).toBe('look')
    expect(refused('KEY_UNKNOWN').answer).toMatchObject({ is: 'failed' })
  })

  for (const code of ['STORE_AHEAD', 'STORE_BEHIND', 'STORE_MISMATCH'] as const)
    it(`(${code}) ends the call with that reason, also if it replaces an attempt`, () => {
      expect(refused(code).answer).toMatchObject({ is: 'failed', error: { code } })
      const replacing = (of: Goal) =>
        refused(code, { isReplacing: true }, of, { ...facts, attempts: [attempt] })
      expect(replacing(goal)).toMatchObject({ answer: { is: 'pending' }, error: { code } })
      const cancel = replacing({ ...goal, kind: 'cancel' })
      expect(cancel.answer).toMatchObject({ is: 'failed', error: { code } })
    })

  it('for its inputs makes the call draft with others, until it is too late', () => {
    expect(refused('INPUT_CLAIMED').phase).toBe('avoid')
    for (const changes of [{ deadline: facts.now }, { deadline: facts.now - 1 }])
      expect(refused('INPUT_CLAIMED', changes).answer).toMatchObject({ is: 'failed' })
    expect(refused('INPUT_CLAIMED', {}, { ...goal, isGiven: true }).answer).toMatchObject({
      is: 'failed',
    })
  })
})

it('a replacement that cannot be drafted leaves a call without pending attempts to read the store', () => {
  const run: Run = { ...startRun(goal, [], 'draft'), isReplacing: true }
  const error = new FundsError('BUILDER_INSUFFICIENT_FUNDS', 'none', [])
  expect(step(run, { type: 'failed', error }, facts)).toMatchObject({
    phase: 'look',
    isReplacing: false,
  })
})
