import { scrypt as nativeScrypt } from 'node:crypto'
import type { Scrypt } from './kdf.ts'

/** scrypt of Node: takes half the time of `scrypt.ts`, in another thread. */
export const scrypt: Scrypt = (password, salt, { n, r, p }) =>
  new Promise((resolve, reject) => {
    // OpenSSL counts two blocks more than it needs.
    const maxmem = 128 * r * (n + p + 2)
    nativeScrypt(password, salt, 64, { N: n, r, p, maxmem }, (error, derived) => {
      // A view without the methods of Buffer, whose `slice` does not copy.
      if (error === null)
        resolve(new Uint8Array(derived.buffer, derived.byteOffset, derived.length))
      else reject(error)
    })
  })
