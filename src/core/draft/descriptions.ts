import {
  bigintFrom,
  bytesOf,
  type Check,
  kinds,
  list,
  located,
  type Members,
  object,
  optional,
  text,
  u32,
} from '../base/argument.ts'
import { ADDRESS_SIZE, readAddress } from '../base/encoding/address.ts'
import { ID_SIZE, id } from '../base/encoding/ids.ts'
import type {
  AddressArgument,
  AmountArgument,
  ChangeArgument,
  IDArgument,
  OutputArgument,
  OwnersArgument,
} from './arguments.ts'

// Descriptions of the arguments that builders and wallet calls have in common.

/** Text is parsed here for the path in the error. Chain and network are compared later, when they are known. */
export const address: Check<AddressArgument> = kinds<AddressArgument>({
  string: (value, at) => {
    located(at, () => readAddress(value as string))
    return value as string
  },
  bytes: bytesOf(ADDRESS_SIZE),
})

/** A chain: an alias or an ID. Which aliases exist depends on the network. */
export const chain: Check<IDArgument> = kinds<IDArgument>({
  string: text,
  bytes: bytesOf(ID_SIZE),
})

/** A list of asset IDs. */
export const assetIDs: Check<readonly IDArgument[] | undefined> = optional(list(id))

const to: Check<OwnersArgument['to']> = kinds<OwnersArgument['to']>({
  string: address,
  bytes: address,
  list: list(address),
})

const threshold: Check<number | undefined> = optional(u32)

/** A bigint of at least 0. Amounts above 64 bits are refused by the rules of the chain. */
export const amount: Check<bigint> = bigintFrom(0n)

/** Members of owners. */
export const ownersMembers: Members<OwnersArgument> = {
  to,
  threshold,
  locktime: optional(amount),
}

/** Owners of an output without an amount. */
export const owners: Check<OwnersArgument> = object<OwnersArgument>(ownersMembers)

/** Members of outputs. */
export const outputMembers: Members<OutputArgument> = {
  ...ownersMembers,
  amount,
  assetID: optional(id),
}

/** Outputs to create. */
export const outputs: Check<readonly OutputArgument[]> = list(object<OutputArgument>(outputMembers))

/** The owners of change. */
export const change: Check<ChangeArgument> = kinds<ChangeArgument>({
  string: address,
  bytes: address,
  object: object<Exclude<ChangeArgument, AddressArgument>>({ to, threshold }),
})

/** An amount of an asset. */
export const assetAmount: Check<AmountArgument> = object<AmountArgument>({
  amount,
  assetID: optional(id),
})

/** A memo or payload. */
export const memo: Check<Uint8Array | string> = kinds<Uint8Array | string>({
  string: text,
  bytes: bytesOf(),
})
