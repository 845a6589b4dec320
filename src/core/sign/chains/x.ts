import { equalBytes } from '../../base/bytes/compare.ts'
import { knownNetwork, type NetworkContext } from '../../chain/networks.ts'
import { createdOutputs, producedOutputs } from '../../chain/x/created.ts'
import type { FxOperation } from '../../chain/x/fx.ts'
import { MAX_TX_SIZE, signedSize } from '../../chain/x/size.ts'
import { spendsOf } from '../../chain/x/spends.ts'
import type { TransferableInput } from '../../chain/x/transferables.ts'
import {
  decodeGenesisTx,
  decodeUnsignedTx,
  encodeUnsignedTx,
  signedTx,
  type UnsignedTx,
} from '../../chain/x/tx.ts'
import { decodeUTXO, encodeUTXO, utxo } from '../../chain/x/utxo.ts'
import { feeFor, verifyUnsigned } from '../../chain/x/verify/verify.ts'
import { copyOf, copyOfList } from '../../codec/codec.ts'
import { type Chain, indexed, NEW_ASSET, type NewOutput, type PickSigners } from '../chain.ts'

/** The X-Chain: fixed fees, tokens, NFTs and properties. */
export const xChain: Chain<'X'> = {
  alias: 'X',
  idIn: ({ chainID }) => chainID,
  prefixIn: ({ chainAlias }) => chainAlias,
  encodeUnsignedTx,
  decodeUnsignedTx,
  copyTx: (tx) => copyOf(signedTx, tx),
  copyUTXOs: (utxos) => copyOfList(utxo, utxos, 'utxos'),
  encodeUTXO,
  decodeUTXO,
  spends: spendsOf,
  outputs,
  outputOf: ({ output }) => ({ output, stakeableLocktime: 0n }),
  withSigners,
  verify: (tx, context) => {
    verifyUnsigned(tx, context)
  },
  created: (bytes, id, context) => {
    // Transactions of the genesis may exceed the size limit of others.
    const { unsignedTx } = decodeGenesisTx(bytes)
    return isOfXChain(unsignedTx, context) ? indexed(createdOutputs(unsignedTx, id)) : undefined
  },
  signedSize,
  maxSize: MAX_TX_SIZE,
  feeOf: feeFor,
  expectedFee: (tx, network) => {
    // A public network's fees are known, whatever a draft claims.
    const known = knownNetwork(tx.networkID)
    const isKnown = known !== undefined && equalBytes(known.chainID, tx.blockchainID)
    const fee = feeFor(tx, isKnown ? known : network)
    return { fee, limit: fee }
  },
}

/** Whether a transaction is of the X-Chain of a network. */
export function isOfXChain(
  { networkID, blockchainID }: UnsignedTx,
  { networkID: expected, chainID }: NetworkContext,
): boolean {
  // Transactions of the genesis have no chain ID: the ID is derived from them.
  const isGenesis = blockchainID.every((byte) => byte === 0)
  return networkID === expected && (isGenesis || equalBytes(blockchainID, chainID))
}

function outputs(tx: UnsignedTx): NewOutput[] {
  /** For each output of an operation, the position of the operation. */
  const operations =
    tx.type === 'OperationTx'
      ? tx.operations.flatMap(({ operation }, i) => producedOutputs(operation).map(() => i))
      : []
  const first = tx.outputs.length
  const created = createdOutputs(tx, NEW_ASSET).map(({ assetID, output }, outputIndex) => {
    const common = { outputIndex, assetID, output, type: output.type, stakeableLocktime: 0n }
    if (outputIndex < first) return { ...common, source: 'outputs' as const }
    if (tx.type !== 'OperationTx') return { ...common, source: 'initialStates' as const }
    return { ...common, source: 'operations' as const, operation: operations[outputIndex - first]! }
  })
  const exported = tx.type === 'ExportTx' ? tx.exportedOutputs : []
  return [
    ...created,
    ...exported.map(({ assetID, output }, i) => ({
      outputIndex: first + i,
      assetID,
      output,
      type: output.type,
      stakeableLocktime: 0n,
      source: 'exportedOutputs' as const,
    })),
  ]
}

function withSigners(tx: UnsignedTx, pick: PickSigners): UnsignedTx {
  const first = tx.inputs.length
  const withIndices = (offset: number) => (input: TransferableInput, i: number) => ({
    ...input,
    input: { ...input.input, signatureIndices: pick(offset + i) },
  })
  const inputs = tx.inputs.map(withIndices(0))
  switch (tx.type) {
    case 'BaseTx':
    case 'CreateAssetTx':
    case 'ExportTx':
      return { ...tx, inputs }
    case 'ImportTx':
      return { ...tx, inputs, importedInputs: tx.importedInputs.map(withIndices(first)) }
    case 'OperationTx':
      return {
        ...tx,
        inputs,
        operations: tx.operations.map((operation, i) => ({
          ...operation,
          operation: operationWithIndices(operation.operation, pick(first + i)),
        })),
      }
  }
}

function operationWithIndices(
  operation: FxOperation,
  signatureIndices: readonly number[],
): FxOperation {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
    case 'nftfx.MintOperation':
    case 'propertyfx.MintOperation':
      return { ...operation, mintInput: { signatureIndices } }
    case 'nftfx.TransferOperation':
      return { ...operation, input: { signatureIndices } }
    case 'propertyfx.BurnOperation':
      return { ...operation, signatureIndices }
  }
}
