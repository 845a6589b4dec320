import { describe, expect, it } from 'vitest'
import { ArgumentError } from '../../../src/core/base/errors.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { formatAmount, parseAddress, parseAmount, parsePrivateKey } from '../../../src/index.ts'

const address = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
const key = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'
const mistyped = key.replace('ewoq', 'ewor')

function errorOf(call: () => unknown): ArgumentError {
  try {
    call()
  } catch (error) {
    expect(error).toBeInstanceOf(ArgumentError)
    return error as ArgumentError
  }
  throw new Error('nothing was thrown')
}

describe('a common mistake', () => {
  it.each<[string, () => unknown, string, RegExp]>([
    ['decimal comma', () => parseAmount('1,5'), 'ENC_BAD_AMOUNT', /point: 1\.5/],
    ['decimal comma after 0', () => parseAmount('0,500'), 'ENC_BAD_AMOUNT', /point: 1\.5/],
    ['comma of thousands', () => parseAmount('1,500'), 'ENC_BAD_AMOUNT', /without separators/],
    ['separators', () => parseAmount('1,000.5'), 'ENC_BAD_AMOUNT', /without separators/],
    ['spaces', () => parseAmount('1 000'), 'ENC_BAD_AMOUNT', /without separators/],
    ['sign', () => parseAmount('-1'), 'ENC_BAD_AMOUNT', /negative/],
    ['exponent', () => parseAmount('1e9'), 'ENC_BAD_AMOUNT', /exponent/],
    ['number', () => formatAmount(5 as never), 'ENC_BAD_AMOUNT', /5n/],
    ['network', () => parseAddress(address, { hrp: 'avax' }), 'ENC_WRONG_HRP', /local.*Mainnet/],
    ['unknown network', () => parseAddress(address, { hrp: 'x' }), 'ENC_WRONG_HRP', /prefix x/],
    ['chain', () => parseAddress(address, { chain: 'P' }), 'ENC_WRONG_CHAIN', /starts with P-/],
    [
      'chain in lower case',
      () => parseAddress(address.replace('X', 'x'), { chain: 'X' }),
      'ENC_WRONG_CHAIN',
      /upper case: X-$/,
    ],
    ['EVM address', () => parseAddress(`0x${'0'.repeat(40)}`), 'ENC_MISSING_PREFIX', /C-Chain/],
    ['key as address', () => parseAddress(key), 'ENC_WRONG_CHAIN', /private key/],
    ['node ID as address', () => parseAddress('NodeID-1'), 'ENC_WRONG_CHAIN', /node/],
    ['key with a typo', () => parsePrivateKey(mistyped), 'ENC_BAD_CHECKSUM', /copy the key/],
    ['key with a typo in a chain', () => new KeyChain([mistyped]), 'KEY_INVALID', /copy the key/],
  ])('has a hint: %s', (_, call, code, hint) => {
    expect(call).toThrow(expect.objectContaining({ code, hint: expect.stringMatching(hint) }))
  })

  it('has no hint that does not fit: an amount that is too large', () => {
    expect(errorOf(() => parseAmount('99999999999.123'))).toMatchObject({
      code: 'ENC_BAD_AMOUNT',
      hint: undefined,
    })
  })

  it('is described on one line, however long the text is', () => {
    const long = `a\n\u2028${'b'.repeat(1000)}${address.slice(1)}`
    const { message, hint } = errorOf(() => parseAddress(long, { chain: 'X' }))
    for (const text of [message, hint]) {
      expect(text).toContain('"a??bbb')
      expect(text).not.toContain('b'.repeat(40))
    }
  })

  it('never shows a part of a key', () => {
    for (const call of [() => parseAddress(key), () => parsePrivateKey(mistyped)]) {
      const { message, hint, cause } = errorOf(call)
      expect(`${message} ${hint}`).not.toMatch(/ewo|TXt/)
      expect(cause).toBeUndefined()
    }
  })
})
