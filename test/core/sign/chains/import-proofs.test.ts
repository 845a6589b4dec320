import { describe, expect, it, onTestFinished } from 'vitest'
import * as cChain from '../../../../src/core/c-chain.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import type { TransferOutput } from '../../../../src/core/chain/secp256k1fx.ts'
import type { ImportTx } from '../../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import { KeyChain } from '../../../../src/core/crypto/keychain.ts'
import { buildImport } from '../../../../src/core/draft/x/import.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { collectProofs } from '../../../../src/core/sign/proofs/collect.ts'
import { explainRequest } from '../../../../src/core/sign/request/explain-request.ts'
import { createRequest } from '../../../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../../../src/core/sign/request/request-sign.ts'
import { createDevNode } from '../../../../src/devnode/index.ts'
import { coins, owners } from '../fixtures.ts'
import { Mover } from './mover.ts'

const { local } = networks
const keys = new KeyChain([new Uint8Array(32).fill(1)])
const AVAX = 1_000_000_000n

async function scene() {
  const node = await createDevNode({ now: 1_700_000_000 })
  onTestFinished(() => node.close())
  const ledger = new Mover(node, keys)
  node.pChain.fund({ address: keys.addresses[0]!, amount: 100n * AVAX })
  node.cChain.fund(ledger.account, 100n * AVAX)
  return ledger
}

/** A draft of the import of some UTXOs to X. */
function draftOf(utxos: readonly UTXO[], sourceChain: 'P' | 'C') {
  const set = new UTXOSet()
  set.add([...utxos], { sourceChain: local.chains[sourceChain]! })
  const [to] = keys.addresses
  const funds = { utxos: set, owners: keys.addresses, now: 1_700_000_000n }
  return buildImport({ context: local, funds, sourceChain, to: to! })
}

describe('export transactions of other chains', () => {
  for (const chain of ['P', 'C'] as const)
    it(`of the ${chain}-Chain prove the imported UTXOs of an ImportTx`, async () => {
      const ledger = await scene()
      const { utxos } = await ledger.export(chain, 'X', AVAX)
      const draft = draftOf(utxos, chain)
      const asked: string[] = []
      const parents = await collectProofs(draft, async (txID, of) => {
        asked.push(of)
        return of === 'P'
          ? pChain.encodeTx(await ledger.p.platform.getTx({ txID }))
          : cChain.encodeTx((await ledger.c.avax.getAtomicTx({ txID })).tx)
      })
      expect(asked).toEqual([chain])
      const request = createRequest(draft, { parents })
      expect(request.proofs).toEqual(parents)
      const again = parseRequest(formatRequest(request), { network: local })
      const { spends, warnings } = explainRequest(again, { ours: keys, now: 1_700_000_000n })
      expect(spends).toMatchObject([{ imported: true, proven: true }])
      expect(warnings.map(({ code }) => code)).not.toContain('UNPROVEN_UTXO')
      signRequest(again, keys)
      // Without the proof, signing must accept UNPROVEN_UTXO.
      expect(() => signRequest(createRequest(draft), keys)).toThrow(
        expect.objectContaining({ code: 'UNPROVEN_UTXO' }),
      )
      // A request that states another amount or owner contradicts the proof.
      const [utxo] = utxos as [UTXO]
      for (const change of [
        { amount: AVAX + 1n },
        { addresses: [new Uint8Array(20).fill(9)] },
        { locktime: 5n },
      ]) {
        const lie = { ...utxo, output: { ...utxo.output, ...change } } as UTXO
        // The amount is that of the input, which does not match; the other changes are detected only by the proof.
        expect(() =>
          explainRequest(createRequest({ ...draft, utxos: [lie] }, { parents })),
        ).toThrow(expect.objectContaining({ name: 'SignError' }))
      }
      const elsewhere = { ...utxo, outputIndex: utxo.outputIndex + 1 }
      const wrong = createRequest(draftOf([elsewhere], chain), { parents })
      for (const read of [
        () => explainRequest(wrong, {}),
        () => signRequest(wrong, keys),
        () => parseRequest(formatRequest(wrong), { network: local }),
      ])
        expect(read).toThrow(expect.objectContaining({ code: 'REQUEST_PROOF' }))
    })

  it('to another chain, or of another source chain, prove nothing', async () => {
    const ledger = await scene()
    const { utxos } = await ledger.export('C', 'P', AVAX)
    const [{ txID }] = utxos as [UTXO]
    const bytes = cChain.encodeTx((await ledger.c.avax.getAtomicTx({ txID })).tx)
    for (const chain of ['C', 'P'] as const) {
      const request = createRequest(draftOf(utxos, chain), { parents: [bytes] })
      expect(() => explainRequest(request, {})).toThrow(
        expect.objectContaining({ code: 'REQUEST_PROOF' }),
      )
    }
  })

  it('are asked for on the chain of each input, also if other UTXOs are missing or too many', async () => {
    const ledger = await scene()
    const { utxos } = await ledger.export('P', 'X', AVAX)
    const [own] = coins(owners(1, 0))
    const draft = draftOf(utxos, 'P')
    const { output, ...id } = own!
    const { amount } = output as TransferOutput
    const input = { type: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] } as const
    const unsignedTx = { ...(draft.unsignedTx as ImportTx), inputs: [{ ...id, input }] }
    const askedFor = async (given: readonly (UTXO | undefined)[]) => {
      const asked: string[] = []
      await collectProofs({ ...draft, unsignedTx, utxos: given as UTXO[] }, (_, chain) => {
        asked.push(chain)
        return undefined
      })
      return asked
    }
    expect(await askedFor([own, utxos[0]])).toEqual(['X', 'P'])
    expect(await askedFor([undefined, utxos[0]])).toEqual(['P'])
    expect(await askedFor([own])).toEqual(['X'])
    await expect(askedFor([own, utxos[0], own])).rejects.toMatchObject({ code: 'UTXO_MISMATCH' })
  })
})
