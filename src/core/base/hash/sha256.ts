import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'

type PlatformHash = (algorithm: 'sha256', data: Uint8Array, encoding: 'latin1') => string

let resolvedHash: { readonly hash: PlatformHash | undefined } | undefined

/**
 * One-shot hash function of the platform (Node, Bun), or undefined. The digest is requested as a latin1 string, which
 * is 2.5 times as fast as allocating a Buffer. The function is looked up on first use, because loading `node:crypto`
 * would make the startup of Node 10 % longer.
 */
function platformHash(): PlatformHash | undefined {
  if (resolvedHash === undefined) {
    const builtin = (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } })
      .process?.getBuiltinModule
    const crypto = builtin?.('node:crypto') as { hash?: PlatformHash } | undefined
    resolvedHash = { hash: crypto?.hash }
  }
  return resolvedHash.hash
}

/** Returns the SHA-256 digest of `bytes` (32 bytes). */
export function sha256(bytes: Uint8Array): Uint8Array {
  const hash = platformHash()
  if (hash === undefined) return nobleSha256(bytes)
  const text = hash('sha256', bytes, 'latin1')
  const digest = new Uint8Array(32)
  for (let i = 0; i < 32; i++) digest[i] = text.charCodeAt(i)
  return digest
}

/** Returns the checksum used by cb58 and the API's hex encoding: the last four bytes of SHA-256, as a u32. */
export function checksum(bytes: Uint8Array): number {
  const hash = platformHash()
  if (hash === undefined) {
    const digest = nobleSha256(bytes)
    return ((digest[28]! << 24) | (digest[29]! << 16) | (digest[30]! << 8) | digest[31]!) >>> 0
  }
  const text = hash('sha256', bytes, 'latin1')
  return (
    ((text.charCodeAt(28) << 24) |
      (text.charCodeAt(29) << 16) |
      (text.charCodeAt(30) << 8) |
      text.charCodeAt(31)) >>>
    0
  )
}
