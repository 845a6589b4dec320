import { describe, expect, it, vi } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { generatePrivateKey, KeyChain } from '../../../src/core/crypto/keychain.ts'
import {
  addressOf,
  nobleBackend,
  publicKeyOf,
  signHash,
} from '../../../src/core/crypto/secp256k1.ts'
import { type SignCase, vectors } from './cases.ts'

type KeyVector = {
  readonly name: string
  readonly privateKey?: string
  readonly privateKeyHex: string
  readonly publicKeyHex: string
  readonly addressHex: string
}

const known = vectors<KeyVector>('addresses.json').filter((v) => v.privateKey !== undefined)
const [first, second] = known as [KeyVector, KeyVector]
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

describe('KeyChain', () => {
  for (const v of known)
    it(`accepts ${v.name} as text, hex and bytes`, () => {
      for (const key of [
        v.privateKey!,
        v.privateKeyHex,
        `0x${v.privateKeyHex}`,
        hex.decode(v.privateKeyHex),
      ]) {
        const keys = new KeyChain([key])
        expect(keys.addresses.map(hex.encode)).toEqual([v.addressHex])
        expect(keys.publicKeys.map(hex.encode)).toEqual([v.publicKeyHex])
      }
    })

  it('keeps the order of keys and ignores duplicates', () => {
    const keys = new KeyChain([second.privateKeyHex, first.privateKeyHex, second.privateKey!])
    expect(keys.addresses.map(hex.encode)).toEqual([second.addressHex, first.addressHex])
  })

  it("makes the node's signatures", () => {
    const cases = vectors<SignCase>('generated/sign.json').filter((v) => v.what === 'hash')
    const keys = new KeyChain(cases.map((v) => v.privateKey))
    for (const v of cases)
      expect(hex.encode(keys.sign(hex.decode(v.address), hex.decode(v.hash)))).toBe(v.signature)
  })

  it('reports which addresses it has', () => {
    const keys = new KeyChain([first.privateKeyHex])
    expect(keys.has(hex.decode(first.addressHex))).toBe(true)
    expect(keys.has(hex.decode(second.addressHex))).toBe(false)
    expect(hex.encode(keys.publicKey(hex.decode(first.addressHex)))).toBe(first.publicKeyHex)
    const unknown = expect.objectContaining({ code: 'KEY_UNKNOWN' })
    expect(() => keys.publicKey(hex.decode(second.addressHex))).toThrow(unknown)
    expect(() => keys.sign(hex.decode(second.addressHex), new Uint8Array(32))).toThrow(unknown)
  })

  it('computes each public key once, on first use', () => {
    const publicKey = vi.fn(nobleBackend.publicKey)
    const keys = new KeyChain([first.privateKeyHex, second.privateKeyHex], {
      backend: { ...nobleBackend, publicKey },
    })
    expect(publicKey).toHaveBeenCalledTimes(0)
    keys.sign(keys.addresses[0]!, new Uint8Array(32))
    keys.sign(keys.addresses[1]!, new Uint8Array(32))
    expect(publicKey).toHaveBeenCalledTimes(2)
  })

  it('copies the keys it is given and returns copies', () => {
    const privateKey = hex.decode(first.privateKeyHex)
    const keys = new KeyChain([privateKey])
    privateKey.fill(9)
    keys.addresses[0]!.fill(9)
    keys.publicKeys[0]!.fill(9)
    expect(keys.addresses.map(hex.encode)).toEqual([first.addressHex])
    expect(keys.publicKeys.map(hex.encode)).toEqual([first.publicKeyHex])
  })

  const refused: readonly (readonly [string, string | Uint8Array, string])[] = [
    ['a wrong checksum', `${first.privateKey!.slice(0, -1)}1`, 'ENC_BAD_CHECKSUM'],
    ['letters that are not hex', 'zz'.repeat(32), 'ENC_BAD_HEX'],
    ['hex of 31 bytes', '01'.repeat(31), 'length'],
    ['33 bytes', new Uint8Array(33).fill(1), 'length'],
    ['zero', new Uint8Array(32), 'range'],
    ['the group order', order, 'range'],
  ]
  for (const [name, key, reason] of refused)
    it(`rejects ${name}`, () => {
      expect(() => new KeyChain([first.privateKeyHex, key])).toThrow(
        expect.objectContaining({ code: 'KEY_INVALID', reason }),
      )
    })

  it('rejects a single key instead of a list', () => {
    for (const key of [first.privateKeyHex, hex.decode(first.privateKeyHex)])
      expect(() => new KeyChain(key as unknown as string[])).toThrow(
        expect.objectContaining({ code: 'KEY_INVALID' }),
      )
  })

  it('rejects lists that cannot be read', () => {
    const failing = {
      *[Symbol.iterator]() {
        yield first.privateKeyHex
        throw new Error('no more')
      },
    }
    for (const keys of [failing, { [Symbol.iterator]: 5 }, { [Symbol.iterator]: () => 1 }])
      expect(() => new KeyChain(keys as unknown as string[])).toThrow(
        expect.objectContaining({ code: 'KEY_INVALID' }),
      )
  })

  it('signs with extra entropy', () => {
    const keys = new KeyChain([first.privateKeyHex])
    const [address] = keys.addresses
    const hash = new Uint8Array(32).fill(1)
    const extraEntropy = new Uint8Array(32).fill(2)
    const key = hex.decode(first.privateKeyHex)
    expect(keys.sign(address!, hash, extraEntropy)).toEqual(signHash(hash, key, { extraEntropy }))
    expect(keys.sign(address!, hash, extraEntropy)).not.toEqual(keys.sign(address!, hash))
  })

  it('names the call if the backend is none', () => {
    const keys = new KeyChain([first.privateKeyHex])
    expect(() => keys.sign(keys.addresses[0]!, new Uint8Array(32), undefined, {} as never)).toThrow(
      'KeyChain.sign: backend: expected a backend, found an object',
    )
  })

  it('zeroes its keys and throws on every use after wipe()', () => {
    let held: Uint8Array | undefined
    const keys = new KeyChain([first.privateKeyHex], {
      backend: {
        ...nobleBackend,
        publicKey(privateKey) {
          held = privateKey
          return nobleBackend.publicKey(privateKey)
        },
      },
    })
    const address = keys.addresses[0]!
    expect(hex.encode(held!)).toBe(first.privateKeyHex)
    keys.wipe()
    expect(held).toEqual(new Uint8Array(32))
    for (const use of [
      () => keys.addresses,
      () => keys.publicKeys,
      () => keys.has(address),
      () => keys.publicKey(address),
      () => keys.sign(address, new Uint8Array(32)),
    ])
      expect(use).toThrow(expect.objectContaining({ code: 'KEY_WIPED' }))
    expect(JSON.stringify(keys)).toBe('{"wiped":true}')
    expect(String(keys)).toBe('KeyChain (wiped)')
    keys.wipe()
  })
})

describe('generatePrivateKey', () => {
  it('repeats until the random number is in range', () => {
    const answers = [order, '00'.repeat(32), first.privateKeyHex].map(hex.decode)
    const source = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      const bytes = array as unknown as Uint8Array
      bytes.set(answers.shift()!)
      return array
    })
    try {
      expect(hex.encode(generatePrivateKey())).toBe(first.privateKeyHex)
    } finally {
      source.mockRestore()
    }
    expect(answers).toEqual([])
  })

  it('fails if the platform returns no random bytes, instead of repeating forever', () => {
    const source = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => array)
    try {
      expect(() => generatePrivateKey()).toThrow(expect.objectContaining({ code: 'RANDOM_FAILED' }))
      expect(source.mock.calls.length).toBeLessThan(10)
    } finally {
      source.mockRestore()
    }
  })

  it('returns another valid key each time', () => {
    const keys = Array.from({ length: 8 }, generatePrivateKey)
    expect(new Set(keys.map((key) => hex.encode(addressOf(publicKeyOf(key))))).size).toBe(8)
  })
})
