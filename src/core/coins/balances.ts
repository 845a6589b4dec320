import { compareBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'
import { AvmError } from '../base/errors.ts'
import type { Shortfall } from './errors.ts'
import type { Holdings, OpaqueEntry } from './holdings.ts'
import { type OwnerClass, OwnerView } from './owner-view.ts'
import { WORD, WORDS_PER_ROW } from './store/columns.ts'
import { Totals } from './store/totals.ts'
import type { UTXOStore } from './store/utxo-store.ts'
import type { Viewpoint } from './viewpoint.ts'

/** Balance of one asset. Amounts are sums and may exceed 64 bits. */
export type AssetBalance = Omit<Shortfall, 'needed' | 'didNotFit' | 'available'> & {
  /** Can be spent now. */
  readonly spendable: bigint
  /** Number of UTXOs in `spendable`. */
  readonly spendableUTXOs: number
  /** Number of UTXOs without an amount (mint rights, NFTs, properties), of any owner. */
  readonly otherOutputs: number
}

/** Implements `UTXOSet.balances` from the totals of the buckets, without reading UTXOs. */
export function balancesOf({ store, opaque }: Holdings, view: Viewpoint): AssetBalance[] {
  const sums = new BalanceSums(store, new OwnerView(store.owners, view))
  const opaqueCounts = countOpaque(opaque.values())
  const balances: AssetBalance[] = []
  for (let asset = 0; asset < store.assets.size; asset++) {
    if (store.transferTotals.count(asset) + store.otherTotals.count(asset) === 0) continue
    const assetID = store.assetID(asset)
    const key = opaqueCounts.size === 0 ? '' : hex.encode(assetID)
    balances.push(sums.balance(asset, opaqueCounts.get(key)?.count ?? 0))
    opaqueCounts.delete(key)
  }
  for (const { assetID, count } of opaqueCounts.values())
    balances.push({ ...EMPTY_BALANCE, assetID, opaque: count })
  return balances.sort((a, b) => compareBytes(a.assetID, b.assetID))
}

/** The balance of an asset without UTXOs. */
export const EMPTY_BALANCE: Omit<AssetBalance, 'assetID'> = {
  spendable: 0n,
  spendableUTXOs: 0,
  locked: 0n,
  shortOfSigners: 0n,
  reserved: 0n,
  otherOwners: 0n,
  otherOutputs: 0,
  opaque: 0,
}

/** Index of the sum of each kind. There is none for other owners: their amount is the rest of the total. */
const SUM_INDEX = { spendable: 0, locked: 1, shortOfSigners: 2, reserved: 3 } as const
const SUMS_PER_ASSET = 4

/** Sums by asset and kind. */
class BalanceSums {
  private readonly store: UTXOStore
  private readonly totals: Totals
  /** First and last unlock, in unix seconds, by asset. */
  private readonly unlocks = new Map<number, { next: bigint; last: bigint }>()

  constructor(store: UTXOStore, ownerView: OwnerView) {
    this.store = store
    this.totals = new Totals(SUMS_PER_ASSET * store.assets.size)
    const { buckets } = store
    for (const group of ownerView.groups) {
      const kind = ownerView.classOf(group)
      for (const bucket of buckets.ofGroup(group)) {
        if (kind === 'otherOwners' || buckets.totals.count(bucket) === 0) continue
        const asset = buckets.assetOf(bucket)
        this.totals.addAll(SUMS_PER_ASSET * asset + SUM_INDEX[kind], buckets.totals, bucket)
        if (kind === 'locked') this.addUnlock(asset, group)
      }
    }
    for (const row of store.reserved.keys())
      if (store.isTransfer(row)) this.addReserved(row, ownerView)
  }

  /** Adds a reserved UTXO, which is in no bucket. */
  private addReserved(row: number, ownerView: OwnerView): void {
    const { words } = this.store
    const group = this.store.groupOf(row)
    const asset = this.store.assetOf(row)
    let kind: OwnerClass | 'reserved' = ownerView.classOf(group)
    if (kind === 'otherOwners') return
    if (kind === 'spendable' && this.store.isReserved(row, ownerView.now)) kind = 'reserved'
    const at = WORDS_PER_ROW * row
    this.totals.add(
      SUMS_PER_ASSET * asset + SUM_INDEX[kind],
      words[at + WORD.high]!,
      words[at + WORD.low]!,
    )
    if (kind === 'locked') this.addUnlock(asset, group)
  }

  private addUnlock(asset: number, group: number): void {
    const until = this.store.owners.locktime(group)
    const unlocks = this.unlocks.get(asset)
    if (unlocks === undefined) this.unlocks.set(asset, { next: until, last: until })
    else if (until < unlocks.next) unlocks.next = until
    else if (until > unlocks.last) unlocks.last = until
  }

  balance(asset: number, opaque: number): AssetBalance {
    const { store } = this
    const sum = (kind: number) => this.totals.sum(SUMS_PER_ASSET * asset + kind)
    const [spendable, locked] = [sum(SUM_INDEX.spendable), sum(SUM_INDEX.locked)]
    const [shortOfSigners, reserved] = [sum(SUM_INDEX.shortOfSigners), sum(SUM_INDEX.reserved)]
    const unlocks = this.unlocks.get(asset)
    return {
      assetID: store.assetID(asset),
      spendable,
      spendableUTXOs: this.totals.count(SUMS_PER_ASSET * asset + SUM_INDEX.spendable),
      locked,
      nextUnlock: unlocks?.next,
      lastUnlock: unlocks?.last,
      shortOfSigners,
      reserved,
      otherOwners: store.transferTotals.sum(asset) - spendable - locked - shortOfSigners - reserved,
      opaque,
      otherOutputs: store.otherTotals.count(asset),
    }
  }
}

/** Counts opaque UTXOs by asset ID in hex. */
function countOpaque(utxos: Iterable<OpaqueEntry>) {
  const counts = new Map<string, { readonly assetID: Uint8Array; count: number }>()
  for (const utxo of utxos) {
    const assetID = assetIDOfOpaque(utxo)
    if (assetID === undefined) continue
    const key = hex.encode(assetID)
    const entry = counts.get(key)
    if (entry === undefined) counts.set(key, { assetID, count: 1 })
    else entry.count++
  }
  return counts
}

/**
 * Reads the asset ID of an undecodable UTXO, if possible: it is at bytes 38 to 69 of every UTXO of codec version 0. Hex
 * with a wrong checksum is not read, because any of its bytes may be wrong.
 */
function assetIDOfOpaque({ raw, reason }: OpaqueEntry): Uint8Array | undefined {
  if (reason.code === 'ENC_BAD_CHECKSUM') return undefined
  try {
    const bytes = typeof raw === 'string' ? hex.decode(raw) : raw
    // Hex may end with a checksum of 4 bytes, which must not be read as part of the asset ID of a truncated UTXO.
    return bytes.length >= 74 && bytes[0] === 0 && bytes[1] === 0 ? bytes.slice(38, 70) : undefined
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}
