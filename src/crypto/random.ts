import { isScalar } from '../bytes/scalar.ts'

/** 32 bytes from the platform's secure random source, as a number from 1 to the group order less one. */
export function randomScalar(): Uint8Array {
  const scalar = new Uint8Array(32)
  do crypto.getRandomValues(scalar)
  while (!isScalar(scalar))
  return scalar
}
