import { sha256 } from '../base/hash/sha256.ts'
import type { AnyTx, AnyUTXO, Chain } from './chain.ts'
import type { AssetDetails } from './explain/explanation.ts'
import { withoutSigners } from './signer-sets.ts'

/** Crockford's base32 alphabet, without characters that look alike. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0)

/** What a digest covers: everything in an explanation that does not depend on the reader. */
export type DigestSubject = {
  readonly chain: Chain
  readonly unsignedTx: AnyTx
  readonly utxos: readonly (AnyUTXO | undefined)[]
  /** For each UTXO, whether its owners are certain. */
  readonly proven: readonly boolean[]
  /** Details of the assets that occur in the transaction. */
  readonly assets: { readonly [assetID: string]: AssetDetails }
}

/**
 * A short text that signers compare, by voice or on paper, to check that they see the same transaction with the same
 * evidence. It has 125 bits: finding two transactions with the same digest takes about 2^62 attempts.
 */
export function digestOf({ chain, unsignedTx, utxos, proven, assets }: DigestSubject): string {
  const assetIDs = Object.keys(assets).sort()
  const details = assetIDs.map((id) => [id, assets[id]!.symbol, assets[id]!.denomination])
  const parts = [
    new TextEncoder().encode(`avmkit explanation ${JSON.stringify(details)}`),
    // The ID of the chain is part of the transaction.
    chain.encodeUnsignedTx(withoutSigners(chain, unsignedTx)),
    Uint8Array.from(proven, Number),
    // Also of those that are certain: what one caller vouches for need not be what another has proven.
    ...utxos.map((utxo) => (utxo === undefined ? NO_BYTES : chain.encodeUTXO(utxo))),
  ]
  return digestOfParts(parts)
}

/** The digest of a list of parts, for people to compare. It covers where each part ends. */
export function digestOfParts(parts: readonly Uint8Array[]): string {
  const hash = sha256(lengthPrefixed(parts))
  // 25 letters of 5 bits each, from the first 125 bits.
  let bits = 0n
  for (const byte of hash.subarray(0, 16)) bits = (bits << 8n) | BigInt(byte)
  const letters = Array.from(
    { length: 25 },
    (_, i) => LETTERS[Number((bits >> BigInt(123 - 5 * i)) & 31n)]!,
  )
  return letters.join('').replace(/.{5}(?=.)/g, '$&-')
}

/** Concatenates parts, each preceded by its length, so that the boundaries are unambiguous. */
function lengthPrefixed(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + 4 + length, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const part of parts) {
    view.setUint32(at, part.length)
    bytes.set(part, at + 4)
    at += 4 + part.length
  }
  return bytes
}
