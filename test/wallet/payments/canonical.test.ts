import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalText } from '../../../src/wallet/canonical.ts'

describe('canonicalText', () => {
  it('does not depend on the order of members, nor on undefined ones', () => {
    const text = canonicalText({ a: 1, b: [2n, 'x'] })
    expect(canonicalText({ b: [2n, 'x'], c: undefined, a: 1 })).toBe(text)
  })

  const values: readonly unknown[] = [
    1,
    1n,
    '1',
    '1n',
    true,
    'true',
    null,
    'null',
    '',
    [],
    {},
    [1],
    [[1]],
    ['1'],
    [1, 2],
    [12],
    ['1,2'],
    ['1', '2'],
    { a: 1 },
    { a: '1' },
    { 'a":1,"b': 1 },
    { a: 1, b: 1 },
    { a: { b: 1 } },
    Uint8Array.of(1),
    Uint8Array.of(0, 1),
    '0x01',
    new Uint8Array(),
    '0x',
    [null],
  ]
  it('differs for different values', () => {
    const texts = values.map(canonicalText)
    expect(new Set(texts).size).toBe(texts.length)
  })

  const plain = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.bigInt(),
      fc.integer(),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array({ maxLength: 4 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 3 }),
    ),
  })).value

  /** Independent of the code under test: structural equality with types. */
  const isEqual = (a: unknown, b: unknown): boolean => {
    try {
      expect(a).toEqual(b)
      return typeof a === typeof b && Array.isArray(a) === Array.isArray(b)
    } catch {
      return false
    }
  }

  test.prop([plain, plain])('is equal exactly for equal values', (a, b) => {
    expect(canonicalText(a) === canonicalText(b)).toBe(isEqual(a, b))
  })

  test.prop([plain])('is equal for a copy whose members are in reverse order', (value) => {
    const reversed = (one: unknown): unknown => {
      if (typeof one !== 'object' || one === null || one instanceof Uint8Array) return one
      if (Array.isArray(one)) return one.map(reversed)
      return Object.fromEntries(
        Object.entries(one)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      )
    }
    expect(canonicalText(reversed(value))).toBe(canonicalText(value))
  })
})
