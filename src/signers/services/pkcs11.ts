import { argument, type Check, capability, list, object } from '../../core/base/argument.ts'
import { keyFromPoint } from './public-key.ts'
import { type ServiceKey, type ServiceSigner, served, serviceSigner } from './service-signer.ts'

export { KeyServiceError, type KeyServiceErrorCode } from './errors.ts'
export type { ServiceSigner } from './service-signer.ts'

const CKA_EC_POINT = 0x181
const CKM_ECDSA = 0x1041

/** A handle of a session or object. */
export type PKCS11Handle = object

/** `new PKCS11()` of `pkcs11js`, loaded and initialized. */
export type PKCS11Module = {
  /** Reads attributes of an object. */
  C_GetAttributeValue(
    session: never,
    object: never,
    template: { type: number }[],
  ): { readonly value?: unknown }[]
  /** Selects mechanism and key. */
  C_SignInit(session: never, mechanism: { mechanism: number }, key: never): void
  /** Signs a digest. */
  C_Sign(session: never, data: never, output: never): Uint8Array
}

/** The two objects of a key pair in a module. */
export type PKCS11KeyPair = { readonly publicKey: PKCS11Handle; readonly privateKey: PKCS11Handle }

/** Options of {@link pkcs11Signer}. */
export type PKCS11SignerOptions = {
  readonly module: PKCS11Module
  /** An open session in which the user is logged in. */
  readonly session: PKCS11Handle
  readonly keys: readonly PKCS11KeyPair[]
}

const handle: Check<PKCS11Handle> = /* @__PURE__ */ capability<PKCS11Handle>('a handle')

const options: Check<PKCS11SignerOptions> = /* @__PURE__ */ object<PKCS11SignerOptions>({
  module: capability<PKCS11Module>(
    'a PKCS#11 module',
    'C_GetAttributeValue',
    'C_SignInit',
    'C_Sign',
  ),
  session: handle,
  keys: list(object<PKCS11KeyPair>({ publicKey: handle, privateKey: handle })),
})

/**
 * A signer for secp256k1 keys in a hardware security module, used through PKCS#11.
 *
 * @throws KeyServiceError
 *
 * @example
 * const signer = await pkcs11Signer({ module: pkcs11, session, keys: [pair] })
 */
export async function pkcs11Signer(given: PKCS11SignerOptions): Promise<ServiceSigner> {
  const { module, session, keys } = argument('pkcs11Signer', given, options)
  const opened: ServiceKey[] = []
  for (const { publicKey, privateKey } of keys)
    opened.push({
      publicKey: await served('C_GetAttributeValue', async () => {
        const template = [{ type: CKA_EC_POINT }]
        const [point] = module.C_GetAttributeValue(session as never, publicKey as never, template)
        return keyFromPoint(point?.value)
      }),
      sign(hash) {
        // The two calls must not be interleaved with those of another key: nothing is awaited between them.
        module.C_SignInit(session as never, { mechanism: CKM_ECDSA }, privateKey as never)
        return module.C_Sign(session as never, bufferOf(hash), bufferOf(new Uint8Array(64)))
      },
    })
  return serviceSigner(opened)
}

/** `pkcs11js` runs on Node only and takes Buffers. */
function bufferOf(bytes: Uint8Array): never {
  return Buffer.from(bytes) as never
}
