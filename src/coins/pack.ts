import { Bin } from './pack-bin.ts'
import { packEvenly } from './pack-evenly.ts'
import { Queue } from './pack-queue.ts'
import type { PackedTransaction, Packing, PackOptions } from './packing.ts'
import type { Pool } from './pool.ts'
import { sortRows } from './store/sort-rows.ts'

/**
 * Packs all UTXOs of some assets into as few transactions as possible. Assets follow one another, so that few
 * transactions hold the same asset; a transaction is closed only when no UTXO that is left fits. That is the
 * fewest there can be where all UTXOs are of the fee asset and take the same room, and first fit by decreasing
 * size where not.
 */
export function packCoins(pool: Pool, options: PackOptions): Packing {
  return packEvenly(pool, options) ?? new Packer(pool, options).run()
}

class Packer {
  private readonly pool: Pool
  private readonly options: PackOptions
  /** UTXOs of the fee asset, the largest first, and those of them that are worth a transaction. */
  private readonly payers: Queue
  private readonly worthy: Queue
  private readonly tokens: Queue[]
  private readonly packed: Uint8Array
  private readonly tooSmall: number[]
  /** Set once no UTXO of another asset fits beside what pays for it: the rest go on without. */
  private blocked = false

  constructor(pool: Pool, options: PackOptions) {
    const { store } = pool
    const { feeAsset, assets, always } = options
    this.pool = pool
    this.options = options
    this.packed = new Uint8Array(store.rows)
    const paying = feeAsset >= 0 && !always && assets.includes(feeAsset)
    const all = paying
      ? sortRows(store, pool.candidates(feeAsset).all(), 'largest')
      : new Uint32Array(0)
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
        const rows = pool.candidates(asset).all()
        const order =
          options.room.maxShown === undefined
            ? sortRows(store, rows, 'largest')
            : this.byOwner(rows)
        return new Queue(pool, order, this.packed, 'widest')
      })
  }

  run(): Packing {
    const transactions: PackedTransaction[] = []
    for (;;) {
      const packed = this.nextTransaction()
      if (packed === undefined) break
      if (packed.rows.length > 0) transactions.push(packed)
    }
    const unpaid = this.tokens.flatMap((queue) => queue.left())
    return { transactions, dust: [...this.payers.left(), ...this.tooSmall], unpaid }
  }

  /**
   * The UTXOs of the next transaction, or none of those left if they only pay for themselves. `thrifty`: the
   * UTXO that pays is one that takes little room, not the largest.
   */
  private nextTransaction(thrifty = false): PackedTransaction | undefined {
    const { fee, always, sponsor } = this.options
    const tokensLeft = !this.blocked && this.tokens.some((queue) => !queue.isEmpty())
    if (!tokensLeft && this.worthy.isEmpty()) return undefined
    for (const queue of this.queues()) queue.begin()
    const bin = this.newBin()
    let paid = 0n
    const pay = (queue: Queue, from?: bigint) => {
      const row = from === undefined ? queue.take(bin) : queue.takeNarrowest(bin, from)
      // How much it is beyond the fee does not matter.
      if (row >= 0 && paid <= fee) paid += this.pool.store.amount(row)
      return row >= 0
    }
    // The fee first: what cannot pay it is no transaction. The UTXO that is next does so if it can, to stay
    // with those of its owner; otherwise the largest do.
    const next = this.worthy.head()
    if (!always && !tokensLeft && next >= 0 && this.pool.store.amount(next) >= fee) pay(this.worthy)
    if (thrifty) pay(this.payers, fee)
    if (!always) while (paid < fee && pay(this.payers));
    const missing = paid < fee ? fee - paid : 0n
    const worthIt = tokensLeft || !this.options.leaveDust
    const sponsored = missing > 0n && worthIt ? sponsor?.(missing) : undefined
    if (missing > 0n && (sponsored === undefined || !bin.spare(sponsored, paid)))
      return this.undo(bin)
    const payers = bin.rows.length
    for (const queue of this.tokens) while (queue.take(bin) >= 0);
    // That would be a fee for moving nothing.
    if (tokensLeft && bin.rows.length === payers && sponsored === undefined) {
      this.undo(bin)
      this.blocked = thrifty
      return this.nextTransaction(!thrifty)
    }
    // As long as there are other UTXOs to come, those of the fee asset wait to pay for them.
    if (this.blocked || this.tokens.every((queue) => queue.isEmpty())) {
      while (pay(this.worthy));
      while (pay(this.payers));
    }
    const onlyFee = this.options.leaveDust && paid === fee && bin.assets === 1
    if (bin.rows.length === 0) return this.undo(bin)
    if (onlyFee && !tokensLeft) {
      // Those that come later may bring more: the widest go first, not the largest.
      this.tooSmall.push(...bin.rows)
      return { rows: [], sponsored: 0n }
    }
    return { rows: bin.rows, sponsored: missing }
  }

  /** The UTXOs of a transaction that cannot be stay behind, and so do all that come later. */
  private undo(bin: Bin): undefined {
    for (const row of bin.rows) this.packed[row] = 0
    for (const queue of this.queues()) queue.rewind()
    return undefined
  }

  private queues(): Queue[] {
    return [this.payers, this.worthy, ...this.tokens]
  }

  private newBin(): Bin {
    const { room, fee, feeAsset, always } = this.options
    return new Bin(this.pool, room, feeAsset, always ? 0n : fee)
  }

  /** The fee does not grow with inputs: UTXOs are worth it as long as a transaction full of them is. */
  private worthATransaction(rows: Uint32Array): Uint32Array {
    const { room, fee } = this.options
    const { store } = this.pool
    if (room.maxShown !== undefined) return this.worthShowing(rows)
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

  /** The same where a transaction is full before its bytes are. */
  private worthShowing(rows: Uint32Array): Uint32Array {
    const { fee } = this.options
    let worth = 0
    let bin = this.newBin()
    let sum = 0n
    rows.forEach((row, i) => {
      if (!bin.add(row)) {
        bin = this.newBin()
        sum = 0n
        if (!bin.add(row)) return
      }
      if (sum <= fee) sum += this.pool.store.amount(row)
      if (sum > fee) worth = i + 1
    })
    return rows.subarray(0, worth)
  }

  /** For clear signing, UTXOs of one owner stand together, which saves paths. */
  private byOwner(rows: Uint32Array): Uint32Array {
    const { store } = this.pool
    const ranks = store.owners.ranks()
    return rows
      .slice()
      .sort((a, b) => ranks[store.groupOf(a)]! - ranks[store.groupOf(b)]! || store.compareIDs(a, b))
  }
}
