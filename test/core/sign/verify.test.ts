import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { CodecError } from '../../../src/core/base/errors.ts'
import type { Credential } from '../../../src/core/chain/x/fx.ts'
import {
  decodeTx,
  decodeUnsignedTx,
  encodeUnsignedTx,
  type SignedTx,
} from '../../../src/core/chain/x/tx.ts'
import { decodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { Secp256k1Backend } from '../../../src/core/crypto/backend.ts'
import { loadNativeBackend } from '../../../src/core/crypto/backends/native.ts'
import { loadWasmBackend } from '../../../src/core/crypto/backends/wasm.ts'
import { nobleBackend } from '../../../src/core/crypto/secp256k1.ts'
import { SignError } from '../../../src/core/sign/errors.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { verifySignatures } from '../../../src/core/sign/verify.ts'
import { codeOf, vectors } from '../../helpers/vectors.ts'
import { anyDraft } from './arbitraries.ts'
import { acceptedTxs, coins, keysOf, owners, people, transfer } from './fixtures.ts'

const everybody = keysOf(0, 1, 2, 3, 4, 5)
const accept = ['UNUSED_KEY'] as const

type SemanticCase = {
  readonly id: string
  readonly what?: string
  readonly ok: boolean
  readonly code?: string
  readonly bytes: string
  readonly utxos: readonly string[]
  readonly atomic?: readonly { readonly value: string }[]
}

/** The node's rules about signatures, and how they are called here. */
const RULES: { readonly [code: string]: readonly string[] } = {
  WRONG_SIGNER: ['WRONG_SIGNER', 'SIGNATURE_DUPLICATE'],
  SIG_INVALID: ['SIG_INVALID', 'SIGNATURE_MISSING'],
  SIG_HIGH_S: ['SIG_HIGH_S'],
  SIG_INDEX_OUT_OF_BOUNDS: ['SIGNER_INVALID_SIG_INDEX'],
  TOO_FEW_SIGNERS: ['TOO_FEW_SIGNERS'],
  TOO_MANY_SIGNERS: ['TOO_MANY_SIGNERS'],
  CREDENTIAL_SIGNERS_MISMATCH: ['CREDENTIAL_SIGNERS_MISMATCH', 'SIGNATURE_MISSING'],
  WRONG_CREDENTIAL_TYPE: ['WRONG_CREDENTIAL_TYPE'],
  WRONG_NUMBER_OF_UTXOS: ['WRONG_NUMBER_OF_UTXOS'],
  WRONG_UTXO_TYPE: ['SIGNER_UNKNOWN_OUTPUT'],
  UTXO_NOT_FOUND: ['UTXO_UNKNOWN'],
  ATOMIC_UTXO_NOT_FOUND: ['UTXO_UNKNOWN'],
  MISMATCHED_AMOUNTS: ['UTXO_MISMATCH'],
  ASSET_ID_MISMATCH: ['UTXO_MISMATCH'],
}

describe('verifySignatures', () => {
  const cases = vectors<SemanticCase[]>('generated/semantic.json').filter(
    ({ what, ok, code }) => what === undefined && (ok || RULES[code!] !== undefined),
  )
  for (const item of cases)
    it(`agrees with the node on ${item.id}, ${item.code ?? 'accepted'}`, () => {
      const texts = [...item.utxos, ...(item.atomic ?? []).map(({ value }) => value)]
      const utxos = texts.flatMap((text) => {
        try {
          return [decodeUTXO(hex.decode(text))]
        } catch (error) {
          // Shared memory may hold bytes that are no UTXO.
          if (error instanceof CodecError) return []
          throw error
        }
      })
      const code = codeOf(() => verifySignatures(decodeTx(hex.decode(item.bytes)), utxos))
      if (item.ok) expect(code).toBeUndefined()
      else expect(RULES[item.code!]).toContain(code)
    })

  it('accepts everything that a node accepted, with every backend', async () => {
    const { txs, utxos } = acceptedTxs()
    const backends = [nobleBackend, await loadWasmBackend(), await loadNativeBackend()]
    for (const backend of backends)
      for (const bytes of txs) verifySignatures(decodeTx(bytes), utxos, { backend })
    expect(txs.length).toBeGreaterThan(40)
  })

  test.prop([anyDraft])('accepts what the owners signed', (draft) => {
    const { signedTx } = requireSigned(signDraft(draft, everybody, { accept }))
    verifySignatures(signedTx, draft.utxos.toReversed())
  })

  test.prop([anyDraft, fc.nat(), fc.nat(), fc.nat()])(
    'detects any changed byte of a signature and reports its position',
    (draft, pick, at, bit) => {
      const { signedTx } = requireSigned(signDraft(draft, everybody, { accept }))
      const credentials = (signedTx.credentials as Credential[]).map((credential) => ({
        ...credential,
        signatures: credential.signatures.map((signature) => signature.slice()),
      }))
      const credential = pick % credentials.length
      const { signatures } = credentials[credential]!
      const slot = at % signatures.length
      signatures[slot]![at % 65]! ^= 1 << (bit % 8)
      const error = errorOf({ ...signedTx, credentials }, draft.utxos)
      expect(error).toMatchObject({ credential, slot })
      expect(error.faults).toHaveLength(1)
      expect(['WRONG_SIGNER', 'SIG_INVALID', 'SIG_HIGH_S']).toContain(error.code)
    },
  )

  test.prop([anyDraft, fc.nat(), fc.integer({ min: 1, max: 255 })])(
    'detects any changed byte of the transaction',
    (draft, at, flip) => {
      const { signedTx } = requireSigned(signDraft(draft, everybody, { accept }))
      const bytes = encodeUnsignedTx(signedTx.unsignedTx)
      bytes[at % bytes.length]! ^= flip
      let changed: SignedTx
      try {
        changed = { ...signedTx, unsignedTx: decodeUnsignedTx(bytes) }
      } catch (error) {
        expect(error).toBeInstanceOf(CodecError)
        return
      }
      errorOf(changed, draft.utxos)
    },
  )

  function errorOf(tx: SignedTx, utxos: readonly UTXO[]): SignError {
    try {
      verifySignatures(tx, utxos)
    } catch (error) {
      expect(error).toBeInstanceOf(SignError)
      return error as SignError
    }
    return expect.unreachable('should throw')
  }

  const draft = transfer(coins(owners(2, 0, 1, 2), owners(1, 3)))
  const { signedTx } = requireSigned(signDraft(draft, keysOf(0, 1, 3)))
  const [first, second] = signedTx.credentials as [Credential, Credential]

  it('reports a signature in two slots of one credential', () => {
    const [signature] = first.signatures
    const twice = { ...first, signatures: [signature!, signature!] }
    const error = errorOf({ ...signedTx, credentials: [twice, second] }, draft.utxos)
    expect(error.code).toBe('SIGNATURE_DUPLICATE')
    expect(error.faults).toEqual([
      {
        code: 'SIGNATURE_DUPLICATE',
        credential: 0,
        slot: 1,
        address: people[1]!.address,
        signer: people[0]!.address,
      },
    ])
  })

  it('reports all faults: swapped slots, an empty slot, an additional signature', () => {
    const exchanged = { ...first, signatures: first.signatures.toReversed() }
    const zeros = { ...second, signatures: [new Uint8Array(65), ...second.signatures] }
    const error = errorOf({ ...signedTx, credentials: [exchanged, zeros] }, draft.utxos)
    expect(error.faults!.map(({ code, credential, slot }) => [code, credential, slot])).toEqual([
      ['WRONG_SIGNER', 0, 0],
      ['WRONG_SIGNER', 0, 1],
      ['SIGNATURE_MISSING', 1, 0],
      ['CREDENTIAL_SIGNERS_MISMATCH', 1, undefined],
    ])
  })

  it('rejects a credential of another type and a wrong number of credentials', () => {
    const nft = { ...second, type: 'nftfx.Credential' } as const
    const error = errorOf({ ...signedTx, credentials: [first, nft] }, draft.utxos)
    expect(error).toMatchObject({ code: 'WRONG_CREDENTIAL_TYPE', credential: 1 })
    const few = errorOf({ ...signedTx, credentials: [first] }, draft.utxos)
    expect(few.code).toBe('WRONG_NUMBER_OF_CREDENTIALS')
    expect(errorOf(signedTx, draft.utxos.slice(1)).code).toBe('UTXO_UNKNOWN')
  })

  it('recovers each distinct signature once, with the given backend', () => {
    const many = transfer(coins(...Array.from({ length: 30 }, (_, i) => owners(1, i % 2))))
    const signed = requireSigned(signDraft(many, keysOf(0, 1)))
    let times = 0
    const backend: Secp256k1Backend = {
      ...nobleBackend,
      recover: (hash, signature) => {
        times++
        return nobleBackend.recover(hash, signature)
      },
    }
    verifySignatures(signed.signedTx, many.utxos, { backend })
    expect(times).toBe(2)
  })
})
