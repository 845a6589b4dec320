import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../src/core/base/errors.ts'
import type { Json } from '../../../src/core/codec/json.ts'
import { parseJSON, stringifyJSON } from '../../../src/core/codec/json-text.ts'
import { codeOf } from '../../helpers/vectors.ts'

const anyJSON = fc.jsonValue({ noUnicodeString: false } as never) as fc.Arbitrary<Json>

describe('parseJSON', () => {
  it('keeps every digit of integers above 2^53', () => {
    expect(parseJSON('{"amount":18446744073709551615,"small":5}')).toEqual({
      amount: 18446744073709551615n,
      small: 5,
    })
    expect(parseJSON('9007199254740993')).toBe(9007199254740993n)
    expect(parseJSON(' [ -9007199254740993 ] ')).toEqual([-9007199254740993n])
    expect(parseJSON('9007199254740991')).toBe(9007199254740991)
  })

  test.prop([anyJSON])('parses what JSON.parse parses, with and without long integers', (value) => {
    const text = JSON.stringify(value)
    // From 1e21 on they are printed with an exponent and stay numbers.
    const expected = JSON.parse(text, (_, item) =>
      Number.isInteger(item) && !Number.isSafeInteger(item) && Math.abs(item) < 1e21
        ? BigInt(String(item))
        : item,
    )
    expect(parseJSON(text)).toEqual(expected)
    expect(parseJSON(`[10000000000000000000, ${text} ]`)).toEqual([10000000000000000000n, expected])
  })

  test.prop([fc.string({ unit: 'binary', maxLength: 40 }), fc.boolean()])(
    'rejects what JSON.parse rejects, with and without long integers',
    (text, isLong) => {
      const whole = isLong ? `[10000000000000000000,${text}]` : text
      let expected = true
      try {
        JSON.parse(whole)
      } catch {
        expected = false
      }
      if (expected) expect(() => parseJSON(whole)).not.toThrow()
      else expect(() => parseJSON(whole)).toThrow(ArgumentError)
    },
  )

  it('rejects invalid JSON of every kind, with and without long integers', () => {
    const broken = [
      '',
      '{',
      '[1,]',
      '{"a":1,}',
      '{"a" 1}',
      '{a:1}',
      '"\\x"',
      '"\n"',
      '01',
      '1.',
      '.5',
      '-',
      'nul',
      '[1 2]',
      '"a',
      '{"a":1}}',
      '\u00a01',
      '+1',
      '1e',
    ]
    for (const text of broken) {
      expect(codeOf(() => parseJSON(text))).toBe('ENC_BAD_JSON')
      expect(codeOf(() => parseJSON(`[10000000000000000000,${text}]`))).toBe('ENC_BAD_JSON')
    }
  })

  it('leaves strings beside long integers unchanged', () => {
    const value = {
      n10000000000000000000: 'n10000000000000000000',
      s: ['s', '', '10000000000000000000', ':-10000000000000000000,'],
      'a"10000000000000000000\\': '"\\"10000000000000000000\\\\"\\',
      long: '"\\\n'.repeat(100_000),
      quotes: '"'.repeat(100_000),
      decimal: [0.1234567890123456, -1.5e300, 1e21],
    }
    const text = JSON.stringify({ ...value, amount: 0 }).replace(':0}', ':10000000000000000000}')
    expect(parseJSON(text)).toEqual({ ...value, amount: 10000000000000000000n })
  })

  it('makes __proto__ an ordinary member', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":10000000000000000000}}']) {
      const value = parseJSON(text) as object
      expect(Object.keys(value)).toEqual(['__proto__'])
      expect('a' in value).toBe(false)
    }
  })

  it('limits nesting and the length of integers', () => {
    const deep = `${'['.repeat(100_000)}10000000000000000000${']'.repeat(100_000)}`
    expect(codeOf(() => parseJSON(deep))).toBe('ENC_BAD_JSON')
    const nested = (levels: number, inner: string) =>
      '[{"a":'.repeat(levels / 2) + inner + '}]'.repeat(levels / 2)
    for (const inner of ['1', '"a"', '10000000000000000000', '[]', '{"b":1}']) {
      expect(codeOf(() => parseJSON(nested(198, inner)))).toBeUndefined()
      expect(codeOf(() => parseJSON(nested(202, inner)))).toBe('ENC_BAD_JSON')
    }
    expect(codeOf(() => parseJSON('9'.repeat(1_000_000)))).toBe('ENC_BAD_JSON')
  })

  it('and stringifyJSON take 200 levels around a value, and not 201', () => {
    const nested = (levels: number, inner: string) =>
      '['.repeat(levels) + inner + ']'.repeat(levels)
    const read = (text: string) => codeOf(() => parseJSON(text))
    const write = (text: string) => codeOf(() => stringifyJSON(JSON.parse(text) as Json))
    for (const inner of ['1', '10000000000000000000', '[]'])
      expect([read(nested(200, inner)), write(nested(200, inner))]).toEqual([undefined, undefined])
    for (const inner of ['1', '10000000000000000000', '[]'])
      expect([read(nested(201, inner)), write(nested(201, inner))]).toEqual([
        'ENC_BAD_JSON',
        'ENC_BAD_JSON',
      ])
    // Behind an integer that needs more than a number, too.
    const behind = (levels: number) => `[10000000000000000000,${nested(levels, '1')}]`
    expect([read(behind(199)), read(behind(200))]).toEqual([undefined, 'ENC_BAD_JSON'])
  })
})

describe('numbers of megabytes', () => {
  const digits = '1'.repeat(8_000_000)

  it.each([digits, `-${digits}`, `[1,${digits}]`, `{"a":${digits}}`, `["${digits}",${digits}]`])(
    'are rejected, case %#',
    (text) => {
      expect(codeOf(() => parseJSON(text))).toBe('ENC_BAD_JSON')
    },
  )

  it('may be fractions, exponents or strings', () => {
    for (const part of [
      `1.${digits}`,
      `0.${digits}e-5`,
      `1${digits}.5`,
      `"${digits}"`,
      `"1e${digits}"`,
    ])
      expect(parseJSON(`[${part},9007199254740993]`)).toEqual([JSON.parse(part), 9007199254740993n])
  })
})

describe('stringifyJSON', () => {
  test.prop([anyJSON])('writes text that JSON.parse parses', (value) => {
    // A typed zero has no sign in JSON.
    expect(JSON.parse(stringifyJSON(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })

  it('escapes as the node does', () => {
    // The rules of Go's encoding/json with HTML escaping on.
    expect(stringifyJSON('<a>&"\\\n\t\r\b\f\u0001\u2028\u2029\u007fé😀')).toBe(
      '"\\u003ca\\u003e\\u0026\\"\\\\\\n\\t\\r\\b\\f\\u0001\\u2028\\u2029\u007fé😀"',
    )
    expect(stringifyJSON('\udc85x\ufffd')).toBe('"\\ufffdx\ufffd"')
    expect(stringifyJSON('\\udc85\\\ud800\\')).toBe('"\\\\udc85\\\\\\ufffd\\\\"')
  })

  it('writes bigint as plain digits and rejects values that are not JSON', () => {
    expect(stringifyJSON({ a: 2n ** 64n - 1n, b: [1n, -1] })).toBe(
      '{"a":18446744073709551615,"b":[1,-1]}',
    )
    expect(codeOf(() => stringifyJSON(Number.NaN))).toBe('ENC_BAD_JSON')
    expect(codeOf(() => stringifyJSON((() => 1) as never))).toBe('ENC_BAD_JSON')
    expect(codeOf(() => stringifyJSON(new Array(2)))).toBe('ENC_BAD_JSON')
    let deep: Json = 1
    for (let i = 0; i < 10_000; i++) deep = [deep]
    expect(codeOf(() => stringifyJSON(deep))).toBe('ENC_BAD_JSON')
  })
})
