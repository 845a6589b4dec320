import { describe, expect, it } from 'vitest'
import { networks } from '../../../../src/core/chain/networks.ts'
import * as pChain from '../../../../src/core/p-chain.ts'

const id = (byte: number) => new Uint8Array(32).fill(byte)
const owner = new Uint8Array(20).fill(1)
const owners = { locktime: 0n, threshold: 1, addresses: [owner] }
const transfer = { type: 'secp256k1fx.TransferOutput', amount: 1n, ...owners } as const
const spend = { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] } as const
const lockedOutput = { type: 'stakeable.LockOut', locktime: 1n, output: transfer } as const
const lockedInput = { type: 'stakeable.LockIn', locktime: 1n, input: spend } as const

const { networkID } = networks.local
const base = {
  networkID,
  blockchainID: id(0),
  outputs: [
    { assetID: id(1), output: transfer },
    { assetID: id(1), output: lockedOutput },
  ],
  inputs: [
    { txID: id(1), outputIndex: 0, assetID: id(1), input: spend },
    { txID: id(1), outputIndex: 1, assetID: id(1), input: lockedInput },
  ],
  memo: new Uint8Array(),
}
const txs = {
  BaseTx: { type: 'BaseTx', ...base },
  ImportTx: {
    type: 'ImportTx',
    ...base,
    sourceChain: id(2),
    importedInputs: base.inputs.slice(0, 1),
  },
  ExportTx: {
    type: 'ExportTx',
    ...base,
    destinationChain: id(2),
    exportedOutputs: base.outputs.slice(0, 1),
  },
} as const

const verify = (unsignedTx: object) =>
  pChain.verifyTx({ unsignedTx, credentials: [] } as never, networks.local)

/** What the node refuses in an output and in an input, wherever they are. */
const outputs: [string, object][] = [
  ['EMPTY_ASSET_ID', { assetID: id(0), output: transfer }],
  ['OUTPUT_ZERO_AMOUNT', { assetID: id(1), output: { ...transfer, amount: 0n } }],
  ['OWNERS_UNSPENDABLE', { assetID: id(1), output: { ...transfer, threshold: 2 } }],
  ['INVALID_LOCKTIME', { assetID: id(1), output: { ...lockedOutput, locktime: 0n } }],
  [
    'OUTPUT_ZERO_AMOUNT',
    { assetID: id(1), output: { ...lockedOutput, output: { ...transfer, amount: 0n } } },
  ],
]
const place = { txID: id(9), outputIndex: 0, assetID: id(1) }
const inputs: [string, object][] = [
  ['EMPTY_ASSET_ID', { ...place, assetID: id(0), input: spend }],
  ['INPUT_ZERO_AMOUNT', { ...place, input: { ...spend, amount: 0n } }],
  ['SIG_INDICES_NOT_SORTED_UNIQUE', { ...place, input: { ...spend, signatureIndices: [1, 0] } }],
  ['INVALID_LOCKTIME', { ...place, input: { ...lockedInput, locktime: 0n } }],
  ['INPUT_ZERO_AMOUNT', { ...place, input: { ...lockedInput, input: { ...spend, amount: 0n } } }],
]

describe('verifyTx of the P-Chain', () => {
  it('accepts what breaks no rule', () => {
    for (const tx of Object.values(txs)) expect(() => verify(tx), tx.type).not.toThrow()
  })

  for (const [name, tx] of Object.entries(txs))
    it(`checks every output and input of an ${name}`, () => {
      const lists = Object.entries(tx).filter(([, value]) => Array.isArray(value)) as [
        string,
        object[],
      ][]
      expect(lists.length).toBeGreaterThan(1)
      for (const [member, list] of lists)
        for (const [code, value] of /outputs$/i.test(member) ? outputs : inputs)
          for (const at of list.keys())
            expect(() => verify({ ...tx, [member]: list.with(at, value) }), code).toThrow(
              expect.objectContaining({ code, path: `${member}[${at}]` }),
            )
    })

  const refused: [string, object, string][] = [
    ['WRONG_NETWORK_ID', { ...txs.BaseTx, networkID: networkID + 1 }, ''],
    ['WRONG_CHAIN_ID', { ...txs.BaseTx, blockchainID: id(1) }, ''],
    ['MEMO_TOO_LARGE', { ...txs.BaseTx, memo: new Uint8Array(1) }, 'memo'],
    ['MEMO_TOO_LARGE', { ...txs.BaseTx, memo: new Uint8Array(257) }, ''],
    ['NO_IMPORT_INPUTS', { ...txs.ImportTx, importedInputs: [] }, ''],
    ['NO_EXPORT_OUTPUTS', { ...txs.ExportTx, exportedOutputs: [] }, ''],
    ['OUTPUTS_NOT_SORTED', { ...txs.BaseTx, outputs: base.outputs.toReversed() }, 'outputs'],
    ['INPUTS_NOT_SORTED_UNIQUE', { ...txs.BaseTx, inputs: base.inputs.toReversed() }, 'inputs'],
    [
      'INPUTS_NOT_SORTED_UNIQUE',
      { ...txs.ImportTx, importedInputs: base.inputs.toReversed() },
      'importedInputs',
    ],
    [
      'OUTPUTS_NOT_SORTED',
      {
        ...txs.ExportTx,
        exportedOutputs: [1n, 2n].map((amount) => ({
          assetID: id(1),
          output: { ...transfer, amount: 3n - amount },
        })),
      },
      'exportedOutputs',
    ],
    [
      'LOCKED_EXPORT',
      { ...txs.ExportTx, exportedOutputs: [base.outputs[1]] },
      'exportedOutputs[0]',
    ],
  ]
  it.each(refused)('refuses %s', (code, tx, path) => {
    expect(() => verify(tx)).toThrow(expect.objectContaining({ code, path }))
  })
})
