/** The order of secp256k1's group. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const order: Uint8Array = /* @__PURE__ */ scalarBytes(ORDER)
const halfOrder: Uint8Array = /* @__PURE__ */ scalarBytes(ORDER >> 1n)

function scalarBytes(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(248 - 8 * i)) & 0xffn))
}

/** Negative, zero or positive as the 32 bytes of `bytes` from `at` on are below, equal to or above `limit`. */
function compare(bytes: Uint8Array, at: number, limit: Uint8Array): number {
  for (let i = 0; i < 32; i++) {
    const difference = bytes[at + i]! - limit[i]!
    if (difference !== 0) return difference
  }
  return 0
}

/** Whether the big-endian number in the 32 bytes from `at` on is below the group order. */
export function isBelowOrder(bytes: Uint8Array, at = 0): boolean {
  return compare(bytes, at, order) < 0
}

/** Whether the 32 bytes from `at` on are a number from 1 to the group order − 1, as a private key, r and s must be. */
export function isScalar(bytes: Uint8Array, at = 0): boolean {
  let bits = 0
  for (let i = 0; i < 32; i++) bits |= bytes[at + i]!
  return bits !== 0 && isBelowOrder(bytes, at)
}

/**
 * Whether an `s` value is in the upper half of the group order. The node reduces `s` modulo the order before this
 * comparison. An `s` at or above the order reduces to a small value, so it is out of range rather than high.
 */
export function isHigh(bytes: Uint8Array, at = 0): boolean {
  return compare(bytes, at, halfOrder) > 0 && isBelowOrder(bytes, at)
}

/** Replaces the 32-byte number at `at` with the group order minus that number. */
export function negate(bytes: Uint8Array, at = 0): void {
  let borrow = 0
  for (let i = 31; i >= 0; i--) {
    const difference = order[i]! - bytes[at + i]! - borrow
    borrow = difference < 0 ? 1 : 0
    bytes[at + i] = difference
  }
}
