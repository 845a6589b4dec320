import type { AssetAmount } from '../chain/amounts.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { UTXO } from '../chain/utxo.ts'
import { formatUTXOName } from '../encoding/ids.ts'
import { type CoinStore, FACT, MARK } from './coin-store.ts'
import { FundsError, notSpendable } from './errors.ts'
import { CLASS, type Standpoint } from './owner-groups.ts'
import { inputOrder, type Rows } from './sort-rows.ts'
import type { Source, UTXOSet } from './utxo-set.ts'
import type { Viewpoint } from './viewpoint.ts'

/** A UTXO that can be spent, and who signs for it. */
export type Coin = {
  readonly utxo: UTXO
  /** Positions among its owners, as many as its threshold. */
  readonly signatureIndices: readonly number[]
}

/** Which coins may be chosen from. */
export type PoolOptions = Viewpoint &
  Source & {
    /** Spent in any case. */
    readonly pinned?: readonly UTXOID[]
    /** Not spent in any case. */
    readonly excluded?: readonly UTXOID[]
    /** No others are spent. */
    readonly only?: readonly UTXOID[]
  }

/** The coins of one source that can be spent from a viewpoint: what all ways of choosing start from. */
export class Pool {
  readonly set: UTXOSet
  readonly store: CoinStore
  readonly standpoint: Standpoint
  readonly options: PoolOptions
  /** Rows that are spent in any case, in the order of the option. */
  readonly pinned: readonly number[]
  private readonly skipped: Set<number>
  private readonly only: Set<number> | undefined
  /** Signature indices handed out, by owner group. */
  private readonly lent: (readonly number[])[] = []

  constructor(set: UTXOSet, options: PoolOptions) {
    this.set = set
    this.store = set.holdings(options).store
    this.standpoint = this.store.owners.standpoint(options)
    this.options = options
    this.skipped = new Set(options.excluded?.map((id) => this.find(id)))
    this.only = options.only && new Set(options.only.map((id) => this.usable(id)))
    this.pinned = [...new Set(options.pinned?.map((id) => this.named(id)))]
    for (const row of this.pinned) this.skipped.add(row)
  }

  /** Calls `visit` for every coin that can be picked and is not pinned. */
  forEach(visit: (row: number, asset: number) => void): void {
    const { marks, facts, size } = this.store
    const { classes } = this.standpoint
    const any = this.skipped.size === 0 && this.only === undefined
    for (let row = 0; row < size; row++) {
      if (classes[facts[4 * row + FACT.group]!] !== CLASS.spendable) continue
      if (marks[row] !== 0 && (marks[row]! & MARK.other || !this.isFree(row))) continue
      if (any || !this.isSkipped(row)) visit(row, facts[4 * row + FACT.asset]!)
    }
  }

  /** Every coin of an asset that can be picked and is not pinned. */
  rowsOf(asset: number): Uint32Array {
    const rows = new Uint32Array(this.store.size)
    let count = 0
    this.forEach((row, of) => {
      if (of === asset) rows[count++] = row
    })
    return rows.slice(0, count)
  }

  /** Mint rights, NFTs and properties that can be operated on, in the order of inputs. */
  operable(): number[] {
    const { store } = this
    return [...store.others.keys()]
      .filter((row) => this.standpoint.classes[store.groupOf(row)] === CLASS.spendable)
      .filter((row) => store.marks[row] === MARK.other || this.isFree(row))
      .filter((row) => !this.isSkipped(row))
      .sort((a, b) => store.compareIDs(a, b))
  }

  /** A coin that was asked for by name, or the reason why it cannot be spent. */
  named(id: UTXOID): number {
    const row = this.usable(id)
    if (this.store.marks[row]! & MARK.other) throw notSpendable(id, 'no amount of an asset')
    return row
  }

  /** A UTXO of any type that was asked for by name, or the reason why it cannot be used. */
  usable(id: UTXOID): number {
    const row = this.find(id)
    const name = formatUTXOName(id)
    if (row < 0 || this.store.marks[row]! & MARK.gone)
      throw new FundsError('COIN_NOT_FOUND', `coin ${name} is not in the set`)
    const kind = this.standpoint.classes[this.store.groupOf(row)]!
    if (kind !== CLASS.spendable) {
      const why = [
        '',
        `locked until ${this.store.owners.locktime(this.store.groupOf(row))}`,
        'short of signers',
        'of another owner',
      ]
      throw notSpendable(id, why[kind]!)
    }
    if (this.set.isReserved(id, this.options.now))
      throw new FundsError('COIN_RESERVED', `coin ${name} is reserved`)
    return row
  }

  isSkipped(row: number): boolean {
    return this.skipped.has(row) || (this.only !== undefined && !this.only.has(row))
  }

  coin(row: number): Coin {
    return { utxo: this.store.utxo(row), signatureIndices: this.signatureIndices(row) }
  }

  /** Who signs for a coin; those of the same owners share one list. */
  signatureIndices(row: number): readonly number[] {
    const group = this.store.groupOf(row)
    this.lent[group] ??= this.store.owners.signatureIndices(group, this.standpoint)
    return this.lent[group]
  }

  /** The coins of a transaction, in the order of its inputs. */
  coins(rows: Rows): Coin[] {
    const sorted = inputOrder(this.store, rows)
    return this.store
      .utxos(sorted)
      .map((utxo, i) => ({ utxo, signatureIndices: this.signatureIndices(sorted[i]!) }))
  }

  /** What the coins of a transaction bring, per asset. */
  sums(rows: Rows): AssetAmount[] {
    const { facts } = this.store
    const sums = new Map<number, { high: number; low: number }>()
    let last = { high: 0, low: 0 }
    let asset = -1
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      if (facts[4 * row + FACT.asset] !== asset) {
        asset = facts[4 * row + FACT.asset]!
        last = sums.get(asset) ?? { high: 0, low: 0 }
        sums.set(asset, last)
      }
      // Halves of 32 bits add up exactly for two million coins, without a BigInt for each.
      last.high += facts[4 * row + FACT.high]!
      last.low += facts[4 * row + FACT.low]!
    }
    return [...sums].map(([number, { high, low }]) => ({
      assetID: this.store.assetID(number),
      amount: (BigInt(high) << 32n) + BigInt(low),
    }))
  }

  sum(rows: Iterable<number>): bigint {
    let sum = 0n
    for (const row of rows) sum += this.store.amount(row)
    return sum
  }

  private find({ txID, outputIndex }: UTXOID): number {
    return this.store.find(txID, outputIndex)
  }

  private isFree(row: number): boolean {
    if (this.store.marks[row]! & MARK.gone) return false
    return !this.set.isReserved(this.store.id(row), this.options.now)
  }
}
