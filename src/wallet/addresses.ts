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
  const given = addresses?.map(addressBytes)
  const own = given ?? [
    ...(keys?.addresses ?? []),
    ...signers.flatMap(({ addresses: of = [] }) => of),
  ]
  if (own.length === 0)
    throw new WalletError('NO_ADDRESSES', 'expected keys, signers with addresses, or addresses')
  return own.map(copyBytes)
}
