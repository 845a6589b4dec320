import type { AssetAmount } from '../chain/amounts.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { Coin, PoolOptions } from './pool.ts'

/** What a selection must cover, and the size of the transaction around it. */
export type Need = {
  /** Fee included; entries of the same asset add up. */
  readonly amounts: readonly AssetAmount[]
  /** Bytes of the signed transaction without these UTXOs and without change. */
  readonly baseSize: number
  /** Bytes that change adds, for each asset that has any. */
  readonly changeSize: number
}

/**
 * How UTXOs are chosen. `fewest`: the largest first. `smallest`: the smallest first, to clear up small change.
 * `given`: in the caller's order. `exact`: without change, if a bounded search finds such UTXOs; else as `fewest`.
 * `all`: everything there is of the needed assets. Where the first four do not fit into one transaction, the
 * UTXOs that take the fewest bytes are chosen instead (and for `smallest`, the room left is filled).
 */
export type Strategy = 'fewest' | 'smallest' | 'given' | 'exact' | 'all'

/** Limits for adding small UTXOs to a payment. The fee does not grow with the inputs, so this costs nothing. */
export type Consolidation = {
  /** The most inputs the transaction may then have. */
  readonly maxInputs?: number
  /** The most bytes it may then have, signed. */
  readonly maxSize?: number
}

/** From which UTXOs to choose, and how. */
export type ChoiceOptions = PoolOptions & {
  /** @defaultValue `'fewest'` */
  readonly strategy?: Strategy
  /** For the strategy `given`: the UTXOs to choose from, the preferred ones first. */
  readonly order?: readonly UTXOID[]
  /** Adds the smallest UTXOs of the assets that are spent anyway. */
  readonly consolidate?: Consolidation
}

/** The need, the UTXOs to choose from, and how to choose. */
export type SelectOptions = ChoiceOptions & {
  readonly need: Need
  /**
   * The largest signed transaction allowed, in bytes.
   *
   * @defaultValue 65,536, the node's limit
   */
  readonly maxSize?: number
}

/** UTXOs that were chosen, in the order of inputs. */
export type Selection = {
  readonly coins: readonly Coin[]
  /** The owners of the options. Change goes to the first one by default. */
  readonly owners: readonly Uint8Array[]
  /** What the UTXOs bring beyond the need, per asset. */
  readonly change: readonly AssetAmount[]
  /** Bytes of the signed transaction with these UTXOs and the change, exactly. */
  readonly size: number
}
