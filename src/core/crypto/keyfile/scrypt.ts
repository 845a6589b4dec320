import { scryptAsync } from '@noble/hashes/scrypt.js'
import type { Scrypt } from './kdf.ts'

// Imported as `#scrypt`, which is `scrypt-node.ts` on Node: see `imports` in package.json.

/** scrypt of `@noble/hashes`: plain JavaScript that runs everywhere. */
export const scrypt: Scrypt = (password, salt, { n, r, p }) => {
  // What scrypt allocates: 128·n·r bytes, and a little more that depends on p.
  const maxmem = 128 * r * (n + p + 1)
  return scryptAsync(password, salt, { N: n, r, p, dkLen: 64, maxmem })
}
