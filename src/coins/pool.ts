import type { AssetAmount } from '../chain/amounts.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { UTXO } from '../chain/utxo.ts'
import { formatUTXOName } from '../encoding/ids.ts'
import { Candidates } from './candidates.ts'
import { FundsError, notSpendable } from './errors.ts'
import type { Holder, Holdings, Source } from './holdings.ts'
import { Standpoint } from './standpoint.ts'
import { FACT, FACTS } from './store/columns.ts'
import { inputOrder, type Rows } from './store/sort-rows.ts'
import type { UTXOStore } from './store/utxo-store.ts'
import type { Viewpoint } from './viewpoint.ts'

/** A UTXO that can be spent, and who signs for it. */
export type Coin = {
  readonly utxo: UTXO
  /** Positions among its owners, as many as its threshold. */
  readonly signatureIndices: readonly number[]
}

/** Which UTXOs may be chosen from. */
export type PoolOptions = Viewpoint &
  Source & {
    /** Spent in any case. */
    readonly pinned?: readonly UTXOID[]
    /** Not spent in any case. */
    readonly excluded?: readonly UTXOID[]
    /** No others are spent. */
    readonly only?: readonly UTXOID[]
  }

/** The UTXOs of one source that can be spent from a viewpoint: what all strategies start from. */
export class Pool {
  readonly holdings: Holdings
  readonly store: UTXOStore
  readonly standpoint: Standpoint
  readonly options: PoolOptions
  /** Rows that are spent in any case, in the order of the option. */
  readonly pinned: readonly number[]
  private readonly skipped: Set<number>
  private readonly only: Set<number> | undefined
  private spendableGroups: readonly number[] | undefined
  private readonly candidatesOf = new Map<number, Candidates>()

  constructor(set: Holder, options: PoolOptions) {
    this.holdings = set.holdings(options)
    this.store = this.holdings.store
    this.standpoint = new Standpoint(this.store.owners, options)
    this.options = options
    this.skipped = new Set(options.excluded?.map((id) => this.find(id)))
    this.only = options.only && new Set(options.only.map((id) => this.usable(id)))
    this.pinned = [...new Set(options.pinned?.map((id) => this.named(id)))]
    for (const row of this.pinned) this.skipped.add(row)
  }

  /** The UTXOs of an asset, by its number, that can be picked and are not pinned. */
  candidates(asset: number): Candidates {
    let candidates = this.candidatesOf.get(asset)
    if (candidates === undefined) {
      candidates = this.findCandidates(asset)
      this.candidatesOf.set(asset, candidates)
    }
    return candidates
  }

  private findCandidates(asset: number): Candidates {
    const { store, standpoint, skipped } = this
    const isWanted = (row: number) =>
      row >= 0 && store.isTransfer(row) && store.assetOf(row) === asset
    if (this.only !== undefined) return this.among([...this.only].filter(isWanted))
    const isSpendable = (row: number) => standpoint.classOf(store.groupOf(row)) === 'spendable'
    const isUsable = (row: number) => isWanted(row) && isSpendable(row)
    const expired = store.expired(standpoint.now).filter(isUsable)
    this.spendableGroups ??= standpoint.groups.filter(
      (group) => standpoint.classOf(group) === 'spendable',
    )
    const buckets: number[] = []
    for (const group of this.spendableGroups) {
      const bucket = store.buckets.find(asset, group)
      if (bucket >= 0 && store.buckets.totals.count(bucket) > 0) buckets.push(bucket)
    }
    const left = [...skipped].filter((row) => isUsable(row) && !store.reserved.has(row))
    const rows = expired.filter((row) => !skipped.has(row))
    return new Candidates(store, rows, buckets, new Set(left))
  }

  /** The candidates among some rows that can be picked. */
  among(rows: readonly number[]): Candidates {
    return new Candidates(
      this.store,
      rows.filter((row) => !this.isSkipped(row)),
    )
  }

  /** Mint rights, NFTs and properties that can be operated on, in the order of inputs. */
  operable(): number[] {
    const { store, standpoint } = this
    return [...store.others.keys()]
      .filter((row) => standpoint.classOf(store.groupOf(row)) === 'spendable')
      .filter((row) => !store.isReserved(row, standpoint.now) && !this.isSkipped(row))
      .sort((a, b) => store.compareIDs(a, b))
  }

  /** A transfer output that was asked for by name. Throws a FundsError where it cannot be spent. */
  named(id: UTXOID): number {
    const row = this.usable(id)
    if (!this.store.isTransfer(row)) throw notSpendable(id, 'no amount of an asset')
    return row
  }

  /** A UTXO of any type that was asked for by name. Throws a FundsError where it cannot be used. */
  usable(id: UTXOID): number {
    const { store, standpoint } = this
    const row = this.find(id)
    const name = formatUTXOName(id)
    if (row < 0) throw new FundsError('COIN_NOT_FOUND', `UTXO ${name} is not in the set`)
    const group = store.groupOf(row)
    switch (standpoint.classOf(group)) {
      case 'locked':
        throw notSpendable(id, `locked until ${store.owners.locktime(group)}`)
      case 'shortOfSigners':
        throw notSpendable(id, 'short of signers')
      case 'otherOwners':
        throw notSpendable(id, 'of another owner')
      case 'spendable':
        if (store.isReserved(row, standpoint.now))
          throw new FundsError('COIN_RESERVED', `UTXO ${name} is reserved`)
        return row
    }
  }

  private isSkipped(row: number): boolean {
    return this.skipped.has(row) || (this.only !== undefined && !this.only.has(row))
  }

  coin(row: number): Coin {
    return { utxo: this.store.utxo(row), signatureIndices: this.signatureIndices(row) }
  }

  /** Who signs for a UTXO; those of the same owners share one list. */
  signatureIndices(row: number): readonly number[] {
    return this.standpoint.signatureIndices(this.store.groupOf(row))
  }

  /** The UTXOs of a transaction, in the order of its inputs. */
  coins(rows: Rows): Coin[] {
    const sorted = inputOrder(this.store, rows)
    return this.store
      .utxos(sorted)
      .map((utxo, i) => ({ utxo, signatureIndices: this.signatureIndices(sorted[i]!) }))
  }

  /** What the UTXOs of a transaction bring, per asset. */
  sums(rows: Rows): AssetAmount[] {
    const { store } = this
    const { facts } = store
    const sums = new Map<number, { high: number; low: number }>()
    let last = { high: 0, low: 0 }
    let bucket = -1
    for (let i = 0; i < rows.length; i++) {
      const at = FACTS * rows[i]!
      if (facts[at + FACT.bucket] !== bucket) {
        bucket = facts[at + FACT.bucket]!
        const asset = store.buckets.assetOf(bucket)
        last = sums.get(asset) ?? { high: 0, low: 0 }
        sums.set(asset, last)
      }
      // Halves of 32 bits add up exactly for two million UTXOs, without a BigInt for each.
      last.high += facts[at + FACT.high]!
      last.low += facts[at + FACT.low]!
    }
    return [...sums].map(([number, { high, low }]) => ({
      assetID: store.assetID(number),
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
}
