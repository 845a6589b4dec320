import { copyBytes } from '../core/base/bytes/copy.ts'
import { addressBytes } from '../node/methods/params.ts'
import { WalletError } from './errors.ts'
import type { WalletOptions } from './options.ts'

/** The addresses whose UTXOs a wallet spends. */
export function addressesOf({
  addresses,
  keys,
  signers = [],
}: WalletOptions): readonly Uint8Array[] {
  const own =
    addresses === undefined
      ? [...(keys?.addresses ?? []), ...signers.flatMap((signer) => signer.addresses ?? [])]
      : addresses.map(addressBytes)
  if (own.length === 0)
    throw new WalletError('NO_ADDRESSES', 'the wallet has no addresses', {
      hint: 'give keys, signers that have addresses, or addresses',
    })
  return own.map(copyBytes)
}
