import {
  bigintFrom,
  bytesOf,
  type Check,
  list,
  type Members,
  object,
  oneOf,
  optional,
  u32,
} from '../base/argument.ts'
import { ID_SIZE, type UTXOID, utxoIDs } from '../base/encoding/ids.ts'
import type { AssetAmount } from '../chain/amounts.ts'
import { type Coin, type PoolOptions, poolMembers } from './pool.ts'

/** Amounts that a selection must cover, and the size of the rest of the transaction. */
export type Need = {
  /** Including the fee. Amounts of the same asset are added. */
  readonly amounts: readonly AssetAmount[]
  /** Size in bytes of the signed transaction without the selected inputs and without change. */
  readonly baseSize: number
  /** Size in bytes of one change output. */
  readonly changeSize: number
}

/** Amounts may exceed 64 bits: selection reports insufficient funds. */
const need: Check<Need> = object<Need>({
  amounts: list(
    object<AssetAmount>({
      assetID: bytesOf(ID_SIZE),
      amount: bigintFrom(0n),
    }),
  ),
  baseSize: u32,
  changeSize: u32,
})

/**
 * How UTXOs are selected.
 * - `fewest`: largest first
 * - `smallest`: smallest first, to use up small UTXOs
 * - `given`: in the order of `order`
 * - `exact`: without change if a bounded search finds such UTXOs, otherwise as `fewest`
 * - `all`: all UTXOs of the needed assets
 *
 * If the result of the first four does not fit into one transaction, the UTXOs that need the fewest bytes are
 * selected instead (for `smallest`, the remaining space is then filled).
 */
export type Strategy = 'fewest' | 'smallest' | 'given' | 'exact' | 'all'

/** Limits for adding small UTXOs to a payment. The fee does not depend on the number of inputs, so this is free. */
export type Consolidation = {
  /**
   * Maximum number of inputs of the transaction.
   *
   * @defaultValue unlimited
   */
  readonly maxInputs?: number | undefined
  /**
   * Maximum size of the signed transaction in bytes.
   *
   * @defaultValue `maxSize` of the selection
   */
  readonly maxSize?: number | undefined
}

/** Which UTXOs may be selected, and how. */
export type ChoiceOptions = PoolOptions & {
  /** @defaultValue `'fewest'` */
  readonly strategy?: Strategy | undefined
  /** UTXOs to choose from with the strategy `given`, in order of preference. */
  readonly order?: readonly UTXOID[] | undefined
  /**
   * Adds the smallest UTXOs of the assets that are spent anyway, within these limits.
   *
   * @defaultValue undefined: adds none
   */
  readonly consolidate?: Consolidation | undefined
}

/** Members of `ChoiceOptions`, for descriptions of options that include it. */
export const choiceMembers: Members<ChoiceOptions> = {
  ...poolMembers,
  strategy: optional(oneOf<Strategy>('fewest', 'smallest', 'given', 'exact', 'all')),
  order: optional(utxoIDs),
  consolidate: optional(
    object<Consolidation>({
      maxInputs: optional(u32),
      maxSize: optional(u32),
    }),
  ),
}

/** What is needed, which UTXOs may be selected, and how. */
export type SelectOptions = ChoiceOptions & {
  /** Amounts and sizes of the transaction. */
  readonly need: Need
  /**
   * Maximum size of the signed transaction in bytes.
   *
   * @defaultValue 65,536, the node's limit
   */
  readonly maxSize?: number | undefined
}

/** Members of `SelectOptions`, for descriptions of options that include it. */
export const selectMembers: Members<SelectOptions> = {
  ...choiceMembers,
  need,
  maxSize: optional(u32),
}

/** Describes a selection. */
export const selectOptions: Check<SelectOptions> = object<SelectOptions>(selectMembers)

/** The selected UTXOs, in input order. */
export type Selection = {
  /** The UTXOs with their signers. */
  readonly coins: readonly Coin[]
  /** The owners from the options. By default, change goes to the first. */
  readonly owners: readonly Uint8Array[]
  /** The excess over the need, per asset. */
  readonly change: readonly AssetAmount[]
  /** Exact size in bytes of the signed transaction with these inputs and the change. */
  readonly size: number
}
