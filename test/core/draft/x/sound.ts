import { expect } from 'vitest'
import { formatAddress } from '../../../../src/core/base/encoding/address.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import type { TransferOutput } from '../../../../src/core/chain/secp256k1fx.ts'
import { CREDENTIAL_TYPES, type Credential, fxIndexOf } from '../../../../src/core/chain/x/fx.ts'
import { spendsOf } from '../../../../src/core/chain/x/spends.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import { alice, type CoinDetails, coin } from '../../coins/samples.ts'

export const context: typeof networks.fuji = networks.fuji
export const now = 1_700_000_000n
export const fee: bigint = context.txFee

/** UTXOs of the native asset. */
export function native(name: string, amount: bigint, details: CoinDetails = {}): UTXO {
  return coin(name, amount, { assetID: context.assetID, ...details })
}

/** A set of these UTXOs, spendable by Alice. */
export function funds(...list: readonly UTXO[]): {
  utxos: UTXOSet
  owners: Uint8Array[]
  now: bigint
} {
  const set = new UTXOSet()
  set.add(list)
  return { utxos: set, owners: [alice], now }
}

export function addressText(address: Uint8Array, chain = 'X', hrp = 'fuji'): string {
  return formatAddress({ chain, hrp, address })
}

/** The draft with empty signatures. */
export function filled({ unsignedTx, utxos }: Draft): SignedTx {
  const credentials = spendsOf(unsignedTx).map(
    ({ signers: { signatureIndices } }, i): Credential => ({
      type: CREDENTIAL_TYPES[fxIndexOf(utxos[i]!.output)]!,
      signatures: signatureIndices.map(() => new Uint8Array(65)),
    }),
  )
  return { unsignedTx, credentials }
}

const idText = (id: { txID: Uint8Array; outputIndex: number }) =>
  hex.encode(id.txID) + id.outputIndex.toString(16).padStart(8, '0')

/** Checks the invariants of any draft, without the code that built it. */
export function expectSound(draft: Draft): void {
  const { unsignedTx: tx, utxos } = draft
  const bytes = encodeTx(filled(draft))
  expect(bytes.length).toBe(draft.signedSize)
  expect(decodeTx(bytes).unsignedTx).toEqual(tx)
  const imported = tx.type === 'ImportTx' ? tx.importedInputs : []
  const operated = tx.type === 'OperationTx' ? tx.operations.flatMap((o) => o.inputIDs) : []
  const spent = [...tx.inputs, ...imported, ...operated].map(idText)
  expect(utxos.map(idText)).toEqual(spent)
  expect(new Set(spent).size).toBe(spent.length)
  for (const list of [tx.inputs, imported]) {
    const names = list.map(idText)
    expect(names).toEqual([...names].sort())
  }
  const flow = new Map<string, bigint>()
  const add = (assetID: Uint8Array, amount: bigint) =>
    flow.set(hex.encode(assetID), (flow.get(hex.encode(assetID)) ?? 0n) + amount)
  for (const { assetID, input } of [...tx.inputs, ...imported]) add(assetID, input.amount)
  const exported = tx.type === 'ExportTx' ? tx.exportedOutputs : []
  for (const list of [tx.outputs, exported]) {
    const keys = list.map(sortKey)
    expect(keys).toEqual([...keys].sort())
    for (const { assetID, output } of list) add(assetID, -output.amount)
  }
  add(draft.context.assetID, -draft.fee)
  for (const { assetID, amount } of draft.burned) add(assetID, -amount)
  expect([...flow.values()].filter((amount) => amount !== 0n)).toEqual([])
}

function sortKey({ assetID, output }: { assetID: Uint8Array; output: TransferOutput }): string {
  const u64 = (value: bigint) => value.toString(16).padStart(16, '0')
  const u32 = (value: number) => value.toString(16).padStart(8, '0')
  return [
    hex.encode(assetID),
    u64(output.amount),
    u64(output.locktime),
    u32(output.threshold),
    u32(output.addresses.length),
    ...output.addresses.map(hex.encode),
  ].join('')
}
