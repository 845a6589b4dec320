import { describe, expect, it } from 'vitest'
import * as cChain from '../../../../src/core/c-chain.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { codeOf, NOW } from '../verdicts.ts'
import { alice, bob, exportFromC, exportOfVault, vault } from './fixtures.ts'

describe('verifySignatures of the P-Chain', () => {
  const { draft, parent } = exportOfVault()
  const signed = [alice, bob].reduce(
    (request, keys) => pChain.signRequest(request, keys, { now: NOW }),
    pChain.createRequest(draft, { parents: [parent] }),
  )
  const { signedTx } = pChain.finishRequest(signed)
  const [utxo] = draft.utxos
  const other = { ...utxo!, outputIndex: 9 }
  const code = (tx: pChain.SignedTx, utxos: readonly pChain.UTXO[] = draft.utxos) =>
    codeOf(() => pChain.verifySignatures(tx, utxos))
  const [credential] = signedTx.credentials
  const [first, second] = credential!.signatures as [Uint8Array, Uint8Array]
  const withSignatures = (...signatures: Uint8Array[]): pChain.SignedTx => ({
    ...signedTx,
    credentials: [{ ...credential!, signatures }],
  })

  it('accepts the signatures of the owners, with UTXOs in any order', () => {
    expect(code(signedTx, [other, ...draft.utxos])).toBe('no error')
  })

  it('refuses missing UTXOs, other owners, and missing, exchanged and changed signatures', () => {
    expect(code(signedTx, [other])).toBe('UTXO_UNKNOWN')
    const output = { ...utxo!.output, addresses: vault.to.toReversed() } as pChain.Output
    expect(code(signedTx, [{ ...utxo!, output }])).toBe('WRONG_SIGNER')
    expect(code({ ...signedTx, credentials: [] })).toBe('WRONG_NUMBER_OF_CREDENTIALS')
    expect(code(withSignatures(first))).toBe('CREDENTIAL_SIGNERS_MISMATCH')
    expect(code(withSignatures(first, second, second))).toBe('CREDENTIAL_SIGNERS_MISMATCH')
    expect(code(withSignatures(second, first))).toBe('WRONG_SIGNER')
    expect(code(withSignatures(first, first))).toBe('WRONG_SIGNER')
    expect(code(withSignatures(first, new Uint8Array(65)))).toBe('SIG_INVALID')
  })
})

describe('verifySignatures of the C-Chain', () => {
  it('compares the signatures of an export with its accounts', () => {
    const { signedTx } = cChain.requireSigned(cChain.signDraft(exportFromC(), alice))
    cChain.verifySignatures(signedTx, [])
    const tx = signedTx.unsignedTx as cChain.ExportTx
    const [input] = tx.inputs
    const forged = { ...tx, inputs: [{ ...input!, address: new Uint8Array(20).fill(1) }] }
    expect(codeOf(() => cChain.verifySignatures({ ...signedTx, unsignedTx: forged }, []))).toBe(
      'WRONG_SIGNER',
    )
  })
})
