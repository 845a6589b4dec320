import type { World } from './world.ts'

/** The worlds that were visited, as hashes, and how each of them was reached first. */
export class Visited {
  /** Numbers of worlds by their hashes. */
  private readonly numbers = new Map<string, number>()
  /** Of each world: the number of the one before it, and of the label of the step between them. */
  private readonly before: number[] = []
  private readonly steps: number[] = []
  private readonly labels: string[] = []
  private readonly labelNumbers = new Map<string, number>()

  get size(): number {
    return this.numbers.size
  }

  /** Adds a world that is reached from another one. Returns false if it was visited before. */
  add(world: World, before: number | undefined, label: string): boolean {
    const { hash } = world
    if (this.numbers.has(hash)) return false
    this.numbers.set(hash, this.numbers.size)
    this.before.push(before ?? -1)
    this.steps.push(this.numberOfLabel(label))
    return true
  }

  numberOf(world: World): number {
    return this.numbers.get(world.hash)!
  }

  /** The labels of the steps to a world. */
  pathTo(world: World): string[] {
    const path: string[] = []
    for (let at = this.numberOf(world); this.before[at] !== -1; at = this.before[at]!)
      path.unshift(this.labels[this.steps[at]!]!)
    return path
  }

  private numberOfLabel(label: string): number {
    const known = this.labelNumbers.get(label)
    if (known !== undefined) return known
    this.labelNumbers.set(label, this.labels.length)
    return this.labels.push(label) - 1
  }
}
