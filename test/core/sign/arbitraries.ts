import { fc } from '@fast-check/vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import type { FxOperation, Output } from '../../../src/core/chain/x/fx.ts'
import {
  compareInputs,
  compareOperations,
  compareOutputs,
  compareStateOutputs,
} from '../../../src/core/chain/x/order.ts'
import type {
  TransferableInput,
  TransferableOutput,
  UTXOID,
} from '../../../src/core/chain/x/transferables.ts'
import type { UnsignedTx } from '../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { feeOf } from '../../../src/core/chain/x/verify/verify.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import { draftOf, paying, people } from './fixtures.ts'

const { local } = networks
const token = new Uint8Array(32).fill(0x77)

/** A random set of people, a threshold, and the signers among them. */
export type Ownership = {
  readonly owner: OutputOwners
  readonly signatureIndices: readonly number[]
}

export const anyOwnership: fc.Arbitrary<Ownership> = fc
  .subarray([...people], { minLength: 1, maxLength: 4 })
  .chain((chosen) => {
    const addresses = chosen.map(({ address }) => address)
    return fc.record({
      addresses: fc.constant(addresses),
      locktime: fc.constantFrom(0n, 0n, 1_600_000_000n),
      signatureIndices: fc.subarray(
        addresses.map((_, i) => i),
        { minLength: 1 },
      ),
    })
  })
  .map(({ addresses, locktime, signatureIndices }) => ({
    owner: { locktime, threshold: signatureIndices.length, addresses },
    signatureIndices,
  }))

const anyCoin = fc.record({
  ownership: anyOwnership,
  amount: fc.bigInt(1_000_000_000n, 1_000_000_000_000n),
  native: fc.boolean(),
  outputIndex: fc.nat(0xffffffff),
  random: fc.uint8Array({ minLength: 31, maxLength: 31 }),
})

const anyOperation = fc.record({
  ownership: anyOwnership,
  to: anyOwnership,
  type: fc.constantFrom<FxOperation['type']>(
    'secp256k1fx.MintOperation',
    'nftfx.MintOperation',
    'nftfx.TransferOperation',
    'propertyfx.MintOperation',
    'propertyfx.BurnOperation',
  ),
  groupID: fc.nat(0xffffffff),
  payload: fc.uint8Array({ maxLength: 40 }),
  amount: fc.bigInt(1n, 1_000_000n),
})

type CoinDetails = typeof anyCoin extends fc.Arbitrary<infer T> ? T : never
type OperationDetails = typeof anyOperation extends fc.Arbitrary<infer T> ? T : never

const anyDetails = fc.record({
  type: fc.constantFrom<UnsignedTx['type']>(
    'BaseTx',
    'CreateAssetTx',
    'OperationTx',
    'ImportTx',
    'ExportTx',
  ),
  coins: fc.array(anyCoin, { minLength: 1, maxLength: 4 }),
  imported: fc.array(anyCoin, { minLength: 1, maxLength: 3 }),
  operations: fc.array(anyOperation, { minLength: 1, maxLength: 4 }),
  to: anyOwnership,
  memo: fc.uint8Array({ maxLength: 64 }),
})

type DraftDetails = typeof anyDetails extends fc.Arbitrary<infer T> ? T : never

/** A draft of any type whose value is in balance and whose owners are among the people. */
export const anyDraft: fc.Arbitrary<Draft> = anyDetails.map(draftFrom)

function draftFrom({ type, coins, imported, operations, to, memo }: DraftDetails): Draft {
  // The first coin is native, so that there is a fee to pay from.
  const spent = coins.map((coin, i) => inputOf(coin, 0x10 + i, i === 0 || coin.native))
  const brought = imported.map((coin, i) => inputOf(coin, 0x50 + i, coin.native))
  spent.sort((a, b) => compareInputs(a.input, b.input))
  brought.sort((a, b) => compareInputs(a.input, b.input))
  const entries = type === 'ImportTx' ? [...spent, ...brought] : spent
  const base = {
    networkID: local.networkID,
    blockchainID: local.chainID,
    inputs: spent.map(({ input }) => input),
    memo,
  }
  const outputs = outputsOf(entries, feeOf({ type } as UnsignedTx, local), to.owner)
  const utxos = entries.map(({ utxo }) => utxo)
  switch (type) {
    case 'BaseTx':
      return draftOf({ ...base, type, outputs }, utxos)
    case 'ImportTx':
      return draftOf(
        {
          ...base,
          type,
          outputs,
          sourceChain: local.chains.C!,
          importedInputs: brought.map(({ input }) => input),
        },
        utxos,
      )
    case 'ExportTx':
      return draftOf(
        {
          ...base,
          type,
          outputs: outputs.slice(1),
          destinationChain: local.chains.P!,
          exportedOutputs: outputs.slice(0, 1),
        },
        utxos,
      )
    case 'CreateAssetTx':
      return draftOf(
        {
          ...base,
          type,
          outputs,
          name: 'Made up',
          symbol: 'MADE',
          denomination: 3,
          initialStates: [
            {
              fxIndex: 0,
              outputs: [
                paying(500n, to.owner),
                { type: 'secp256k1fx.MintOutput', ...to.owner } as const,
              ].sort(compareStateOutputs),
            },
          ],
        },
        utxos,
      )
    case 'OperationTx': {
      const done = operations
        .map(operationOf)
        .sort((a, b) => compareOperations(a.operation, b.operation))
      return draftOf(
        { ...base, type, outputs, operations: done.map(({ operation }) => operation) },
        [...utxos, ...done.map(({ utxo }) => utxo)],
      )
    }
  }
}

function inputOf(
  { ownership, amount, outputIndex, random }: CoinDetails,
  mark: number,
  native: boolean,
): { readonly input: TransferableInput; readonly utxo: UTXO } {
  const id = {
    txID: new Uint8Array([mark, ...random]),
    outputIndex,
    assetID: native ? local.assetID : token,
  }
  const { owner, signatureIndices } = ownership
  return {
    input: { ...id, input: { type: 'secp256k1fx.TransferInput', amount, signatureIndices } },
    utxo: { ...id, output: paying(amount, owner) },
  }
}

function outputsOf(
  entries: readonly { readonly input: TransferableInput }[],
  fee: bigint,
  to: OutputOwners,
): TransferableOutput[] {
  const sum = (assetID: Uint8Array) =>
    entries
      .filter(({ input }) => input.assetID === assetID)
      .reduce((total, { input }) => total + input.input.amount, 0n)
  return [
    { assetID: local.assetID, output: paying(sum(local.assetID) - fee, to) },
    { assetID: token, output: paying(sum(token), to) },
  ]
    .filter(({ output }) => output.amount > 0n)
    .sort(compareOutputs)
}

function operationOf(
  details: OperationDetails,
  i: number,
): {
  readonly operation: { assetID: Uint8Array; inputIDs: UTXOID[]; operation: FxOperation }
  readonly utxo: UTXO
} {
  const { ownership, to, type, groupID, payload, amount } = details
  const { owner, signatureIndices } = ownership
  const mintInput = { signatureIndices }
  const made = ((): [Output, FxOperation] => {
    switch (type) {
      case 'secp256k1fx.MintOperation': {
        const mintOutput = { type: 'secp256k1fx.MintOutput', ...owner } as const
        return [
          mintOutput,
          { type, mintInput, mintOutput, transferOutput: paying(amount, to.owner) },
        ]
      }
      case 'nftfx.MintOperation':
        return [
          { type: 'nftfx.MintOutput', groupID, ...owner },
          { type, mintInput, groupID, payload, outputs: [to.owner] },
        ]
      case 'nftfx.TransferOperation': {
        const nft = { type: 'nftfx.TransferOutput', groupID, payload } as const
        return [
          { ...nft, ...owner },
          { type, input: mintInput, output: { ...nft, ...to.owner } },
        ]
      }
      case 'propertyfx.MintOperation': {
        const mintOutput = { type: 'propertyfx.MintOutput', ...owner } as const
        const ownedOutput = { type: 'propertyfx.OwnedOutput', ...to.owner } as const
        return [mintOutput, { type, mintInput, mintOutput, ownedOutput }]
      }
      case 'propertyfx.BurnOperation':
        return [
          { type: 'propertyfx.OwnedOutput', ...owner },
          { type, signatureIndices },
        ]
    }
  })()
  const utxo = {
    txID: new Uint8Array(32).fill(0x90 + i),
    outputIndex: i,
    assetID: token,
    output: made[0],
  }
  const { txID, outputIndex } = utxo
  return {
    operation: { assetID: token, inputIDs: [{ txID, outputIndex }], operation: made[1] },
    utxo,
  }
}
