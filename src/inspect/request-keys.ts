import { hex } from '../core/base/encoding/hex.ts'
import type { ChainAlias } from '../core/chain/chain-types.ts'
import { addressOf } from '../core/crypto/secp256k1.ts'
import { chainNamed } from '../core/sign/registry.ts'
import type { SigningRequest } from '../core/sign/request/signing-request.ts'
import type { RequestKeys, RequestOwners } from './key-text.ts'

/** The details of a request that determine which keys are its signers. All owners of UTXOs count, in any signer set. */
export function requestOwnersOf({
  chain: alias,
  paths,
  utxos,
  signerSets,
}: SigningRequest<ChainAlias>): RequestOwners {
  const chain = chainNamed(alias)
  const accounts = chain
    .spends(signerSets[0]!.unsignedTx)
    .flatMap(({ account }) => account?.address ?? [])
  const areAccounts = accounts.length > 0
  const payers = areAccounts
    ? accounts
    : utxos.flatMap((utxo) => chain.outputOf(utxo).output.addresses)
  return { paths, payers, areAccounts }
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
