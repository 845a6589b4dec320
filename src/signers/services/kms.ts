import { base64 } from '@scure/base'
import {
  argument,
  type Check,
  capability,
  invalid,
  list,
  object,
  text,
} from '../../core/base/argument.ts'
import { isBytes } from '../../core/base/require.ts'
import { KeyServiceError } from './errors.ts'
import { keyFromSPKI } from './public-key.ts'
import { type ServiceKey, type ServiceSigner, served, serviceSigner } from './service-signer.ts'

export { KeyServiceError, type KeyServiceErrorCode } from './errors.ts'
export type { ServiceSigner } from './service-signer.ts'

/** `new KMS(…)` of `@aws-sdk/client-kms`. Needs the permissions `kms:GetPublicKey` and `kms:Sign`. */
export type AWSKMSClient = {
  /** Returns the SubjectPublicKeyInfo of a key. */
  getPublicKey(input: { KeyId: string }): Promise<{ PublicKey?: Uint8Array | undefined }>
  /** Signs a digest. */
  sign(input: {
    KeyId: string
    Message: Uint8Array
    MessageType: 'DIGEST'
    SigningAlgorithm: 'ECDSA_SHA_256'
  }): Promise<{ Signature?: Uint8Array | undefined }>
}

/** `new KeyManagementServiceClient(…)` of `@google-cloud/kms`. */
export type GoogleKMSClient = {
  /** Returns the PEM text of a key version. */
  getPublicKey(request: {
    name: string
  }): Promise<readonly [{ readonly pem?: string | null | undefined }, ...unknown[]]>
  /** Signs a digest. */
  asymmetricSign(request: {
    name: string
    digest: { sha256: Uint8Array }
  }): Promise<
    readonly [{ readonly signature?: Uint8Array | string | null | undefined }, ...unknown[]]
  >
}

/** Options of {@link kmsSigner}. */
export type KMSSignerOptions = {
  readonly client: AWSKMSClient | GoogleKMSClient
  /** IDs, ARNs or aliases of keys (AWS), or names of key versions (Google Cloud). */
  readonly keys: readonly string[]
}

const client: Check<AWSKMSClient | GoogleKMSClient> = (value, at) => {
  const found = capability<AWSKMSClient>('a client of a key service', 'getPublicKey')(value, at)
  const methods = found as Partial<AWSKMSClient & GoogleKMSClient>
  if (typeof (methods.asymmetricSign ?? methods.sign) === 'function') return found
  throw invalid(value, at, 'a KMS client of AWS or a KeyManagementServiceClient of Google Cloud')
}

const options: Check<KMSSignerOptions> = /* @__PURE__ */ object<KMSSignerOptions>({
  client,
  keys: list(text),
})

/**
 * A signer for keys in AWS KMS (`ECC_SECG_P256K1`) or Google Cloud KMS (`EC_SIGN_SECP256K1_SHA256`). The public keys are
 * read once. The vendor's client is passed in; it has the credentials.
 *
 * @throws KeyServiceError
 *
 * @example
 * const signer = await kmsSigner({ client: new KMS({ region: 'eu-central-1' }), keys: ['alias/treasury'] })
 * const wallet = createWallet({ client, signers: [signer] })
 */
export async function kmsSigner(given: KMSSignerOptions): Promise<ServiceSigner> {
  const { client: service, keys } = argument('kmsSigner', given, options)
  const open = 'asymmetricSign' in service ? googleKey : awsKey
  const opened: ServiceKey[] = []
  for (const key of keys)
    opened.push(await served('getPublicKey', () => open(service as never, key)))
  return serviceSigner(opened)
}

async function awsKey(service: AWSKMSClient, id: string): Promise<ServiceKey> {
  const { PublicKey } = await service.getPublicKey({ KeyId: id })
  return {
    publicKey: keyFromSPKI(PublicKey),
    async sign(hash) {
      const { Signature } = await service.sign({
        KeyId: id,
        Message: hash,
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      })
      return Signature
    },
  }
}

async function googleKey(service: GoogleKMSClient, name: string): Promise<ServiceKey> {
  const [{ pem }] = await service.getPublicKey({ name })
  return {
    publicKey: keyFromSPKI(bytesOfPEM(pem)),
    async sign(hash) {
      const [{ signature }] = await service.asymmetricSign({ name, digest: { sha256: hash } })
      return bytesFrom(signature)
    },
  }
}

function bytesOfPEM(pem: unknown): Uint8Array {
  const pattern =
    /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]{1,1000})-----END PUBLIC KEY-----\s*$/
  const [, content] = (typeof pem === 'string' && pattern.exec(pem)) || []
  if (content === undefined)
    throw new KeyServiceError('KEY_SERVICE_REPLY', 'the service returned no public key in PEM')
  return bytesFrom(content.replace(/\s/g, ''))
}

/** Bytes, or base64 as the REST client returns it. */
function bytesFrom(value: unknown): Uint8Array {
  if (isBytes(value)) return value
  try {
    return base64.decode(value as string)
  } catch {
    throw new KeyServiceError('KEY_SERVICE_REPLY', 'the service returned no bytes in base64')
  }
}
