import { VerifyError } from '../base/errors.ts'
import { MAX_U64 } from '../base/integers.ts'
import { AssetSums } from '../chain/amounts.ts'
import { MAX_TX_SIZE } from '../chain/x/size.ts'
import type { Candidates } from './candidates.ts'
import type { FundsError } from './errors.ts'
import { exactMatch } from './exact-match.ts'
import type { HoldingsSource } from './holdings.ts'
import type { Consolidation, Selection, SelectOptions, Strategy } from './need.ts'
import { Pool } from './pool.ts'
import { fundsError, type Want } from './shortfall.ts'
import { spendSize } from './store/utxo-store.ts'

/**
 * Selects UTXOs for any number of assets, from options that have been checked. The result does not depend on the order
 * in which the set was filled.
 *
 * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS` or `FUNDS_DO_NOT_FIT` only if no selection suffices within the size
 * limit; `UTXO_NOT_FOUND`, `UTXO_NOT_SPENDABLE` or `UTXO_RESERVED` for a UTXO named in the options
 * @throws VerifyError `AMOUNT_OVERFLOW`
 */
export function selectCoins(set: HoldingsSource, options: SelectOptions): Selection {
  return new Selector(set, options).run()
}

class Selector {
  private readonly options: SelectOptions
  private readonly pool: Pool
  private readonly maxSize: number
  private readonly wants: Want[]
  /** More UTXOs than this never fit, even without signatures. */
  private readonly maxInputs: number

  constructor(set: HoldingsSource, options: SelectOptions) {
    this.options = options
    this.pool = new Pool(set, options)
    this.maxSize = options.maxSize ?? MAX_TX_SIZE
    this.maxInputs = Math.max(1, Math.floor((this.maxSize - options.need.baseSize) / spendSize(0)))
    const needs = new AssetSums(options.need.amounts)
    const pinned = new AssetSums()
    const { store } = this.pool
    for (const row of this.pool.pinned)
      pinned.add(store.assetID(store.assetOf(row)), store.amount(row))
    const assets = new AssetSums([...needs.list(), ...pinned.list()])
    this.wants = assets.list().map(({ assetID }) => ({
      assetID,
      asset: store.findAsset(assetID),
      need: needs.get(assetID),
      pinned: pinned.get(assetID),
      rows: [],
      sum: pinned.get(assetID),
    }))
  }

  run(): Selection {
    const { strategy = 'fewest', consolidate } = this.options
    this.choose(strategy)
    const short = this.wants.filter(({ sum, need }) => sum < need)
    if (short.length > 0 || this.size() > this.maxSize || this.overflows()) {
      if (strategy === 'all')
        throw short.length === 0 && this.overflows() ? overflow() : this.failure()
      this.selectFewestBytes()
      if (strategy === 'exact') for (const want of this.wants) this.dropChange(want)
      if (strategy === 'smallest') this.addSmallest({})
    }
    if (consolidate !== undefined) this.addSmallest(consolidate)
    return this.selection()
  }

  private choose(strategy: Strategy): void {
    switch (strategy) {
      case 'fewest':
        this.chooseInOrder((want) => this.candidates(want).largest())
        break
      case 'smallest':
        this.chooseInOrder((want) => this.candidates(want).smallest())
        break
      case 'given':
        this.chooseInOrder((want) => this.candidates(want).all())
        break
      case 'exact':
        this.chooseExact()
        break
      case 'all':
        for (const want of this.wants) this.chooseAll(want)
        break
    }
  }

  private chooseInOrder(rowsOf: (want: Want) => Iterable<number>): void {
    for (const want of this.wants) if (want.sum < want.need) this.chooseFirst(want, rowsOf(want))
  }

  /** Selects rows in order until the need is met or they no longer fit. */
  private chooseFirst(want: Want, inOrder: Iterable<number>): void {
    const rows: number[] = []
    let sum = want.pinned
    for (const row of inOrder) {
      rows.push(row)
      sum += this.pool.store.amount(row)
      if (sum >= want.need || rows.length > this.maxInputs) break
    }
    this.pick(want, rows)
  }

  private chooseAll(want: Want): void {
    const candidates = this.candidates(want)
    for (const row of candidates.largest()) {
      // One row too many is enough: the size check then fails.
      if (want.rows.push(row) > this.maxInputs) break
    }
    want.sum = want.pinned + candidates.sum
  }

  private chooseExact(): void {
    let room = this.maxSize - this.options.need.baseSize
    for (const want of this.wants) {
      if (want.sum >= want.need) continue
      const rows = this.findExact(want, room)
      if (rows === undefined) this.chooseFirst(want, this.candidates(want).largest())
      else this.pick(want, rows)
      room -= this.bytesOf(want.rows)
    }
  }

  /** Returns UTXOs without change within `bytes`, if a bounded search finds them. */
  private findExact(want: Want, bytes: number): number[] | undefined {
    return exactMatch(this.pool.store, this.candidates(want), want.need - want.pinned, bytes)
  }

  /**
   * Last resort: selects the fewest bytes for every asset and, if that is still too large, avoids change where
   * possible. Throws if that does not suffice.
   */
  private selectFewestBytes(): void {
    const room = this.maxSize - this.options.need.baseSize - this.bytesOf(this.pool.pinned)
    for (const want of this.wants) {
      this.pick(want, [])
      if (want.need <= want.pinned) continue
      const frontier = this.candidates(want).frontier(room)
      this.pick(want, frontier.reach(want.need - want.pinned) ?? [])
      if (want.sum > MAX_U64) this.avoidOverflow(want, room)
    }
    for (const want of this.wants) {
      if (this.size() <= this.maxSize) break
      if (want.sum > want.need && want.need > want.pinned) this.avoidChange(want)
    }
    if (this.wants.some(({ sum, need }) => sum < need) || this.size() > this.maxSize)
      throw this.failure()
    if (this.overflows()) throw overflow()
  }

  /** Selects UTXOs without change that need the fewest bytes, if they fit. */
  private dropChange(want: Want): void {
    if (want.sum === want.need || want.need <= want.pinned) return
    let room = this.maxSize - this.size() + this.bytesOf(want.rows) + this.changeSize
    for (;;) {
      const rows = this.findExact(want, room)
      if (rows === undefined) return
      this.pick(want, rows)
      room = this.bytesOf(rows) - 1
    }
  }

  /** Selects UTXOs without change if they need fewer bytes than the current ones with their change. */
  private avoidChange(want: Want): void {
    let bytes = this.bytesOf(want.rows) + this.changeSize
    for (;;) {
      const rows = this.findExact(want, bytes - 1)
      if (rows === undefined) return
      this.pick(want, rows)
      bytes = this.bytesOf(rows)
    }
  }

  /** The chain rejects sums above 64 bits. Selects UTXOs that cover the need without exceeding them. */
  private avoidOverflow(want: Want, room: number): void {
    const { store } = this.pool
    const candidates = this.candidates(want)
    const amount = want.need - want.pinned
    const slack = MAX_U64 - want.need
    const found =
      exactMatch(store, candidates, amount, room - this.changeSize, slack) ??
      exactMatch(store, candidates, amount, room)
    if (found === undefined) throw overflow()
    this.pick(want, found)
  }

  private overflows(): boolean {
    return this.wants.some(({ sum }) => sum > MAX_U64)
  }

  /** Adds the smallest UTXOs of the assets that are spent anyway, within the limits. */
  private addSmallest({
    maxInputs = Number.POSITIVE_INFINITY,
    maxSize = this.maxSize,
  }: Consolidation): void {
    const { store } = this.pool
    const limit = Math.min(maxSize, this.maxSize)
    let inputs = this.wants.reduce((sum, { rows }) => sum + rows.length, this.pool.pinned.length)
    for (const want of this.wants) {
      if (want.rows.length === 0 && want.pinned === 0n) continue
      const selected = new Set(want.rows)
      let size = this.size()
      for (const row of this.candidates(want).smallest()) {
        if (inputs >= maxInputs) return
        if (selected.has(row)) continue
        const change = want.sum > want.need ? 0 : this.changeSize
        size += store.spendSize(row) + change
        if (size > limit || want.sum + store.amount(row) > MAX_U64) break
        want.rows.push(row)
        want.sum += store.amount(row)
        inputs++
      }
    }
  }

  private candidates(want: Want): Candidates {
    const { pool, options } = this
    if (options.strategy !== 'given' || want.asset < 0) return pool.candidates(want.asset)
    const { order = [] } = options
    const rows = new Set(order.map((id) => pool.findTransfer(id)))
    return pool.among([...rows].filter((row) => pool.store.assetOf(row) === want.asset))
  }

  private pick(want: Want, rows: number[]): void {
    want.rows = rows
    want.sum = want.pinned + this.pool.sum(rows)
  }

  private get changeSize(): number {
    return this.options.need.changeSize
  }

  private bytesOf(rows: readonly number[]): number {
    return rows.reduce((sum, row) => sum + this.pool.store.spendSize(row), 0)
  }

  private size(): number {
    let size = this.options.need.baseSize + this.bytesOf(this.pool.pinned)
    for (const { rows, sum, need } of this.wants)
      size += this.bytesOf(rows) + (sum > need ? this.changeSize : 0)
    return size
  }

  private selection(): Selection {
    const { pool, wants } = this
    const rows = [...pool.pinned, ...wants.flatMap((want) => want.rows)]
    return {
      coins: pool.coins(rows),
      owners: this.options.owners,
      change: wants
        .filter(({ sum, need }) => sum > need)
        .map(({ assetID, sum, need }) => ({ assetID, amount: sum - need })),
      size: this.size(),
    }
  }

  private failure(): FundsError {
    const { maxSize } = this
    const { baseSize } = this.options.need
    return fundsError(this.pool, this.wants, (want) => this.candidates(want), {
      bytes: maxSize - baseSize - this.bytesOf(this.pool.pinned),
      maxSize,
      baseSize,
    })
  }
}

function overflow(): VerifyError {
  return new VerifyError('AMOUNT_OVERFLOW', 'sum exceeds 2^64 - 1', 'inputs')
}
