import { equalBytes } from '../../core/base/bytes/compare.ts'
import { CryptoError } from '../../core/crypto/errors.ts'
import type { HDAccount } from '../../core/crypto/hd/account.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'
import { addressOf } from '../../core/crypto/secp256k1.ts'
import { verifyingKeys } from '../../core/crypto/verifying-keys.ts'
import type { Keys } from '../../core/sign/signer.ts'
import type { AccountAddresses } from './account-addresses.ts'
import type { CAccount } from './c-account.ts'
import { isPrivate } from './options.ts'

type Derived = { readonly account: HDAccount; readonly position: HDPosition }

/**
 * The keys of an account. A private key is derived when it signs, and zeroed after that.
 *
 * @param onC - the account of the C-Chain, whose key signs exports of it
 */
export function accountKeys(account: HDAccount, own: AccountAddresses, onC: CAccount): Keys {
  const cAddress = addressOf(onC.publicKey)
  const find = (address: Uint8Array): Derived | undefined => {
    const position = own.positionOf(address)
    if (position !== undefined) return { account, position }
    if (!isPrivate(onC.account) || !equalBytes(address, cAddress)) return undefined
    return { account: onC.account, position: onC.position }
  }
  const withKey = <T>(address: Uint8Array, use: (keys: Required<Keys>) => T): T => {
    const found = find(address)
    if (found === undefined)
      throw new CryptoError('KEY_UNKNOWN', 'the account has no key for the address')
    const keys = found.account.keyChain([found.position])
    try {
      return use(keys)
    } finally {
      keys.wipe()
    }
  }
  return verifyingKeys({
    get addresses() {
      return own.list
    },
    publicKeys: [onC.publicKey],
    has: (address) => find(address) !== undefined,
    sign: (address, ...rest) => withKey(address, (keys) => keys.sign(address, ...rest)),
    derivedEntropy: (address, context) =>
      withKey(address, (keys) => keys.derivedEntropy(address, context)),
  })
}
