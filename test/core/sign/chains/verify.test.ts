import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import type { ChainAlias, SignedTxOf } from '../../../../src/core/chain/chain-types.ts'
import type { Credential } from '../../../../src/core/chain/x/fx.ts'
import { requireSigned, signDraft, verifySignatures } from '../../../../src/index.ts'
import { coins, keysOf, owners } from '../fixtures.ts'
import { codeOf } from '../verdicts.ts'
import { samples } from './samples.ts'

/** The same signature with s in the upper half of the group order. */
function highS(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${hex.encode(signature.subarray(32, 64))}`)
  const changed = signature.slice()
  changed.set(hex.decode((secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0')), 32)
  changed[64]! ^= 1
  return changed
}

describe('verifySignatures', () => {
  for (const [name, chain, { draft }] of samples) {
    const { signedTx } = requireSigned(signDraft(draft, keysOf(0, 1)))
    const credentials = signedTx.credentials as readonly Credential[]
    const flat = credentials.flatMap(({ signatures }) => signatures)
    const [first, second] = flat as [Uint8Array, Uint8Array]
    const code = (tx: SignedTxOf<ChainAlias>, utxos = draft.utxos) =>
      codeOf(() => verifySignatures<ChainAlias>(tx, utxos, { chain }))
    const withCredentials = (changed: readonly Credential[]) =>
      ({ ...signedTx, credentials: changed }) as SignedTxOf<ChainAlias>
    /** The transaction with other signatures, divided among its credentials as before; the last gets the rest. */
    const withSignatures = (...signatures: Uint8Array[]) =>
      withCredentials(
        credentials.map((credential, i) => ({
          ...credential,
          signatures:
            credentials.length === 1 ? signatures : signatures.slice(i, i === 0 ? 1 : undefined),
        })),
      )
    const isExport = draft.utxos.length === 0
    const [stranger] = coins(owners(1, 5))

    it(`accepts the signatures of the ${name}, with UTXOs in any order`, () => {
      expect(flat).toHaveLength(2)
      expect(code(signedTx)).toBe('no error')
      expect(code(signedTx, [stranger!, ...draft.utxos])).toBe('no error')
    })

    it(`refuses missing, exchanged, copied, changed and additional signatures of the ${name}`, () => {
      const thief = keysOf(5)
      const foreign = thief.sign(thief.addresses[0]!, new Uint8Array(32).fill(1))
      expect(code(withSignatures(first))).toBe('SIGNATURE_MISSING')
      expect(code(withSignatures(first, new Uint8Array(65)))).toBe('SIGNATURE_MISSING')
      expect(code(withSignatures(first, second, second))).toBe('CREDENTIAL_SIGNERS_MISMATCH')
      expect(code(withSignatures(second, first))).toBe('WRONG_SIGNER')
      expect(code(withSignatures(first, foreign))).toBe('WRONG_SIGNER')
      // Two accounts have a credential each, so the copy is not in the same one.
      expect(code(withSignatures(first, first))).toBe(
        isExport ? 'WRONG_SIGNER' : 'SIGNATURE_DUPLICATE',
      )
      expect(code(withSignatures(first, second.with(64, 9)))).toBe('SIG_INVALID')
      expect(code(withSignatures(first, highS(second)))).toBe('SIG_HIGH_S')
      expect(code(withCredentials([]))).toBe('WRONG_NUMBER_OF_CREDENTIALS')
      expect(code(withCredentials([...credentials, credentials[0]!]))).toBe(
        'WRONG_NUMBER_OF_CREDENTIALS',
      )
    })

    it(`refuses signatures of the ${name} for other owners or other bytes`, () => {
      const { unsignedTx } = signedTx
      const networkID = unsignedTx.networkID + 1
      const moved = { ...signedTx, unsignedTx: { ...unsignedTx, networkID } }
      expect(code(moved as SignedTxOf<ChainAlias>)).toBe('WRONG_SIGNER')
      if (isExport) return
      expect(code(signedTx, [stranger!])).toBe('UTXO_UNKNOWN')
      const [utxo] = draft.utxos
      const addresses = owners(2, 0, 1, 2).addresses.toReversed()
      const output = { ...utxo!.output, addresses }
      expect(code(signedTx, [{ ...utxo!, output } as never])).toBe('WRONG_SIGNER')
    })
  }
})
