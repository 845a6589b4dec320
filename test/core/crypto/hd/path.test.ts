import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { formatHDPath, parseHDPath } from '../../../../src/core/crypto/hd/index.ts'

describe('parseHDPath', () => {
  it('parses the numbers of a path', () => {
    expect(parseHDPath("m/44'/9000'/3'/1/2147483647")).toEqual({
      account: 3,
      change: 1,
      index: 2147483647,
    })
  })

  for (const text of [
    '',
    "44'/9000'/0'/0/0",
    "m/44'/9000'/0'/0",
    "m/44'/9000'/0'/0/0/0",
    "m/44'/9000'/0/0/0",
    "m/44'/9000'/0'/0'/0",
    "m/44'/61'/0'/0/0",
    'm/44h/9000h/0h/0/0',
    "m/44'/9000'/0'/0/00",
    "m/44'/9000'/0'/0/-1",
    "m/44'/9000'/0'/0/1 ",
    "m/44'/9000'/0'/0/2147483648",
    "m/44'/9000'/2147483648'/0/0",
  ])
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(() => parseHDPath(text)).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }))
    })

  const number = fc.nat({ max: 0x7fffffff })
  test.prop([number, number, number])('parses what formatHDPath returns', (a, change, index) => {
    const path = { account: a, change, index }
    expect(parseHDPath(formatHDPath(path))).toEqual(path)
    const onC = { ...path, coinType: 60 } as const
    expect(formatHDPath(onC)).toBe(`m/44'/60'/${a}'/${change}/${index}`)
    expect(parseHDPath(formatHDPath(onC))).toEqual(onC)
  })
})

describe('formatHDPath', () => {
  it('rejects numbers that are hardened, negative or not integers', () => {
    for (const index of [0x80000000, -1, 0.5, Number.NaN])
      expect(() => formatHDPath({ account: 0, change: 0, index })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID', path: 'index' }),
      )
  })
})
