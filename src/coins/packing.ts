import type { Rows } from './store/sort-rows.ts'

/** Size limits of a transaction and the sizes of its fixed parts. */
export type Room = {
  /** Maximum size of the signed transaction. */
  readonly max: number
  /** Size of the signed transaction without inputs and outputs. */
  readonly base: number
  /** Size of the output that each asset gets. */
  readonly output: number
  /** Display limit of a hardware wallet: the unsigned bytes plus 9 for the path of each signing key. */
  readonly maxShown?: number | undefined
}

/** Bytes that UTXOs add to the signed transaction, and to the data sent to a hardware wallet. */
export type Added = { readonly size: number; readonly shown: number }

/** How to distribute UTXOs over transactions. */
export type PackOptions = {
  readonly room: Room
  /** Fee of each transaction, in the fee asset. */
  readonly fee: bigint
  /** Numbers of the fee asset and of the assets to pack; -1 if the store does not have it. */
  readonly feeAsset: number
  readonly assets: readonly number[]
  /** Leaves out UTXOs of the fee asset that are worth less than the fees of the transactions they need. */
  readonly leaveDust: boolean
  /** UTXOs of the fee asset below this amount are always left out. */
  readonly dustThreshold: bigint
  /**
   * Lets sponsors pay the missing part of a fee. Returns the size of their inputs, or undefined if they cannot pay.
   * With `always`, the packed UTXOs never pay.
   */
  readonly sponsor?: ((missing: bigint) => Added | undefined) | undefined
  readonly always?: boolean | undefined
}

/** The rows of each transaction, and those that are in none. */
export type Packing = {
  readonly transactions: readonly PackedTransaction[]
  /** UTXOs of the fee asset that are worth less than they cost. */
  readonly dust: readonly number[]
  /** UTXOs whose fee nobody pays. */
  readonly unpaid: readonly number[]
}

/** The UTXOs of one transaction. */
export type PackedTransaction = {
  readonly rows: Rows
  /** The part of the fee paid by sponsors. */
  readonly sponsored: bigint
}

/** Size of a key path in the data sent to a hardware wallet. */
export const PATH_SIZE = 9

/** Sums above 64 bits are invalid. Sums of doubles are kept far enough below that rounding does not matter. */
export const SAFE_SUM: number = 2 ** 64 - 2 ** 22
