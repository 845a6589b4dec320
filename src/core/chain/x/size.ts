import { withFieldErrors } from '../../codec/codec.ts'
import { bytesFromText } from '../../codec/text.ts'
import type { OutputOwners, SignerInput } from '../owners.ts'
import type { FxOperation, Output } from './fx.ts'
import { signersOf } from './spends.ts'
import type {
  InitialState,
  Operation,
  TransferableInput,
  TransferableOutput,
} from './transferables.ts'
import { type UnsignedTx, unsignedTx } from './tx.ts'

/*
 * All sizes are in bytes. They are sums of fixed parts, so they are known before signing and without encoding. The
 * numbers are field widths: u32 4, u64 8, ID 32, address 20, signature 65.
 */

/** Size limit of the node for signed transactions. */
export const MAX_TX_SIZE = 65_536

/** Version, type ID, network ID, chain ID, and the lengths of outputs, inputs and memo. */
const EMPTY_BASE_TX = 2 + 4 + 4 + 32 + 4 + 4 + 4

function ownersSize(owners: OutputOwners): number {
  return 8 + 4 + 4 + 20 * owners.addresses.length
}

function signersSize(input: SignerInput): number {
  return 4 + 4 * input.signatureIndices.length
}

/** Size of an output with its type ID, as in an initial state or a UTXO. */
export function outputSize(output: Output): number {
  const typeAndOwners = 4 + ownersSize(output)
  switch (output.type) {
    case 'secp256k1fx.TransferOutput':
      return typeAndOwners + 8
    case 'nftfx.MintOutput':
      return typeAndOwners + 4
    case 'nftfx.TransferOutput':
      return typeAndOwners + 8 + output.payload.length
    case 'secp256k1fx.MintOutput':
    case 'propertyfx.MintOutput':
    case 'propertyfx.OwnedOutput':
      return typeAndOwners
  }
}

/** Size of an output of a transaction: 80 bytes with one owner. */
export function transferableOutputSize(output: TransferableOutput): number {
  return 32 + outputSize(output.output)
}

/** Size of an input without its credential: 88 bytes with one signer. */
export function transferableInputSize(input: TransferableInput): number {
  return 32 + 4 + 32 + 4 + 8 + signersSize(input.input)
}

/** Size of a credential with its type ID: 73 bytes with one signature. */
export function credentialSize(signatures: number): number {
  return 4 + 4 + 65 * signatures
}

/** Size of an operation without its credential. */
export function operationSize(operation: Operation): number {
  return 32 + 4 + 36 * operation.inputIDs.length + 4 + fxOperationSize(operation.operation)
}

function fxOperationSize(operation: FxOperation): number {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
      return (
        signersSize(operation.mintInput) +
        ownersSize(operation.mintOutput) +
        8 +
        ownersSize(operation.transferOutput)
      )
    case 'nftfx.MintOperation':
      return (
        signersSize(operation.mintInput) +
        8 +
        operation.payload.length +
        4 +
        sum(operation.outputs, ownersSize)
      )
    case 'nftfx.TransferOperation':
      // Inside an operation, the output has no type ID.
      return signersSize(operation.input) + outputSize(operation.output) - 4
    case 'propertyfx.MintOperation':
      return (
        signersSize(operation.mintInput) +
        ownersSize(operation.mintOutput) +
        ownersSize(operation.ownedOutput)
      )
    case 'propertyfx.BurnOperation':
      return signersSize(operation)
  }
}

function initialStateSize(state: InitialState): number {
  return 4 + 4 + sum(state.outputs, outputSize)
}

/** Size of an unsigned transaction, including the codec version. */
export function unsignedSize(tx: UnsignedTx): number {
  return withFieldErrors(unsignedTx, tx, () => {
    const base =
      EMPTY_BASE_TX +
      sum(tx.outputs, transferableOutputSize) +
      sum(tx.inputs, transferableInputSize) +
      tx.memo.length
    switch (tx.type) {
      case 'BaseTx':
        return base
      case 'CreateAssetTx':
        return (
          base +
          textSize(tx.name) +
          textSize(tx.symbol) +
          1 +
          4 +
          sum(tx.initialStates, initialStateSize)
        )
      case 'OperationTx':
        return base + 4 + sum(tx.operations, operationSize)
      case 'ImportTx':
        return base + 32 + 4 + sum(tx.importedInputs, transferableInputSize)
      case 'ExportTx':
        return base + 32 + 4 + sum(tx.exportedOutputs, transferableOutputSize)
    }
  })
}

/** Size of a transaction with complete credentials. */
export function signedSize(tx: UnsignedTx): number {
  return (
    unsignedSize(tx) +
    4 +
    sum(signersOf(tx), ({ signatureIndices }) => credentialSize(signatureIndices.length))
  )
}

function textSize(text: string): number {
  return 2 + (bytesFromText(text)?.length ?? 0)
}

function sum<T>(items: readonly T[], size: (item: T) => number): number {
  let total = 0
  for (const item of items) total += size(item)
  return total
}
