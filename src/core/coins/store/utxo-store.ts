import { readWords, WordTable, wordBytes } from '../../base/bytes/word-table.ts'
import { ID_SIZE, requireIndex, type UTXOID } from '../../base/encoding/ids.ts'
import { requireBytes } from '../../base/require.ts'
import { credentialSize } from '../../chain/x/size.ts'
import { decodeUTXO, type UTXO } from '../../chain/x/utxo.ts'
import { verifyOutput } from '../../chain/x/verify/verify-fx.ts'
import { Buckets } from './buckets.ts'
import { Columns, ID_WORDS, MARK, WORD, WORDS_PER_ROW } from './columns.ts'
import { EMPTY_OWNERS_SIZE, OwnerGroups } from './owner-groups.ts'
import { Totals } from './totals.ts'
import { AT, transferOwnerCount } from './transfer-layout.ts'

/** Number of bytes that an input with this many signers adds to a signed transaction, including its credential. */
export function spendSize(signers: number): number {
  return 84 + 4 * signers + credentialSize(signers)
}

/** Number of removed UTXOs that are always remembered. */
const MIN_REMEMBERED = 16_384

/**
 * The UTXOs of one source, in columns. A transfer output is its ID, its bucket (asset and owners), its amount in two
 * halves and a link: 52 bytes, plus a flag byte and a slot in the table of IDs. Other outputs keep their encoded
 * bytes.
 */
export class UTXOStore extends Columns {
  readonly owners: OwnerGroups = new OwnerGroups()
  readonly assets: WordTable = new WordTable(8)
  /** Transfer outputs that are not reserved. */
  readonly buckets: Buckets = new Buckets(this)
  /** Encoded UTXOs that are not transfer outputs, by row. */
  readonly others: Map<number, Uint8Array> = new Map()
  /** Totals of all transfer outputs by asset, including reserved ones. */
  readonly transferTotals: Totals = new Totals()
  /** Totals of all other outputs by asset; only the count is meaningful. */
  readonly otherTotals: Totals = new Totals()
  /** The end of the reservation of each reserved row, in unix seconds; undefined if it lasts until released. */
  readonly reserved: Map<number, bigint | undefined> = new Map()
  /** Number of UTXOs. */
  count = 0
  /** No reservation ends before this time; undefined if none has an end. */
  private earliestEnd: bigint | undefined
  /** Number of removals since the last compaction. */
  private removedLately = 0
  private readonly key = new Uint32Array(ID_WORDS)
  /** The owners of the last output with one address, as encoded words, and their group. */
  private readonly lastOwner = new Uint32Array(9)
  private lastGroup = -1
  /** The last asset added. */
  private readonly lastAssetID = new Uint32Array(8)
  private lastAsset = -1
  /** The last bucket used. */
  private lastBucket = -1
  private lastBucketAsset = -1
  private lastBucketGroup = -1
  private readonly assetIDs: Uint8Array[] = []

  /**
   * Adds the UTXO encoded in `bytes` from `start` to `end`. Returns false if it is already in the store or was removed.
   *
   * @throws CodecError, or VerifyError if the output violates a rule of the chain
   */
  add(bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    const count = transferOwnerCount(view, start, end)
    if (count < 0) return this.addEncodedOther(bytes, view, start, end)
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

  private addEncodedOther(bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    const raw = new Uint8Array(bytes.subarray(start, end))
    const { output } = decodeUTXO(raw)
    verifyOutput(output, 'output')
    // Owners come last in every output type.
    const at = end - EMPTY_OWNERS_SIZE - 20 * output.addresses.length
    const group = this.owners.intern(view, at, output.addresses.length)
    readWords(view, start + AT.txID, this.key, ID_WORDS)
    const row = this.append(this.key)
    if (row < 0) return false
    this.addOther(row, this.assetAt(view, start + AT.assetID), group, raw)
    return true
  }

  private addTransfer(row: number, asset: number, group: number, high: number, low: number): void {
    const at = WORDS_PER_ROW * row
    this.words[at + WORD.bucket] = this.bucketOf(asset, group)
    this.words[at + WORD.high] = high
    this.words[at + WORD.low] = low
    this.count++
    this.transferTotals.add(asset, high, low)
    this.buckets.add(row)
  }

  private addOther(row: number, asset: number, group: number, raw: Uint8Array): void {
    this.words[WORDS_PER_ROW * row + WORD.bucket] = this.bucketOf(asset, group)
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
      this.transferTotals.ensure(asset)
      this.otherTotals.ensure(asset)
    }
    return this.lastBucket
  }

  /** Consecutive UTXOs often have the same owner, so the last one is cached. */
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

  /** Removes a UTXO, but keeps its ID so that it is not added again. Has no effect if it was removed before. */
  remove(row: number): void {
    if (this.marks[row]! & MARK.removed) return
    const bucket = this.words[WORDS_PER_ROW * row + WORD.bucket]!
    const asset = this.buckets.assetOf(bucket)
    if (this.marks[row]! & MARK.other) {
      this.others.delete(row)
      this.otherTotals.subtract(asset, 0, 0)
    } else {
      if (!this.reserved.has(row)) this.buckets.delete(row)
      const [high, low] = [
        this.words[WORDS_PER_ROW * row + WORD.high]!,
        this.words[WORDS_PER_ROW * row + WORD.low]!,
      ]
      this.transferTotals.subtract(asset, high, low)
    }
    this.reserved.delete(row)
    this.marks[row] = (this.marks[row]! & MARK.listed) | MARK.removed
    this.count--
    this.removedLately++
  }

  /** Reserves a UTXO, or changes the end of its reservation. */
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

  /** Returns the transfer outputs whose reservations have ended. They are in no bucket until released. */
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

  /** Whether so many rows were removed that a compacted copy is worthwhile. */
  get isSparse(): boolean {
    return this.removedLately >= MIN_REMEMBERED && this.removedLately >= this.count / 2
  }

  /**
   * Returns a copy without removed rows, so that memory use follows the number of UTXOs. IDs removed since the last
   * compaction are kept. This store is not changed, because existing plans still read it.
   */
  compacted(): UTXOStore {
    const copy = new UTXOStore()
    const groups = new Int32Array(this.owners.size).fill(-1)
    const assets = new Int32Array(this.assets.size).fill(-1)
    const { ids, marks, words } = this
    for (let row = 0; row < this.rows; row++) {
      if (marks[row]! & MARK.old) continue
      const to = copy.append(ids.words.subarray(ID_WORDS * row, ID_WORDS * (row + 1)))
      if (marks[row]! & MARK.removed) {
        copy.marks[to] = MARK.removed | MARK.old
        continue
      }
      const bucket = words[WORDS_PER_ROW * row + WORD.bucket]!
      const [group, asset] = [this.buckets.groupOf(bucket), this.buckets.assetOf(bucket)]
      if (groups[group]! < 0) groups[group] = copy.owners.adopt(this.owners, group)
      if (assets[asset]! < 0)
        assets[asset] = copy.assets.intern(this.assets.words.subarray(8 * asset, 8 * (asset + 1)))
      const raw = this.others.get(row)
      if (raw !== undefined) copy.addOther(to, assets[asset]!, groups[group]!, raw)
      else {
        const [high, low] = [
          words[WORDS_PER_ROW * row + WORD.high]!,
          words[WORDS_PER_ROW * row + WORD.low]!,
        ]
        copy.addTransfer(to, assets[asset]!, groups[group]!, high, low)
      }
      if (this.reserved.has(row)) copy.reserve(to, this.reserved.get(row))
    }
    return copy
  }

  assetOf(row: number): number {
    return this.buckets.assetOf(this.words[WORDS_PER_ROW * row + WORD.bucket]!)
  }

  groupOf(row: number): number {
    return this.buckets.groupOf(this.words[WORDS_PER_ROW * row + WORD.bucket]!)
  }

  /** Returns all transfer outputs, reserved or not. */
  transfers(): number[] {
    const rows: number[] = []
    for (let row = 0; row < this.rows; row++) if (this.isTransfer(row)) rows.push(row)
    return rows
  }

  /** Whether a row is a transfer output that has not been removed. */
  isTransfer(row: number): boolean {
    return (this.marks[row]! & (MARK.removed | MARK.other)) === 0
  }

  /** Returns the row of a UTXO, or -1. */
  find(id: UTXOID): number {
    const txID = requireBytes(id?.txID, 'txID', ID_SIZE)
    readWords(new DataView(txID.buffer, txID.byteOffset, 32), 0, this.key, 8)
    // Without the check, the typed array would store undefined as 0.
    this.key[8] = requireIndex(id.outputIndex)
    const row = this.ids.find(this.key)
    return row < 0 || this.marks[row]! & MARK.removed ? -1 : row
  }

  /** Size that spending the UTXO adds to a signed transaction: input and credential. */
  spendSize(row: number): number {
    return spendSize(this.owners.threshold(this.groupOf(row)))
  }

  utxo(row: number): UTXO {
    return this.utxos([row])[0]!
  }

  /** Returns the UTXOs of some rows. Their transaction IDs are views of one buffer. */
  utxos(rows: ArrayLike<number>): UTXO[] {
    const txIDs = this.txIDs(rows)
    const utxos = new Array<UTXO>(rows.length)
    for (let i = 0; i < rows.length; i++)
      utxos[i] = this.withTxID(rows[i]!, new Uint8Array(txIDs, 32 * i, 32))
    return utxos
  }

  /** Copies all IDs at once: better for memory latency, and only one buffer is allocated. */
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
    // Allocated before the objects that contain it, so that these are allocated in one step.
    const amount = this.amount(row)
    // Written out field by field: a spread takes several times as long.
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

  /** Returns the number of an asset, or -1 if it is unknown. */
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
