import { copyBytes } from '../core/base/bytes/copy.ts'
import { toList } from '../core/base/require.ts'
import { requireSigners } from '../core/sign/signer.ts'
import { addressBytes } from '../node/methods/params.ts'
import { WalletError } from './errors.ts'
import type { WalletOptions } from './options.ts'

/** The addresses whose UTXOs a wallet spends. */
export function addressesOf({
  addresses,
  keys,
  signers = [],
}: WalletOptions): readonly Uint8Array[] {
  requireSigners(signers)
  const own =
    addresses === undefined
      ? [...(keys?.addresses ?? []), ...signers.flatMap((signer) => signer.addresses ?? [])]
      : toList(addresses, 'addresses').map(addressBytes)
  if (own.length === 0)
    throw new WalletError('NO_ADDRESSES', 'the wallet has no addresses', {
      hint: 'give keys, signers that have addresses, or addresses',
    })
  return own.map(copyBytes)
}
