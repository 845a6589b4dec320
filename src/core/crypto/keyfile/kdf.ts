/**
 * Cost of scrypt: memory is 128·n·r bytes, and time grows with n·r·p. `n` is a power of two of at least 1,024 and
 * below 2^(16·r), memory is at most 512 MiB, and `p` at most 16.
 */
export type KeyFileCost = { readonly n: number; readonly r: number; readonly p: number }

/** Derives 64 bytes from a password. */
export type Scrypt = (
  password: Uint8Array,
  salt: Uint8Array,
  cost: KeyFileCost,
) => Promise<Uint8Array>
