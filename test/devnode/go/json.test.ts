import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  compactJSON,
  GoSyntaxError,
  type GoValue,
  lastMember,
  membersOf,
  parseFirst,
} from '../../../src/devnode/go/json.ts'

/** The value as JSON.parse would give it. */
function plain(value: GoValue): unknown {
  switch (value.kind) {
    case 'string':
      return value.text
    case 'array':
      return value.items.map(plain)
    case 'object':
      return Object.fromEntries(value.members.map(([key, item]) => [key, plain(item)]))
    default:
      return JSON.parse(value.raw)
  }
}

const messageOf = (text: string): string => {
  try {
    parseFirst(text)
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(GoSyntaxError)
    return (error as Error).message
  }
}

describe('parseFirst', () => {
  test.prop([fc.json(), fc.constantFrom('', ' ', '\n\t')])(
    'parses what JSON.parse parses',
    (text, space) => {
      const found = parseFirst(space + text)
      expect(plain(found)).toEqual(JSON.parse(text))
      expect(found.raw).toBe(text)
    },
  )

  test.prop([fc.json(), fc.nat(), fc.string({ maxLength: 2 })])(
    'rejects what JSON.parse rejects, except for trailing text',
    (text, position, piece) => {
      const at = position % (text.length + 1)
      const damaged = text.slice(0, at) + piece + text.slice(at + 1)
      let read: GoValue | undefined
      try {
        read = parseFirst(damaged)
      } catch (error) {
        expect(error).toBeInstanceOf(GoSyntaxError)
      }
      if (read === undefined) expect(() => JSON.parse(damaged)).toThrow()
      else expect(plain(read)).toEqual(JSON.parse(read.raw))
    },
  )

  // The messages are those of Go's encoding/json/scanner.go.
  it.each([
    ['', 'EOF'],
    [' \n', 'EOF'],
    ['{"a":', 'unexpected EOF'],
    ['[1', 'unexpected EOF'],
    ['"a', 'unexpected EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['\u00e9', "invalid character '\u00c3' looking for beginning of value"],
    ['\ufeff{}', "invalid character '\u00ef' looking for beginning of value"],
    ['{a', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1', "invalid character '1' after object key"],
    ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
    ['[1 2', "invalid character '2' after array element"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['nul1', "invalid character '1' in literal null (expecting 'l')"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.a', "invalid character 'a' after decimal point in numeric literal"],
    ['1ea', "invalid character 'a' in exponent of numeric literal"],
  ])('says of %j: %s', (text, message) => {
    expect(messageOf(text)).toBe(message)
  })

  it('accepts at most 10,000 levels', () => {
    expect(parseFirst(`${'['.repeat(10_000)}${']'.repeat(10_000)}`).kind).toBe('array')
    expect(messageOf('['.repeat(10_001))).toBe("invalid character '[' exceeded max depth")
  })
})

describe('membersOf and lastMember', () => {
  it('accept every case of a name, and ignore a final null', () => {
    const value = parseFirst('{"ID":1,"id":2,"Id":null,"\u212aey":3}')
    expect(membersOf(value, 'id').map(({ raw }) => raw)).toEqual(['1', '2', 'null'])
    expect(lastMember(value, 'id')).toBeUndefined()
    expect(membersOf(value, 'key').map(({ raw }) => raw)).toEqual(['3'])
    expect(membersOf(value, 'none')).toEqual([])
  })
})

describe('compact', () => {
  it('removes white space and escapes like Go', () => {
    const value = parseFirst('{ "a b" : [ 1.0 , "<\\"&> " ] }')
    expect(compactJSON(value)).toBe('{"a b":[1.0,"\\u003c\\"\\u0026\\u003e "]}')
  })
})
