import { widened } from '../../base/bytes/word-table.ts'

const LIMB = 0x1_0000_0000
const LIMBS = 3

/**
 * Counts and exact sums of 64-bit amounts, by index (the number of an asset or a bucket). A sum consists of three
 * 32-bit limbs in doubles, which avoids a BigInt per UTXO.
 */
export class Totals {
  private counts: Uint32Array
  private limbs: Float64Array

  constructor(size = 16) {
    this.counts = new Uint32Array(size)
    this.limbs = new Float64Array(LIMBS * size)
  }

  /** Allocates space up to index `at`. */
  ensure(at: number): void {
    while (at >= this.counts.length) {
      this.counts = widened(this.counts, 1)
      this.limbs = widened(this.limbs, LIMBS)
    }
  }

  /** Adds an amount, given as two 32-bit halves. */
  add(at: number, high: number, low: number): void {
    this.counts[at]!++
    this.change(at, low, high, 0)
  }

  /** Subtracts an amount, given as two 32-bit halves. */
  subtract(at: number, high: number, low: number): void {
    this.counts[at]!--
    this.change(at, -low, -high, 0)
  }

  /** Adds the count and sum at index `fromAt` of another instance. */
  addAll(at: number, from: Totals, fromAt: number): void {
    const i = LIMBS * fromAt
    this.counts[at] = this.counts[at]! + from.counts[fromAt]!
    this.change(at, from.limbs[i]!, from.limbs[i + 1]!, from.limbs[i + 2]!)
  }

  private change(at: number, low: number, middle: number, high: number): void {
    const { limbs } = this
    const i = LIMBS * at
    const lowSum = limbs[i]! + low
    const carry = lowSum >= LIMB ? 1 : lowSum < 0 ? -1 : 0
    const middleSum = limbs[i + 1]! + middle + carry
    const nextCarry = middleSum >= LIMB ? 1 : middleSum < 0 ? -1 : 0
    limbs[i] = lowSum - carry * LIMB
    limbs[i + 1] = middleSum - nextCarry * LIMB
    limbs[i + 2] = limbs[i + 2]! + high + nextCarry
  }

  count(at: number): number {
    return this.counts[at]!
  }

  sum(at: number): bigint {
    const i = LIMBS * at
    const [low, middle, high] = [this.limbs[i]!, this.limbs[i + 1]!, this.limbs[i + 2]!]
    return (BigInt(high) << 64n) + (BigInt(middle) << 32n) + BigInt(low)
  }
}
