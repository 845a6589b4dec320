import { credentialSize } from '../../chain/x/size.ts'
import type { Pool } from '../pool.ts'
import { type AddedBytes, PATH_SIZE, type Room, SAFE_SUM } from './packing.ts'

/** Number of bytes by which a signed transaction without credentials exceeds the unsigned one. */
const NO_CREDENTIALS = 4

/** A transaction being filled with inputs. */
export class Bin {
  readonly rows: number[] = []
  /** Number of assets. */
  assets = 0
  private readonly pool: Pool
  private readonly room: Room
  private size: number
  private shown: number
  /** Sums by asset, except for that of the last UTXO added. */
  private readonly sums = new Map<number, number>()
  /** Asset of the last UTXO added, and its sum. */
  private asset = -1
  private sum = 0
  /** Numbers of the addresses whose keys sign; counted only with a display limit. */
  private readonly signers = new Set<number>()
  private readonly feeAsset: number
  /**
   * Amount of the fee asset that pays the fee; only more than this needs an output. A double: exact up to 2^53 nAVAX
   * (9 million AVAX). For larger values only the size estimate could be off by one output, and the builder checks the
   * size.
   */
  private fee: number

  constructor(pool: Pool, room: Room, feeAsset: number, fee: bigint) {
    this.pool = pool
    this.room = room
    this.feeAsset = feeAsset
    this.fee = Number(fee)
    this.size = room.base
    this.shown = room.base - NO_CREDENTIALS
  }

  /** Adds the bytes of sponsors, who pay the fee except for `paid`. Returns false if they do not fit. */
  addSponsors({ size, shown }: AddedBytes, paid: bigint): boolean {
    this.fee = Number(paid)
    this.size += size
    this.shown += shown
    return this.size <= this.room.max && this.shown <= (this.room.maxShown ?? this.shown)
  }

  /** Adds a UTXO if it fits. */
  add(row: number): boolean {
    const { store } = this.pool
    const { max, maxShown, output } = this.room
    const asset = store.assetOf(row)
    const sum = asset === this.asset ? this.sum : (this.sums.get(asset) ?? 0)
    const total = sum + store.roughAmount(row)
    if (sum > 0 && total > SAFE_SUM) return false
    const untilOutput = asset === this.feeAsset ? this.fee : 0
    const needsOutput = sum <= untilOutput && total > untilOutput
    const bytes = store.spendSize(row) + (needsOutput ? output : 0)
    if (this.size + bytes > max) return false
    if (maxShown !== undefined && !this.addShown(row, bytes, maxShown)) return false
    this.size += bytes
    if (asset !== this.asset) {
      this.sums.set(this.asset, this.sum)
      this.asset = asset
    }
    if (sum === 0) this.assets++
    this.sum = total
    this.rows.push(row)
    return true
  }

  /** Counts the bytes sent to the hardware wallet. Returns false if they exceed `maxShown`. */
  private addShown(row: number, bytes: number, maxShown: number): boolean {
    const { store, ownerView } = this.pool
    const signers = ownerView.signers(store.groupOf(row))
    const newSigners = signers.filter((signer) => !this.signers.has(signer))
    const shown =
      this.shown + bytes - credentialSize(signers.length) + PATH_SIZE * newSigners.length
    if (shown > maxShown) return false
    for (const signer of newSigners) this.signers.add(signer)
    this.shown = shown
    return true
  }
}
