import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { onTestFinished } from 'vitest'

// The HTTP interfaces of AWS KMS (JSON 1.1 at `/`) and of Google Cloud KMS (REST under `/v1`) with one key each, on a
// port of this machine.

const SPKI = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex')
const secret = new Uint8Array(32).fill(0x4b)
const { n } = secp256k1.Point.CURVE()

export const publicKey: Uint8Array = secp256k1.getPublicKey(secret)
export const spki: Buffer = Buffer.concat([SPKI, secp256k1.getPublicKey(secret, false)])

export const AWS_KEY = 'alias/treasury'
export const GOOGLE_KEY = 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'

let signatures = 0
/** DER, with high s every other time. */
export function der(digest: Uint8Array): Buffer {
  const { r, s } = secp256k1.Signature.fromBytes(secp256k1.sign(digest, secret, { prehash: false }))
  return Buffer.from(new secp256k1.Signature(r, signatures++ % 2 ? n - s : s).toBytes('der'))
}

type Received = {
  /** The operation of AWS, or method and path. */
  readonly target: string
  readonly authorization: string
  readonly body: { readonly [name: string]: unknown }
}

type Answer = readonly [status: number, body: object]

const refusedByAWS = (type: string, message: string): Answer => [400, { __type: type, message }]

function answerAsAWS({ target, authorization, body }: Received): Answer {
  const { KeyId, Message, MessageType, SigningAlgorithm } = body
  if (!/^AWS4-HMAC-SHA256 Credential=[^ ]+\/kms\/aws4_request, /.test(authorization))
    return refusedByAWS('MissingAuthenticationTokenException', 'Missing Authentication Token')
  if (KeyId !== AWS_KEY) return refusedByAWS('NotFoundException', `Key ${KeyId} is not found.`)
  const names = { KeyId: 'arn:aws:kms:eu-central-1:0:key/k', KeySpec: 'ECC_SECG_P256K1' }
  if (target === 'TrentService.GetPublicKey')
    return [200, { ...names, KeyUsage: 'SIGN_VERIFY', PublicKey: spki.toString('base64') }]
  const digest = Buffer.from(String(Message), 'base64')
  if (target !== 'TrentService.Sign' || MessageType !== 'DIGEST' || digest.length !== 32)
    return refusedByAWS('ValidationException', 'Digest is invalid length for algorithm')
  if (SigningAlgorithm !== 'ECDSA_SHA_256')
    return refusedByAWS('InvalidKeyUsageException', `${SigningAlgorithm} is not supported.`)
  return [200, { ...names, SigningAlgorithm, Signature: der(digest).toString('base64') }]
}

function answerAsGoogle({ target, body }: Received): Answer {
  if (target === `GET /v1/${GOOGLE_KEY}/publicKey`) {
    const lines = spki.toString('base64').replace(/(.{64})/g, '$1\n')
    const pem = `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`
    return [200, { pem, algorithm: 'EC_SIGN_SECP256K1_SHA256', name: GOOGLE_KEY }]
  }
  const { sha256 } = (body.digest ?? {}) as { readonly sha256?: unknown }
  const digest = Buffer.from(String(sha256), 'base64')
  if (target !== `POST /v1/${GOOGLE_KEY}:asymmetricSign` || digest.length !== 32)
    return [404, { error: { code: 404, status: 'NOT_FOUND' } }]
  return [200, { signature: der(digest).toString('base64'), name: GOOGLE_KEY }]
}

/** Starts both services. Returns their address and what they receive. */
export async function startKMS(): Promise<{ url: string; requests: readonly Received[] }> {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { 'x-amz-target': operation, authorization } = request.headers
    const received: Received = {
      target: String(operation ?? `${request.method} ${request.url}`),
      authorization: String(authorization),
      body: text === '' ? {} : JSON.parse(text),
    }
    requests.push(received)
    const [status, body] =
      operation === undefined ? answerAsGoogle(received) : answerAsAWS(received)
    response.statusCode = status
    response.setHeader('content-type', 'application/x-amz-json-1.1')
    // A slow machine would reuse a connection just as the server closes it.
    response.setHeader('connection', 'close')
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
