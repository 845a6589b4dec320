import { describe, expect, it } from 'vitest'
import * as cChain from '../../src/c-chain/index.ts'
import { networks } from '../../src/chain/networks.ts'
import { publicKeyOf } from '../../src/crypto/secp256k1.ts'
import { hex } from '../../src/encoding/hex.ts'
import * as pChain from '../../src/p-chain/index.ts'
import { ewoq } from '../devnode/txs.ts'
import { contextOf, crossChain } from '../helpers/cross-chain.ts'

const account = cChain.evmAddressBytes(publicKeyOf(ewoq.privateKey))

describe('explainDraft', () => {
  it('accounts for every unit of every valid vector', () => {
    for (const v of crossChain('c-tx').filter((each) => each.burned !== undefined)) {
      const { unsignedTx } = cChain.decodeTx(hex.decode(v.signed))
      const { fee, pays, returns, spends } = cChain.explainDraft(
        { unsignedTx, context: contextOf(v) },
        { ours: [] },
      )
      expect([v.name, String(fee)]).toEqual([v.name, v.burned])
      const sum = (list: readonly { amount: bigint }[]) =>
        list.reduce((total, { amount }) => total + amount, 0n)
      expect(sum(spends) - sum(pays) - sum(returns)).toBe(fee)
    }
    for (const v of crossChain('p-tx').filter((each) => each.keys !== undefined)) {
      const { unsignedTx } = pChain.decodeTx(hex.decode(v.signed))
      const context = contextOf(v)
      const told = pChain.explainDraft({ unsignedTx, context }, { ours: [] })
      expect(told.fee).toBeGreaterThanOrEqual(0n)
      expect(told.pays).toHaveLength(
        unsignedTx.outputs.length +
          (unsignedTx.type === 'ExportTx' ? unsignedTx.exportedOutputs.length : 0),
      )
      expect(pChain.formatAtomicExplanation(told, context)).toContain(`P-Chain of ${v.network}`)
    }
  })

  it('shows the total and the largest amounts of many outputs, and each code of warnings once', () => {
    const context = networks.local
    const draft = cChain.buildExport({
      context,
      account: { address: account, nonce: 0n },
      baseFee: 1n,
      maxGas: 1_000_000n,
      destinationChain: 'P',
      outputs: Array.from({ length: 100 }, (_, i) => ({
        to: new Uint8Array(20).fill(i + 1),
        amount: i === 70 ? 5_000_000_000_000n : BigInt(i + 1),
      })),
    })
    const told = cChain.explainDraft(draft, { ours: [ewoq.address], accounts: [account] })
    expect(told.pays).toHaveLength(100)
    expect(told.warnings.map(({ code }) => code)).toEqual(['NOT_OURS'])
    expect(told.warnings[0]!.message).toMatch(/^gives 5000 AVAX to .* \(and 99 more\)$/)
    const lines = cChain.formatAtomicExplanation(told, context).split('\n')
    expect(lines).toHaveLength(26)
    // 1 + 2 + … + 100 without 71; the sum of the 80 smallest of these 99.
    expect(lines[2]).toBe('pays 5000.000004979 AVAX in total, in 100 outputs')
    expect(lines[3]).toMatch(/^pays 5000 AVAX to P-local1/)
    expect(lines[23]).toBe('pays 0.00000325 AVAX in 80 more outputs')
  })

  it('distinguishes returned outputs from payments, and warns about both', () => {
    const context = networks.local
    const exportTo = (to: Uint8Array) =>
      cChain.buildExport({
        context,
        account: { address: account, nonce: 0n },
        baseFee: 25_000_000_000n,
        destinationChain: 'P',
        outputs: [{ to, amount: 1_500_000_000n }],
      })
    const ours = { ours: [ewoq.address], accounts: [account] }
    const own = cChain.explainDraft(exportTo(ewoq.address), ours)
    expect(own).toMatchObject({
      chain: 'C',
      type: 'ExportTx',
      destinationChain: 'P',
      pays: [],
      warnings: [],
    })
    expect(cChain.formatAtomicExplanation(own, context)).toBe(
      [
        'export on the C-Chain of local to P',
        `debits 1.50028075 AVAX from ${cChain.formatEVMAddress(account)}, nonce 0`,
        `returns 1.5 AVAX to ${ewoq.text.replace('X-', 'P-')} on P`,
        'fee 0.00028075 AVAX',
      ].join('\n'),
    )
    // An account owns no UTXOs: funds exported to its 20 bytes would be lost.
    const lost = cChain.explainDraft(exportTo(account), ours)
    expect(lost.warnings).toMatchObject([{ code: 'NOT_OURS', path: 'exportedOutputs[0]' }])
  })

  it('warns of what cannot be imported, what anyone can take and what is burned', () => {
    const context = networks.local
    const token = new Uint8Array(32).fill(1)
    const output = {
      type: 'secp256k1fx.TransferOutput',
      amount: 5n,
      locktime: 9n,
      threshold: 0,
      addresses: [],
    } as const
    const input = { type: 'secp256k1fx.TransferInput', amount: 7n, signatureIndices: [0] } as const
    const unsignedTx: pChain.ExportTx = {
      type: 'ExportTx',
      networkID: context.networkID,
      blockchainID: new Uint8Array(32),
      outputs: [],
      inputs: [
        { txID: token, outputIndex: 0, assetID: token, input },
        {
          txID: token,
          outputIndex: 1,
          assetID: context.assetID,
          input: { ...input, amount: 200_000_000n },
        },
      ],
      memo: new Uint8Array(0),
      destinationChain: context.chains.C!,
      exportedOutputs: [{ assetID: token, output }],
    }
    const { warnings } = pChain.explainDraft({ unsignedTx, context }, { ours: [] })
    expect(warnings.map(({ code }) => code)).toEqual([
      'STUCK_EXPORT',
      'OPEN_OUTPUT',
      'LOCKED_OUTPUT',
      'BURN',
      'HIGH_FEE',
    ])
  })
})
