import type { Rows } from '../store/sort-rows.ts'

/** Size limits of a transaction and the sizes of its fixed parts, in bytes. */
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

/** Number of bytes that UTXOs add to the signed transaction, and to the data sent to a hardware wallet. */
export type AddedBytes = { readonly size: number; readonly shown: number }

/** How to distribute UTXOs over transactions. */
export type PackOptions = {
  readonly room: Room
  /** Fee of each transaction, in the smallest unit of the fee asset. */
  readonly fee: bigint
  /** Number of the fee asset in the store; -1 if the store does not have it. */
  readonly feeAsset: number
  /** Numbers of the assets to pack. */
  readonly assets: readonly number[]
  /** Leaves out UTXOs of the fee asset that do not bring more than the fees of the transactions they need. */
  readonly leaveDust: boolean
  /** UTXOs of the fee asset below this amount are always left out. */
  readonly dustThreshold: bigint
  /**
   * Lets sponsors, UTXOs that are not packed, pay the missing part of a fee. Returns the size of their inputs and
   * change, or undefined if they cannot pay.
   */
  readonly sponsor?: ((missing: bigint) => AddedBytes | undefined) | undefined
  /** Lets sponsors pay the whole fee of every transaction, so that no packed UTXO pays. */
  readonly sponsorsPayAll?: boolean | undefined
}

/** The UTXOs of each transaction, and those that are in none, as rows of the store. */
export type Packing = {
  readonly transactions: readonly PackedTransaction[]
  /** UTXOs of the fee asset that are not worth their fee, or below the dust threshold. */
  readonly dust: readonly number[]
  /** UTXOs of other assets for which no UTXO or sponsor can pay a fee. */
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

/** Limit for sums as doubles: far enough below the 64-bit limit of the chain that rounding does not matter. */
export const SAFE_SUM: number = 2 ** 64 - 2 ** 22
