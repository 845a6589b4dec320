import { grown, readWords, WordTable, wordBytes } from '../bytes/word-table.ts'
import { credentialSize } from '../chain/size.ts'
import type { UTXOID } from '../chain/transferables.ts'
import { decodeUTXO, type UTXO } from '../chain/utxo.ts'
import { verifyOutput } from '../chain/verify-fx.ts'
import { MAX_SIZE } from '../codec/codec.ts'
import { EMPTY_OWNERS_SIZE, type OwnerGroups } from './owner-groups.ts'

/** Marks on a coin; 0 for one that can be picked if its owners allow it. */
export const MARK = {
  /** Spent, as far as we know. */
  gone: 1,
  /** Perhaps reserved: the set knows until when. */
  reserved: 2,
  /** Not a secp256k1fx TransferOutput: cannot be an input. */
  other: 4,
} as const

/** What the words of a row's facts are: numbers of its asset and its owners, and the halves of its amount. */
export const FACT = { asset: 0, group: 1, high: 2, low: 3 } as const

// Where the fields of an encoded UTXO stand (version first).
const AT = { txID: 2, assetID: 38, type: 70, amount: 74, owners: 82 } as const
const TRANSFER_OUTPUT = 7

/** Bytes that an input with this many signers adds to a signed transaction, credential included. */
export function spendSize(signers: number): number {
  return 84 + 4 * signers + credentialSize(signers)
}

/**
 * The UTXOs of one source, as columns. A transfer output is its ID, the numbers of its asset and its owners,
 * and its amount in two halves: 52 bytes and two slots of the index. Other outputs keep their bytes.
 */
export class CoinStore {
  readonly owners: OwnerGroups
  readonly assets: WordTable
  /** Transaction ID and output index. */
  readonly ids: WordTable = new WordTable(9)
  marks: Uint8Array = new Uint8Array(256)
  /** Four words a row, side by side because a coin's are used together: see `FACT`. */
  facts: Uint32Array = new Uint32Array(4 * 256)
  /** Encoded UTXOs that are not transfer outputs, by row. */
  readonly others: Map<number, Uint8Array> = new Map()
  private readonly key = new Uint32Array(9)
  /** The single owner taken in last, as words, and its group. */
  private readonly lastOwner = new Uint32Array(9)
  private lastGroup = -1
  /** The same for the asset. */
  private readonly lastAssetID = new Uint32Array(8)
  private lastAsset = -1
  private readonly scratch = new DataView(new ArrayBuffer(8))
  private readonly assetIDs: Uint8Array[] = []

  constructor(owners: OwnerGroups, assets: WordTable) {
    this.owners = owners
    this.assets = assets
  }

  get size(): number {
    return this.ids.size
  }

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
    const row = this.row(view, start)
    if (row < 0) return false
    this.facts[4 * row + FACT.group] = group
    this.facts[4 * row + FACT.high] = high
    this.facts[4 * row + FACT.low] = low
    return true
  }

  private takeOther(bytes: Uint8Array, view: DataView, start: number, end: number): boolean {
    const raw = new Uint8Array(bytes.subarray(start, end))
    const { output } = decodeUTXO(raw)
    verifyOutput(output, 'output')
    // Whatever the type, owners come last.
    const at = end - EMPTY_OWNERS_SIZE - 20 * output.addresses.length
    const group = this.owners.intern(view, at, output.addresses.length)
    const row = this.row(view, start)
    if (row < 0) return false
    this.facts[4 * row + FACT.group] = group
    this.marks[row] = MARK.other
    this.others.set(row, raw)
    return true
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

  /** A new row for the UTXO's ID with its asset filled in, or -1 where the ID is known. */
  private row(view: DataView, start: number): number {
    readWords(view, start + AT.txID, this.key, 9)
    const known = this.ids.size
    const row = this.ids.intern(this.key)
    if (row < known) return -1
    if (row === this.marks.length) this.widen()
    this.facts[4 * row + FACT.asset] = this.assetAt(view, start + AT.assetID)
    return row
  }

  private widen(): void {
    this.marks = grown(this.marks, 2 * this.marks.length)
    this.facts = grown(this.facts, 2 * this.facts.length)
  }

  assetOf(row: number): number {
    return this.facts[4 * row + FACT.asset]!
  }

  groupOf(row: number): number {
    return this.facts[4 * row + FACT.group]!
  }

  /** The row of a UTXO, or -1. */
  find(txID: Uint8Array, outputIndex: number): number {
    if (txID.length !== 32) return -1
    readWords(new DataView(txID.buffer, txID.byteOffset, 32), 0, this.key, 8)
    this.key[8] = outputIndex
    return this.ids.find(this.key)
  }

  id(row: number): UTXOID {
    return { txID: wordBytes(this.ids, row, 8), outputIndex: this.ids.words[9 * row + 8]! }
  }

  amount(row: number): bigint {
    // A fifth of the time of shifting and joining BigInts.
    this.scratch.setUint32(0, this.facts[4 * row + FACT.high]!)
    this.scratch.setUint32(4, this.facts[4 * row + FACT.low]!)
    return this.scratch.getBigUint64(0)
  }

  /** The amount as a double, which is exact up to 2^53. */
  roughAmount(row: number): number {
    return this.facts[4 * row + FACT.high]! * 0x1_0000_0000 + this.facts[4 * row + FACT.low]!
  }

  /** Bytes that spending the coin adds to a signed transaction: input and credential. */
  spendSize(row: number): number {
    return spendSize(this.owners.threshold(this.groupOf(row)))
  }

  /** By transaction ID, then by output index: the order of inputs. */
  compareIDs(a: number, b: number): number {
    const { words } = this.ids
    for (let i = 9 * a, k = 9 * b, end = i + 9; i < end; i++, k++)
      if (words[i] !== words[k]) return words[i]! < words[k]! ? -1 : 1
    return 0
  }

  compareAmounts(a: number, b: number): number {
    const { facts } = this
    const high = facts[4 * a + FACT.high]! - facts[4 * b + FACT.high]!
    return high !== 0 ? high : facts[4 * a + FACT.low]! - facts[4 * b + FACT.low]!
  }

  /** Whether `a` comes before `b` from large to small; equal amounts by ID. */
  isLarger(a: number, b: number): boolean {
    return (
      this.compareAmounts(a, b) > 0 ||
      (this.compareAmounts(a, b) === 0 && this.compareIDs(a, b) < 0)
    )
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
      const at = 9 * rows[i]!
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
      outputIndex: this.ids.words[9 * row + 8]!,
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

/**
 * How many owners the UTXO has, if it is a transfer output in exactly the form the codec accepts; else -1
 * and the codec must say what it is.
 */
function transferOwners(view: DataView, start: number, end: number): number {
  const size = end - start
  if (size < AT.owners + EMPTY_OWNERS_SIZE || size > MAX_SIZE) return -1
  if (view.getUint16(start) !== 0 || view.getUint32(start + AT.type) !== TRANSFER_OUTPUT) return -1
  const count = view.getUint32(start + AT.owners + 12)
  return size === AT.owners + EMPTY_OWNERS_SIZE + 20 * count ? count : -1
}
