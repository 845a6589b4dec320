import type { AssetAmount } from '../chain/amounts.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { Coin, PoolOptions } from './pool.ts'

/** What coins are wanted for. */
export type Need = {
  /** Fee included; an asset may stand there twice. */
  readonly amounts: readonly AssetAmount[]
  /** Bytes of the signed transaction without these coins and without change. */
  readonly baseSize: number
  /** Bytes that change adds, for each asset that has any. */
  readonly changeSize: number
}

/**
 * How coins are chosen. `fewest`: the largest. `smallest`: the smallest, to clear up small change. `given`: in
 * the caller's order. `exact`: without change, where a bounded search finds such coins; else as `fewest`.
 * `all`: everything there is of the needed assets. Where the first four do not fit into one transaction, the
 * coins that take the fewest bytes are chosen instead (and for `smallest`, the room left is filled).
 */
export type Strategy = 'fewest' | 'smallest' | 'given' | 'exact' | 'all'

/** Coins that ride along: the fee does not grow with the inputs, so small ones can be gathered for free. */
export type Consolidation = {
  /** The most inputs the transaction may then have. */
  readonly maxInputs?: number
  /** The most bytes it may then have, signed. */
  readonly maxSize?: number
}

/** From which coins to choose, and how. */
export type ChoiceOptions = PoolOptions & {
  readonly strategy?: Strategy
  /** For the strategy `given`: the coins in question, the preferred ones first. */
  readonly order?: readonly UTXOID[]
  /** Adds the smallest coins of the assets that are spent anyway. */
  readonly consolidate?: Consolidation
}

/** What to choose coins for, from which, and how. */
export type SelectOptions = ChoiceOptions & {
  readonly need: Need
  /** The largest signed transaction allowed, in bytes. */
  readonly maxSize?: number
}

/** Coins that were chosen, in the order of inputs. */
export type Selection = {
  readonly coins: readonly Coin[]
  /** Who was asked for: where change goes if nothing else is said, first one first. */
  readonly owners: readonly Uint8Array[]
  /** What the coins bring beyond the need, per asset. */
  readonly change: readonly AssetAmount[]
  /** Bytes of the signed transaction with these coins and the change, exactly. */
  readonly size: number
}
