import {
  bigintFrom,
  bytesOf,
  type Check,
  integerFrom,
  invalid,
  list,
  type Members,
  optional,
  record,
  text,
} from '../../core/base/argument.ts'
import { ADDRESS_SIZE } from '../../core/base/encoding/address.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'

/** A network context of which no member is required. */
export type AnyContext = {
  readonly [name in keyof NetworkContext]?: NetworkContext[name] | undefined
}

/** Callers pass whole contexts to functions that need only a few of the members. */
export const contextMembers: Members<AnyContext> = {
  name: optional(text),
  networkID: optional(integerFrom(0, 2 ** 32 - 1)),
  hrp: optional(text),
  chainAlias: optional(text),
  chainID: optional(bytesOf(ID_SIZE)),
  assetID: optional(bytesOf(ID_SIZE)),
  txFee: optional(bigintFrom(0n)),
  createAssetTxFee: optional(bigintFrom(0n)),
  chains: optional(record(bytesOf(ID_SIZE))),
}

/** Addresses, 20 bytes each, which are iterated over once. */
export const addressesArgument: Check<Iterable<Uint8Array>> = (value, at) => {
  if (typeof (value as Iterable<unknown>)?.[Symbol.iterator] !== 'function')
    throw invalid(value, at, 'an iterable of addresses')
  return list(bytesOf(ADDRESS_SIZE))([...(value as Iterable<unknown>)], at)
}
