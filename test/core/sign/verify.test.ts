import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { CodecError } from '../../../src/core/base/errors.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
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
import { vectors } from '../../helpers/vectors.ts'
import { anyDraft } from './arbitraries.ts'
import { acceptedTxs, coins, keysOf, owners, people, transfer } from './fixtures.ts'

const everybody = keysOf(0, 1, 2, 3, 4, 5)
const accept = ['UNUSED_KEY'] as const

type SemanticCase = {
  readonly id: string
  readonly what: 'context' | 'tx'
  /** What was changed in a valid transaction, its UTXOs or the state. */
  readonly made?: readonly string[]
  readonly ok: boolean
  readonly code?: string
  readonly bytes: string
  readonly utxos?: readonly string[]
  readonly atomic?: readonly { readonly value: string }[]
}

/** Changes that make a transaction invalid, and the faults that each may have. */
const FAULTS: { readonly [change: string]: readonly string[] } = {
  'UTXO unknown': ['UTXO_UNKNOWN'],
  'imported UTXO unknown': ['UTXO_UNKNOWN'],
  'imported UTXO does not decode': ['UTXO_UNKNOWN'],
  'UTXO of another asset': ['UTXO_MISMATCH'],
  // The type is drawn, and can be the right one with another amount.
  'UTXO of another type': ['SIGNER_UNKNOWN_OUTPUT', 'UTXO_MISMATCH'],
  'UTXO amount 0': ['UTXO_MISMATCH'],
  'amount differs': ['UTXO_MISMATCH'],
  // The signature indices are positions of other addresses.
  'UTXO addresses unsorted': ['WRONG_SIGNER'],
  'other owner': ['WRONG_SIGNER'],
  'threshold higher': ['TOO_FEW_SIGNERS'],
  'threshold lower': ['TOO_MANY_SIGNERS'],
  'anyone can spend': ['TOO_MANY_SIGNERS'],
  'an index less': ['TOO_FEW_SIGNERS'],
  'an index more': ['TOO_MANY_SIGNERS'],
  'index out of bounds': ['SIGNER_INVALID_SIG_INDEX'],
  'operation of no UTXO': ['WRONG_NUMBER_OF_UTXOS'],
  'operation of two UTXOs': ['WRONG_NUMBER_OF_UTXOS'],
  'signature of another key': ['WRONG_SIGNER'],
  'signature of another hash': ['WRONG_SIGNER', 'SIG_INVALID'],
  'signatures exchanged': ['WRONG_SIGNER'],
  'other v': ['WRONG_SIGNER', 'SIG_INVALID'],
  'high s': ['SIG_HIGH_S'],
  'empty signature': ['SIGNATURE_MISSING'],
  'signature removed': ['SIGNATURE_MISSING'],
  'signature added': ['CREDENTIAL_SIGNERS_MISMATCH'],
  'credential of another fx': ['WRONG_CREDENTIAL_TYPE'],
  'value that is no credential': ['WRONG_CREDENTIAL_TYPE'],
}

/**
 * Changes that leave all signatures valid, so that the transaction is accepted here. The node rejects most of them, for
 * reasons that need more than the transaction and its UTXOs, or that do not concern signers.
 */
const NOT_CHECKED: { readonly [change: string]: string } = {
  'asset unknown': 'needs the transaction that created the asset',
  'asset that is none': 'needs the transaction that created the asset',
  'asset that lacks the extension': 'needs the transaction that created the asset',
  'asset of one extension': 'needs the transaction that created the asset',
  'locked until now+1 or later': 'needs the time',
  'locked until now': 'needs the time',
  'imported from the other chain': 'a UTXO does not state its chain: the caller looks it up',
  'peer is the own chain': 'needs the network',
  'peer of another subnet': 'needs the subnets of chains',
  'peer unknown': 'needs the subnets of chains',
  'mint output differs': 'a rule about what an operation creates',
  'group differs': 'a rule about what an operation creates',
  'payload differs': 'a rule about what an operation creates',
}

/** All UTXOs of a case, on any chain. */
function utxosOf({ utxos = [], atomic = [] }: SemanticCase): UTXO[] {
  return [...utxos, ...atomic.map(({ value }) => value)].flatMap((text) => {
    try {
      return [decodeUTXO(hex.decode(text))]
    } catch (error) {
      // Shared memory may hold bytes that are no UTXO.
      if (error instanceof CodecError) return []
      throw error
    }
  })
}

describe('verifySignatures', () => {
  const all = vectors<SemanticCase[]>('generated/semantic.json')
  const cases = all.filter(({ what }) => what === 'tx')

  it('is compared with the node on all transactions', () => {
    expect(cases.length).toBe(all.length - 1)
    expect(cases.length).toBeGreaterThan(100)
    const changes = new Set(cases.flatMap(({ made = [] }) => made))
    expect([...changes].sort()).toEqual(Object.keys({ ...FAULTS, ...NOT_CHECKED }).sort())
  })

  for (const item of cases) {
    const { id, ok, code = 'accepted', made = [] } = item
    // A drawn change may have no effect: the key for 'signature of another key' can be the right one.
    const expected = ok ? [] : made.flatMap((change) => FAULTS[change] ?? [])
    const verdict = expected.length === 0 ? 'accepts' : 'rejects'
    it(`${verdict} ${id}: ${made.join(', ') || 'unchanged'} (node: ${code})`, () => {
      const tx = decodeTx(hex.decode(item.bytes))
      const utxos = utxosOf(item)
      if (expected.length === 0) {
        verifySignatures(tx, utxos)
        return
      }
      const { code, faults = [] } = errorOf(tx, utxos)
      const found = [code, ...faults.map((fault) => fault.code)]
      expect(found.filter((one) => expected.includes(one))).not.toEqual([])
    })
  }

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

  it('reports a UTXO with another asset or amount as a mismatch, not as missing', () => {
    const [utxo, ...others] = draft.utxos as [UTXO, ...UTXO[]]
    const { output } = utxo as { output: TransferOutput }
    for (const change of [
      { assetID: new Uint8Array(32).fill(7) },
      { output: { ...output, amount: output.amount + 1n } },
    ]) {
      const error = errorOf(signedTx, [{ ...utxo, ...change }, ...others])
      expect(error).toMatchObject({ code: 'UTXO_MISMATCH', credential: 0 })
    }
  })

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
