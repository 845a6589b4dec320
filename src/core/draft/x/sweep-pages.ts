import { argument, type Check, integerFrom, object, optional } from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { type UTXOID, utxoIDs } from '../../base/encoding/ids.ts'
import { Pool } from '../../coins/pool.ts'
import { sortRows } from '../../coins/store/sort-rows.ts'
import { spendSize, type UTXOStore } from '../../coins/store/utxo-store.ts'
import { pageSource } from '../../coins/stream.ts'
import { type Page, UTXOSet } from '../../coins/utxo-set.ts'
import { type Viewpoint, viewpointMembers } from '../../coins/viewpoint.ts'
import { toID } from '../arguments.ts'
import type { Draft } from '../draft.ts'
import { type LeftBehind, sumLeft } from '../plan.ts'
import { type PackedSweep, type Sweep, type SweepRules, sweepBy } from './pack-sweep.ts'
import { countedRows, leftBehind, unspendable } from './plan.ts'
import { sweepMembers } from './sweep.ts'

/** Options of `sweepPages`. */
export type SweepPagesOptions = SweepRules &
  Viewpoint & {
    /**
     * UTXOs that are not spent.
     *
     * @defaultValue none
     */
    readonly excluded?: readonly UTXOID[] | undefined
    /**
     * Number of AVAX UTXOs, the largest, that are held back until the last page: each can pay the fee of a transaction
     * for other assets on later pages.
     *
     * @defaultValue 256; 0 if only AVAX is swept
     */
    readonly feePayers?: number | undefined
  }

const sweepPagesOptions: Check<SweepPagesOptions> = object<SweepPagesOptions>({
  ...sweepMembers,
  ...viewpointMembers,
  excluded: optional(utxoIDs),
  feePayers: optional(integerFrom(0)),
})

const DEFAULT_FEE_PAYERS = 256
/** What is held is packed again when it has grown by this factor, so that UTXOs that wait are not packed per page. */
const GROWTH = 1.25

/** A sweep of pages. */
export type PagedSweep = {
  /** Reads the pages, and returns each draft as soon as its transaction is full. Can be iterated over once. */
  readonly drafts: AsyncGenerator<Draft, void, undefined>
  /** Returns what the drafts do not include; complete after the last of them. */
  readonly leftBehind: () => readonly LeftBehind[]
}

/**
 * Sends everything on pages of UTXOs to one recipient, like `planSweep`, with memory that does not grow with their
 * number: it holds what does not fill a transaction yet, `feePayers` of AVAX, and UTXOs of other assets until AVAX is
 * found that pays their fees. The transactions are independent: they can be signed and issued in any order. There may be
 * some more of them than in a plan of all pages.
 *
 * A UTXO may be on several pages, as long as fewer than 16,384 were drafted in between; `client.utxoPages` returns each
 * once. If the recipient is one of the owners, later pages may contain what has been swept already.
 *
 * @throws BuildError `TX_TOO_LARGE` if `maxSize` is too small for any transaction
 * @throws BuildError, ArgumentError, VerifyError
 *
 * @example
 * const pages = client.utxoPages({ addresses: keys.addresses })
 * const sweep = sweepPages(pages, { context, owners: keys.addresses, now, to: 'X-fuji1…' })
 * for await (const draft of sweep.drafts) {
 *   const signed = signDraft(draft, keys, { accept: ['UNUSED_KEY'] })
 *   await client.issueTx(requireSigned(signed).bytes)
 * }
 * console.log(sweep.leftBehind())
 */
export function sweepPages(
  pages: AsyncIterable<Page> | Iterable<Page>,
  options: SweepPagesOptions,
): PagedSweep {
  const sweeper = new PageSweeper(argument('sweepPages', options, sweepPagesOptions))
  const source = argument('sweepPages', pages, pageSource, 'pages')
  return { drafts: sweeper.drafts(source), leftBehind: () => sweeper.left }
}

/** Holds what no draft spends yet. */
class PageSweeper {
  /** What was left behind so far. */
  left: readonly LeftBehind[] = []
  private readonly held = new UTXOSet()
  private readonly options: SweepPagesOptions
  private readonly sweep: Sweep
  /** Sweeps only AVAX. */
  private readonly avaxSweep: Sweep
  private readonly feePayers: number
  /** Number of UTXOs held after the last packing. */
  private packedSize = 0

  constructor(options: SweepPagesOptions) {
    const { assets } = options
    this.options = options
    this.sweep = sweepBy('sweepPages', options)
    this.avaxSweep = sweepBy('sweepPages', { ...options, assets: [options.context.assetID] })
    const paysForOthers = assets === undefined || !assets.every((id) => this.isAVAX(toID(id)))
    this.feePayers = options.feePayers ?? (paysForOthers ? DEFAULT_FEE_PAYERS : 0)
  }

  async *drafts(
    pages: AsyncIterable<Page> | Iterable<Page>,
  ): AsyncGenerator<Draft, void, undefined> {
    const { held, sweep } = this
    for await (const page of pages) {
      held.add(page)
      this.dropUnspendable()
      if (held.size() < GROWTH * this.packedSize) continue
      yield* this.fullOfOthers()
      yield* this.fullOfAVAX()
      this.packedSize = held.size()
    }
    const rest = sweep.pack(held, this.spendable())
    // First, because it compares with what is held.
    this.leave(leftBehind(rest.pool, rest.packing, () => [], sweep.isWanted))
    yield* this.draftsOf(rest, rest.packing.transactions.length)
  }

  /** The full transactions with other assets: all but the last, to which later pages may add. */
  private *fullOfOthers(): Generator<Draft, void, undefined> {
    const { store } = this.held.holdings({})
    const avax = this.avaxOf(store)
    if (avax >= 0 && store.transferTotals.count(avax) === store.count) return
    const packed = this.sweep.pack(this.held, this.spendable())
    const { packing } = packed
    // Packing ends with transactions that contain only AVAX, which may have to pay fees later.
    const hasOthers = ({ rows }: (typeof packing.transactions)[number]) =>
      Array.from(rows).some((row) => store.assetOf(row) !== avax)
    yield* this.draftsOf(packed, packing.transactions.filter(hasOthers).length - 1)
  }

  /** The full transactions with AVAX that does not have to pay fees later. */
  private *fullOfAVAX(): Generator<Draft, void, undefined> {
    const { held, sweep, feePayers, options } = this
    const spendable = this.spendable()
    const all = new Pool(held, spendable)
    const rows = sortRows(all.store, all.candidates(this.avaxOf(all.store)).all(), 'largest')
    if (!sweep.isWanted(options.context.assetID)) {
      held.remove(all.store.utxos(rows.subarray(feePayers)))
      return
    }
    const payers = all.store.utxos(rows.subarray(0, feePayers))
    const excluded = [...(spendable.excluded ?? []), ...payers]
    const packed = this.avaxSweep.pack(held, { ...spendable, excluded })
    yield* this.draftsOf(packed, packed.packing.transactions.length - 1)
    this.dropDust(packed)
  }

  private *draftsOf({ draft }: PackedSweep, count: number): Generator<Draft, void, undefined> {
    const spent: UTXOID[] = []
    for (let i = 0; i < count; i++) {
      const made = draft(i)
      spent.push(...made.utxos)
      yield made
    }
    this.held.remove(spent)
  }

  /** Drops what does not pay for itself, except for the largest, which may fill the last transaction. */
  private dropDust({ pool, packing }: PackedSweep): void {
    const { max, base, output } = this.sweep.room
    const { dustThreshold = 0n } = this.options
    const { store } = pool
    const rows = sortRows(store, Uint32Array.from(packing.dust), 'largest')
    const below = rows.findIndex((row) => store.amount(row) < dustThreshold)
    const kept = Math.floor((max - base - output) / spendSize(1))
    const dropped = rows.subarray(below < 0 ? kept : Math.min(kept, below))
    this.leave(countedRows(pool, 'dust', dropped))
    this.held.remove(store.utxos(dropped))
  }

  /** Drops what no transaction can spend, or what is not swept and pays no fee. */
  private dropUnspendable(): void {
    const { held, sweep } = this
    const { store, ownerView, holdings } = new Pool(held, this.viewpoint())
    const isUseful = (row: number) => {
      const assetID = store.assetID(store.assetOf(row))
      const isSpendable = ownerView.classOf(store.groupOf(row)) === 'spendable'
      return isSpendable && (sweep.isWanted(assetID) || this.isAVAX(assetID))
    }
    const rows = [...store.transfers().filter((row) => !isUseful(row)), ...store.others.keys()]
    if (rows.length + holdings.opaque.size === 0) return
    this.leave(unspendable(held.balances(this.viewpoint()), sweep.isWanted))
    held.remove(store.utxos(rows))
    holdings.opaque.clear()
  }

  private leave(list: readonly LeftBehind[]): void {
    this.left = sumLeft([...this.left, ...list])
  }

  private viewpoint(): Viewpoint {
    const { owners, now } = this.options
    return { owners, now }
  }

  private spendable(): Viewpoint & Pick<SweepPagesOptions, 'excluded'> {
    return { ...this.viewpoint(), excluded: this.options.excluded }
  }

  private isAVAX(assetID: Uint8Array): boolean {
    return equalBytes(assetID, this.options.context.assetID)
  }

  /** The number of AVAX in a set; -1 if it has none. */
  private avaxOf(store: UTXOStore): number {
    return store.findAsset(this.options.context.assetID)
  }
}
