import type { Pool } from '../pool.ts'
import { sortRows } from '../store/sort-rows.ts'
import { Bin } from './pack-bin.ts'
import { packEvenly } from './pack-evenly.ts'
import { Queue } from './pack-queue.ts'
import type { PackedTransaction, Packing, PackOptions } from './packing.ts'

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
  /** UTXOs of the fee asset, largest first, without those below the dust threshold. */
  private readonly payers: Queue
  /** Those of `payers` that bring more than the fees of the transactions they need. */
  private readonly profitable: Queue
  /** UTXOs whose fees are paid by others: one queue per asset. */
  private readonly tokens: Queue[]
  /** 1 for each row of the store that has been packed. */
  private readonly packed: Uint8Array
  /** UTXOs of the fee asset that are left out as dust. */
  private readonly tooSmall: number[]
  /** Set when no UTXO of `tokens` fits next to its fee payer: packing continues without `tokens`. */
  private blocked = false

  constructor(pool: Pool, options: PackOptions) {
    const { store } = pool
    const { feeAsset, assets, sponsorsPayAll } = options
    this.pool = pool
    this.options = options
    this.packed = new Uint8Array(store.rows)
    const paysFees = feeAsset >= 0 && !sponsorsPayAll && assets.includes(feeAsset)
    const all = paysFees
      ? sortRows(store, pool.candidates(feeAsset).all(), 'largest')
      : new Uint32Array(0)
    const { dustThreshold } = options
    const firstDust =
      dustThreshold > 0n ? all.findIndex((row) => store.amount(row) < dustThreshold) : -1
    const payers = firstDust < 0 ? all : all.subarray(0, firstDust)
    this.tooSmall = [...all.subarray(payers.length)]
    this.payers = new Queue(pool, payers, this.packed, 'largest')
    const profitable = options.leaveDust ? this.profitableRows(payers) : payers
    const order = options.room.maxShown === undefined ? profitable : this.byOwner(profitable)
    this.profitable = new Queue(pool, order, this.packed, 'widest')
    this.tokens = assets
      .filter((asset) => !paysFees || asset !== feeAsset)
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
    const unpaid = this.tokens.flatMap((queue) => queue.unpacked())
    return { transactions, dust: [...this.payers.unpacked(), ...this.tooSmall], unpaid }
  }

  /**
   * Packs the next transaction. Returns undefined at the end: nothing worth packing is left, or nobody can pay the fee.
   * Returns no rows if the UTXOs taken turn out to be dust. With `thrifty`, the fee payer is the UTXO with the fewest
   * bytes instead of the largest one.
   */
  private nextTransaction(thrifty = false): PackedTransaction | undefined {
    const { fee, sponsorsPayAll, sponsor } = this.options
    const tokensLeft = !this.blocked && this.tokens.some((queue) => !queue.isEmpty())
    if (!tokensLeft && this.profitable.isEmpty()) return undefined
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
    const next = this.profitable.head()
    if (!sponsorsPayAll && !tokensLeft && next >= 0 && this.pool.store.amount(next) >= fee)
      pay(this.profitable)
    if (thrifty) pay(this.payers, fee)
    if (!sponsorsPayAll) while (paid < fee && pay(this.payers));
    const missing = paid < fee ? fee - paid : 0n
    const sponsored = missing > 0n ? sponsor?.(missing) : undefined
    if (missing > 0n && (sponsored === undefined || !bin.addSponsors(sponsored, paid)))
      return this.undo(bin)
    const payers = bin.rows.length
    for (const queue of this.tokens) while (queue.take(bin) >= 0);
    // If only the payers fit, a fee would be paid for nothing: try again with a smaller payer, then without tokens.
    if (tokensLeft && bin.rows.length === payers && sponsored === undefined) {
      this.undo(bin)
      this.blocked = thrifty
      return this.nextTransaction(!thrifty)
    }
    // While other assets remain, UTXOs of the fee asset are kept to pay their fees.
    if (this.blocked || this.tokens.every((queue) => queue.isEmpty())) {
      while (pay(this.profitable));
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

  /** Discards a transaction: its UTXOs are unpacked again, and the queues return to where it began. */
  private undo(bin: Bin): undefined {
    for (const row of bin.rows) this.packed[row] = 0
    for (const queue of this.queues()) queue.rewind()
    return undefined
  }

  private queues(): Queue[] {
    return [this.payers, this.profitable, ...this.tokens]
  }

  private newBin(): Bin {
    const { room, fee, feeAsset, sponsorsPayAll } = this.options
    return new Bin(this.pool, room, feeAsset, sponsorsPayAll ? 0n : fee)
  }

  /**
   * Returns the first of `rows`, which are in descending order, up to the last one in a transaction that brings more
   * than the fee. Inputs do not increase the fee, so even small UTXOs are profitable if a transaction full of them is.
   */
  private profitableRows(rows: Uint32Array): Uint32Array {
    const { room, fee } = this.options
    const { store } = this.pool
    if (room.maxShown !== undefined) return this.profitableWithinDisplay(rows)
    let profitable = 0
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
      if (sum > fee) profitable = i + 1
    }
    return rows.subarray(0, profitable)
  }

  /** `profitableRows` if the transactions must fit the display limit of a hardware wallet. */
  private profitableWithinDisplay(rows: Uint32Array): Uint32Array {
    const { fee } = this.options
    let profitable = 0
    let bin = this.newBin()
    let sum = 0n
    rows.forEach((row, i) => {
      if (!bin.add(row)) {
        bin = this.newBin()
        sum = 0n
        if (!bin.add(row)) return
      }
      if (sum <= fee) sum += this.pool.store.amount(row)
      if (sum > fee) profitable = i + 1
    })
    return rows.subarray(0, profitable)
  }

  /** Groups UTXOs of the same owners, so that a hardware wallet needs fewer key paths per transaction. */
  private byOwner(rows: Uint32Array): Uint32Array {
    const { store } = this.pool
    const ranks = store.owners.ranks()
    return rows
      .slice()
      .sort((a, b) => ranks[store.groupOf(a)]! - ranks[store.groupOf(b)]! || store.compareIDs(a, b))
  }
}
