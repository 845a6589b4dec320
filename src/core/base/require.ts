import { ArgumentError, type ErrorDetails } from './errors.ts'

// Checks of arguments, since plain JavaScript can pass anything. Functions call them once per call, before any loop.

/** Rejects values that are not strings. */
export function requireText(value: unknown, what: string, details?: ErrorDetails): void {
  if (typeof value !== 'string') throw wrongType(value, what, 'a string', details)
}

/** Encodes text as UTF-8. Rejects lone surrogates, which TextEncoder replaces silently. */
export function utf8(text: string, what: string): Uint8Array<ArrayBuffer> {
  requireText(text, what)
  if (/\p{Surrogate}/u.test(text))
    throw new ArgumentError('ENC_INVALID', `${what} contains a lone surrogate`)
  return new TextEncoder().encode(text)
}

/** Returns `value`. Rejects values that are not a Uint8Array, and those of another length if `size` is given. */
export function requireBytes(value: Uint8Array, what: string, size?: number): Uint8Array {
  if (!isBytes(value)) throw wrongType(value, what, 'a Uint8Array')
  if (value.length !== (size ?? value.length))
    throw new ArgumentError(
      'ENC_WRONG_LENGTH',
      `${what} must have ${size} bytes, has ${value.length}`,
    )
  return value
}

/**
 * Whether a value is a readable Uint8Array, also one of another realm, such as that of a test runner. Proxies and
 * arrays whose buffer was transferred or cut are not.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    ArrayBuffer.isView(value) &&
    ((value instanceof Uint8Array && value.length > 0) || isUnusualBytes(value))
  )
}

/** For foreign and empty ones. A function of its own, so that the usual case above is small enough to be inlined. */
function isUnusualBytes(value: ArrayBufferView): boolean {
  const bytes = value as Uint8Array
  if (bytes[Symbol.toStringTag] !== 'Uint8Array') return false
  try {
    // The length of an array without its buffer is 0, but it cannot be copied.
    return bytes.length > 0 || new Uint8Array(bytes).length === 0
  } catch {
    return false
  }
}

function wrongType(
  value: unknown,
  what: string,
  expected: string,
  details?: ErrorDetails,
): ArgumentError {
  const found = value === null ? value : typeof value
  return new ArgumentError('ENC_INVALID', `${what} must be ${expected}, is ${found}`, details)
}
