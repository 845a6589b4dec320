import { ADDRESS_SIZE, parseAddress } from '../encoding/address.ts'
import { MAX_U64 } from '../encoding/amount.ts'
import { cb58 } from '../encoding/cb58.ts'
import { formatID, parseID } from '../encoding/ids.ts'
import { EncodingError } from '../errors.ts'

/** A 32-byte ID, or its cb58 text. */
export type ID = Uint8Array | string

/** An address of 20 bytes, or its text with chain and network in front. */
export type Address = Uint8Array | string

/** The text of an ID for a request; text is checked, because the node's own complaint names no argument. */
export function idText(id: ID): string {
  return formatID(idBytes(id))
}

/** The bytes of an ID. */
export function idBytes(id: ID): Uint8Array {
  return typeof id === 'string' ? parseID(id) : bytesIn(id)
}

/** The name of a chain or asset for a request: an alias as it is, an ID in cb58. */
export function nameText(name: ID): string {
  return typeof name === 'string' ? name : formatID(bytesIn(name))
}

/** A height for a request. */
export function heightText(height: bigint | number): string {
  const text = String(height)
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) > MAX_U64)
    throw new EncodingError('ENC_INVALID', `expected a height from 0 up, found ${text}`)
  return text
}

/**
 * An address for a request. Bytes are sent in cb58, which the node reads on every network; texts are
 * checked here, because the node pads an address that is too short.
 */
export function addressText(address: Address): string {
  if (typeof address !== 'string') return cb58.encode(sized(bytesIn(address)))
  if (address.includes('-')) parseAddress(address)
  else sized(cb58.decode(address))
  return address
}

/** The bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  if (typeof address !== 'string') return sized(bytesIn(address))
  return address.includes('-') ? parseAddress(address).address : sized(cb58.decode(address))
}

/** A list of them. */
export function addressTexts(addresses: readonly Address[]): string[] {
  if (!Array.isArray(addresses))
    throw new EncodingError(
      'ENC_INVALID',
      `expected a list of addresses, found ${typeof addresses}`,
    )
  return addresses.map(addressText)
}

function bytesIn(value: Uint8Array): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new EncodingError('ENC_INVALID', `expected a text or bytes, found ${typeof value}`)
}

function sized(address: Uint8Array): Uint8Array {
  if (address.length !== ADDRESS_SIZE)
    throw new EncodingError(
      'ENC_WRONG_LENGTH',
      `expected an address of ${ADDRESS_SIZE} bytes, found ${address.length}`,
    )
  return address
}
