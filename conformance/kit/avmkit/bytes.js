import { cb58, hex } from 'avmkit'
import { hrpOf } from 'avmkit/codec'

// What the answers of several areas share.

/** The last case and its bytes, which a refusal reads again. */
let last = {}

/** The bytes of a case, which may be given as runs of repeated pieces. */
export function bytesOf(item) {
  if (last.item !== item) last = { item, bytes: hex.decode(textOf(item)) }
  return last.bytes
}

function textOf({ bytes, parts }) {
  return parts === undefined ? bytes : parts.map(([piece, times]) => piece.repeat(times)).join('')
}

/** Whether two byte arrays are equal. */
export function isSame(a, b) {
  return Buffer.compare(a, b) === 0
}

/** The network ID of a case decides how addresses are printed. */
export function jsonContext({ network }) {
  return { hrp: hrpOf(network), chainAlias: 'X' }
}

/** A list as avalanchego prints it: `null` for none. */
export function orNull(list) {
  return list.length === 0 ? null : list
}

export const idText = cb58.encode
