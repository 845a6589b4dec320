import { KMS } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addressOf, recoverPublicKey } from '../../../src/core/crypto/secp256k1.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { kmsSigner } from '../../../src/signers/services/kms.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { AWS_KEY, der, GOOGLE_KEY, publicKey, spki, startKMS } from './local-kms.ts'

const AVAX = 1_000_000_000n

// The SDK announces on Node 20 that its versions from 2027 on need Node 22.
beforeAll(() => void vi.stubEnv('AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED', 'true'))
afterAll(() => void vi.unstubAllEnvs())

/** The vendor's client. */
function awsClient(endpoint: string): KMS {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' }
  const client = new KMS({ region: 'eu-central-1', endpoint, credentials, maxAttempts: 1 })
  onTestFinished(() => client.destroy())
  return client
}

async function rest(url: string, body?: object) {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`status ${response.status}`)
  return (await response.json()) as Record<string, string>
}

/** The two calls of the vendor's client over REST, where bytes are base64. */
function googleClient(url: string) {
  return {
    getPublicKey: async ({ name }: { name: string }) =>
      [await rest(`${url}/v1/${name}/publicKey`)] as const,
    asymmetricSign: async ({ name, digest }: { name: string; digest: { sha256: Uint8Array } }) => {
      const sha256 = Buffer.from(digest.sha256).toString('base64')
      return [await rest(`${url}/v1/${name}:asymmetricSign`, { digest: { sha256 } })] as const
    },
  }
}

describe('kmsSigner', () => {
  for (const [name, open, key] of [
    ['AWS KMS', awsClient, AWS_KEY],
    ['Google Cloud KMS', googleClient, GOOGLE_KEY],
  ] as const)
    it(`pays with a key in ${name}`, async () => {
      const service = await startKMS()
      const signer = await kmsSigner({ client: open(service.url), keys: [key] })
      expect(signer.publicKeys).toEqual([publicKey])
      expect(signer.addresses).toEqual([addressOf(publicKey)])
      const node = await createDevNode()
      onTestFinished(() => node.close())
      node.fund(signer.addresses[0]!, 10n * AVAX)
      const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
      const wallet = createWallet({ client, signers: [signer] })
      for (let i = 0; i < 4; i++)
        await wallet.transfer({ to: new Uint8Array(20).fill(7), amount: AVAX })
      expect((await wallet.balances())[0]!.spendable).toBe(5_996_000_000n)
    })

  it('makes one signed request of AWS per signature', async () => {
    const service = await startKMS()
    const signer = await kmsSigner({ client: awsClient(service.url), keys: [AWS_KEY] })
    const hash = new Uint8Array(32).fill(0x5a)
    for (let i = 0; i < 4; i++) {
      const signature = await signer.sign({
        address: signer.addresses[0]!,
        hash,
        unsignedBytes: new Uint8Array(),
      })
      // 65 bytes with low s, from which the key can be recovered.
      expect(recoverPublicKey(hash, signature!)).toEqual(publicKey)
    }
    const sign = {
      target: 'TrentService.Sign',
      body: {
        KeyId: AWS_KEY,
        Message: Buffer.from(hash).toString('base64'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      },
    }
    expect(service.requests.map(({ target, body }) => ({ target, body }))).toEqual([
      { target: 'TrentService.GetPublicKey', body: { KeyId: AWS_KEY } },
      ...[sign, sign, sign, sign],
    ])
  })

  it('reports what a service answers with an error', async () => {
    const service = await startKMS()
    for (const [client, keys, cause] of [
      [awsClient(service.url), ['alias/other'], { name: 'NotFoundException' }],
      [googleClient(service.url), ['other'], { message: 'status 404' }],
    ] as const)
      await expect(kmsSigner({ client, keys })).rejects.toMatchObject({
        code: 'KEY_SERVICE_FAILED',
        cause,
      })
  })

  it('does not sign for other addresses', async () => {
    const service = await startKMS()
    const signer = await kmsSigner({ client: awsClient(service.url), keys: [AWS_KEY] })
    const query = {
      address: new Uint8Array(20),
      hash: new Uint8Array(32).fill(1),
      unsignedBytes: new Uint8Array(),
    }
    expect(await signer.sign(query)).toBeUndefined()
    expect(service.requests.length).toBe(1)
  })

  it('refuses keys of other curves, failing services and wrong signatures', async () => {
    const P256 = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')
    const other = Buffer.concat([P256, spki.subarray(-65)])
    const sign = () => Promise.reject(new Error('not called'))
    const replies: readonly (readonly [reply: unknown, code: string])[] = [
      [{ PublicKey: new Uint8Array(other) }, 'KEY_SERVICE_KEY'],
      [{ PublicKey: new Uint8Array(spki.subarray(0, 60)) }, 'KEY_SERVICE_KEY'],
      [{}, 'KEY_SERVICE_KEY'],
      [undefined, 'KEY_SERVICE_FAILED'],
    ]
    for (const [reply, code] of replies) {
      const client = { sign, getPublicKey: async () => reply as never }
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
