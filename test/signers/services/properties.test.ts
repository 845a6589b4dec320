import { fc, test } from '@fast-check/vitest'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect } from 'vitest'
import { addressOf } from '../../../src/core/crypto/secp256k1.ts'
import { kmsSigner } from '../../../src/signers/services/kms.ts'
import { pkcs11Signer } from '../../../src/signers/services/pkcs11.ts'

const { n } = secp256k1.Point.CURVE()
const SPKI = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex')

const secrets = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => secp256k1.utils.isValidSecretKey(bytes))
const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 })

/** What a service returns that does not normalize s. */
function signatureOf(hash: Uint8Array, secret: Uint8Array, isHigh: boolean) {
  const { r, s } = secp256k1.Signature.fromBytes(secp256k1.sign(hash, secret, { prehash: false }))
  return new secp256k1.Signature(r, isHigh ? n - s : s)
}

/** The signers of all interfaces for one key. */
function signers(secret: Uint8Array, isHigh: boolean) {
  const point = secp256k1.getPublicKey(secret, false)
  const spki = Buffer.concat([SPKI, point])
  const der = (hash: Uint8Array) => signatureOf(hash, secret, isHigh).toBytes('der')
  const aws = {
    getPublicKey: async () => ({ PublicKey: new Uint8Array(spki) }),
    sign: async ({ Message }: { Message: Uint8Array }) => ({ Signature: der(Message) }),
  }
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki.toString('base64')}\n-----END PUBLIC KEY-----\n`
  const google = {
    getPublicKey: async () => [{ pem }] as const,
    asymmetricSign: async ({ digest }: { digest: { sha256: Uint8Array } }) =>
      [{ signature: Buffer.from(der(digest.sha256)).toString('base64') }] as const,
  }
  const module = {
    C_GetAttributeValue: () => [{ value: Buffer.concat([Uint8Array.of(4, 65), point]) }],
    C_SignInit: () => {},
    C_Sign: (_session: unknown, hash: Uint8Array) =>
      Buffer.from(signatureOf(hash, secret, isHigh).toBytes('compact')),
  }
  const pair = { publicKey: {}, privateKey: {} }
  return [
    kmsSigner({ client: aws, keys: ['a'] }),
    kmsSigner({ client: google, keys: ['a'] }),
    pkcs11Signer({ module, session: {}, keys: [pair] }),
  ]
}

test.prop([secrets, hashes, fc.boolean()], { numRuns: 40 })(
  'signers of services return r‖s‖v with low s that recovers their key',
  async (secret, hash, isHigh) => {
    const publicKey = secp256k1.getPublicKey(secret)
    const expected = secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' })
    for (const opening of signers(secret, isHigh)) {
      const signer = await opening
      expect(signer.publicKeys).toEqual([publicKey])
      const signature = await signer.sign({
        address: addressOf(publicKey),
        hash,
        unsignedBytes: hash,
      })
      // noble gives the recovery ID first.
      expect(signature).toEqual(Uint8Array.of(...expected.subarray(1), expected[0]!))
    }
  },
)

test.prop([secrets, hashes, hashes], { numRuns: 20 })(
  'signers of services refuse the signature of another hash',
  async (secret, hash, other) => {
    fc.pre(Buffer.compare(hash, other) !== 0)
    const aws = {
      getPublicKey: async () => ({
        PublicKey: new Uint8Array(Buffer.concat([SPKI, secp256k1.getPublicKey(secret, false)])),
      }),
      sign: async () => ({ Signature: signatureOf(other, secret, false).toBytes('der') }),
    }
    const signer = await kmsSigner({ client: aws, keys: ['a'] })
    const address = addressOf(secp256k1.getPublicKey(secret))
    await expect(signer.sign({ address, hash, unsignedBytes: hash })).rejects.toMatchObject({
      code: /^SIG|WRONG/,
    })
  },
)
