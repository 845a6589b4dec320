import { readWords, WordTable, wordBytes } from '../../bytes/word-table.ts'
import { credentialSize } from '../../chain/size.ts'
import { decodeUTXO, type UTXO } from '../../chain/utxo.ts'
import { verifyOutput } from '../../chain/verify-fx.ts'
import { Buckets } from './buckets.ts'
import { Columns, FACT, FACTS, ID_WORDS, MARK } from './columns.ts'
import { EMPTY_OWNERS_SIZE, OwnerGroups } from './owner-groups.ts'
import { Totals } from './totals.ts'
import { AT, transferOwners } from './transfer-layout.ts'

/** Bytes that an input with this many signers adds to a signed transaction, credential included. */
export function spendSize(signers: number): number {
  return 84 + 4 * signers + credentialSize(signers)
}

/** At least so many removed UTXOs are remembered. */
const REMEMBERED = 16_384

/**
 * The UTXOs of one source, as columns. A transfer output is its ID, its bucket (asset and owners), its amount in
 * two halves and a link: 52 bytes, a mark and a slot of the table of IDs. Other outputs keep their bytes.
 */
export class UTXOStore extends Columns {
  readonly owners: OwnerGroups = new OwnerGroups()
  readonly assets: WordTable = new WordTable(8)
  /** The transfer outputs that are not reserved. */
  readonly buckets: Buckets = new Buckets(this)
  /** Encoded UTXOs that are not transfer outputs, by row. */
  readonly others: Map<number, Uint8Array> = new Map()
  /** All transfer outputs by asset, reserved ones included. */
  readonly transferTotals: Totals = new Totals()
  /** All other outputs by asset: only their count means something. */
  readonly otherTotals: Totals = new Totals()
  /** Unix seconds until which a row is reserved; undefined: until it is released. */
  readonly reserved: Map<number, bigint | undefined> = new Map()
  /** How many UTXOs there are. */
  count = 0
  /** No reservation ends before this; undefined: none ends by itself. */
  private earliestEnd: bigint | undefined
  /** How many were removed since the last compaction. */
  private removedLately = 0
  private readonly key = new Uint32Array(ID_WORDS)
  /** The single owner taken in last, as words, and its group. */
  private readonly lastOwner = new Uint32Array(9)
  private lastGroup = -1
  /** The same for the asset. */
  private readonly lastAssetID = new Uint32Array(8)
  private lastAsset = -1
  /** The bucket taken in last. */
  private lastBucket = -1
  private lastBucketAsset = -1
  private lastBucketGroup = -1
  private readonly assetIDs: Uint8Array[] = []

  /**
   * Takes in the UTXO that stands in `bytes` from `start` to `end`, unless it is known; throws what the codec
   * or the rules for outputs have against it.
   */
  take(bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    const count = transferOwners(view, start, end)
    if (count < 0) return this.takeOther(bytes, view, start, end)
    const group = this.groupAt(view, start + AT.owners, count)
    const high = view.getUint32(start + AT.amount)
    const low = view.getUint32(start + AT.amount + 4)
    if ((high | low) === 0 || this.owners.invalid.has(group))
      verifyOutput(decodeUTXO(bytes.subarray(start, end)).output, 'output')
    readWords(view, start + AT.txID, this.key, ID_WORDS)
    const row = this.append(this.key)
    if (row < 0) return false
    this.addTransfer(row, this.assetAt(view, start + AT.assetID), group, high, low)
    return true
  }

  private takeOther(bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    const raw = new Uint8Array(bytes.subarray(start, end))
    const { output } = decodeUTXO(raw)
    verifyOutput(output, 'output')
    // Whatever the type, owners come last.
    const at = end - EMPTY_OWNERS_SIZE - 20 * output.addresses.length
    const group = this.owners.intern(view, at, output.addresses.length)
    readWords(view, start + AT.txID, this.key, ID_WORDS)
    const row = this.append(this.key)
    if (row < 0) return false
    this.addOther(row, this.assetAt(view, start + AT.assetID), group, raw)
    return true
  }

  private addTransfer(row: number, asset: number, group: number, high: number, low: number): void {
    const at = FACTS * row
    this.facts[at + FACT.bucket] = this.bucketOf(asset, group)
    this.facts[at + FACT.high] = high
    this.facts[at + FACT.low] = low
    this.count++
    this.transferTotals.add(asset, high, low)
    this.buckets.add(row)
  }

  private addOther(row: number, asset: number, group: number, raw: Uint8Array): void {
    this.facts[FACTS * row + FACT.bucket] = this.bucketOf(asset, group)
    this.marks[row] = MARK.other
    this.others.set(row, raw)
    this.count++
    this.otherTotals.add(asset, 0, 0)
  }

  private bucketOf(asset: number, group: number): number {
    if (asset !== this.lastBucketAsset || group !== this.lastBucketGroup) {
      this.lastBucketAsset = asset
      this.lastBucketGroup = group
      this.lastBucket = this.buckets.intern(asset, group)
      this.transferTotals.reach(asset)
      this.otherTotals.reach(asset)
    }
    return this.lastBucket
  }

  /** UTXOs of one address come in a row, so the owner is often that of the one before. */
  private groupAt(view: DataView, at: number, count: number): number {
    if (count !== 1) return this.owners.intern(view, at, count)
    let i = 0
    while (i < 9 && view.getUint32(at + 4 * i) === this.lastOwner[i]) i++
    if (i < 9 || this.lastGroup < 0) {
      readWords(view, at, this.lastOwner, 9)
      this.lastGroup = this.owners.intern(view, at, count)
    }
    return this.lastGroup
  }

  private assetAt(view: DataView, at: number): number {
    let i = 0
    while (i < 8 && view.getUint32(at + 4 * i) === this.lastAssetID[i]) i++
    if (i < 8 || this.lastAsset < 0) {
      readWords(view, at, this.lastAssetID, 8)
      this.lastAsset = this.assets.intern(this.lastAssetID)
    }
    return this.lastAsset
  }

  /** Forgets a UTXO, but for its ID. */
  remove(row: number): void {
    const bucket = this.facts[FACTS * row + FACT.bucket]!
    const asset = this.buckets.assetOf(bucket)
    if (this.marks[row]! & MARK.other) {
      this.others.delete(row)
      this.otherTotals.subtract(asset, 0, 0)
    } else {
      if (!this.reserved.has(row)) this.buckets.delete(row)
      const [high, low] = [
        this.facts[FACTS * row + FACT.high]!,
        this.facts[FACTS * row + FACT.low]!,
      ]
      this.transferTotals.subtract(asset, high, low)
    }
    this.reserved.delete(row)
    this.marks[row] = (this.marks[row]! & MARK.listed) | MARK.removed
    this.count--
    this.removedLately++
  }

  /** Reserves a UTXO, or changes until when it is. */
  reserve(row: number, until: bigint | undefined): void {
    if (!this.reserved.has(row) && this.isTransfer(row)) this.buckets.delete(row)
    this.marks[row] = this.marks[row]! | MARK.reserved
    this.reserved.set(row, until)
    if (until !== undefined && (this.earliestEnd === undefined || until < this.earliestEnd))
      this.earliestEnd = until
  }

  /** Releases a UTXO, if it is reserved. */
  release(row: number): void {
    if (!this.reserved.delete(row)) return
    this.marks[row] = this.marks[row]! & ~MARK.reserved
    if (this.isTransfer(row)) this.buckets.add(row)
  }

  isReserved(row: number, now: bigint): boolean {
    if ((this.marks[row]! & MARK.reserved) === 0) return false
    const until = this.reserved.get(row)
    return until === undefined || until > now
  }

  /** The transfer outputs whose reservations have ended: they are in no bucket until they are released. */
  expired(now: bigint): number[] {
    const rows: number[] = []
    if (this.earliestEnd === undefined || now < this.earliestEnd) return rows
    this.earliestEnd = undefined
    for (const [row, until] of this.reserved) {
      if (until === undefined) continue
      if (this.earliestEnd === undefined || until < this.earliestEnd) this.earliestEnd = until
      if (until <= now && this.isTransfer(row)) rows.push(row)
    }
    return rows
  }

  /** Whether so much was removed that a copy without it is worth its time. */
  get isSparse(): boolean {
    return this.removedLately >= REMEMBERED && this.removedLately >= this.count / 2
  }

  /**
   * A copy without what was removed, so that memory follows the number of UTXOs. IDs that were removed since the
   * last compaction stay known. This store remains as it is: plans that were made from it go on reading it.
   */
  compacted(): UTXOStore {
    const copy = new UTXOStore()
    const groups = new Int32Array(this.owners.size).fill(-1)
    const assets = new Int32Array(this.assets.size).fill(-1)
    const { ids, marks, facts } = this
    for (let row = 0; row < this.rows; row++) {
      if (marks[row]! & MARK.old) continue
      const to = copy.append(ids.words.subarray(ID_WORDS * row, ID_WORDS * (row + 1)))
      if (marks[row]! & MARK.removed) {
        copy.marks[to] = MARK.removed | MARK.old
        continue
      }
      const bucket = facts[FACTS * row + FACT.bucket]!
      const [group, asset] = [this.buckets.groupOf(bucket), this.buckets.assetOf(bucket)]
      if (groups[group]! < 0) groups[group] = copy.owners.adopt(this.owners, group)
      if (assets[asset]! < 0)
        assets[asset] = copy.assets.intern(this.assets.words.subarray(8 * asset, 8 * (asset + 1)))
      const raw = this.others.get(row)
      if (raw !== undefined) copy.addOther(to, assets[asset]!, groups[group]!, raw)
      else {
        const [high, low] = [facts[FACTS * row + FACT.high]!, facts[FACTS * row + FACT.low]!]
        copy.addTransfer(to, assets[asset]!, groups[group]!, high, low)
      }
      if (this.reserved.has(row)) copy.reserve(to, this.reserved.get(row))
    }
    return copy
  }

  assetOf(row: number): number {
    return this.buckets.assetOf(this.facts[FACTS * row + FACT.bucket]!)
  }

  groupOf(row: number): number {
    return this.buckets.groupOf(this.facts[FACTS * row + FACT.bucket]!)
  }

  /** All transfer outputs, reserved or not. */
  transfers(): number[] {
    const rows: number[] = []
    for (let row = 0; row < this.rows; row++) if (this.isTransfer(row)) rows.push(row)
    return rows
  }

  /** Whether a row is a transfer output that was not removed. */
  isTransfer(row: number): boolean {
    return (this.marks[row]! & (MARK.removed | MARK.other)) === 0
  }

  /** The row of a UTXO in the set, or -1. */
  find(txID: Uint8Array, outputIndex: number): number {
    if (txID.length !== 32) return -1
    readWords(new DataView(txID.buffer, txID.byteOffset, 32), 0, this.key, 8)
    this.key[8] = outputIndex
    const row = this.ids.find(this.key)
    return row < 0 || this.marks[row]! & MARK.removed ? -1 : row
  }

  /** Bytes that spending the UTXO adds to a signed transaction: input and credential. */
  spendSize(row: number): number {
    return spendSize(this.owners.threshold(this.groupOf(row)))
  }

  utxo(row: number): UTXO {
    return this.utxos([row])[0]!
  }

  /** The UTXOs of some rows; their transaction IDs are views of one buffer. */
  utxos(rows: ArrayLike<number>): UTXO[] {
    const txIDs = this.txIDs(rows)
    const utxos = new Array<UTXO>(rows.length)
    for (let i = 0; i < rows.length; i++)
      utxos[i] = this.withTxID(rows[i]!, new Uint8Array(txIDs, 32 * i, 32))
    return utxos
  }

  /** All in one go: the processor then fetches many rows at once, and there is one buffer to allocate. */
  private txIDs(rows: ArrayLike<number>): ArrayBuffer {
    const { words } = this.ids
    const buffer = new ArrayBuffer(32 * rows.length)
    const view = new DataView(buffer)
    for (let i = 0; i < rows.length; i++) {
      const at = ID_WORDS * rows[i]!
      for (let k = 0; k < 8; k++) view.setUint32(32 * i + 4 * k, words[at + k]!)
    }
    return buffer
  }

  private withTxID(row: number, txID: Uint8Array): UTXO {
    if (this.marks[row]! & MARK.other) return decodeUTXO(this.others.get(row)!)
    const { locktime, threshold, addresses } = this.owners.owners(this.groupOf(row))
    // Allocated before the objects that hold it, which are then allocated in one step.
    const amount = this.amount(row)
    // Written out field by field: copying with a spread takes several times as long.
    return {
      txID,
      outputIndex: this.ids.words[ID_WORDS * row + 8]!,
      assetID: this.assetID(this.assetOf(row)),
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount,
        locktime,
        threshold,
        addresses,
      },
    }
  }

  /** The number of an asset, or -1 where the set has never seen it. */
  findAsset(assetID: Uint8Array): number {
    if (assetID.length !== 32) return -1
    readWords(new DataView(assetID.buffer, assetID.byteOffset, 32), 0, this.key, 8)
    return this.assets.find(this.key)
  }

  assetID(asset: number): Uint8Array {
    this.assetIDs[asset] ??= wordBytes(this.assets, asset, 8)
    return this.assetIDs[asset]
  }
}
