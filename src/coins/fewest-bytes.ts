import type { Columns } from './store/columns.ts'

/** Every UTXO's bytes in a transaction, 92 + 69 for each signer, are a multiple of this. */
const UNIT = 23

/** UTXOs that take the same room in a transaction, from large to small. */
export type SizeClass = { readonly size: number; readonly largest: Iterable<number> }

/**
 * For UTXOs that take different room (by how many must sign): how much the best of them bring within any
 * number of bytes. Among UTXOs of one size the larger ones are always better, so only how many of each
 * size is open, which is decided exactly, by dynamic programming over the bytes.
 */
export class ByteFrontier {
  private readonly classes: { readonly units: number; readonly rows: number[] }[]
  private readonly best: bigint[]
  /** For each class, how many of its UTXOs are in the best choice for a number of units. */
  private readonly counts: Uint16Array[] = []

  /** `classes`: the UTXOs of each size, from large to small. */
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

  /** The most that can be brought within all bytes. */
  get most(): bigint {
    return this.best.at(-1)!
  }

  /** UTXOs that bring `need` in the fewest bytes, or undefined if none do within all bytes. */
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

/** The largest UTXOs of each size, no more than fit. The class with the largest amount comes first. */
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
