import { compareBytes } from '../bytes/compare.ts'
import { readWords, WordTable, wordBytes } from '../bytes/word-table.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { verifyOwners } from '../chain/verify-fx.ts'
import { ADDRESS_SIZE } from '../encoding/address.ts'
import { VerifyError } from '../errors.ts'
import { checkViewpoint, type Viewpoint } from './viewpoint.ts'

/** What the owners of an output mean for whoever asks. */
export const CLASS = {
  spendable: 0,
  locked: 1,
  shortOfSigners: 2,
  otherOwners: 3,
} as const

/** How the owner groups look to someone who holds certain addresses at a certain time. */
export type Standpoint = {
  /** One of `CLASS` for each group. */
  readonly classes: Uint8Array
  /** Whether each address is held. */
  readonly held: Uint8Array
}

/** Bytes of owners without addresses: locktime, threshold, count. */
export const EMPTY_OWNERS_SIZE = 16

/**
 * The distinct owners of many outputs, numbered. A list of addresses is a chain of pairs (the list before,
 * its last address), so that every table has keys of one size, whatever the number of addresses.
 */
export class OwnerGroups {
  private readonly addresses = new WordTable(5)
  private readonly lists = new WordTable(2)
  private readonly groups = new WordTable(4)
  /** Groups whose owners break a rule of the chain; no output that counts has them. */
  readonly invalid: Set<number> = new Set()
  private readonly lent: OutputOwners[] = []
  private readonly key = new Uint32Array(5)

  get size(): number {
    return this.groups.size
  }

  /** The number of the owners that stand at `at`, `count` addresses behind the fixed part. */
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
    this.key[3] = list
    const known = this.groups.size
    const group = this.groups.intern(this.key)
    if (group === known && !(count === 1 && this.threshold(group) === 1)) this.judge(group)
    return group
  }

  private judge(group: number): void {
    try {
      verifyOwners(this.owners(group), 'output')
    } catch (error) {
      if (!(error instanceof VerifyError)) throw error
      this.invalid.add(group)
    }
  }

  threshold(group: number): number {
    return this.groups.words[4 * group + 2]!
  }

  locktime(group: number): bigint {
    const { words } = this.groups
    return (BigInt(words[4 * group]!) << 32n) | BigInt(words[4 * group + 1]!)
  }

  /** The owners of a group; outputs with the same owners share one object. */
  owners(group: number): OutputOwners {
    const lent = this.lent[group]
    if (lent !== undefined) return lent
    const owners: OutputOwners = {
      locktime: this.locktime(group),
      threshold: this.threshold(group),
      addresses: this.numbersOf(this.groups.words[4 * group + 3]!).map((address) =>
        wordBytes(this.addresses, address, 5),
      ),
    }
    this.lent[group] = owners
    return owners
  }

  /** The numbers of a list's addresses, in their order. */
  private numbersOf(list: number): number[] {
    const numbers: number[] = []
    for (let node = list; node !== 0; node = this.lists.words[2 * (node - 1)]!)
      numbers.push(this.lists.words[2 * (node - 1) + 1]!)
    return numbers.reverse()
  }

  /** How every group looks from a viewpoint. */
  standpoint(view: Viewpoint): Standpoint {
    checkViewpoint(view)
    const { owners, now } = view
    const held = this.heldBy(owners)
    // A list's predecessor has a smaller number, so one pass counts the held addresses of all.
    const { words: lists, size } = this.lists
    const heldOf = new Uint32Array(size + 1)
    for (let i = 0; i < size; i++) heldOf[i + 1] = heldOf[lists[2 * i]!]! + held[lists[2 * i + 1]!]!
    const classes = new Uint8Array(this.groups.size)
    const nowHigh = Number(now >> 32n)
    const nowLow = Number(now & 0xffffffffn)
    const { words } = this.groups
    for (let group = 0; group < classes.length; group++) {
      const high = words[4 * group]!
      const count = heldOf[words[4 * group + 3]!]!
      const threshold = words[4 * group + 2]!
      if (count < threshold) classes[group] = count === 0 ? CLASS.otherOwners : CLASS.shortOfSigners
      else if (high > nowHigh || (high === nowHigh && words[4 * group + 1]! > nowLow))
        classes[group] = CLASS.locked
    }
    return { classes, held }
  }

  private heldBy(owners: readonly Uint8Array[]): Uint8Array {
    const held = new Uint8Array(this.addresses.size)
    for (const owner of owners) {
      readWords(new DataView(owner.buffer, owner.byteOffset, ADDRESS_SIZE), 0, this.key, 5)
      const number = this.addresses.find(this.key)
      if (number >= 0) held[number] = 1
    }
    return held
  }

  /** Who signs: the first held positions, as many as the threshold. */
  signatureIndices(group: number, { held }: Standpoint): number[] {
    const threshold = this.threshold(group)
    const numbers = this.numbersOf(this.groups.words[4 * group + 3]!)
    const indices: number[] = []
    for (let i = 0; i < numbers.length && indices.length < threshold; i++)
      if (held[numbers[i]!] === 1) indices.push(i)
    return indices
  }

  /** The same as numbers of addresses, which are the same for the same signer in all groups. */
  signers(group: number, standpoint: Standpoint): number[] {
    const numbers = this.numbersOf(this.groups.words[4 * group + 3]!)
    return this.signatureIndices(group, standpoint).map((i) => numbers[i]!)
  }

  /** For each group its place in an order by content: group numbers depend on what came first. */
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
