import { hex } from '../core/base/encoding/hex.ts'
import { addressOf } from '../core/crypto/secp256k1.ts'
import { explainRequest } from '../core/sign/request/explain-request.ts'
import { requestStatus } from '../core/sign/request/request.ts'
import type { AnySigningRequest } from '../core/sign/request/signing-request.ts'
import type { RequestKeys, RequestOwners } from './key-text.ts'

/** The details of a request that determine its signers. */
export function requestOwnersOf(request: AnySigningRequest): RequestOwners {
  const { paths } = request
  const signers = requestStatus(request).flatMap((signerSet) => signerSet.signers)
  const debitsAccounts = explainRequest(request).spends.some(({ nonce }) => nonce !== undefined)
  return debitsAccounts
    ? { paths, utxos: [], accounts: signers }
    : { paths, utxos: [{ output: { addresses: signers } }] }
}

/**
 * The addresses and public keys of a reader with these keys, for an explanation. The account of a key whose address is
 * not ours is not ours either.
 */
export function readerWith({ keys, ours }: RequestKeys): {
  readonly addresses: readonly Uint8Array[]
  readonly publicKeys: readonly Uint8Array[]
} {
  const known = new Set(ours.map(hex.encode))
  const publicKeys = keys.publicKeys.filter((key) => known.has(hex.encode(addressOf(key))))
  return { addresses: ours, publicKeys }
}
