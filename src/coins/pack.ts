import { Bin } from './pack-bin.ts'
import { packEvenly } from './pack-evenly.ts'
import { Queue } from './pack-queue.ts'
import type { PackedTransaction, Packing, PackOptions } from './packing.ts'
import type { Pool } from './pool.ts'
import { sortRows } from './store/sort-rows.ts'

/**
 * Packs all UTXOs of some assets into as few transactions as possible. Assets are packed one after the other, so that
 * an asset is spread over few transactions. A transaction is complete when no remaining UTXO fits. The number of
 * transactions is minimal if all UTXOs are of the fee asset and of the same size; otherwise this is first-fit
 * decreasing.
 */
export function packCoins(pool: Pool, options: PackOptions): Packing {
  return packEvenly(pool, options) ?? new Packer(pool, options).run()
}

class Packer {
  private readonly pool: Pool
  private readonly options: PackOptions
  /** UTXOs of the fee asset in descending order, and those that are worth a transaction. */
  private readonly payers: Queue
  private readonly worthy: Queue
  private readonly tokens: Queue[]
  private readonly packed: Uint8Array
  private readonly tooSmall: number[]
  /** Set when no UTXO of another asset fits next to its fee payer: packing continues without those. */
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
    const { dustThreshold } = options
    const cut = dustThreshold > 0n ? all.findIndex((row) => store.amount(row) < dustThreshold) : -1
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
   * Returns the UTXOs of the next transaction, or undefined if the remaining ones only pay for themselves. With
   * `thrifty`, the fee payer is a UTXO that needs little space instead of the largest.
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
      // The exact excess over the fee does not matter.
      if (row >= 0 && paid <= fee) paid += this.pool.store.amount(row)
      return row >= 0
    }
    // The fee comes first: without it there is no transaction. The next UTXO pays if it can, so that it stays with
    // others of its owner; otherwise the largest pay.
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
    // Otherwise a fee would be paid for moving nothing.
    if (tokensLeft && bin.rows.length === payers && sponsored === undefined) {
      this.undo(bin)
      this.blocked = thrifty
      return this.nextTransaction(!thrifty)
    }
    // While other assets remain, UTXOs of the fee asset are kept to pay their fees.
    if (this.blocked || this.tokens.every((queue) => queue.isEmpty())) {
      while (pay(this.worthy));
      while (pay(this.payers));
    }
    const onlyFee = this.options.leaveDust && paid === fee && bin.assets === 1
    if (bin.rows.length === 0) return this.undo(bin)
    if (onlyFee && !tokensLeft) {
      // Later UTXOs may be worth more, because the widest come first, not the largest.
      this.tooSmall.push(...bin.rows)
      return { rows: [], sponsored: 0n }
    }
    return { rows: bin.rows, sponsored: missing }
  }

  /** Discards a transaction: its UTXOs and all later ones stay unpacked. */
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

  /** Inputs do not increase the fee, so UTXOs are worth packing as long as a transaction full of them is. */
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

  /** The same if the display limit of a hardware wallet is reached before the size limit. */
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

  /** For clear signing, UTXOs of the same owner are grouped, which saves key paths. */
  private byOwner(rows: Uint32Array): Uint32Array {
    const { store } = this.pool
    const ranks = store.owners.ranks()
    return rows
      .slice()
      .sort((a, b) => ranks[store.groupOf(a)]! - ranks[store.groupOf(b)]! || store.compareIDs(a, b))
  }
}
