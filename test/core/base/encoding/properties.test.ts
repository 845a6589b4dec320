import { fc, test } from '@fast-check/vitest'
import { sha256 } from '@noble/hashes/sha2.js'
import {
  createBase58check,
  base58 as scureBase58,
  bech32 as scureBech32,
  hex as scureHex,
} from '@scure/base'
import bs58check from 'bs58check'
import { describe, expect } from 'vitest'
import { formatAddress, parseAddress } from '../../../../src/core/base/encoding/address.ts'
import { formatAmount, parseAmount } from '../../../../src/core/base/encoding/amount.ts'
import { base58 } from '../../../../src/core/base/encoding/base58.ts'
import { decodeBech32, encodeBech32 } from '../../../../src/core/base/encoding/bech32.ts'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import {
  formatPrivateKey,
  formatUTXOID,
  parsePrivateKey,
  parseUTXOID,
} from '../../../../src/core/base/encoding/ids.ts'
import { ArgumentError, AvmError } from '../../../../src/core/base/errors.ts'
import { checksum } from '../../../../src/core/base/hash/sha256.ts'
import { todaysFrom } from '../../../helpers/todays-cases.ts'
import { codeOf } from '../../../helpers/vectors.ts'

const bytes = (maxLength = 400) => fc.uint8Array({ maxLength })
/** Many leading zeros, which base58 encodes separately. */
const zeroLed = fc
  .tuple(fc.nat(10), bytes(80))
  .map(([zeros, rest]) => Uint8Array.from([...Array<number>(zeros).fill(0), ...rest]))
const address = fc.uint8Array({ minLength: 20, maxLength: 20 })
const hrp = fc.stringMatching(/^[!-@[-~]{1,20}$/)

describe('hex', () => {
  test.prop([bytes(2000)])('encodes like @scure/base, and decodes the result', (value) => {
    expect(hex.encode(value)).toBe(scureHex.encode(value))
    expect(hex.decode(hex.encode(value))).toEqual(value)
    expect(hex.decode(`0x${hex.encode(value).toUpperCase()}`)).toEqual(value)
  })

  test.prop([bytes(300), fc.nat(), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })])(
    'rejects any text with a character that is not a hex digit',
    (value, at, odd) => {
      fc.pre(!/^[0-9a-fA-F]$/.test(odd) && value.length > 0)
      const text = hex.encode(value)
      const place = at % text.length
      expect(codeOf(() => hex.decode(text.slice(0, place) + odd + text.slice(place + 1)))).toBe(
        'ENC_BAD_HEX',
      )
    },
  )
})

describe('checkedHex', () => {
  test.prop([bytes()])('appends the last four bytes of SHA-256', (value) => {
    const text = checkedHex.encode(value)
    expect(text).toBe(`0x${scureHex.encode(value)}${scureHex.encode(sha256(value).slice(28))}`)
    expect(checkedHex.decode(text)).toEqual(value)
  })

  test.prop([bytes(), fc.nat(), fc.integer({ min: 1, max: 15 })])(
    'rejects any changed digit',
    (value, at, change) => {
      const text = checkedHex.encode(value)
      const place = 2 + (at % (text.length - 2))
      const digit = (Number.parseInt(text[place]!, 16) ^ change).toString(16)
      expect(
        codeOf(() => checkedHex.decode(text.slice(0, place) + digit + text.slice(place + 1))),
      ).toBe('ENC_BAD_CHECKSUM')
    },
  )
})

describe('base58', () => {
  test.prop([zeroLed])('agrees with @scure/base', (value) => {
    const text = scureBase58.encode(value)
    expect(base58.encode(value)).toBe(text)
    expect(base58.decode(text)).toEqual(value)
  })

  test.prop([zeroLed])('agrees with the base58 of bs58check', (value) => {
    const text = bs58check.encode(value)
    const double = sha256(sha256(value)).slice(0, 4)
    expect(base58.encode(Uint8Array.from([...value, ...double]))).toBe(text)
    expect(base58.decode(text).slice(0, -4)).toEqual(value)
  })

  test.prop([fc.string({ maxLength: 60 })])(
    'accepts exactly the texts that @scure/base accepts',
    (text) => {
      let expected: Uint8Array | undefined
      try {
        expected = scureBase58.decode(text)
      } catch {
        expected = undefined
      }
      if (expected === undefined) expect(() => base58.decode(text)).toThrow(ArgumentError)
      else expect(base58.decode(text)).toEqual(expected)
    },
  )
})

describe('cb58', () => {
  const oracle = createBase58check(sha256)

  // Payloads by hashing a counter: other bytes than fast-check prefers, the same in every run.
  test('never produces a valid Base58Check text, as verified by bs58check', () => {
    for (const i of todaysFrom(0, 1200)) {
      const digest = sha256(Uint8Array.of(i >> 8, i & 255))
      const payload = digest.subarray(0, [20, 32, 1 + (i % 32)][i % 3]!)
      const text = cb58.encode(payload)
      expect(bs58check.decodeUnsafe(text)).toBeUndefined()
      const checked = bs58check.encode(payload)
      expect(bs58check.decode(base58.encode(base58.decode(checked)))).toEqual(payload)
      expect(codeOf(() => cb58.decode(checked))).toBe('ENC_BAD_CHECKSUM')
    }
  })

  test.prop([zeroLed])(
    'is base58 of the bytes and the last four bytes of their SHA-256',
    (value) => {
      const text = scureBase58.encode(Uint8Array.from([...value, ...sha256(value).slice(28)]))
      expect(cb58.encode(value)).toBe(text)
      expect(cb58.decode(text)).toEqual(value)
    },
  )

  test.prop([zeroLed])('rejects the checksum of Base58Check', (value) => {
    expect(codeOf(() => cb58.decode(bs58check.encode(value)))).toBe('ENC_BAD_CHECKSUM')
    expect(codeOf(() => cb58.decode(oracle.encode(value)))).toBe('ENC_BAD_CHECKSUM')
  })

  test.prop([
    zeroLed,
    fc.nat(),
    fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
  ])('rejects any changed character', (value, at, letter) => {
    const text = cb58.encode(value)
    const place = at % text.length
    fc.pre(text[place] !== letter)
    expect(() => cb58.decode(text.slice(0, place) + letter + text.slice(place + 1))).toThrow(
      ArgumentError,
    )
  })
})

describe('bech32', () => {
  test.prop([hrp, bytes(30)])('agrees with @scure/base', (prefix, value) => {
    const text = scureBech32.encode(prefix, scureBech32.toWords(value))
    expect(encodeBech32(prefix, value)).toBe(text)
    // For other lengths the node decodes another value: it makes a byte of the unused bits.
    if (value.length % 5 !== 0) expect(() => decodeBech32(text)).toThrow(AvmError)
    else {
      expect(decodeBech32(text)).toEqual({ hrp: prefix, bytes: value })
      expect(decodeBech32(text.toUpperCase())).toEqual({ hrp: prefix, bytes: value })
    }
  })

  test.prop([
    hrp,
    bytes(30),
    fc.nat(),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ])('accepts exactly the changed texts that @scure/base accepts', (prefix, value, at, letter) => {
    const text = encodeBech32(prefix, value)
    const place = at % text.length
    const changed = text.slice(0, place) + letter + text.slice(place + 1)
    let expected: { hrp: string; bytes: Uint8Array } | undefined
    try {
      const decoded = scureBech32.decode(changed as `${string}1${string}`)
      const found = scureBech32.fromWords(decoded.words)
      expected = found.length % 5 === 0 ? { hrp: decoded.prefix, bytes: found } : undefined
    } catch {
      expected = undefined
    }
    if (expected === undefined) expect(() => decodeBech32(changed)).toThrow(AvmError)
    else expect(decodeBech32(changed)).toEqual(expected)
  })
})

describe('addresses', () => {
  test.prop([
    address,
    fc.constantFrom('avax', 'fuji', 'local', 'custom'),
    fc.constantFrom('X', 'P', 'C'),
  ])('round trip', (value, prefix, chain) => {
    const text = formatAddress({ chain, hrp: prefix, address: value })
    expect(text).toBe(`${chain}-${scureBech32.encode(prefix, scureBech32.toWords(value))}`)
    expect(parseAddress(text)).toEqual({ chain, hrp: prefix, address: value })
  })
})

describe('amounts', () => {
  test.prop([fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.nat(32)])(
    'round trip for every denomination',
    (units, denomination) => {
      const text = formatAmount(units, denomination)
      expect(parseAmount(text, denomination)).toBe(units)
      // By definition, the digits without the point are the units.
      const [whole, decimals = ''] = text.split('.')
      expect(BigInt(whole + decimals.padEnd(denomination, '0'))).toBe(units)
    },
  )

  test('rejects text that is not an exact amount', () => {
    const bad = [
      '',
      '.',
      '1.',
      '.5',
      '-1',
      '+1',
      '1e9',
      '1,5',
      ' 1',
      '1 ',
      '0x1',
      'NaN',
      '١',
      '1_000',
      '1.2.3',
    ]
    for (const text of bad) expect(codeOf(() => parseAmount(text, 9))).toBe('ENC_BAD_AMOUNT')
    expect(codeOf(() => parseAmount('1.0000000001', 9))).toBe('ENC_BAD_AMOUNT')
    expect(codeOf(() => parseAmount('0.1', 0))).toBe('ENC_BAD_AMOUNT')
    expect(codeOf(() => parseAmount('18446744073.709551616', 9))).toBe('ENC_BAD_AMOUNT')
    expect(codeOf(() => parseAmount('9'.repeat(100_000), 9))).toBe('ENC_BAD_AMOUNT')
    for (const denomination of [-1, 33, 1.5, Number.NaN])
      expect(codeOf(() => parseAmount('1', denomination))).toBe('ENC_BAD_AMOUNT')
    expect(codeOf(() => formatAmount(-1n))).toBe('ENC_BAD_AMOUNT')
  })

  test('does not lose digits as floating point would', () => {
    expect(parseAmount('22090388.901460310', 9)).toBe(22090388901460310n)
    expect(parseAmount('0.000065', 9)).toBe(65000n)
    expect(parseAmount('18446744073.709551615', 9)).toBe(2n ** 64n - 1n)
    expect(formatAmount(300_000_000_000_000_001n, 9)).toBe('300000000.000000001')
    expect(formatAmount(5n, 32)).toBe('0.00000000000000000000000000000005')
  })
})

describe('UTXO IDs', () => {
  test.prop([
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  ])('round trip', (txID, outputIndex) => {
    expect(parseUTXOID(formatUTXOID({ txID, outputIndex }))).toEqual({ txID, outputIndex })
  })
})

describe('checksum', () => {
  test.prop([bytes(300)])('equals the last four bytes of noble’s SHA-256', (value) => {
    expect(checksum(value)).toBe(new DataView(sha256(value).buffer).getUint32(28))
  })
})

describe('every parser', () => {
  const readers = [
    hex.decode,
    checkedHex.decode,
    cb58.decode,
    decodeBech32,
    parseAddress,
    parseUTXOID,
  ]
  test.prop([fc.string({ unit: 'binary', maxLength: 200 })])(
    'returns a value or throws a typed error, for any text',
    (text) => {
      for (const read of readers)
        try {
          read(text)
        } catch (error) {
          expect(error).toBeInstanceOf(ArgumentError)
        }
    },
  )
})

describe('parsePrivateKey', () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value) => {
    // Below the group order and above zero.
    value[0]! &= 0x7f
    value[31]! |= 1
    return value
  })

  test.prop([key])('reads what formatPrivateKey writes', (value) => {
    expect(parsePrivateKey(formatPrivateKey(value))).toEqual(value)
  })

  test.prop([key, fc.nat(), fc.string({ unit: 'grapheme', maxLength: 2 })])(
    'rejects any other text with a code, and quotes nothing of it',
    (value, position, piece) => {
      const text = formatPrivateKey(value)
      const at = position % text.length
      const changed = text.slice(0, at) + piece + text.slice(at + 1)
      if (changed === text) return
      try {
        parsePrivateKey(changed)
        expect.unreachable('the checksum should not hold')
      } catch (error) {
        expect(error).toBeInstanceOf(AvmError)
        expect(JSON.stringify([(error as AvmError).message, error])).not.toContain(
          text.slice(20, 40),
        )
      }
    },
  )
})
