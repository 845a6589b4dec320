import { concat } from '../../base/bytes/concat.ts'
import { hex } from '../../base/encoding/hex.ts'

/** First byte of a string, to which a short length is added. A byte below is an item by itself. */
export const STRING = 0x80

/** First byte of a list, to which a short length is added. */
export const LIST = 0xc0

/** The longest short length; above it the size of the length is added, which follows. */
export const MAX_SHORT = 55

/** The empty string, which also represents 0. */
export const EMPTY_STRING: Uint8Array = /* @__PURE__ */ new Uint8Array([STRING])

/** A list of items that are encoded already. */
export function encodeList(items: readonly Uint8Array[]): Uint8Array {
  return withLength(LIST, concat(items))
}

/** A string of bytes. */
export function encodeBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === 1 && bytes[0]! < STRING ? bytes : withLength(STRING, bytes)
}

/** A number: its bytes without leading zeros. */
export function encodeNumber(value: bigint): Uint8Array {
  return encodeBytes(bytesOfNumber(value))
}

function withLength(base: number, content: Uint8Array): Uint8Array {
  const { length } = content
  if (length <= MAX_SHORT) return concat([new Uint8Array([base + length]), content])
  const size = bytesOfNumber(BigInt(length))
  return concat([new Uint8Array([base + MAX_SHORT + size.length]), size, content])
}

/** The bytes of a number, big-endian, without leading zeros. */
function bytesOfNumber(value: bigint): Uint8Array {
  const digits = value === 0n ? '' : value.toString(16)
  return hex.decode(digits.length % 2 === 0 ? digits : `0${digits}`)
}
