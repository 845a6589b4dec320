import { hex } from '../../core/base/encoding/hex.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { WatchAccount } from '../../core/crypto/hd/account.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'
import type { AddressPath } from '../../core/sign/signer.ts'
import type { AccountIndexes } from '../store/store.ts'

/** An address of a wallet. */
export type WalletAddress = {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** The address on the X-Chain, such as `X-avax1…`. */
  readonly text: string
  /** Derivation path; absent if the wallet has no account. */
  readonly path?: string | undefined
  /** Absent if the wallet has no account. */
  readonly branch?: 'receive' | 'change' | undefined
  /** Position in the branch; absent if the wallet has no account. */
  readonly index?: number | undefined
  /** Whether the chain or the store shows that it was used; absent if the wallet has no account. */
  readonly isUsed?: boolean | undefined
}

/** One branch of an account. */
type Branch = {
  readonly change: 0 | 1
  /** The addresses that are watched, by their index. */
  readonly addresses: Uint8Array[]
  /** Indexes of addresses that were seen on a chain. */
  readonly seen: Set<number>
  /** Addresses below this index were used before the store was last opened. */
  recorded: number
  /** Index after the last used one. */
  used: number
  /** Index after the last one that a claimed transaction pays. */
  claimed: number
}

/**
 * The addresses of an account that a wallet watches: on each branch the used ones, and at least `gapLimit` after the last
 * of them.
 */
export class AccountAddresses {
  readonly watch: WatchAccount
  /** Names the account in a store, without revealing its addresses. */
  readonly id: Uint8Array
  readonly gapLimit: number
  private readonly freshChange: boolean
  private readonly branches: readonly [Branch, Branch] = [newBranch(0), newBranch(1)]
  private readonly positions = new Map<string, HDPosition>()
  /** Derived so far, by path, because an address takes about as long as a signature. */
  private readonly derived = new Map<string, Uint8Array>()
  /** Number of drafts that pay the change address with an index. */
  private readonly held = new Map<number, number>()
  private all: readonly Uint8Array[] | undefined

  constructor(
    watch: WatchAccount,
    { gapLimit, freshChange }: { readonly gapLimit: number; readonly freshChange: boolean },
  ) {
    this.watch = watch
    this.gapLimit = gapLimit
    this.freshChange = freshChange
    this.id = sha256(new TextEncoder().encode(`avmkit account ${watch.extendedPublicKey}`))
  }

  get account(): this {
    return this
  }

  /** The receiving addresses, then those for change. */
  get list(): readonly Uint8Array[] {
    this.watchGap()
    this.all ??= this.branches.flatMap(({ addresses }) => addresses)
    return this.all
  }

  /** Whether an address is watched. A function that can be passed on. */
  readonly has = (address: Uint8Array): boolean => this.positionOf(address) !== undefined

  /** The position of an address that is watched. */
  positionOf(address: Uint8Array): HDPosition | undefined {
    this.watchGap()
    return this.positions.get(hex.encode(address))
  }

  /** The address at a position, whether or not it is watched. */
  address(position: HDPosition): Uint8Array {
    const path = this.path(position)
    const address = this.derived.get(path) ?? this.watch.address(position)
    this.derived.set(path, address)
    return address
  }

  /** The path of the key at a position. */
  path(position: HDPosition): string {
    return this.watch.path(position)
  }

  /** The paths of all addresses. */
  get paths(): AddressPath[] {
    return this.list.map((address) => ({
      address,
      path: this.path(this.positionOf(address)!),
    }))
  }

  /** Addresses that were seen on a chain; others than the own ones are ignored. Returns whether further ones are watched. */
  note(addresses: Iterable<Uint8Array>): boolean {
    const before = this.list.length
    for (const address of addresses) {
      const position = this.positionOf(address)
      if (position !== undefined) this.use(position)
    }
    return this.list.length > before
  }

  /** An address that a search has found, maybe beyond the gap. */
  use({ change, index }: HDPosition): void {
    const branch = this.branches[change as 0 | 1]
    branch.seen.add(index)
    branch.used = Math.max(branch.used, index + 1)
  }

  /** Addresses that a transaction pays which is about to be claimed. */
  claim(addresses: Iterable<Uint8Array>): void {
    for (const address of addresses) {
      const position = this.positionOf(address)
      if (position === undefined) continue
      const branch = this.branches[position.change as 0 | 1]
      branch.claimed = Math.max(branch.claimed, position.index + 1)
    }
  }

  /** What a store keeps. */
  get indexes(): AccountIndexes {
    const [receive, change] = this.branches
    return {
      account: this.id,
      receive: receive.used,
      change: change.used,
      nextChange: Math.max(change.used, change.claimed),
    }
  }

  /** Continues after the indexes that a store has kept. */
  restore({ receive, change, nextChange }: AccountIndexes): void {
    const [receiving, returning] = this.branches
    receiving.recorded = Math.max(receiving.recorded, receive)
    returning.recorded = Math.max(returning.recorded, change)
    for (const branch of this.branches) branch.used = Math.max(branch.used, branch.recorded)
    returning.claimed = Math.max(returning.claimed, nextChange)
  }

  /** The first receiving address after the last used one. */
  get nextReceive(): Uint8Array {
    this.watchGap()
    const [{ addresses, used }] = this.branches
    return addresses[used]!
  }

  /**
   * The address for the change of a draft: the first one or, with `freshChange`, one that no transaction and no other draft
   * pays. Never one beyond the gap, which a search for the account would not find: if claimed transactions that were not
   * accepted pay all up to there, an address of one of them is taken again.
   */
  get nextChange(): Uint8Array {
    this.watchGap()
    const [, { addresses, used, claimed }] = this.branches
    if (!this.freshChange) return addresses[0]!
    const end = used + this.gapLimit
    const isFree = (index: number) => !this.held.has(index)
    const from = (first: number) => {
      for (let index = first; index < end; index++) if (isFree(index)) return index
      return undefined
    }
    return addresses[from(Math.max(used, claimed)) ?? from(used) ?? end - 1]!
  }

  /** Keeps the change addresses that a draft pays from other drafts. Returns a function that ends this. */
  hold(addresses: Iterable<Uint8Array>): () => void {
    const indexes = new Set<number>()
    for (const address of addresses) {
      const position = this.positionOf(address)
      if (position?.change === 1) indexes.add(position.index)
    }
    for (const index of indexes) this.held.set(index, (this.held.get(index) ?? 0) + 1)
    return () => {
      for (const index of indexes) {
        const left = (this.held.get(index) ?? 0) - 1
        if (left > 0) this.held.set(index, left)
        else this.held.delete(index)
      }
      indexes.clear()
    }
  }

  /** All addresses that are watched, by branch and index. */
  describe(format: (address: Uint8Array) => string): WalletAddress[] {
    return this.list.map((address) => {
      const { change, index } = this.positionOf(address)!
      const branch = this.branches[change as 0 | 1]
      return {
        address: address.slice(),
        text: format(address),
        path: this.path({ change, index }),
        branch: change === 0 ? 'receive' : 'change',
        index,
        isUsed:
          branch.seen.has(index) || index < Math.max(branch.recorded, change * branch.claimed),
      }
    })
  }

  /** Watches further addresses if those after the last used one are fewer than the gap. */
  private watchGap(): void {
    for (const branch of this.branches) this.extend(branch)
  }

  private extend(branch: Branch): void {
    const { change, addresses, used, claimed } = branch
    // A change address that was claimed is watched, even if it is beyond the gap because that was larger before.
    if (addresses.length >= Math.max(used + this.gapLimit, claimed)) return
    // More than needed, because UTXOs are listed again for every extension after the first.
    const spare = addresses.length === 0 ? 0 : this.gapLimit
    const end = Math.max(used + this.gapLimit + spare, claimed)
    for (let index = addresses.length; index < end; index++) {
      const address = this.address({ change, index })
      addresses.push(address)
      this.positions.set(hex.encode(address), { change, index })
    }
    this.all = undefined
  }
}

function newBranch(change: 0 | 1): Branch {
  return { change, addresses: [], seen: new Set(), recorded: 0, used: 0, claimed: 0 }
}
