import type { Rows } from './store/sort-rows.ts'

/** What limits a transaction, and what its fixed parts take of it. */
export type Room = {
  /** The most bytes of the signed transaction. */
  readonly max: number
  /** Bytes of the signed transaction without inputs and outputs. */
  readonly base: number
  /** Bytes of the one output that each asset gets. */
  readonly output: number
  /** What a hardware wallet can show at most: the unsigned bytes, and 9 for the path of each key that signs. */
  readonly maxShown?: number
}

/** What UTXOs add to a transaction: to its signed bytes, and to what a hardware wallet is sent. */
export type Added = { readonly size: number; readonly shown: number }

/** How to spread UTXOs over transactions. */
export type PackOptions = {
  readonly room: Room
  /** In the fee asset, for each transaction. */
  readonly fee: bigint
  /** Numbers of the asset that pays the fee and of those to pack, -1 where there is none. */
  readonly feeAsset: number
  readonly assets: readonly number[]
  /** Leaves UTXOs of the fee asset out that bring less than the transactions they need cost. */
  readonly leaveDust: boolean
  /** UTXOs of the fee asset below this are left out in any case. */
  readonly dustLine: bigint
  /**
   * Has others pay what is missing of a fee: returns what this adds, or undefined if they cannot.
   * With `always` the UTXOs that are packed never pay.
   */
  readonly sponsor?: (missing: bigint) => Added | undefined
  readonly always?: boolean
}

/** Rows for each transaction, and those that are in none. */
export type Packing = {
  readonly transactions: readonly PackedTransaction[]
  /** UTXOs of the fee asset that bring less than they cost. */
  readonly dust: readonly number[]
  /** UTXOs for which nobody pays a fee. */
  readonly unpaid: readonly number[]
}

/** The UTXOs of one transaction. */
export type PackedTransaction = {
  readonly rows: Rows
  /** What a sponsor pays of its fee. */
  readonly sponsored: bigint
}

/** Bytes of the path of a key, as a hardware wallet is sent it. */
export const PATH_SIZE = 9

/** Per-asset sums are refused above 64 bits; sums of doubles are kept so far below that they cannot err. */
export const SAFE_SUM: number = 2 ** 64 - 2 ** 22
