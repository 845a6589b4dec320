import { parseAddress } from '../encoding/address.ts'
import { WalletError } from './errors.ts'
import type { WalletOptions } from './options.ts'

/** The addresses whose UTXOs a wallet spends. */
export function addressesOf({
  addresses,
  keys,
  signers = [],
}: WalletOptions): readonly Uint8Array[] {
  const given = addresses?.map((address) =>
    typeof address === 'string' ? parseAddress(address).address : address,
  )
  const own = given ?? [
    ...(keys?.addresses ?? []),
    ...signers.flatMap(({ addresses: of = [] }) => of),
  ]
  if (own.length === 0)
    throw new WalletError('NO_ADDRESSES', 'expected keys, signers with addresses, or addresses')
  return own
}
