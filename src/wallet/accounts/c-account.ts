import type { HDAccount, WatchAccount } from '../../core/crypto/hd/account.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'
import { watchOf } from './options.ts'

/** The key of an account that owns the account on the C-Chain. */
export const C_POSITION: HDPosition = { change: 0, index: 0 }

/** Where the key of the account on the C-Chain comes from. */
export type CAccount = {
  readonly account: HDAccount | WatchAccount
  /** 33 bytes. */
  readonly publicKey: Uint8Array
}

/** The C-Chain account of an HD account: that of its first receiving key. */
export function cAccountOf(account: HDAccount | WatchAccount): CAccount {
  return { account, publicKey: watchOf(account).publicKey(C_POSITION) }
}
