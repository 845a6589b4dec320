import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { type CBOR, decodeCBOR, encodeCBOR } from '../../../src/signers/keystone/cbor.ts'

const bytes = Uint8Array.of(1, 2, 3, 4)
const list25 = Array.from({ length: 25 }, (_, i) => i + 1)

/** The examples of RFC 8949, appendix A, with the types that the formats of Keystone use. */
const examples: [CBOR, string][] = [
  [0, '00'],
  [1, '01'],
  [10, '0a'],
  [23, '17'],
  [24, '1818'],
  [25, '1819'],
  [100, '1864'],
  [1000, '1903e8'],
  [1000000, '1a000f4240'],
  [false, 'f4'],
  [true, 'f5'],
  [new Uint8Array(), '40'],
  [bytes, '4401020304'],
  ['', '60'],
  ['a', '6161'],
  ['IETF', '6449455446'],
  ['"\\', '62225c'],
  ['\u00fc', '62c3bc'],
  ['\u6c34', '63e6b0b4'],
  ['\u{10151}', '64f0908591'],
  [[], '80'],
  [[1, 2, 3], '83010203'],
  [[1, [2, 3], [4, 5]], '8301820203820405'],
  [list25, '98190102030405060708090a0b0c0d0e0f101112131415161718181819'],
  [new Map(), 'a0'],
  [
    new Map([
      [1, 2],
      [3, 4],
    ]),
    'a201020304',
  ],
  [{ tag: 1, value: 1363896240 }, 'c11a514b67b0'],
  [{ tag: 23, value: bytes }, 'd74401020304'],
  [
    { tag: 32, value: 'http://www.example.com' },
    'd82076687474703a2f2f7777772e6578616d706c652e636f6d',
  ],
]

describe('CBOR', () => {
  it('has the encodings of the standard', () => {
    for (const [value, encoded] of examples) {
      expect(hex.encode(encodeCBOR(value)), encoded).toBe(encoded)
      expect(decodeCBOR(hex.decode(encoded)), encoded).toEqual(value)
    }
  })

  it.each([
    ['a number of 64 bits', '1b000000e8d4a51000'],
    ['a negative number', '20'],
    ['a floating-point number', 'f93c00'],
    ['null', 'f6'],
    ['undefined', 'f7'],
    ['another simple value', 'f0'],
    ['bytes of indefinite length', '5f42010243030405ff'],
    ['a list of indefinite length', '9fff'],
    ['a map with keys that are texts', 'a2616101616202'],
    ['a map that names a key twice', 'a201020103'],
    ['a list that is cut off', '8301'],
    ['bytes that are cut off', '44010203'],
    ['a text that is not UTF-8', '61ff'],
    ['bytes left over', '0000'],
    ['nothing', ''],
  ])('refuses %s', (_, encoded) => {
    expect(() => decodeCBOR(hex.decode(encoded))).toThrow(
      expect.objectContaining({ code: 'KEYSTONE_CBOR' }),
    )
  })
})
