import { copyBytes } from '../../core/base/bytes/copy.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { AccountAddresses } from './account-addresses.ts'

/** The addresses whose UTXOs a wallet spends. Those of an account become more as they are used. */
export type OwnAddresses = {
  /** 20 bytes each. The first one never changes. */
  readonly list: readonly Uint8Array[]
  readonly has: (address: Uint8Array) => boolean
  /** The addresses as those of an account; undefined if they are fixed. */
  readonly account: AccountAddresses | undefined
}

/** Addresses that are given. */
export function fixedAddresses(given: readonly Uint8Array[]): OwnAddresses {
  const list = given.map(copyBytes)
  const names = new Set(list.map(hex.encode))
  return { list, has: (address) => names.has(hex.encode(address)), account: undefined }
}
