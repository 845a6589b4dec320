import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addressOf, recoverPublicKey } from '../../../src/core/crypto/secp256k1.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { kmsSigner } from '../../../src/signers/services/kms.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { vectors } from '../../helpers/vectors.ts'

const AVAX = 1_000_000_000n
const SPKI = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex')
const secret = new Uint8Array(32).fill(0x4b)
const spki = Buffer.concat([SPKI, secp256k1.getPublicKey(secret, false)])
const { n } = secp256k1.Point.CURVE()

/** DER, with high s every other time. */
let calls = 0
function der(digest: Uint8Array): Buffer {
  const { r, s } = secp256k1.Signature.fromBytes(secp256k1.sign(digest, secret, { prehash: false }))
  return Buffer.from(new secp256k1.Signature(r, calls++ % 2 ? n - s : s).toBytes('der'))
}

/** The HTTP interface of AWS KMS, and of Google Cloud KMS under /v1. Returns its address and the requests. */
async function startService() {
  const requests: { readonly target: string; readonly body: unknown }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = text === '' ? {} : JSON.parse(text)
    const target = String(request.headers['x-amz-target'] ?? `${request.method} ${request.url}`)
    requests.push({ target, body })
    const answer = target.endsWith('.Sign')
      ? { Signature: der(Buffer.from(body.Message, 'base64')).toString('base64') }
      : target.endsWith('.GetPublicKey')
        ? { PublicKey: spki.toString('base64'), KeySpec: 'ECC_SECG_P256K1' }
        : target.endsWith(':asymmetricSign')
          ? { signature: der(Buffer.from(body.digest.sha256, 'base64')).toString('base64') }
          : {
              pem: `-----BEGIN PUBLIC KEY-----\n${spki.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END PUBLIC KEY-----\n`,
            }
    // A slow machine would reuse a connection just as the server closes it.
    response.setHeader('connection', 'close')
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

async function post(url: string, headers: Record<string, string>, body?: object) {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  return (await (await fetch(url, { headers, ...init })).json()) as Record<string, string>
}

/** The two calls of the SDK, in its JSON protocol: bytes are base64. */
function awsClient(url: string) {
  const call = (action: string, input: object) => {
    const body = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      ]),
    )
    return post(url, { 'x-amz-target': `TrentService.${action}` }, body)
  }
  return {
    getPublicKey: async (input: object) => {
      const { PublicKey } = await call('GetPublicKey', input)
      return { PublicKey: new Uint8Array(Buffer.from(PublicKey!, 'base64')) }
    },
    sign: async (input: object) => {
      const { Signature } = await call('Sign', input)
      return { Signature: new Uint8Array(Buffer.from(Signature!, 'base64')) }
    },
  }
}

function googleClient(url: string) {
  return {
    getPublicKey: async ({ name }: { name: string }) =>
      [await post(`${url}/v1/${name}/publicKey`, {})] as const,
    asymmetricSign: async ({ name, digest }: { name: string; digest: { sha256: Uint8Array } }) => {
      const sha256 = Buffer.from(digest.sha256).toString('base64')
      return [await post(`${url}/v1/${name}:asymmetricSign`, {}, { digest: { sha256 } })] as const
    },
  }
}

const GOOGLE_KEY = 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'

describe('kmsSigner', () => {
  for (const [name, open, key] of [
    ['AWS KMS', awsClient, 'alias/treasury'],
    ['Google Cloud KMS', googleClient, GOOGLE_KEY],
  ] as const)
    it(`pays with a key in ${name}`, async () => {
      const service = await startService()
      const signer = await kmsSigner({ client: open(service.url), keys: [key] })
      expect(signer.publicKeys).toEqual([secp256k1.getPublicKey(secret)])
      expect(signer.addresses).toEqual([addressOf(secp256k1.getPublicKey(secret))])
      const node = await createDevNode()
      onTestFinished(() => node.close())
      node.fund(signer.addresses[0]!, 10n * AVAX)
      const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
      const wallet = createWallet({ client, signers: [signer] })
      for (let i = 0; i < 4; i++)
        await wallet.transfer({ to: new Uint8Array(20).fill(7), amount: AVAX })
      expect((await wallet.balances())[0]!.spendable).toBe(5_996_000_000n)
    })

  it('sends to AWS what the SDK sends', async () => {
    const [recorded] = vectors<{ requests: unknown; hashHex: string }[]>('aws-kms.json')
    const service = await startService()
    const signer = await kmsSigner({ client: awsClient(service.url), keys: ['alias/treasury'] })
    const hash = new Uint8Array(Buffer.from(recorded!.hashHex, 'hex'))
    for (let i = 0; i < 4; i++) {
      const signature = await signer.sign({
        address: signer.addresses[0]!,
        hash,
        unsignedBytes: new Uint8Array(),
      })
      // 65 bytes with low s, from which the key can be recovered.
      expect(recoverPublicKey(hash, signature!)).toEqual(signer.publicKeys[0])
    }
    expect(service.requests.slice(0, 2)).toEqual(recorded!.requests)
  })

  it('does not sign for other addresses', async () => {
    const service = await startService()
    const signer = await kmsSigner({ client: awsClient(service.url), keys: ['k'] })
    const query = {
      address: new Uint8Array(20),
      hash: new Uint8Array(32).fill(1),
      unsignedBytes: new Uint8Array(),
    }
    expect(await signer.sign(query)).toBeUndefined()
  })

  it('refuses keys of other curves, failing services and wrong signatures', async () => {
    const P256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')
    const other = Buffer.concat([P256, secp256k1.getPublicKey(secret, false)])
    const good = awsClient('http://127.0.0.1:9')
    const replies: readonly (readonly [reply: unknown, code: string])[] = [
      [{ PublicKey: new Uint8Array(other) }, 'KEY_SERVICE_KEY'],
      [{ PublicKey: new Uint8Array(spki.subarray(0, 60)) }, 'KEY_SERVICE_KEY'],
      [{}, 'KEY_SERVICE_KEY'],
      [undefined, 'KEY_SERVICE_FAILED'],
    ]
    for (const [reply, code] of replies) {
      const client = { ...good, getPublicKey: async () => reply as never }
      await expect(kmsSigner({ client, keys: ['k'] })).rejects.toMatchObject({ code })
    }
    const google = { ...googleClient(''), getPublicKey: async () => [{ pem: 'none' }] as const }
    await expect(kmsSigner({ client: google, keys: ['k'] })).rejects.toMatchObject({
      code: 'KEY_SERVICE_REPLY',
    })
    const getPublicKey = async () => ({ PublicKey: new Uint8Array(spki) })
    const hash = new Uint8Array(32).fill(1)
    const signatures: readonly (readonly [sign: () => Promise<unknown>, code: string])[] = [
      [async () => ({}), 'KEY_SERVICE_REPLY'],
      [() => Promise.reject(new Error('AccessDenied')), 'KEY_SERVICE_FAILED'],
      [
        async () => ({ Signature: new Uint8Array(der(new Uint8Array(32).fill(2))) }),
        'WRONG_SIGNER',
      ],
      [async () => ({ Signature: Uint8Array.of(0x30, 0) }), 'SIG_MALFORMED'],
    ]
    for (const [sign, code] of signatures) {
      const signer = await kmsSigner({ client: { getPublicKey, sign: sign as never }, keys: ['k'] })
      const query = { address: signer.addresses[0]!, hash, unsignedBytes: new Uint8Array() }
      await expect(signer.sign(query)).rejects.toMatchObject({ code })
    }
  })
})
