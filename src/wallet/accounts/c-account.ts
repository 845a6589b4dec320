import type { HDAccount, WatchAccount } from '../../core/crypto/hd/account.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'
import { watchOf } from './options.ts'

/** Which key of an account owns the account on the C-Chain. */
export type CChoice = {
  /** The account; default: that of the wallet. */
  readonly cAccount?: HDAccount | WatchAccount | undefined
  /** Index of the receiving key; default 0. */
  readonly cIndex?: number | undefined
}

/** Where the key of the account on the C-Chain comes from. */
export type CAccount = {
  readonly account: HDAccount | WatchAccount
  readonly position: HDPosition
  /** 33 bytes. */
  readonly publicKey: Uint8Array
}

/** The C-Chain account of an HD account: that of a receiving key. */
export function cAccountOf(account: HDAccount | WatchAccount, index = 0): CAccount {
  const position = { change: 0, index }
  return { account, position, publicKey: watchOf(account).publicKey(position) }
}
