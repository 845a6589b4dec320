import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import type { ChainAlias, UTXOOf } from '../../../../src/core/chain/chain-types.ts'
import { networks, P_CHAIN_ID } from '../../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../../src/core/chain/owners.ts'
import { exportedUTXOs } from '../../../../src/core/chain/x/created.ts'
import { decodeTx, encodeTx } from '../../../../src/core/chain/x/tx.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import { buildImport } from '../../../../src/core/draft/x/import.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { createRequest, type SigningRequest } from '../../../../src/index.ts'
import { coins, keysOf, owners, parentsOf, paying, transfer } from '../fixtures.ts'
import { NOW as now } from '../verdicts.ts'
import { AVAX, accountOf, alice, bob, exportFromC, fees, importToC } from './fixtures.ts'

const context = networks.local

/** Two of the first three people must sign; the drafts name the first two. */
const vault: OutputOwners = owners(2, 0, 1, 2)
const to = { to: vault.addresses, threshold: vault.threshold }

/** A draft that people 0 and 1 sign, and the transactions that prove what it spends. */
export type Sample = { readonly draft: Draft<ChainAlias>; readonly parents: readonly Uint8Array[] }

function xTransfer(): Sample {
  const draft = transfer(coins(vault))
  return { draft, parents: parentsOf(draft) }
}

function xImport(): Sample {
  const { parent, utxos } = onP({ destinationChain: context.chainID })
  const funds = { utxos: utxos as UTXOOf<'X'>[], owners: vault.addresses, now }
  return {
    draft: buildImport({ context, funds, sourceChain: 'P', ...to, changeTo: to }),
    parents: [parent],
  }
}

function pTransfer(): Sample {
  const { parent, utxos } = onP()
  const funds = { utxos, owners: vault.addresses, now }
  const outputs = [{ to: owners(1, 5).addresses, amount: AVAX / 2n }]
  const draft = pChain.buildTransfer({ context, funds, fees, outputs, changeTo: to })
  return { draft, parents: [parent] }
}

function pImport(): Sample {
  const parent = encodeTx({
    unsignedTx: {
      type: 'ExportTx',
      networkID: context.networkID,
      blockchainID: context.chainID,
      inputs: [],
      outputs: [],
      memo: new Uint8Array(0),
      destinationChain: P_CHAIN_ID,
      exportedOutputs: [{ assetID: context.assetID, output: paying(AVAX, vault) }],
    },
    credentials: [],
  })
  const utxos = exportedUTXOs(decodeTx(parent)) as pChain.UTXO[]
  const funds = { utxos, owners: vault.addresses, now }
  const draft = pChain.buildImport({ context, funds, fees, sourceChain: 'X', ...to, changeTo: to })
  return { draft, parents: [parent] }
}

/** A transaction of the P-Chain that pays the vault, there or on another chain, and what it creates. */
function onP(exported?: { readonly destinationChain: Uint8Array }): {
  readonly parent: Uint8Array
  readonly utxos: readonly pChain.UTXO[]
} {
  const made = [{ assetID: context.assetID, output: paying(AVAX, vault) }]
  const base = {
    networkID: context.networkID,
    blockchainID: P_CHAIN_ID,
    inputs: [],
    memo: new Uint8Array(0),
  }
  const unsignedTx: pChain.UnsignedTx = exported
    ? { ...base, type: 'ExportTx', outputs: [], ...exported, exportedOutputs: made }
    : { ...base, type: 'BaseTx', outputs: made }
  const tx = { unsignedTx, credentials: [] }
  const utxos = exported ? pChain.exportedUTXOs(tx) : pChain.createdUTXOs(tx)
  return { parent: pChain.encodeTx(tx), utxos }
}

function cImport(): Sample {
  // A vault accepts that an account has one key.
  const { draft, parent } = importToC(vault, accountOf(keysOf(5)))
  return { draft, parents: [parent] }
}

/** An export of the accounts of the first two people. */
function cExport(): Sample {
  const draft = exportFromC()
  const tx = draft.unsignedTx as cChain.ExportTx
  const inputs = [alice, bob]
    .map((keys) => ({ ...tx.inputs[0]!, address: accountOf(keys), amount: AVAX / 2n + 200_000n }))
    .sort((a, b) => compareBytes(a.address, b.address))
  const unsignedTx = { ...tx, inputs }
  const signedSize = cChain.signedSize(unsignedTx)
  return { draft: { ...draft, unsignedTx, fee: 400_000n, signedSize }, parents: [] }
}

/** A draft of each kind and its chain. */
export const samples: readonly (readonly [name: string, chain: ChainAlias, Sample])[] = [
  ['X transfer', 'X', xTransfer()],
  ['X import', 'X', xImport()],
  ['P transfer', 'P', pTransfer()],
  ['P import', 'P', pImport()],
  ['C import', 'C', cImport()],
  ['C export', 'C', cExport()],
]

/** A request with all proofs; of a sample of any chain. */
export const requestOf = ({ draft, parents }: Sample): SigningRequest<ChainAlias> =>
  createRequest(draft, { parents })
