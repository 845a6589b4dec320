import { credentialSize } from '../chain/size.ts'
import type { CoinStore } from './coin-store.ts'
import { packEvenly } from './pack-evenly.ts'
import { type Packing, type PackOptions, type Parcel, type Room, SAFE_SUM } from './packing.ts'
import type { Pool } from './pool.ts'
import { sortRows } from './sort-rows.ts'

/** Bytes of the path of a key, as a hardware wallet is sent it. */
const PATH_SIZE = 9

/** Bytes of a signed transaction that are not in the unsigned one, if nobody signs. */
const NO_CREDENTIALS = 4

/**
 * Packs all coins of some assets into as few transactions as possible. Assets follow one another, so that few
 * transactions hold the same asset; a transaction is closed only when no coin that is left fits. That is the
 * fewest there can be where all coins take the same room, and first fit by decreasing size where not.
 */
export function packCoins(pool: Pool, options: PackOptions): Packing {
  return packEvenly(pool, options) ?? new Packer(pool, options).run()
}

class Packer {
  private readonly pool: Pool
  private readonly options: PackOptions
  /** Coins of the fee asset, the largest first, and those of them that are worth a transaction. */
  private readonly payers: Queue
  private readonly worthy: Queue
  private readonly tokens: Queue[]
  private readonly packed: Uint8Array
  private readonly tooSmall: number[]

  constructor(pool: Pool, options: PackOptions) {
    const { store } = pool
    const { feeAsset, assets, always } = options
    this.pool = pool
    this.options = options
    this.packed = new Uint8Array(store.size)
    const paying = feeAsset >= 0 && !always && assets.includes(feeAsset)
    const all = paying ? sortRows(store, pool.rowsOf(feeAsset), 'largest') : new Uint32Array(0)
    const { dustLine } = options
    const cut = dustLine > 0n ? all.findIndex((row) => store.amount(row) < dustLine) : -1
    const above = cut < 0 ? all : all.subarray(0, cut)
    this.tooSmall = [...all.subarray(above.length)]
    const worthy = options.leaveDust ? this.worthATransaction(above) : above
    this.payers = new Queue(pool, above, this.packed, 'largest')
    const order = options.room.maxShown === undefined ? worthy : this.byOwner(worthy)
    this.worthy = new Queue(pool, order, this.packed, 'widest')
    this.tokens = assets
      .filter((asset) => !paying || asset !== feeAsset)
      .map((asset) => {
        const rows = pool.rowsOf(asset)
        const order =
          options.room.maxShown === undefined
            ? sortRows(store, rows, 'largest')
            : this.byOwner(rows)
        return new Queue(pool, order, this.packed, 'widest')
      })
  }

  run(): Packing {
    const parcels: Parcel[] = []
    for (;;) {
      const parcel = this.nextParcel()
      if (parcel === undefined) break
      parcels.push(parcel)
    }
    const unpaid = this.tokens.flatMap((queue) => queue.left())
    return { parcels, dust: [...this.payers.left(), ...this.tooSmall], unpaid }
  }

  private nextParcel(): Parcel | undefined {
    const { fee, always, sponsor } = this.options
    const tokensLeft = this.tokens.some((queue) => !queue.isEmpty())
    if (!tokensLeft && this.worthy.isEmpty()) return undefined
    const bin = new Bin(this.pool, this.options.room)
    let paid = 0n
    const pay = (queue: Queue) => {
      const row = queue.take(bin)
      // How much it is beyond the fee does not matter.
      if (row >= 0 && paid <= fee) paid += this.pool.store.amount(row)
      return row >= 0
    }
    // The fee first: what cannot pay it is no transaction. The coin that is next does so if it can, to stay
    // with those of its owner; otherwise the largest do.
    const next = this.worthy.head()
    if (!always && !tokensLeft && next >= 0 && this.pool.store.amount(next) >= fee) pay(this.worthy)
    if (!always) while (paid < fee && pay(this.payers));
    const missing = paid < fee ? fee - paid : 0n
    const worthIt = tokensLeft || !this.options.leaveDust
    const sponsored = missing > 0n && worthIt ? sponsor?.(missing) : undefined
    if (missing > 0n && (sponsored === undefined || !bin.spare(sponsored))) return this.undo(bin)
    for (const queue of this.tokens) while (queue.take(bin) >= 0);
    // As long as there are other coins to come, those of the fee asset wait to pay for them.
    if (this.tokens.every((queue) => queue.isEmpty())) {
      while (pay(this.worthy));
      while (pay(this.payers));
    }
    const onlyFee = this.options.leaveDust && paid === fee && bin.assets === 1
    if (bin.rows.length === 0 || (onlyFee && !tokensLeft)) return this.undo(bin)
    return { rows: bin.rows, sponsored: missing }
  }

  /** The coins of a transaction that cannot be stay behind, and so do all that come later. */
  private undo(bin: Bin): undefined {
    for (const row of bin.rows) this.packed[row] = 0
    return undefined
  }

  /** The fee does not grow with inputs: coins are worth it as long as a transaction full of them is. */
  private worthATransaction(rows: Uint32Array): Uint32Array {
    const { room, fee } = this.options
    const { store } = this.pool
    let worth = 0
    let bytes = 0
    let sum = 0n
    for (let i = 0; i < rows.length; i++) {
      const size = store.spendSize(rows[i]!)
      if (bytes + size > room.max - room.base - room.output) {
        bytes = 0
        sum = 0n
      }
      bytes += size
      if (sum <= fee) sum += store.amount(rows[i]!)
      if (sum > fee) worth = i + 1
    }
    return rows.subarray(0, worth)
  }

  /** For clear signing, coins of one owner stand together, which saves paths. */
  private byOwner(rows: Uint32Array): Uint32Array {
    const { store } = this.pool
    const ranks = store.owners.ranks()
    return rows
      .slice()
      .sort((a, b) => ranks[store.groupOf(a)]! - ranks[store.groupOf(b)]! || store.compareIDs(a, b))
  }
}

/** Coins of one size, and how many of them were passed. */
type Line = { readonly rows: Uint32Array; at: number }

/**
 * Coins that wait, by size: those of one size fit or do not fit together. First goes the widest or, where the
 * rows come from large to small, the largest.
 */
class Queue {
  private readonly store: CoinStore
  private readonly packed: Uint8Array
  private readonly first: 'widest' | 'largest'
  private readonly lines: Line[]

  constructor({ store }: Pool, rows: Uint32Array, packed: Uint8Array, first: 'widest' | 'largest') {
    this.store = store
    this.packed = packed
    this.first = first
    const { owners } = store
    const seen = new Uint8Array(owners.size)
    for (let i = 0; i < rows.length; i++) seen[store.groupOf(rows[i]!)] = 1
    const thresholds = new Set<number>()
    seen.forEach((is, of) => {
      if (is === 1) thresholds.add(owners.threshold(of))
    })
    this.lines = [...thresholds]
      .sort((a, b) => b - a)
      .map((threshold) => ({
        rows:
          thresholds.size === 1
            ? rows
            : rows.filter((row) => owners.threshold(store.groupOf(row)) === threshold),
        at: 0,
      }))
  }

  /** Moves a coin into the bin and returns its row, or -1 where none fits. */
  take(bin: Bin): number {
    for (const line of this.lines) this.pass(line)
    if (this.first === 'largest' && this.lines.length > 1)
      this.lines.sort((a, b) => this.compareHeads(a, b))
    for (const { rows, at } of this.lines) {
      const row = rows[at]
      if (row === undefined || !bin.add(row)) continue
      this.packed[row] = 1
      return row
    }
    return -1
  }

  /** The coin that is next, or -1. */
  head(): number {
    for (const line of this.lines)
      if (this.pass(line) < line.rows.length) return line.rows[line.at]!
    return -1
  }

  isEmpty(): boolean {
    return this.head() < 0
  }

  /** Passes over coins that were packed meanwhile. */
  private pass(line: Line): number {
    while (line.at < line.rows.length && this.packed[line.rows[line.at]!] === 1) line.at++
    return line.at
  }

  private compareHeads(a: Line, b: Line): number {
    const [one, two] = [a.rows[a.at], b.rows[b.at]]
    if (one === undefined || two === undefined) return one === two ? 0 : one === undefined ? 1 : -1
    return this.store.isLarger(one, two) ? -1 : 1
  }

  left(): number[] {
    return this.lines.flatMap(({ rows }) => [...rows.filter((row) => this.packed[row] === 0)])
  }
}

/** A transaction that is being filled. */
class Bin {
  readonly rows: number[] = []
  /** How many assets it holds. */
  assets = 0
  private readonly pool: Pool
  private readonly room: Room
  private size: number
  private shown: number
  /** Sums of the assets in it, but for that of the coin added last. */
  private readonly sums = new Map<number, number>()
  private asset = -1
  private sum = 0
  private readonly signers = new Set<number>()

  constructor(pool: Pool, room: Room) {
    this.pool = pool
    this.room = room
    this.size = room.base
    this.shown = room.base - NO_CREDENTIALS
  }

  /** Sets bytes aside, if there are as many. */
  spare(bytes: number): boolean {
    this.size += bytes
    this.shown += bytes
    return this.size <= this.room.max && this.shown <= (this.room.maxShown ?? this.shown)
  }

  /** Takes a coin in if it fits. */
  add(row: number): boolean {
    const { store } = this.pool
    const { max, maxShown, output } = this.room
    const asset = store.assetOf(row)
    const sum = asset === this.asset ? this.sum : (this.sums.get(asset) ?? 0)
    const total = sum + store.roughAmount(row)
    if (sum > 0 && total > SAFE_SUM) return false
    const bytes = store.spendSize(row) + (sum === 0 ? output : 0)
    if (this.size + bytes > max) return false
    if (maxShown !== undefined && !this.show(row, bytes, maxShown)) return false
    this.size += bytes
    if (asset !== this.asset) {
      this.sums.set(this.asset, this.sum)
      this.asset = asset
    }
    if (sum === 0) this.assets++
    this.sum = total
    this.rows.push(row)
    return true
  }

  private show(row: number, bytes: number, maxShown: number): boolean {
    const { store, standpoint } = this.pool
    const signers = store.owners.signers(store.groupOf(row), standpoint)
    const added = signers.filter((signer) => !this.signers.has(signer))
    const shown = this.shown + bytes - credentialSize(signers.length) + PATH_SIZE * added.length
    if (shown > maxShown) return false
    for (const signer of added) this.signers.add(signer)
    this.shown = shown
    return true
  }
}
