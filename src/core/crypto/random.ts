import { isScalar } from '../base/bytes/scalar.ts'
import { CryptoError } from './errors.ts'

/**
 * 32 bytes from the platform's secure random source, as a number from 1 to the group order − 1.
 *
 * @throws CryptoError `RANDOM_FAILED` if the source keeps returning unusable bytes. One attempt fails with
 * probability 2^-128, so several failures mean that the source is broken, for example that it fills nothing.
 */
export function randomScalar(): Uint8Array {
  for (let attempt = 0; attempt < 4; attempt++) {
    const scalar = crypto.getRandomValues(new Uint8Array(32))
    if (isScalar(scalar)) return scalar
  }
  throw new CryptoError('RANDOM_FAILED', 'crypto.getRandomValues returns no random bytes')
}
