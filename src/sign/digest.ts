import { encodeUnsignedTx, type UnsignedTx } from '../chain/tx.ts'
import { encodeUTXO, type UTXO } from '../chain/utxo.ts'
import { sha256 } from '../hash/sha256.ts'
import type { AssetFacts } from './explanation.ts'
import { withoutSigners } from './signer-sets.ts'

/** Crockford's letters: none of them looks like another. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0)

/** What a digest covers: everything that an explanation shows and that does not depend on who reads it. */
export type DigestSubject = {
  readonly unsignedTx: UnsignedTx
  readonly utxos: readonly (UTXO | undefined)[]
  /** For each UTXO, whether its owners are certain. */
  readonly proven: readonly boolean[]
  readonly assets: { readonly [assetID: string]: AssetFacts }
}

/**
 * A short text by which signers can compare, by voice or on paper, whether they read the same transaction with
 * the same evidence. 125 bits: finding two transactions with the same digest takes about 2^62 attempts.
 */
export function digestOf({ unsignedTx, utxos, proven, assets }: DigestSubject): string {
  const names = Object.keys(assets).sort()
  const facts = names.map((id) => [id, assets[id]!.symbol, assets[id]!.denomination])
  const parts = [
    new TextEncoder().encode(`avmkit explanation ${JSON.stringify(facts)}`),
    encodeUnsignedTx(withoutSigners(unsignedTx)),
    Uint8Array.from(proven, Number),
    ...utxos.map((utxo) => (utxo === undefined ? NO_BYTES : encodeUTXO(utxo))),
  ]
  // Hashes in a row: no part can grow into the next.
  const hashes = new Uint8Array(32 * parts.length)
  parts.forEach((part, i) => {
    hashes.set(sha256(part), 32 * i)
  })
  const hash = sha256(hashes)
  // 25 letters of 5 bits each, from the first 125 bits.
  let bits = 0n
  for (const byte of hash.subarray(0, 16)) bits = (bits << 8n) | BigInt(byte)
  const letters = Array.from(
    { length: 25 },
    (_, i) => LETTERS[Number((bits >> BigInt(123 - 5 * i)) & 31n)]!,
  )
  return letters.join('').replace(/.{5}(?=.)/g, '$&-')
}
