import { networks } from '../../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../../src/core/chain/owners.ts'
import type { TransferOutput } from '../../../../src/core/chain/secp256k1fx.ts'
import type { ExportTx, ImportTx } from '../../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { created, owners, paying } from '../fixtures.ts'
import {
  asset,
  FEE,
  fileOf,
  nobody,
  outputsOf,
  type Put,
  type Scene,
  thief,
  vault,
} from '../scenes.ts'
import type { Case } from '../verdicts.ts'

const { local } = networks
const P = local.chains.P!
const token = asset()

/** An export of the vault. */
export function exporting(
  to: OutputOwners,
  destinationChain: Uint8Array,
  assetID: Uint8Array = local.assetID,
): Scene {
  return {
    spend: [
      [vault, 1_000_000 + FEE],
      [vault, 5_000_000, assetID],
    ],
    pay: [[vault, 1_000_000]],
    as: (tx): ExportTx => ({
      ...tx,
      type: 'ExportTx',
      destinationChain,
      exportedOutputs: outputsOf([[to, 5_000_000, assetID]]),
    }),
  }
}

/** An import beside a spend of the vault. */
function importing(utxo: UTXO, pay: readonly Put[], sourceChain: Uint8Array = P): Scene {
  const { output, ...id } = utxo
  const { amount, threshold } = output as TransferOutput
  const signatureIndices = Array.from({ length: threshold }, (_, i) => i)
  return {
    spend: [[vault, 1_000_000 + FEE]],
    pay,
    operated: [utxo],
    as: (tx): ImportTx => ({
      ...tx,
      type: 'ImportTx',
      sourceChain,
      importedInputs: [
        { ...id, input: { type: 'secp256k1fx.TransferInput', amount, signatureIndices } },
      ],
    }),
  }
}

/** A UTXO on another chain; only the file states who owns it. */
const unproven = (of: OutputOwners): UTXO => ({
  txID: new Uint8Array(32).fill(0xab),
  outputIndex: 0,
  assetID: local.assetID,
  output: paying(5_000_000_000n, of),
})

const exported = (ownership: 'ours' | 'vault') => ({
  returns: [
    [1_000_000, ownership, false],
    [5_000_000, ownership, false],
  ] as const,
})

/** Exports and imports. */
export const crossChainCases: readonly Case[] = [
  [
    'an export to our own vault on P',
    () => fileOf(exporting(vault, P)),
    [0],
    { ...exported('vault'), warns: [] },
  ],
  [
    'an export to a chain that nobody knows',
    () => fileOf(exporting(vault, new Uint8Array(32).fill(9))),
    [0],
    { ...exported('vault'), warns: ['UNKNOWN_CHAIN!'] },
  ],
  [
    'a token exported to C, which cannot import it',
    () => fileOf(exporting(vault, local.chains.C!, token.assetID), [token.proof]),
    [0],
    { ...exported('vault'), warns: ['STUCK_EXPORT!'] },
  ],
  [
    'an export without owners',
    () => fileOf(exporting(nobody, P)),
    [0],
    { pays: [5_000_000], returns: [[1_000_000, 'vault', false]], warns: ['OPEN_OUTPUT!'] },
  ],
  [
    'an export of the vault to one of its owners alone, on P',
    () => fileOf(exporting(owners(1, 0), P)),
    [0, 1],
    { ...exported('ours'), warns: ['WEAKER_CHANGE!'] },
  ],
  [
    'an import from P with a transaction of the X-Chain as its proof',
    () => {
      const { parent, utxos } = created([
        { assetID: local.assetID, output: paying(5_000_000_000n, vault) },
      ])
      const pay: Put[] = [
        [vault, 1_000_000],
        [thief, 5_000_000],
      ]
      return fileOf(importing(utxos[0]!, pay), [parent])
    },
    [0],
    { read: 'REQUEST_PROOF' },
  ],
  [
    'an import whose UTXO is said to be the vault’s, and that pays the vault back',
    () =>
      fileOf(
        importing(unproven(vault), [
          [vault, 1_000_000],
          [vault, 5_000_000],
        ]),
      ),
    [0],
    {
      pays: [1_000_000, 5_000_000],
      warns: ['UNPROVEN_UTXO!', 'SHARED_OUTPUT!'],
    },
  ],
  [
    'an import of the attacker’s own UTXO, whose value goes back to the attacker',
    () =>
      fileOf(
        importing(unproven(thief), [
          [vault, 1_000_000],
          [thief, 5_000_000],
        ]),
      ),
    [0],
    {
      pays: [5_000_000],
      returns: [[1_000_000, 'vault', false]],
      warns: ['UNPROVEN_UTXO!', 'NOT_OURS'],
    },
  ],
  [
    'an import from a chain that nobody knows',
    () => fileOf(importing(unproven(vault), [[thief, 6_000_000]], new Uint8Array(32).fill(8))),
    [0],
    { pays: [6_000_000], warns: ['UNPROVEN_UTXO!', 'NOT_OURS', 'UNKNOWN_SOURCE'] },
  ],
  [
    'two outputs to the vault that are together more than it put in, beside an unproven UTXO',
    () =>
      fileOf(
        importing(unproven(thief), [
          [vault, 1_000_000],
          [vault, 4_000_000],
          [thief, 1_000_000],
        ]),
      ),
    undefined,
    { pays: [1_000_000, 1_000_000, 4_000_000], warns: ['UNPROVEN_UTXO!'] },
  ],
]
