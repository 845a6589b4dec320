import type { Pool } from '../pool.ts'
import { sortedByID } from '../store/sort-rows.ts'
import { spendSize } from '../store/utxo-store.ts'
import { type PackedTransaction, type Packing, type PackOptions, SAFE_SUM } from './packing.ts'

/**
 * Fast path for the most common case: only UTXOs of the fee asset, all of the same size, without dust. Then every
 * order gives the same number of transactions; input order saves sorting later. Returns undefined in all other cases.
 *
 * Amounts are compared as doubles, which are rounded above 2^53. That does not matter: the fee is far smaller, and sums
 * are limited to `SAFE_SUM`.
 */
export function packEvenly(pool: Pool, options: PackOptions): Packing | undefined {
  const { room, fee, feeAsset, assets, dustThreshold, sponsorsPayAll } = options
  if (
    feeAsset < 0 ||
    assets.some((asset) => asset !== feeAsset && pool.candidates(asset).count > 0)
  )
    return undefined
  if (
    !assets.includes(feeAsset) ||
    room.maxShown !== undefined ||
    dustThreshold > 0n ||
    sponsorsPayAll
  )
    return undefined
  const { store } = pool
  const rows = pool.candidates(feeAsset).all()
  if (rows.length === 0) return undefined
  const threshold = store.owners.threshold(store.groupOf(rows[0]!))
  const perTransaction = Math.floor((room.max - room.base - room.output) / spendSize(threshold))
  if (perTransaction < 1) return undefined
  const inLast = rows.length % perTransaction || perTransaction
  const feeAmount = Number(fee)
  const small: number[] = []
  for (let i = 0; i < rows.length; i++) {
    const amount = store.roughAmount(rows[i]!)
    if (amount > SAFE_SUM / perTransaction) return undefined
    if (store.owners.threshold(store.groupOf(rows[i]!)) !== threshold) return undefined
    if (amount <= feeAmount) small.push(amount)
  }
  if (!smallestExceedFee(small, inLast, feeAmount)) return undefined
  return { transactions: slices(sortedByID(store, rows), perTransaction), dust: [], unpaid: [] }
}

/**
 * Whether the smallest UTXOs, as many as the last transaction has, bring more than the fee. `small` are the UTXOs of at
 * most the fee; one larger UTXO exceeds it alone.
 */
function smallestExceedFee(small: number[], inLast: number, fee: number): boolean {
  if (small.length < inLast) return true
  const sorted = Float64Array.from(small).sort()
  let sum = 0
  for (let i = 0; i < inLast; i++) sum += sorted[i]!
  return sum > fee
}

function slices(rows: Uint32Array, perTransaction: number): PackedTransaction[] {
  const transactions: PackedTransaction[] = []
  for (let at = 0; at < rows.length; at += perTransaction)
    transactions.push({ rows: rows.subarray(at, at + perTransaction), sponsored: 0n })
  return transactions
}
