import type { Columns } from './store/columns.ts'

/** The size of every spend, 92 + 69 bytes per signer, is a multiple of this. */
const UNIT = 23

/** UTXOs that need the same number of bytes in a transaction, in descending order of amount. */
export type SizeClass = { readonly size: number; readonly largest: Iterable<number> }

/**
 * Computes the largest amount that UTXOs of different sizes (depending on the number of signers) provide within any
 * number of bytes. Among UTXOs of one size the largest are best, so only the number of each size is to be chosen.
 * Dynamic programming over the bytes finds the optimum.
 */
export class ByteFrontier {
  private readonly classes: { readonly units: number; readonly rows: number[] }[]
  /** The largest amount for each number of units. */
  private readonly best: bigint[]
  /** For each class, the number of its UTXOs in the optimum for a number of units. */
  private readonly counts: Uint16Array[] = []

  /** `classes` has one entry per size. */
  constructor(store: Columns, classes: readonly SizeClass[], bytes: number) {
    const units = Math.max(0, Math.floor(bytes / UNIT))
    this.classes = bestOf(store, classes, units)
    this.best = new Array<bigint>(units + 1).fill(0n)
    for (const { units: weight, rows } of this.classes) {
      const sums = [0n]
      for (const row of rows) sums.push(sums.at(-1)! + store.amount(row))
      const counts = new Uint16Array(units + 1)
      const before = this.best.slice()
      for (let at = weight; at <= units; at++) {
        const most = Math.min(rows.length, Math.floor(at / weight))
        for (let count = 1; count <= most; count++) {
          const amount = before[at - count * weight]! + sums[count]!
          if (amount > this.best[at]!) {
            this.best[at] = amount
            counts[at] = count
          }
        }
      }
      this.counts.push(counts)
    }
  }

  /** The largest amount within all bytes. */
  get most(): bigint {
    return this.best.at(-1)!
  }

  /** Returns the UTXOs that provide `need` with the fewest bytes, or undefined if that is impossible. */
  reach(need: bigint): number[] | undefined {
    let at = this.best.findIndex((amount) => amount >= need)
    if (at < 0) return undefined
    const rows: number[] = []
    for (let i = this.classes.length - 1; i >= 0; i--) {
      const count = this.counts[i]![at]!
      rows.push(...this.classes[i]!.rows.slice(0, count))
      at -= count * this.classes[i]!.units
    }
    return rows
  }
}

/** Returns the largest UTXOs of each size, as many as fit. The class with the largest amount comes first. */
function bestOf(store: Columns, classes: readonly SizeClass[], units: number) {
  const best: { units: number; rows: number[] }[] = []
  for (const { size, largest } of classes) {
    const weight = size / UNIT
    const most = Math.floor(units / weight)
    const rows: number[] = []
    if (most > 0)
      for (const row of largest) {
        rows.push(row)
        if (rows.length === most) break
      }
    if (rows.length > 0) best.push({ units: weight, rows })
  }
  return best.sort((a, b) => store.compare(a.rows[0]!, b.rows[0]!, 'largest'))
}
