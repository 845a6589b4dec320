import { readFileSync } from 'node:fs'
import { fc } from '@fast-check/vitest'
import { isBelowOrder } from '../../../src/core/base/bytes/scalar.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { CryptoError } from '../../../src/core/crypto/errors.ts'

export type RecoverCase = {
  readonly id: string
  readonly made: string
  readonly hash: string
  readonly signature: string
  readonly ok: boolean
  readonly publicKey?: string
  readonly code?: string
  readonly errName?: string
}

export type SignCase = {
  readonly id: string
  readonly what: string
  readonly privateKey: string
  readonly hash: string
  readonly signature: string
  readonly publicKey: string
  readonly address: string
}

export function vectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../../../test-vectors/${name}`, import.meta.url), 'utf8'))
}

export const anyHash: fc.Arbitrary<Uint8Array> = fc.uint8Array({ minLength: 32, maxLength: 32 })

/** Hashes that can be signed. */
export const anyHashBelowOrder: fc.Arbitrary<Uint8Array> = anyHash.filter(isBelowOrder)

/** The first byte keeps it below the group order, the last one above zero. */
export const anyPrivateKey: fc.Arbitrary<Uint8Array> = anyHash.map((bytes) => {
  bytes[0]! &= 0x7f
  bytes[31]! |= 1
  return bytes
})

/** The result of a recovery, in a form that can be compared with vectors. */
export function verdict(
  recover: () => Uint8Array,
): { publicKey: string } | { code: string; compressed: boolean } {
  try {
    return { publicKey: hex.encode(recover()) }
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    return { code: error.code, compressed: error.reason === 'compressed' }
  }
}
