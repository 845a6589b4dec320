import { equalBytes } from '../../core/base/bytes/compare.ts'
import { copyBytes } from '../../core/base/bytes/copy.ts'
import { ADDRESS_SIZE, parseAddress } from '../../core/base/encoding/address.ts'
import { MAX_U64 } from '../../core/base/encoding/amount.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { formatID, ID_SIZE, parseID } from '../../core/base/encoding/ids.ts'
import { EncodingError } from '../../core/base/errors.ts'
import { requireBytes, requireList } from '../../core/base/require.ts'
import { P_CHAIN_ID } from '../../core/chain/networks.ts'

/** A 32-byte ID, or its cb58 text. */
export type ID = Uint8Array | string

/** An address: 20 bytes, or text with chain and network prefix. */
export type Address = Uint8Array | string

/** Formats an ID for a request. Text is validated, because the node's error does not name the argument. */
export function idText(id: ID): string {
  return formatID(idBytes(id))
}

/** Returns the bytes of an ID. */
export function idBytes(id: ID): Uint8Array {
  return typeof id === 'string' ? parseID(id) : copyBytes(requireBytes(id, 'ID', ID_SIZE))
}

/** Formats a chain or asset for a request: aliases unchanged, IDs as cb58. */
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

/** Returns `value`. Rejects numbers that are not integers in the range. */
export function requireInRange(
  name: string,
  value: number,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (!Number.isInteger(value) || value < min || value > max)
    throw new EncodingError(
      'ENC_INVALID',
      `${name} must be from ${min} to ${max}, is ${String(value)}`,
    )
  return value
}

/** Formats a height for a request. */
export function heightText(height: bigint | number): string {
  const text = String(height)
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) > MAX_U64)
    throw new EncodingError('ENC_INVALID', `height must be a non-negative integer, is ${text}`)
  return text
}

/** Returns a height as bigint. Unlike `heightText`, rejects text. */
export function toHeight(height: bigint | number): bigint {
  const isInteger = typeof height === 'bigint' || Number.isSafeInteger(height)
  return BigInt(heightText(isInteger ? height : Number.NaN))
}

/**
 * Formats an address for a request. Bytes are sent as cb58, which the node accepts on every network. Text is
 * validated here, because the node pads short addresses.
 */
export function addressParam(address: Address): string {
  const bytes = addressBytes(address)
  return typeof address === 'string' ? address : cb58.encode(bytes)
}

/** Returns the bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  if (typeof address === 'string' && address.includes('-')) return parseAddress(address).address
  const bytes = typeof address === 'string' ? cb58.decode(address) : address
  return requireBytes(bytes, 'address', ADDRESS_SIZE)
}

/** Formats addresses for a request. */
export function addressTexts(addresses: readonly Address[]): string[] {
  requireList(addresses, 'addresses')
  return addresses.map(addressParam)
}
