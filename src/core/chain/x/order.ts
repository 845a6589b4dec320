import { compareBytes } from '../../base/bytes/compare.ts'
import type { UTXOID } from '../../base/encoding/ids.ts'
import { encodeBare } from '../../codec/codec.ts'
import { transferOutput } from '../secp256k1fx.ts'
import { type Output, output } from './fx.ts'
import {
  type InitialState,
  type Operation,
  operation,
  type TransferableOutput,
} from './transferables.ts'

/** A comparison function for `sort`: negative if `a` comes first. */
export type Compare<T> = (a: T, b: T) => number

/** Order of inputs, imported inputs and the UTXOs of an operation: by transaction ID, then output index. */
export const compareInputs: Compare<UTXOID> = (a, b) =>
  compareBytes(a.txID, b.txID) || a.outputIndex - b.outputIndex

/** Order of outputs and exported outputs: by asset ID, then encoded output (amount first, owners last). */
export const compareOutputs: Compare<TransferableOutput> = (a, b) =>
  compareBytes(a.assetID, b.assetID) ||
  compareBytes(encodeBare(transferOutput, a.output), encodeBare(transferOutput, b.output))

/** Order of the outputs of an initial state: by type ID, then encoded output. */
export const compareStateOutputs: Compare<Output> = (a, b) =>
  compareBytes(encodeBare(output, a), encodeBare(output, b))

/** Order of operations: by encoded operation. */
export const compareOperations: Compare<Operation> = (a, b) =>
  compareBytes(encodeBare(operation, a), encodeBare(operation, b))

/** Order of initial states: by fx index. */
export const compareInitialStates: Compare<InitialState> = (a, b) => a.fxIndex - b.fxIndex

/** Order of signature indices. */
export const compareNumbers: Compare<number> = (a, b) => a - b

/** Whether no item sorts before its predecessor. */
export function isSorted<T>(list: readonly T[], compare: Compare<T>): boolean {
  return list.every((item, i) => i === 0 || compare(list[i - 1]!, item) <= 0)
}

/** Whether every item sorts after its predecessor. */
export function isSortedUnique<T>(list: readonly T[], compare: Compare<T>): boolean {
  for (let i = 1; i < list.length; i++) if (compare(list[i - 1]!, list[i]!) >= 0) return false
  return true
}

/**
 * Returns a copy sorted by encoded key. Each item is encoded once; equal items keep their order.
 */
export function sortedBy<T>(list: readonly T[], key: (item: T) => Uint8Array): T[] {
  return list
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => compareBytes(a.key, b.key))
    .map(({ item }) => item)
}

/** Returns items by ascending address. */
export function sortedByAddress<T extends { readonly address: Uint8Array }>(
  items: readonly T[],
): T[] {
  return items.toSorted((a, b) => compareBytes(a.address, b.address))
}
