import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { isBytes } from '../../core/base/require.ts'
import { addressOf } from '../../core/crypto/secp256k1.ts'
import { normalizeSignature } from '../../core/crypto/signature.ts'
import type { Signer } from '../../core/sign/signer.ts'
import { KeyServiceError } from './errors.ts'

/** A key that a service holds. */
export type ServiceKey = {
  readonly publicKey: Uint8Array
  /** Signs a hash: DER or `r‖s`, s may be high. */
  readonly sign: (hash: Uint8Array) => unknown
}

/** A signer with the public keys of its addresses, in the same order. */
export type ServiceSigner = Signer & {
  readonly addresses: readonly Uint8Array[]
  /** Compressed, 33 bytes each, as wallets take them for accounts of the C-Chain. */
  readonly publicKeys: readonly Uint8Array[]
}

/** A signer for keys of a service. Signatures get a recovery ID and a low s, and are checked against the key. */
export function serviceSigner(keys: readonly ServiceKey[]): ServiceSigner {
  const byAddress = new Map(keys.map((key) => [hex.encode(addressOf(key.publicKey)), key]))
  return {
    addresses: keys.map(({ publicKey }) => addressOf(publicKey)),
    publicKeys: keys.map(({ publicKey }) => publicKey),
    async sign({ address, hash }) {
      const key = byAddress.get(hex.encode(address))
      if (key === undefined) return undefined
      const signature = await served('sign', async () => key.sign(hash))
      if (!isBytes(signature))
        throw new KeyServiceError('KEY_SERVICE_REPLY', 'the service returned no signature')
      return normalizeSignature(new Uint8Array(signature), { hash, signer: key.publicKey })
    },
  }
}

/**
 * Runs a call of the vendor's client.
 *
 * @throws KeyServiceError `KEY_SERVICE_FAILED`
 */
export async function served<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof AvmError) throw cause
    throw new KeyServiceError('KEY_SERVICE_FAILED', `the key service failed: ${what}`, { cause })
  }
}
