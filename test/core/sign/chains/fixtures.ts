import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import { sha256 } from '../../../../src/core/base/hash/sha256.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import { type NetworkContext, networks, P_CHAIN_ID } from '../../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../../src/core/chain/owners.ts'
import { exportedUTXOs } from '../../../../src/core/chain/x/created.ts'
import { decodeTx, encodeTx } from '../../../../src/core/chain/x/tx.ts'
import type { KeyChain } from '../../../../src/core/crypto/keychain.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { requireSigned, signDraft } from '../../../../src/index.ts'
import { keysOf, owners, paying } from '../fixtures.ts'
import { NOW } from '../verdicts.ts'

export const context: NetworkContext = networks.local
export const AVAX = 1_000_000_000n
export const fees: pChain.FeeParameters = { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n }
export const BASE_FEE = 25_000_000_000n

export const alice: KeyChain = keysOf(0)
export const bob: KeyChain = keysOf(1)
export const carol: KeyChain = keysOf(2)

/** The account of a key on the C-Chain. */
export const accountOf = (keys: KeyChain): Uint8Array => cChain.evmAddressBytes(keys.publicKeys[0]!)

/** Two of Alice, Bob and Carol must sign, as the owners of an output of the P-Chain. */
export const vault: { readonly to: readonly Uint8Array[]; readonly threshold: number } = {
  to: owners(2, 0, 1, 2).addresses,
  threshold: 2,
}

/** A draft, and the transaction that created what it spends. */
export type ProvenDraft = { readonly draft: pChain.Draft; readonly parent: Uint8Array }

/** An export of the vault from P to X, by default to itself. The change returns to the vault. */
export function exportOfVault(
  output: pChain.POutputArgument = { ...vault, amount: AVAX },
): ProvenDraft {
  const { bytes: parent, utxos } = fundedVault()
  const draft = pChain.buildExport({
    context,
    funds: { utxos, owners: vault.to, now: NOW },
    fees,
    destinationChain: 'X',
    outputs: [output],
    changeTo: vault,
  })
  return { draft, parent }
}

/** A signed transfer of Alice to the vault on the P-Chain, and the UTXO that the vault gets. */
function fundedVault(): { readonly bytes: Uint8Array; readonly utxos: pChain.UTXO[] } {
  const utxo: pChain.UTXO = {
    txID: new Uint8Array(32).fill(7),
    outputIndex: 0,
    assetID: context.assetID,
    output: paying(10n * AVAX, owners(1, 0)),
  }
  const draft = pChain.buildTransfer({
    context,
    funds: { utxos: [utxo], owners: alice.addresses, now: NOW },
    fees,
    outputs: [{ ...vault, amount: 5n * AVAX }],
  })
  const { bytes, signedTx } = requireSigned(signDraft(draft, alice))
  const utxos = pChain
    .createdUTXOs(signedTx)
    .filter(({ output }) => 'threshold' in output && output.threshold === vault.threshold)
  return { bytes, utxos }
}

/** An export of Alice from C to P, by default to herself. */
export function exportFromC(to: Uint8Array = alice.addresses[0]!): cChain.Draft {
  return cChain.buildExport({
    context,
    account: { address: accountOf(alice), nonce: 3n },
    baseFee: BASE_FEE,
    destinationChain: 'P',
    outputs: [{ to, amount: AVAX }],
  })
}

/** The import on P of what Alice exported from C. */
export function importToP(): ProvenDraft {
  const { bytes, signedTx } = requireSigned(signDraft(exportFromC(), alice))
  const utxos = cChain.exportedUTXOs(signedTx) as pChain.UTXO[]
  const draft = pChain.buildImport({
    context,
    fees,
    funds: { utxos, owners: alice.addresses, now: NOW },
    sourceChain: 'C',
    to: alice.addresses[0]!,
  })
  return { draft, parent: bytes }
}

/**
 * The import on P of an AVAX and 500 of the smallest units of a token that Alice exported from X. The token has two
 * decimals.
 */
export function importOfToken(symbol = 'TOK'): ProvenDraft & {
  readonly token: Uint8Array
  /** The transaction that created the token, which proves its decimals. */
  readonly creation: Uint8Array
} {
  const owned = (amount: bigint) => paying(amount, owners(1, 0))
  const memo = new Uint8Array(0)
  const base = { networkID: context.networkID, blockchainID: context.chainID, memo }
  const creation = encodeTx({
    unsignedTx: {
      ...base,
      type: 'CreateAssetTx',
      outputs: [],
      inputs: [],
      name: 'Token',
      symbol,
      denomination: 2,
      initialStates: [{ fxIndex: 0, outputs: [owned(500n)] }],
    },
    credentials: [],
  })
  const token = sha256(creation)
  const parent = encodeTx({
    unsignedTx: {
      ...base,
      type: 'ExportTx',
      outputs: [],
      inputs: [],
      destinationChain: new Uint8Array(32),
      exportedOutputs: [
        { assetID: context.assetID, output: owned(AVAX) },
        { assetID: token, output: owned(500n) },
      ].sort((a, b) => compareBytes(a.assetID, b.assetID)),
    },
    credentials: [],
  })
  const utxos = exportedUTXOs(decodeTx(parent)) as pChain.UTXO[]
  const draft = pChain.buildImport({
    context,
    fees,
    funds: { utxos, owners: alice.addresses, now: NOW },
    sourceChain: 'X',
    to: alice.addresses[0]!,
  })
  return { draft, parent, creation, token }
}

/** A draft of the C-Chain, and the transaction that created what it spends. */
export type ProvenImport = { readonly draft: cChain.Draft; readonly parent: Uint8Array }

/** The import on C of an AVAX that the owners exported from P, by default to the account of Alice. */
export function importToC(
  of: OutputOwners = owners(1, 0),
  to: Uint8Array = accountOf(alice),
): ProvenImport {
  const parent = pChain.encodeTx({
    unsignedTx: {
      type: 'ExportTx',
      networkID: context.networkID,
      blockchainID: P_CHAIN_ID,
      inputs: [],
      outputs: [],
      memo: new Uint8Array(0),
      destinationChain: context.chains.C!,
      exportedOutputs: [{ assetID: context.assetID, output: paying(AVAX, of) }],
    },
    credentials: [],
  })
  const utxos = pChain.exportedUTXOs(pChain.decodeTx(parent)) as cChain.Draft['utxos']
  const draft = cChain.buildImport({
    context,
    sourceChain: 'P',
    funds: { utxos, owners: of.addresses, now: NOW },
    baseFee: BASE_FEE,
    to,
  })
  return { draft, parent }
}
