import { type CoinStore, FACT } from './coin-store.ts'
import type { Pool } from './pool.ts'

/** How much is still to be found of an asset, by its number. */
export type Target = { readonly asset: number; readonly amount: bigint }

/**
 * The fewest coins that reach each target: its largest ones. One pass over all coins, keeping for each asset
 * only those that are needed so far, so that it takes linear time and little memory; an index by amount would
 * have to be kept up for every owner, locktime and reservation. Where the coins do not suffice, the
 * largest `cap` of them come back.
 */
export function fewestCoins(pool: Pool, targets: readonly Target[], cap: number): number[][] {
  const { store } = pool
  const { facts } = store
  const heaps = targets.map(({ amount }) => new LargestUntil(store, amount, cap))
  const heapOf: (LargestUntil | undefined)[] = new Array(store.assets.size).fill(undefined)
  // What a coin must have to be looked at, by asset; nothing reaches infinity.
  const floorHigh = new Float64Array(store.assets.size).fill(Number.POSITIVE_INFINITY)
  const floorLow = new Float64Array(store.assets.size)
  targets.forEach(({ asset }, i) => {
    heapOf[asset] = heaps[i]
    floorHigh[asset] = 0
  })
  pool.forEach((row, asset) => {
    const floor = floorHigh[asset]!
    const high = facts[4 * row + FACT.high]!
    if (high < floor || (high === floor && facts[4 * row + FACT.low]! < floorLow[asset]!)) return
    const heap = heapOf[asset]!
    const least = heap.offer(row)
    if (least >= 0) {
      floorHigh[asset] = facts[4 * least + FACT.high]!
      floorLow[asset] = facts[4 * least + FACT.low]!
    }
  })
  return heaps.map(({ rows }) => rows)
}

/** The largest coins seen, no more than it takes to reach an amount. */
class LargestUntil {
  /** A heap with the smallest on top. */
  readonly rows: number[] = []
  private readonly store: CoinStore
  private readonly need: bigint
  private readonly cap: number
  private sum = 0n

  constructor(store: CoinStore, need: bigint, cap: number) {
    this.store = store
    this.need = need
    this.cap = cap
  }

  /** Takes a coin if it is better than what is there; returns the least that is kept, or -1 if more fit. */
  offer(row: number): number {
    const { rows, store } = this
    const full = this.sum >= this.need || rows.length >= this.cap
    if (full && (rows.length === 0 || !store.isLarger(row, rows[0]!))) return rows[0] ?? -1
    this.push(row)
    this.sum += store.amount(row)
    while (rows.length > this.cap || this.sum - store.amount(rows[0]!) >= this.need) {
      this.sum -= store.amount(rows[0]!)
      this.pop()
    }
    return this.sum >= this.need || rows.length >= this.cap ? rows[0]! : -1
  }

  private push(row: number): void {
    const { rows, store } = this
    let at = rows.length
    rows.push(row)
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!store.isLarger(rows[up]!, row)) break
      rows[at] = rows[up]!
      at = up
    }
    rows[at] = row
  }

  private pop(): void {
    const { rows, store } = this
    const row = rows.pop()!
    if (rows.length === 0) return
    let at = 0
    for (;;) {
      let down = 2 * at + 1
      if (down >= rows.length) break
      if (down + 1 < rows.length && store.isLarger(rows[down]!, rows[down + 1]!)) down++
      if (!store.isLarger(row, rows[down]!)) break
      rows[at] = rows[down]!
      at = down
    }
    rows[at] = row
  }
}
