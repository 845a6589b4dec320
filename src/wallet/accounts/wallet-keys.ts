import { ArgumentError } from '../../core/base/errors.ts'
import { addressBytes } from '../../node/methods/params.ts'
import { DEFAULT_GAP_LIMIT } from '../discovery/discover.ts'
import { WalletError } from '../errors.ts'
import type { WalletOptions } from '../options.ts'
import { AccountAddresses } from './account-addresses.ts'
import { accountKeys } from './account-keys.ts'
import { type CChoice, cAccountOf } from './c-account.ts'
import { isPrivate, watchOf } from './options.ts'
import { fixedAddresses, type OwnAddresses } from './own-addresses.ts'

/** The options of a wallet with the keys and paths of its account, and its addresses. */
export type WalletKeys<O extends WalletOptions = WalletOptions> = {
  readonly options: O
  readonly own: OwnAddresses
}

/**
 * Finds out which addresses and keys a wallet has.
 *
 * @param call - the function whose options they are
 * @param onC - the key of the account on the C-Chain
 * @throws ArgumentError `ENC_INVALID` if addresses are given in two ways
 * @throws WalletError `NO_ADDRESSES`
 */
export function walletKeys<O extends WalletOptions>(
  call: string,
  options: O,
  onC: CChoice = {},
): WalletKeys<O> {
  const { account, gapLimit = DEFAULT_GAP_LIMIT, freshChange = false, signing } = options
  if (account === undefined) {
    refuse(call, options, ['gapLimit', 'freshChange', 'wasUsed'], 'is an option of an account')
    for (const name of ['cAccount', 'cIndex'] as const)
      if (onC[name] !== undefined) throw conflict(call, name, 'is an option of an account')
    return { options, own: fixedAddresses(givenAddresses(options)) }
  }
  refuse(call, options, ['keys', 'addresses'], 'cannot be given with an account')
  const own = new AccountAddresses(watchOf(account), { gapLimit, freshChange })
  const given = signing?.paths ?? []
  return {
    own,
    options: {
      ...options,
      keys: isPrivate(account)
        ? accountKeys(account, own, cAccountOf(onC.cAccount ?? account, onC.cIndex))
        : undefined,
      signing: {
        maxFee: signing?.maxFee,
        policy: signing?.policy,
        // Read again by every call: more addresses may be watched by then.
        get paths() {
          return [...given, ...own.paths]
        },
      },
    },
  }
}

function givenAddresses({ addresses, keys, signers = [] }: WalletOptions): readonly Uint8Array[] {
  const own =
    addresses === undefined
      ? [...(keys?.addresses ?? []), ...signers.flatMap((signer) => signer.addresses ?? [])]
      : addresses.map(addressBytes)
  if (own.length === 0)
    throw new WalletError('NO_ADDRESSES', 'the wallet has no addresses', {
      hint: 'give keys, an account, signers that have addresses, or addresses',
    })
  return own
}

function refuse(
  call: string,
  options: WalletOptions,
  names: readonly (keyof WalletOptions)[],
  why: string,
): void {
  const name = names.find((one) => options[one] !== undefined)
  if (name !== undefined) throw conflict(call, name, why)
}

function conflict(call: string, path: string, why: string): ArgumentError {
  return new ArgumentError('ENC_INVALID', `${call}: ${path} ${why}`, { path })
}
