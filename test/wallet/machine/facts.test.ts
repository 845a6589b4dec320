import { describe, expect, it } from 'vitest'
import { isExported, issuedOf, isUnshown } from '../../../src/wallet/machine/facts.ts'
import type { Attempt, EndedAttempt, PaymentRecord } from '../../../src/wallet/store/store.ts'
import { cancellation, exportOnC, facts, importOnP } from './setup.ts'

describe('isUnshown', () => {
  const endedBy = (evidence: EndedAttempt['evidence']) => ({ evidence }) as EndedAttempt
  const shown = endedBy([{ txID: new Uint8Array(32), outputIndex: 0 }])
  const unshown = endedBy([])
  const cases: readonly (readonly [
    PaymentRecord['status'],
    readonly EndedAttempt[] | undefined,
    boolean,
  ])[] = [
    ['unknown', undefined, false],
    ['pending', [unshown], false],
    ['accepted', [unshown], false],
    ['rejected', undefined, true],
    ['rejected', [], true],
    ['rejected', [unshown], true],
    ['rejected', [shown], false],
    // The attempt without evidence could still be accepted beside a further one.
    ['rejected', [shown, unshown], true],
    ['canceled', [unshown, shown], true],
    ['canceled', [shown, shown], false],
  ]
  for (const [status, ended, expected] of cases) {
    const outputs = ended?.map(({ evidence }) => evidence.length).join(' and ') ?? 'unknown'
    it(`is ${expected} for a payment that is ${status}, with evidence: ${outputs}`, () => {
      expect(isUnshown({ status, ended })).toBe(expected)
    })
  }
})

it('isExported until an import is claimed', () => {
  const known = { ...facts, exported: exportOnC }
  expect(isExported({ ...known, attempts: [exportOnC] })).toBe(true)
  expect(isExported({ ...known, attempts: [exportOnC, importOnP] })).toBe(false)
  expect(isExported({ ...facts, attempts: [exportOnC] })).toBe(false)
})

describe('issuedOf', () => {
  const later: Attempt = { ...exportOnC }
  const again: Attempt = { ...importOnP }
  const cases: readonly (readonly [string, readonly Attempt[], Attempt | undefined])[] = [
    ['is none of none', [], undefined],
    ['is the newest', [exportOnC, later], later],
    ['is the newest also if that is a cancellation', [exportOnC, cancellation], cancellation],
    [
      'is the import, although an export was claimed later',
      [exportOnC, importOnP, later],
      importOnP,
    ],
    ['is the newest import', [exportOnC, importOnP, again, later], again],
  ]
  for (const [name, attempts, expected] of cases)
    it(name, () => expect(issuedOf(attempts)).toBe(expected))
})
