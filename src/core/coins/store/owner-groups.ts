import { compareBytes } from '../../base/bytes/compare.ts'
import { readWords, WordTable, widened, wordBytes } from '../../base/bytes/word-table.ts'
import { ADDRESS_SIZE } from '../../base/encoding/address.ts'
import { VerifyError } from '../../base/errors.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import { verifyOwners } from '../../chain/x/verify/verify-fx.ts'

/** Size of encoded owners without addresses: locktime, threshold, count. */
export const EMPTY_OWNERS_SIZE = 16

/**
 * Numbers the distinct owners of many outputs. A list of addresses is stored as a chain of pairs (preceding list,
 * last address), so that all tables have keys of fixed size.
 */
export class OwnerGroups {
  private readonly addresses = new WordTable(5)
  private readonly lists = new WordTable(2)
  private readonly groups = new WordTable(4)
  /** Groups that violate a rule of the chain. No valid output has them. */
  readonly invalid: Set<number> = new Set()
  private readonly ownersCache: OutputOwners[] = []
  private readonly key = new Uint32Array(5)
  /** Groups without addresses, whose outputs anyone can spend. */
  private readonly open: number[] = []
  /** The groups of each address as linked lists of pairs (group, next pair); 0 ends a list. */
  private memberships = new Uint32Array(2 * 64)
  private membershipCount = 0
  private firstMemberships = new Uint32Array(64)

  get size(): number {
    return this.groups.size
  }

  /** Returns the number of the encoded owners at `at` with `count` addresses. */
  intern(view: DataView, at: number, count: number): number {
    let list = 0
    for (let i = 0; i < count; i++) {
      readWords(view, at + EMPTY_OWNERS_SIZE + ADDRESS_SIZE * i, this.key, 5)
      const address = this.addresses.intern(this.key)
      this.key[0] = list
      this.key[1] = address
      list = this.lists.intern(this.key) + 1
    }
    readWords(view, at, this.key, 3)
    return this.internGroup(list)
  }

  /** Returns the number of a group from another instance. */
  adopt(from: OwnerGroups, group: number): number {
    let list = 0
    for (const address of from.members(group)) {
      const { words } = from.addresses
      this.key[1] = this.addresses.intern(words.subarray(5 * address, 5 * (address + 1)))
      this.key[0] = list
      list = this.lists.intern(this.key) + 1
    }
    this.key.set(from.groups.words.subarray(4 * group, 4 * group + 3))
    return this.internGroup(list)
  }

  /** Returns the number of the group with this address list, whose locktime and threshold are in `key`. */
  private internGroup(list: number): number {
    this.key[3] = list
    const known = this.groups.size
    const group = this.groups.intern(this.key)
    if (group === known) {
      if (this.isValid(group)) this.enroll(group)
      else this.invalid.add(group)
    }
    return group
  }

  private isValid(group: number): boolean {
    if (this.threshold(group) === 1 && this.members(group).length === 1) return true
    try {
      verifyOwners(this.owners(group), 'output')
      return true
    } catch (error) {
      if (!(error instanceof VerifyError)) throw error
      return false
    }
  }

  /** Adds a group to the lists of its addresses. */
  private enroll(group: number): void {
    const members = this.members(group)
    if (members.length === 0) this.open.push(group)
    for (const address of members) {
      while (address >= this.firstMemberships.length)
        this.firstMemberships = widened(this.firstMemberships, 1)
      const number = ++this.membershipCount
      while (2 * number >= this.memberships.length) this.memberships = widened(this.memberships, 2)
      this.memberships[2 * number] = group
      this.memberships[2 * number + 1] = this.firstMemberships[address]!
      this.firstMemberships[address] = number
    }
  }

  threshold(group: number): number {
    return this.groups.words[4 * group + 2]!
  }

  locktime(group: number): bigint {
    const { words } = this.groups
    return (BigInt(words[4 * group]!) << 32n) | BigInt(words[4 * group + 1]!)
  }

  /** Returns the owners of a group; outputs with the same owners share one object. */
  owners(group: number): OutputOwners {
    const cached = this.ownersCache[group]
    if (cached !== undefined) return cached
    const owners: OutputOwners = {
      locktime: this.locktime(group),
      threshold: this.threshold(group),
      addresses: this.members(group).map((address) => wordBytes(this.addresses, address, 5)),
    }
    this.ownersCache[group] = owners
    return owners
  }

  /** Returns the numbers of the addresses of a group, in order. */
  members(group: number): number[] {
    const numbers: number[] = []
    let list = this.groups.words[4 * group + 3]!
    for (; list !== 0; list = this.lists.words[2 * (list - 1)]!)
      numbers.push(this.lists.words[2 * (list - 1) + 1]!)
    return numbers.reverse()
  }

  /** Returns the number of an address, or -1. */
  findAddress(address: Uint8Array): number {
    readWords(new DataView(address.buffer, address.byteOffset, ADDRESS_SIZE), 0, this.key, 5)
    return this.addresses.find(this.key)
  }

  /** Returns all groups that contain one of these addresses, and those without addresses; each once. */
  groupsOf(addresses: Iterable<number>): number[] {
    const groups = [...this.open]
    const seen = new Set<number>()
    for (const address of addresses) {
      let number = this.firstMemberships[address] ?? 0
      for (; number !== 0; number = this.memberships[2 * number + 1]!) {
        const group = this.memberships[2 * number]!
        // Only groups with several addresses can occur twice.
        if (this.isShared(group)) {
          if (seen.has(group)) continue
          seen.add(group)
        }
        groups.push(group)
      }
    }
    return groups
  }

  /** Whether a group has several addresses. */
  private isShared(group: number): boolean {
    const list = this.groups.words[4 * group + 3]!
    return this.lists.words[2 * (list - 1)] !== 0
  }

  /** Returns the rank of each group in an order by content. Group numbers depend on the order of arrival. */
  ranks(): Uint32Array {
    const order = Array.from({ length: this.size }, (_, group) => group)
    const owners = order.map((group) => this.owners(group))
    order.sort((a, b) => compareOwners(owners[a]!, owners[b]!))
    const ranks = new Uint32Array(order.length)
    order.forEach((group, rank) => {
      ranks[group] = rank
    })
    return ranks
  }
}

function compareOwners(a: OutputOwners, b: OutputOwners): number {
  for (let i = 0; i < a.addresses.length && i < b.addresses.length; i++) {
    const order = compareBytes(a.addresses[i]!, b.addresses[i]!)
    if (order !== 0) return order
  }
  return (
    a.addresses.length - b.addresses.length ||
    a.threshold - b.threshold ||
    (a.locktime < b.locktime ? -1 : 1)
  )
}
