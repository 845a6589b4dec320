import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  argument,
  bigintFrom,
  boolean,
  bulk,
  bytesOf,
  type Check,
  capability,
  date,
  fn,
  ignored,
  integerFrom,
  iterable,
  kinds,
  list,
  located,
  msFrom,
  object,
  omissible,
  oneOf,
  optional,
  record,
  signal,
  text,
  u32,
  u64,
  variants,
} from '../../../src/core/base/argument.ts'
import { parseID } from '../../../src/core/base/encoding/ids.ts'
import { ArgumentError } from '../../../src/core/base/errors.ts'

type Output = {
  readonly to: string
  readonly amount: bigint
  readonly assetID?: string | undefined
}
type Options = {
  readonly outputs: readonly Output[]
  readonly memo?: string | Uint8Array | undefined
}

const options: Check<Options> = object<Options>({
  outputs: list(object<Output>({ to: text, amount: bigintFrom(0n), assetID: optional(text) })),
  memo: optional(kinds<string | Uint8Array>({ string: text, bytes: bytesOf() })),
})

const check = (value: unknown) => argument('transfer', value, options)

function errorOf(call: () => unknown): ArgumentError {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(ArgumentError)
    return error as ArgumentError
  }
  throw new Error('nothing was thrown')
}

describe('unknown members', () => {
  it.each([
    [{ outputs: [{ to: 'a', amount: 1n, asset: 'b' }] }, 'outputs[0].asset; did you mean assetID?'],
    [{ outputs: [], memmo: 'x' }, 'memmo; did you mean memo?'],
    [{ oututs: [] }, 'oututs; did you mean outputs?'],
    [{ outputs: [], quarantine: undefined }, 'quarantine'],
    [JSON.parse('{"outputs":[],"__proto__":{}}'), '__proto__'],
    [Object.defineProperty({ outputs: [] }, 'hidden', { value: 1 }), 'hidden'],
  ])('are named with the path and the nearest known name: %#', (value, place) => {
    const error = errorOf(() => check(value))
    expect([error.code, error.message]).toEqual([
      'UNKNOWN_OPTION',
      `transfer: unknown member ${place}`,
    ])
    expect(error.path).toBe(place.split(';')[0])
  })

  it('are named on one line, however long the name is', () => {
    for (const each of [options, record(text)] as Check<unknown>[]) {
      const given = { [`a\n${'b'.repeat(1000)}`]: 1 }
      const { message, path } = errorOf(() => argument('transfer', given, each))
      expect(path).toBe(`a?${'b'.repeat(38)}`)
      expect(message).toMatch(/^transfer: .*a\?b{38}/)
      expect(message).not.toMatch(/b{39}/)
    }
  })
})

describe('options', () => {
  it('must be plain objects, with members of their own', () => {
    class Given {
      outputs = []
    }
    for (const value of [new Given(), Object.create({ outputs: [] }), new Map(), [], null, 'x', 1])
      expect(errorOf(() => check(value)).code).toBe('ENC_INVALID')
    expect(check(Object.assign(Object.create(null), { outputs: [] })).outputs).toEqual([])
    expect(check(runInNewContext('({ outputs: [] })')).outputs).toEqual([])
  })

  it('take nothing from Object.prototype, neither when checked nor later', () => {
    const polluted = Object.prototype as { memo?: string }
    polluted.memo = 'inherited'
    try {
      expect(check({ outputs: [] }).memo).toBeUndefined()
      expect({ ...check({ outputs: [] }) }.memo).toBeUndefined()
    } finally {
      delete polluted.memo
    }
  })

  it('are read once and copied', () => {
    let reads = 0
    const memo = new Uint8Array([1])
    const outputs: Output[] = [
      {
        to: 'a',
        get amount() {
          reads++
          return BigInt(reads)
        },
      },
    ]
    const copy = check({ outputs, memo })
    memo[0] = 2
    outputs.pop()
    expect(copy.outputs[0]?.amount).toBe(1n)
    expect(copy.outputs[0]?.amount).toBe(1n)
    expect(reads).toBe(1)
    expect(copy.memo).toEqual(new Uint8Array([1]))
  })

  it('that cannot be read are invalid', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const failing = {
      get outputs() {
        throw new Error('no')
      },
    }
    for (const value of [proxy, failing])
      expect(errorOf(() => check(value)).message).toBe('transfer: the argument cannot be read')
  })
})

const out = (what: string, max: number | bigint, found: number | bigint) =>
  `expected ${what} from 0 to ${max}, found the ${typeof found} ${found}`

describe('a value', () => {
  const cases: [string, Check<unknown>, unknown[], [unknown, string][]][] = [
    ['text', text, ['', 'x'], [[1, 'expected a string, found the number 1']]],
    ['boolean', boolean, [true, false], [['no', 'expected a boolean, found a string']]],
    [
      'bigint',
      bigintFrom(0n, 9n),
      [0n, 9n],
      [
        [10n, 'expected a bigint from 0 to 9, found the bigint 10'],
        [-1n, 'expected a bigint from 0 to 9, found the bigint -1'],
        [5, 'expected a bigint, found the number 5'],
        [10n ** 2000n, 'expected a bigint from 0 to 9, found a bigint'],
      ],
    ],
    [
      'integer',
      integerFrom(1, 3),
      [1, 3],
      [
        [0, 'expected an integer from 1 to 3, found the number 0'],
        [4, 'expected an integer from 1 to 3, found the number 4'],
        [1.5, 'expected an integer from 1 to 3, found the number 1.5'],
        ['1', 'expected an integer from 1 to 3, found a string'],
      ],
    ],
    [
      'duration',
      msFrom(1),
      [1, Number.POSITIVE_INFINITY],
      [[Number.NaN, 'expected a number of milliseconds >= 1, found the number NaN']],
    ],
    [
      'bytes',
      bytesOf(2),
      [new Uint8Array(2)],
      [
        [new Uint8Array(3), 'must have 2 bytes, has 3'],
        [[1, 2], 'expected a Uint8Array, found an array'],
      ],
    ],
    [
      'date',
      date,
      [new Date(0)],
      [[new Date('x'), 'expected a valid Date, found an instance of a class']],
    ],
    ['word', oneOf('a', 'b'), ['a', 'b'], [['c', 'expected "a" or "b", found a string']]],
    ['function', fn(), [check], [[{}, 'expected a function, found an object']]],
    [
      'capability',
      capability<{ now(): number }>('a clock', 'now'),
      [{ now: () => 1, more: 1 }],
      [[{}, 'expected a clock, found an object']],
    ],
    [
      'kind',
      kinds<unknown>({ string: text, list: list(text) }),
      ['x', ['x']],
      [[true, 'expected a string or an array, found a boolean']],
    ],
    ['u32', u32, [0, 2 ** 32 - 1], [[2 ** 32, out('an integer', 2 ** 32 - 1, 2 ** 32)]]],
    ['u64', u64, [0n, 2n ** 64n - 1n], [[2n ** 64n, out('a bigint', 2n ** 64n - 1n, 2n ** 64n)]]],
    [
      'variant',
      variants<{ readonly type: string; readonly n?: number }>('type', {
        one: object<{ readonly type: string; readonly n: number }>({ type: text, n: u32 }),
        none: object<{ readonly type: string }>({ type: text }),
      }),
      [{ type: 'one', n: 1 }, { type: 'none' }],
      [[[], 'expected a plain object, found an array']],
    ],
    [
      'iterable',
      iterable(text),
      [['x']],
      [
        ['x', 'expected a list, found a string'],
        [new Uint8Array(1), 'expected a list, found a Uint8Array'],
        [{}, 'expected a list, found an object'],
      ],
    ],
    [
      'bulk',
      bulk(),
      [[1, 'x']],
      [
        [new Set(), 'expected an array, found an instance of a class'],
        [new Array(1), 'expected an array without holes, found an array'],
      ],
    ],
    [
      'signal',
      signal,
      [new AbortController().signal],
      [[{ aborted: false }, 'expected an AbortSignal, found an object']],
    ],
    ['record', record(text), [{ any: 'x' }], [[[], 'expected a plain object, found an array']]],
  ]

  it.each(cases)('of the kind %s is copied or named as invalid', (_, each, valid, wrong) => {
    for (const value of valid) expect(argument('call', value, each, 'it')).toEqual(value)
    for (const [value, message] of wrong) {
      const error = errorOf(() => argument('call', value, each, 'it'))
      expect(error.message).toBe(`call: it: ${message}`)
      expect(error.path).toBe('it')
    }
    expect(errorOf(() => argument('call', undefined, each, 'it')).code).toBe('MISSING_OPTION')
    expect(argument('call', undefined, optional(each), 'it')).toBeUndefined()
  })

  it('that is missing is named with its path', () => {
    const error = errorOf(() => check({ outputs: [{ to: 'a' }] }))
    expect([error.code, error.message]).toEqual([
      'MISSING_OPTION',
      'transfer: outputs[0].amount is missing',
    ])
    // A hole in an array, which `map` would skip.
    expect(errorOf(() => check({ outputs: new Array(1) })).path).toBe('outputs[0]')
  })

  it('that names its type is checked as this type, which is read once', () => {
    let reads = 0
    const either = variants<{ readonly type: string }>('type', {
      a: object<{ readonly type: string }>({ type: oneOf('a') }),
      b: object<{ readonly type: string }>({ type: oneOf('b') }),
    })
    const changing = {
      get type() {
        return reads++ === 0 ? 'a' : 'b'
      },
    }
    expect(argument('call', changing, either)).toEqual({ type: 'a' })
    expect(errorOf(() => argument('call', { type: 'c' }, either)).message).toBe(
      'call: type: expected "a" or "b", found a string',
    )
    const { path } = errorOf(() => argument('call', { type: 'a', more: 1 }, either, 'item'))
    expect(path).toBe('item.more')
  })

  it('of a set is copied to a list, and a list that may be large is not copied', () => {
    expect(argument('call', new Set(['a', 'b']), iterable(text))).toEqual(['a', 'b'])
    expect(errorOf(() => argument('call', ['a', 1], iterable(text), 'of')).path).toBe('of[1]')
    const many = [1, 2]
    expect(argument('call', many, bulk())).toBe(many)
  })

  it('that is omitted has all members, and one that is ignored is not read', () => {
    const { amount } = { amount: optional(bigintFrom(0n)) }
    const settings = omissible(object<{ readonly amount?: bigint | undefined }>({ amount }))
    expect(Object.keys(argument('call', undefined, settings))).toEqual(['amount'])
    expect(argument('call', { amount: 1n }, settings)).toEqual({ amount: 1n })
    expect(errorOf(() => argument('call', null, settings)).code).toBe('ENC_INVALID')
    expect(argument('call', { more: 'x' }, object({ more: ignored }))).toEqual({ more: undefined })
  })

  it('that is a number instead of a bigint has a hint', () => {
    const hint = (amount: number) => errorOf(() => check({ outputs: [{ to: 'a', amount }] })).hint
    expect(hint(5)).toMatch('write 5n')
    expect(hint(0.5)).toMatch('parseAmount')
  })

  it('that cannot be parsed has the code of the parser and the place', () => {
    const at = { call: 'transfer', path: 'outputs[0].assetID' }
    const error = errorOf(() => located(at, () => parseID('1')))
    const cause = errorOf(() => parseID('1'))
    expect(error.code).toBe(cause.code)
    expect(error.message).toBe(`transfer: outputs[0].assetID: ${cause.message}`)
    expect(error.path).toBe(at.path)
  })
})
