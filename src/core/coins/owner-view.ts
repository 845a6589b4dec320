import type { OwnerGroups } from './store/owner-groups.ts'
import type { Viewpoint } from './viewpoint.ts'

/** Whether the given owners can spend an output. */
export type OwnerClass = 'spendable' | 'locked' | 'shortOfSigners' | 'otherOwners'

/** Classifies the owner groups of a store for given addresses at a given time. */
export class OwnerView {
  readonly now: bigint
  private readonly owners: OwnerGroups
  /** Numbers of the given addresses that occur in the store. */
  private readonly signing: ReadonlySet<number>
  private groupsCache: readonly number[] | undefined
  /** Signature indices by owner group. */
  private readonly indicesCache = new Map<number, readonly number[]>()

  constructor(owners: OwnerGroups, view: Viewpoint) {
    this.owners = owners
    this.now = view.now
    const signing = new Set<number>()
    for (const owner of view.owners) {
      const number = owners.findAddress(owner)
      if (number >= 0) signing.add(number)
    }
    this.signing = signing
  }

  /** All groups that contain one of the given addresses, and those without addresses, which anyone can spend. */
  get groups(): readonly number[] {
    this.groupsCache ??= this.owners.groupsOf(this.signing)
    return this.groupsCache
  }

  classOf(group: number): OwnerClass {
    const threshold = this.owners.threshold(group)
    const members = this.owners.members(group)
    const count = members.reduce((sum, address) => sum + (this.signing.has(address) ? 1 : 0), 0)
    if (count < threshold) return count === 0 ? 'otherOwners' : 'shortOfSigners'
    return this.owners.locktime(group) > this.now ? 'locked' : 'spendable'
  }

  /** Returns the positions of the signers in a group: of the given addresses the first, as many as the threshold. */
  signatureIndices(group: number): readonly number[] {
    let indices = this.indicesCache.get(group)
    if (indices === undefined) {
      indices = this.owners
        .members(group)
        .flatMap((address, i) => (this.signing.has(address) ? [i] : []))
        .slice(0, this.owners.threshold(group))
      this.indicesCache.set(group, indices)
    }
    return indices
  }

  /** Returns the signers as address numbers, which identify a signer across groups. */
  signers(group: number): number[] {
    const members = this.owners.members(group)
    return this.signatureIndices(group).map((i) => members[i]!)
  }
}
