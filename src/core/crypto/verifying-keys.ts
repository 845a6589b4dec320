import { KeyChain } from './keychain.ts'

/** A set, not a property, which anybody could claim. */
const verifying = new WeakSet<object>()

/** Notes that keys sign by a `KeyChain`, which verifies every signature for the address that is to sign. */
export function verifyingKeys<K extends object>(keys: K): K {
  verifying.add(keys)
  return keys
}

/** Whether signatures of these keys need no further check. */
export function verifySignatures(keys: object): boolean {
  return keys instanceof KeyChain || verifying.has(keys)
}
