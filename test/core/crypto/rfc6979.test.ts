import { test } from '@fast-check/vitest'
import { secp256k1 as noble } from '@noble/curves/secp256k1.js'
import native from 'secp256k1/bindings.js'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import type { NativeSecp256k1 } from '../../../src/core/crypto/backends/native.ts'
import { publicKeyOf, recoverPublicKey, signHash } from '../../../src/core/crypto/secp256k1.ts'
import { runs } from '../../helpers/runs.ts'
import { anyHash, anyHashBelowOrder, anyPrivateKey } from './cases.ts'

/**
 * From btcsuite/btcd, btcec/signature_test.go at fdfa07b0be83a9d6babbc5f96fc3e066ded11c91, the same as in
 * Trezor's and CoreBitcoin's tests: private key, message, signature in DER.
 */
const published: readonly (readonly [string, string, string])[] = [
  [
    'cca9fbcc1b41e5a95d369eaa6ddcff73b61a4efaa279cfc6567e8daa39cbaf50',
    'sample',
    '3045022100af340daf02cc15c8d5d08d7735dfe6b98a474ed373bdb5fbecf7571be52b384202205009fb27f37034a9b24b707b7c6b79ca23ddef9e25f7282e8a797efe53a8f124',
  ],
  [
    '0000000000000000000000000000000000000000000000000000000000000001',
    'Satoshi Nakamoto',
    '3045022100934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d802202442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
  ],
  [
    'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140',
    'Satoshi Nakamoto',
    '3045022100fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d002206b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5',
  ],
  [
    'f8b8af8ce3c7cca5e300d33939540c10d45ce001b8f252bfbc57ba0342904181',
    'Alan Turing',
    '304402207063ae83e7f62bbb171798131b4a0564b956930092b33b07b395615d9ec7e15c022058dfcc1e00a35e1572f366ffe34ba0fc47db1e7189759b9fb233c5b05ab388ea',
  ],
  [
    '0000000000000000000000000000000000000000000000000000000000000001',
    'All those moments will be lost in time, like tears in rain. Time to die...',
    '30450221008600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b0220547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21',
  ],
  [
    'e91671c46231f833a6406ccbea0e3e392c76c167bac1cb013f6f1013980455c2',
    "There is a computer disease that anybody who works with computers knows about. It's a very serious disease and it interferes completely with the work. The trouble with computers is that you 'play' with them!",
    '3045022100b552edd27580141f3b2a5463048cb7cd3e047b97c9f98076c32dbdf85a68718b0220279fa72dd19bfae05577e06c7c0c1900c371fcd5893f7e1d56a37d30174671f6',
  ],
]

describe('signHash', () => {
  for (const [privateKey, message, der] of published)
    it(`makes the published signature of "${message.slice(0, 20)}" by ${privateKey.slice(0, 8)}…`, () => {
      const hash = sha256(new TextEncoder().encode(message))
      const signature = signHash(hash, hex.decode(privateKey))
      const expected = noble.Signature.fromBytes(hex.decode(der), 'der').toBytes('compact')
      expect(hex.encode(signature.subarray(0, 64))).toBe(hex.encode(expected))
    })

  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd03641'
  for (const hash of [`${order}41`, `${order}42`, `${'ff'.repeat(31)}00`, 'ff'.repeat(32)])
    it(`rejects the hash ${hash.slice(0, 4)}…${hash.slice(-4)}, which is not below the group order`, () => {
      expect(() => signHash(hex.decode(hash), hex.decode(published[0]![0]))).toThrow(
        expect.objectContaining({ code: 'HASH_INVALID', reason: 'range' }),
      )
    })

  it('signs the largest hash below the group order as libsecp256k1 does', () => {
    const hash = hex.decode(`${order}40`)
    const privateKey = hex.decode(published[0]![0])
    expect(signHash(hash, privateKey)).toEqual(nativeSignature(hash, privateKey))
  })

  // RFC 6979, section 3.6; libsecp256k1 appends the extra bytes to key and hash likewise.
  test.prop([anyHashBelowOrder, anyPrivateKey, anyHash], runs(20))(
    'equals libsecp256k1 for the same extra entropy',
    (hash, privateKey, extraEntropy) => {
      const signature = signHash(hash, privateKey, { extraEntropy })
      expect(signature).toEqual(nativeSignature(hash, privateKey, extraEntropy))
      expect(signature).not.toEqual(signHash(hash, privateKey))
      expect(recoverPublicKey(hash, signature)).toEqual(publicKeyOf(privateKey))
    },
  )

  it('rejects extra entropy that does not have 32 bytes', () => {
    const key = new Uint8Array(32).fill(1)
    for (const extraEntropy of [new Uint8Array(0), new Uint8Array(31), new Uint8Array(33)])
      expect(() => signHash(key, key, { extraEntropy })).toThrow(
        expect.objectContaining({ code: 'ENTROPY_INVALID', reason: 'length' }),
      )
    for (const extraEntropy of [true, 'text', Array(32).fill(1)])
      expect(() => signHash(key, key, { extraEntropy: extraEntropy as never })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID', path: 'extraEntropy' }),
      )
  })
})

function nativeSignature(hash: Uint8Array, privateKey: Uint8Array, data?: Uint8Array): Uint8Array {
  const output = new Uint8Array(65)
  const addon = native as NativeSecp256k1
  output[64] = addon.ecdsaSign(hash, privateKey, { data }, output.subarray(0, 64)).recid
  return output
}
