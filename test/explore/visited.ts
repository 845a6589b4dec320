import type { World } from './world.ts'

type Left = World['left']

/** The worlds that were visited, as hashes, and how each of them was reached first. */
export class Visited {
  /** Numbers of worlds by their hashes, one for each of what may be left of calls and faults. */
  private readonly worlds = new Map<string, { readonly number: number; readonly left: Left }[]>()
  /** Of each world: the number of the one before it, and of the label of the step between them. */
  private readonly before: number[] = []
  private readonly steps: number[] = []
  private readonly labels: string[] = []
  private readonly labelNumbers = new Map<string, number>()

  get size(): number {
    return this.before.length
  }

  /**
   * Adds a world that is reached from another one. Returns false if it was visited before, or an equal one in which as many
   * calls and faults are left: whatever can happen in the new one can happen in that.
   */
  add(world: World, before: number | undefined, label: string): boolean {
    const { hash, left } = world
    const known = this.worlds.get(hash) ?? []
    if (known.some((one) => isWithin(left, one.left))) return false
    this.worlds.set(hash, [...known, { number: this.size, left }])
    this.before.push(before ?? -1)
    this.steps.push(this.numberOfLabel(label))
    return true
  }

  /** The number of a world that was added. */
  numberOf({ hash, left }: World): number {
    return this.worlds.get(hash)!.find((one) => one.left === left)!.number
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

function isWithin(some: Left, others: Left): boolean {
  return (
    some.calls <= others.calls &&
    some.crashes <= others.crashes &&
    some.restores <= others.restores &&
    some.foreign <= others.foreign
  )
}
