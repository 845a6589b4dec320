import { copyBytes } from '../bytes/copy.ts'
import { addressBytes } from '../rpc/params.ts'
import { WalletError } from './errors.ts'
import type { WalletOptions } from './options.ts'

/** The addresses whose UTXOs a wallet spends. */
export function addressesOf({
  addresses,
  keys,
  signers = [],
}: WalletOptions): readonly Uint8Array[] {
  const own = addresses?.map(addressBytes) ?? [
    ...(keys?.addresses ?? []),
    ...signers.flatMap((signer) => signer.addresses ?? []),
  ]
  if (own.length === 0)
    throw new WalletError('NO_ADDRESSES', 'the wallet has no addresses', {
      hint: 'give keys, signers that have addresses, or addresses',
    })
  return own.map(copyBytes)
}
