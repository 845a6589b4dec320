import { sha256 } from '../core/base/hash/sha256.ts'
import { generatePrivateKey } from '../core/crypto/keychain.ts'
import { PageError } from './errors.ts'

/** Rolls that hold 128 bits: 50 × log2(6) = 129. */
export const ENOUGH_ROLLS = 50

/**
 * 32 random bytes from the browser, mixed with rolls of a die if there are any. They are unpredictable as long as
 * either source is: rolls cannot make them weaker, and a weak random source of the browser is made up for by the rolls.
 *
 * @throws PageError `DICE_INVALID` for rolls that are not digits from 1 to 6
 */
export function entropyFrom(rolls: string): Uint8Array {
  const digits = rolls.replaceAll(/\s/g, '')
  if (!/^[1-6]*$/.test(digits))
    throw new PageError('DICE_INVALID', 'expected rolls of a die: digits from 1 to 6')
  for (let attempt = 0; ; attempt++) {
    const random = generatePrivateKey()
    if (digits === '') return random
    const text = new TextEncoder().encode(`avmkit dice ${attempt} ${digits} `)
    const mixed = new Uint8Array(text.length + random.length)
    mixed.set(text)
    mixed.set(random, text.length)
    const entropy = sha256(mixed)
    for (const bytes of [random, text, mixed]) bytes.fill(0)
    // Only hashes that begin with 0xff can be above the order of the group.
    if (entropy[0] !== 0xff && entropy.some((byte) => byte !== 0)) return entropy
  }
}
