import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { CryptoError } from '../../../src/core/crypto/errors.ts'
import {
  addressOf,
  publicKeyOf,
  recoverPublicKey,
  signHash,
} from '../../../src/core/crypto/secp256k1.ts'
import { runs } from '../../helpers/runs.ts'
import {
  anyHashBelowOrder,
  anyPrivateKey,
  type RecoverCase,
  type SignCase,
  vectors,
  verdict,
} from './cases.ts'

type SigningVector = {
  readonly name: string
  readonly kind?: string
  readonly hashHex: string
  readonly privateKeyHex?: string
  readonly signatureHex: string
  readonly publicKeyHex?: string
  readonly addressHex?: string
  readonly expected: string
}

type AddressVector = {
  readonly name: string
  readonly privateKeyHex?: string
  readonly publicKeyHex?: string
  readonly addressHex?: string
}

const signing = vectors<SigningVector>('signing.json').filter((v) => v.kind !== 'spend')

describe('recoverPublicKey', () => {
  for (const v of vectors<RecoverCase>('generated/recover.json'))
    it(`agrees with the node on ${v.id} (${v.made})`, () => {
      expect(verdict(() => recoverPublicKey(hex.decode(v.hash), hex.decode(v.signature)))).toEqual(
        v.ok
          ? { publicKey: v.publicKey }
          : { code: v.code ?? 'SIG_INVALID', compressed: v.errName === 'errCompressed' },
      )
    })

  for (const v of signing)
    it(`agrees with the published result of ${v.name}`, () => {
      const recover = () => recoverPublicKey(hex.decode(v.hashHex), hex.decode(v.signatureHex))
      if (v.expected === 'valid') {
        expect(hex.encode(recover())).toBe(v.publicKeyHex)
        if (v.addressHex !== undefined) expect(hex.encode(addressOf(recover()))).toBe(v.addressHex)
      } else {
        const code = v.expected.includes('errMutatedSig') ? 'SIG_HIGH_S' : 'SIG_INVALID'
        expect(verdict(recover)).toMatchObject({ code })
      }
    })

  it('refuses a hash that is not 32 bytes', () => {
    const signature = hex.decode(signing[0]!.signatureHex)
    expect(verdict(() => recoverPublicKey(new Uint8Array(31), signature))).toMatchObject({
      code: 'HASH_INVALID',
    })
  })

  test.prop([anyHashBelowOrder, anyPrivateKey], runs(25))(
    'recovers the signer',
    (hash, privateKey) => {
      const recovered = recoverPublicKey(hash, signHash(hash, privateKey))
      expect(recovered).toEqual(publicKeyOf(privateKey))
    },
  )

  test.prop([anyHashBelowOrder, anyPrivateKey, fc.nat({ max: 97 * 8 - 1 })], runs(50))(
    'does not recover the signer if a bit of the hash or signature is flipped',
    (hash, privateKey, bit) => {
      const both = new Uint8Array(97)
      both.set(hash)
      both.set(signHash(hash, privateKey), 32)
      both[bit >> 3]! ^= 1 << (bit & 7)
      const found = verdict(() => recoverPublicKey(both.subarray(0, 32), both.subarray(32)))
      expect(found).not.toEqual({ publicKey: hex.encode(publicKeyOf(privateKey)) })
    },
  )
})

describe('signHash', () => {
  const cases = vectors<SignCase>('generated/sign.json')
  for (const v of cases.filter(({ what }) => what === 'hash' || what === 'message'))
    it(`makes the node's signature of ${v.id}`, () => {
      const privateKey = hex.decode(v.privateKey)
      expect(hex.encode(signHash(hex.decode(v.hash), privateKey))).toBe(v.signature)
      expect(hex.encode(publicKeyOf(privateKey))).toBe(v.publicKey)
      expect(hex.encode(addressOf(publicKeyOf(privateKey)))).toBe(v.address)
    })

  for (const v of signing.filter(({ privateKeyHex }) => privateKeyHex !== undefined))
    it(`makes ${v.name}`, () => {
      const signature = signHash(hex.decode(v.hashHex), hex.decode(v.privateKeyHex!))
      expect(hex.encode(signature)).toBe(v.signatureHex)
    })

  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
  const unusable: readonly (readonly [string, string, string])[] = [
    ['of 31 bytes', '01'.repeat(31), 'length'],
    ['of 33 bytes', '01'.repeat(33), 'length'],
    ['of zero', '00'.repeat(32), 'range'],
    ['equal to the group order', order, 'range'],
    ['of all ones', 'ff'.repeat(32), 'range'],
  ]
  for (const [name, key, reason] of unusable)
    it(`rejects a private key ${name}`, () => {
      const expected = expect.objectContaining({ code: 'KEY_INVALID', reason })
      expect(() => signHash(new Uint8Array(32), hex.decode(key))).toThrow(expected)
      expect(() => publicKeyOf(hex.decode(key))).toThrow(expected)
    })

  it('refuses a hash that is not 32 bytes', () => {
    const sign = () => signHash(new Uint8Array(33), new Uint8Array(32).fill(1))
    expect(verdict(sign)).toMatchObject({ code: 'HASH_INVALID' })
  })
})

describe('addressOf', () => {
  for (const v of vectors<AddressVector>('addresses.json')) {
    if (v.publicKeyHex !== undefined && v.addressHex !== undefined)
      it(`returns the address of ${v.name}`, () => {
        expect(hex.encode(addressOf(hex.decode(v.publicKeyHex!)))).toBe(v.addressHex)
      })
    if (v.privateKeyHex !== undefined && v.publicKeyHex !== undefined)
      it(`equals the address derived from the private key of ${v.name}`, () => {
        expect(hex.encode(publicKeyOf(hex.decode(v.privateKeyHex!)))).toBe(v.publicKeyHex)
      })
  }

  it('rejects a public key that is not compressed', () => {
    for (const bytes of [
      new Uint8Array(33),
      new Uint8Array(32).fill(2),
      new Uint8Array(65).fill(4),
    ])
      expect(() => addressOf(bytes)).toThrow(CryptoError)
  })
})
