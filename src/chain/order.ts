import { compareBytes } from '../bytes/compare.ts'
import { encodeBare } from '../codec/codec.ts'
import { type Output, output } from './fx.ts'
import { transferOutput } from './secp256k1fx.ts'
import {
  type InitialState,
  type Operation,
  operation,
  type TransferableOutput,
  type UTXOID,
} from './transferables.ts'

/** A function such as `sort` takes: negative where `a` comes first. */
export type Compare<T> = (a: T, b: T) => number

/** Inputs, imported inputs and the UTXOs of an operation: by transaction ID, then by index. */
export const compareInputs: Compare<UTXOID> = (a, b) =>
  compareBytes(a.txID, b.txID) || a.outputIndex - b.outputIndex

/** Outputs and exported outputs: by asset, then by encoded output (amount first, owners last). */
export const compareOutputs: Compare<TransferableOutput> = (a, b) =>
  compareBytes(a.assetID, b.assetID) ||
  compareBytes(encodeBare(transferOutput, a.output), encodeBare(transferOutput, b.output))

/** The outputs of an initial state: by type ID, then by encoded output. */
export const compareStateOutputs: Compare<Output> = (a, b) =>
  compareBytes(encodeBare(output, a), encodeBare(output, b))

/** Operations: by encoded operation. */
export const compareOperations: Compare<Operation> = (a, b) =>
  compareBytes(encodeBare(operation, a), encodeBare(operation, b))

/** Initial states: by extension index. */
export const compareInitialStates: Compare<InitialState> = (a, b) => a.fxIndex - b.fxIndex

/** Signature indices. */
export const compareNumbers: Compare<number> = (a, b) => a - b

/** Whether no element comes before its predecessor. */
export function isSorted<T>(list: readonly T[], compare: Compare<T>): boolean {
  return list.every((item, i) => i === 0 || compare(list[i - 1]!, item) <= 0)
}

/** Whether every element comes after its predecessor. */
export function isSortedUnique<T>(list: readonly T[], compare: Compare<T>): boolean {
  for (let i = 1; i < list.length; i++) if (compare(list[i - 1]!, list[i]!) >= 0) return false
  return true
}

/**
 * A sorted copy. Elements that are compared by their encoding are encoded once each, so sorting many is
 * not slower than it must be; equal ones keep their order.
 */
export function sortedBy<T>(list: readonly T[], key: (item: T) => Uint8Array): T[] {
  return list
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => compareBytes(a.key, b.key))
    .map(({ item }) => item)
}
