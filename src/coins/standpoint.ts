import type { OwnerGroups } from './store/owner-groups.ts'
import { checkViewpoint, type Viewpoint } from './viewpoint.ts'

/** What the owners of an output mean for whoever asks. */
export type OwnerClass = 'spendable' | 'locked' | 'shortOfSigners' | 'otherOwners'

/** How the owner groups of a store look to someone who holds certain addresses at a certain time. */
export class Standpoint {
  readonly now: bigint
  private readonly owners: OwnerGroups
  /** Numbers of the held addresses. */
  private readonly held: ReadonlySet<number>
  private found: readonly number[] | undefined
  /** Signature indices handed out, by owner group. */
  private readonly lent = new Map<number, readonly number[]>()

  constructor(owners: OwnerGroups, view: Viewpoint) {
    checkViewpoint(view)
    this.owners = owners
    this.now = view.now
    const held = new Set<number>()
    for (const owner of view.owners) {
      const number = owners.findAddress(owner)
      if (number >= 0) held.add(number)
    }
    this.held = held
  }

  /** Every group that is not only of others. */
  get groups(): readonly number[] {
    this.found ??= this.owners.groupsOf(this.held)
    return this.found
  }

  classOf(group: number): OwnerClass {
    const threshold = this.owners.threshold(group)
    const members = this.owners.members(group)
    const count = members.reduce((sum, address) => sum + (this.held.has(address) ? 1 : 0), 0)
    if (count < threshold) return count === 0 ? 'otherOwners' : 'shortOfSigners'
    return this.owners.locktime(group) > this.now ? 'locked' : 'spendable'
  }

  /** Who signs for a group: the first held positions, as many as the threshold. */
  signatureIndices(group: number): readonly number[] {
    let indices = this.lent.get(group)
    if (indices === undefined) {
      indices = this.owners
        .members(group)
        .flatMap((address, i) => (this.held.has(address) ? [i] : []))
        .slice(0, this.owners.threshold(group))
      this.lent.set(group, indices)
    }
    return indices
  }

  /** The same as numbers of addresses, which are the same for the same signer in all groups. */
  signers(group: number): number[] {
    const members = this.owners.members(group)
    return this.signatureIndices(group).map((i) => members[i]!)
  }
}
