import { type Members, optional } from '../base/argument.ts'
import { formatUTXOID, type UTXOID, utxoIDs } from '../base/encoding/ids.ts'
import type { AssetAmount } from '../chain/amounts.ts'
import type { UTXO } from '../chain/x/utxo.ts'
import { Candidates } from './candidates.ts'
import { FundsError, notSpendable } from './errors.ts'
import { type Holdings, type HoldingsSource, type Source, sourceMembers } from './holdings.ts'
import { OwnerView } from './owner-view.ts'
import { WORD, WORDS_PER_ROW } from './store/columns.ts'
import { inputOrder, type Rows } from './store/sort-rows.ts'
import type { UTXOStore } from './store/utxo-store.ts'
import { type Viewpoint, viewpointMembers } from './viewpoint.ts'

/** A spendable UTXO and its signers. */
export type Coin = {
  readonly utxo: UTXO
  /** Positions of the signers in the output's addresses, ascending; their number equals the threshold. */
  readonly signatureIndices: readonly number[]
}

/** Which UTXOs may be selected. */
export type PoolOptions = Viewpoint &
  Source & {
    /**
     * UTXOs that are spent in any case.
     *
     * @defaultValue none
     */
    readonly pinned?: readonly UTXOID[] | undefined
    /**
     * UTXOs that are not spent.
     *
     * @defaultValue none
     */
    readonly excluded?: readonly UTXOID[] | undefined
    /**
     * The only UTXOs that may be spent.
     *
     * @defaultValue all
     */
    readonly only?: readonly UTXOID[] | undefined
  }

/** Members of `PoolOptions`, for descriptions of options that include it. */
export const poolMembers: Members<PoolOptions> = {
  ...viewpointMembers,
  ...sourceMembers,
  pinned: optional(utxoIDs),
  excluded: optional(utxoIDs),
  only: optional(utxoIDs),
}

/** The UTXOs of one source that given owners can spend at a given time. All strategies start from it. */
export class Pool {
  readonly holdings: Holdings
  readonly store: UTXOStore
  readonly ownerView: OwnerView
  readonly options: PoolOptions
  /** Rows that are spent in any case, in the order of the option. */
  readonly pinned: readonly number[]
  /** Rows that are not selected: excluded or pinned. */
  private readonly skipped: Set<number>
  private readonly only: Set<number> | undefined
  private spendableGroups: readonly number[] | undefined
  private readonly candidatesOf = new Map<number, Candidates>()

  constructor(set: HoldingsSource, options: PoolOptions) {
    this.holdings = set.holdings(options)
    this.store = this.holdings.store
    this.ownerView = new OwnerView(this.store.owners, options)
    this.options = options
    this.skipped = new Set(options.excluded?.map((id) => this.store.find(id)))
    this.only = options.only && new Set(options.only.map((id) => this.findSpendable(id)))
    this.pinned = [...new Set(options.pinned?.map((id) => this.findTransfer(id)))]
    for (const row of this.pinned) this.skipped.add(row)
  }

  /** Returns the selectable UTXOs of an asset (by its number), without pinned ones. */
  candidates(asset: number): Candidates {
    let candidates = this.candidatesOf.get(asset)
    if (candidates === undefined) {
      candidates = this.findCandidates(asset)
      this.candidatesOf.set(asset, candidates)
    }
    return candidates
  }

  private findCandidates(asset: number): Candidates {
    const { store, ownerView, skipped } = this
    const isWanted = (row: number) =>
      row >= 0 && store.isTransfer(row) && store.assetOf(row) === asset
    if (this.only !== undefined) return this.among([...this.only].filter(isWanted))
    const isSpendable = (row: number) => ownerView.classOf(store.groupOf(row)) === 'spendable'
    const isUsable = (row: number) => isWanted(row) && isSpendable(row)
    const expired = store.expired(ownerView.now).filter(isUsable)
    this.spendableGroups ??= ownerView.groups.filter(
      (group) => ownerView.classOf(group) === 'spendable',
    )
    const buckets: number[] = []
    for (const group of this.spendableGroups) {
      const bucket = store.buckets.find(asset, group)
      if (bucket >= 0 && store.buckets.totals.count(bucket) > 0) buckets.push(bucket)
    }
    const rows = expired.filter((row) => !skipped.has(row))
    // Reserved rows are in no bucket, even if their reservation has ended.
    const skippedInBuckets = [...skipped].filter((row) => isUsable(row) && !store.reserved.has(row))
    return new Candidates(store, rows, buckets, new Set(skippedInBuckets))
  }

  /** Returns those of `rows` that may be selected. */
  among(rows: readonly number[]): Candidates {
    return new Candidates(
      this.store,
      rows.filter((row) => !this.isSkipped(row)),
    )
  }

  /** Returns the mint rights, NFTs and properties that can be operated on, in input order. */
  operable(): number[] {
    const { store, ownerView } = this
    return [...store.others.keys()]
      .filter((row) => ownerView.classOf(store.groupOf(row)) === 'spendable')
      .filter((row) => !store.isReserved(row, ownerView.now) && !this.isSkipped(row))
      .sort((a, b) => store.compareIDs(a, b))
  }

  /**
   * Finds a spendable transfer output by ID.
   *
   * @throws FundsError `UTXO_NOT_FOUND`, `UTXO_NOT_SPENDABLE`, `UTXO_RESERVED`
   */
  findTransfer(id: UTXOID): number {
    const row = this.findSpendable(id)
    if (!this.store.isTransfer(row)) throw notSpendable(id, 'is not a transfer output')
    return row
  }

  /**
   * Finds a spendable UTXO of any type by ID.
   *
   * @throws FundsError `UTXO_NOT_FOUND`, `UTXO_NOT_SPENDABLE`, `UTXO_RESERVED`
   */
  findSpendable(id: UTXOID): number {
    const { store, ownerView } = this
    const row = store.find(id)
    const name = formatUTXOID(id)
    if (row < 0) throw new FundsError('UTXO_NOT_FOUND', `UTXO ${name} is not in the set`)
    const group = store.groupOf(row)
    switch (ownerView.classOf(group)) {
      case 'locked':
        throw notSpendable(id, `is locked until ${store.owners.locktime(group)}`)
      case 'shortOfSigners':
        throw notSpendable(id, 'also needs signatures of other owners')
      case 'otherOwners':
        throw notSpendable(id, 'belongs to other owners')
      case 'spendable':
        if (store.isReserved(row, ownerView.now))
          throw new FundsError('UTXO_RESERVED', `UTXO ${name} is reserved`)
        return row
    }
  }

  private isSkipped(row: number): boolean {
    return this.skipped.has(row) || (this.only !== undefined && !this.only.has(row))
  }

  /** Returns the UTXO of a row with its signers. */
  coin(row: number): Coin {
    return { utxo: this.store.utxo(row), signatureIndices: this.signatureIndices(row) }
  }

  /** Returns the signers of a UTXO; UTXOs with the same owners share one list. */
  signatureIndices(row: number): readonly number[] {
    return this.ownerView.signatureIndices(this.store.groupOf(row))
  }

  /** Returns the UTXOs of a transaction in input order. */
  coins(rows: Rows): Coin[] {
    const sorted = inputOrder(this.store, rows)
    return this.store
      .utxos(sorted)
      .map((utxo, i) => ({ utxo, signatureIndices: this.signatureIndices(sorted[i]!) }))
  }

  /** Returns the amounts of the UTXOs of a transaction, per asset. */
  sums(rows: Rows): AssetAmount[] {
    const { store } = this
    const { words } = store
    const sums = new Map<number, { high: number; low: number }>()
    let last = { high: 0, low: 0 }
    let bucket = -1
    for (let i = 0; i < rows.length; i++) {
      const at = WORDS_PER_ROW * rows[i]!
      if (words[at + WORD.bucket] !== bucket) {
        bucket = words[at + WORD.bucket]!
        const asset = store.buckets.assetOf(bucket)
        last = sums.get(asset) ?? { high: 0, low: 0 }
        sums.set(asset, last)
      }
      // Sums of 32-bit halves are exact for two million UTXOs and avoid a BigInt for each.
      last.high += words[at + WORD.high]!
      last.low += words[at + WORD.low]!
    }
    return [...sums].map(([number, { high, low }]) => ({
      assetID: store.assetID(number),
      amount: (BigInt(high) << 32n) + BigInt(low),
    }))
  }

  /** Returns the sum of the amounts. */
  sum(rows: Iterable<number>): bigint {
    let sum = 0n
    for (const row of rows) sum += this.store.amount(row)
    return sum
  }
}
