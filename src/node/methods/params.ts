import {
  bytesOf,
  type Check,
  integerFrom,
  kinds,
  located,
  text,
  u64,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { ADDRESS_SIZE, parseAddress } from '../../core/base/encoding/address.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { formatID, ID_SIZE, parseID } from '../../core/base/encoding/ids.ts'
import { requireBytes } from '../../core/base/require.ts'
import { P_CHAIN_ID } from '../../core/chain/networks.ts'

/** A 32-byte ID, or its cb58 text. */
export type ID = Uint8Array | string

/** An address: 20 bytes, or text with chain and network prefix. */
export type Address = Uint8Array | string

/** A chain or an asset: an alias, or an ID as bytes or text. */
export const nameOrID: Check<ID> = kinds<ID>({
  string: text,
  bytes: bytesOf(ID_SIZE),
})

/** An address. Text is verified here, because the node pads short addresses. */
export const address: Check<Address> = kinds<Address>({
  string: (value, at) => {
    located(at, () => addressBytes(value as string))
    return value as string
  },
  bytes: bytesOf(ADDRESS_SIZE),
})

/** The height of a block as a bigint. */
export const bigintHeight: Check<bigint> = u64

/** The height of a block. */
export const height: Check<bigint | number> = kinds<bigint | number>({
  bigint: bigintHeight,
  number: integerFrom(0),
})

/** Returns the bytes of an ID. */
export function idBytes(id: ID): Uint8Array {
  return typeof id === 'string' ? parseID(id) : id
}

/** Formats a chain or asset for a request: aliases and text unchanged, IDs as cb58. */
export function nameText(name: ID): string {
  return typeof name === 'string' ? name : formatID(name)
}

/** Returns the bytes of an ID; undefined for an alias. */
export function idOrAlias(name: ID): Uint8Array | undefined {
  if (typeof name !== 'string') return requireBytes(name, 'ID', ID_SIZE)
  try {
    return parseID(name)
  } catch {
    return undefined
  }
}

/** Additional aliases that the primary network's chains have on every node. */
const ALIASES: { readonly [alias: string]: string } = { platform: 'P', avm: 'X', evm: 'C' }

/**
 * Whether two names may mean the same chain. IDs are compared with IDs and aliases with aliases. An ID can be
 * compared with an alias only for the P-Chain, whose ID is zero on every network.
 */
export function mayBeSameChain(a: string, b: string): boolean {
  const [idA, idB] = [idOrAlias(a), idOrAlias(b)]
  if ((idA === undefined) === (idB === undefined)) return (ALIASES[a] ?? a) === (ALIASES[b] ?? b)
  return isPChain(a, idA) === isPChain(b, idB)
}

function isPChain(name: string, id: Uint8Array | undefined): boolean {
  return id === undefined ? (ALIASES[name] ?? name) === 'P' : equalBytes(id, P_CHAIN_ID)
}

/** Formats an address for a request. Bytes are sent as cb58, which the node accepts on every network. */
export function addressText(address: Address): string {
  return typeof address === 'string' ? address : cb58.encode(address)
}

/** Returns the bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  if (typeof address === 'string' && address.includes('-')) return parseAddress(address).address
  const bytes = typeof address === 'string' ? cb58.decode(address) : address
  return requireBytes(bytes, 'address', ADDRESS_SIZE)
}
