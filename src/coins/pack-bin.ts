import { credentialSize } from '../chain/size.ts'
import { type Added, PATH_SIZE, type Room, SAFE_SUM } from './packing.ts'
import type { Pool } from './pool.ts'

/** Bytes of a signed transaction that are not in the unsigned one, if nobody signs. */
const NO_CREDENTIALS = 4

/** A transaction that is being filled. */
export class Bin {
  readonly rows: number[] = []
  /** How many assets it holds. */
  assets = 0
  private readonly pool: Pool
  private readonly room: Room
  private size: number
  private shown: number
  /** Sums of the assets in it, but for that of the UTXO added last. */
  private readonly sums = new Map<number, number>()
  private asset = -1
  private sum = 0
  private readonly signers = new Set<number>()
  private readonly feeAsset: number
  /**
   * What the fee takes of its asset: up to that, there is no output of it. Exact up to 2^53, above any fee; beyond,
   * only the room could be misjudged, and the builder measures that again.
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

  /** Sets bytes aside for those who pay all of the fee but `paid`, if there are as many. */
  spare({ size, shown }: Added, paid: bigint): boolean {
    this.fee = Number(paid)
    this.size += size
    this.shown += shown
    return this.size <= this.room.max && this.shown <= (this.room.maxShown ?? this.shown)
  }

  /** Takes a UTXO in if it fits. */
  add(row: number): boolean {
    const { store } = this.pool
    const { max, maxShown, output } = this.room
    const asset = store.assetOf(row)
    const sum = asset === this.asset ? this.sum : (this.sums.get(asset) ?? 0)
    const total = sum + store.roughAmount(row)
    if (sum > 0 && total > SAFE_SUM) return false
    const untilOutput = asset === this.feeAsset ? this.fee : 0
    const opens = sum <= untilOutput && total > untilOutput
    const bytes = store.spendSize(row) + (opens ? output : 0)
    if (this.size + bytes > max) return false
    if (maxShown !== undefined && !this.show(row, bytes, maxShown)) return false
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

  private show(row: number, bytes: number, maxShown: number): boolean {
    const { store, standpoint } = this.pool
    const signers = standpoint.signers(store.groupOf(row))
    const added = signers.filter((signer) => !this.signers.has(signer))
    const shown = this.shown + bytes - credentialSize(signers.length) + PATH_SIZE * added.length
    if (shown > maxShown) return false
    for (const signer of added) this.signers.add(signer)
    this.shown = shown
    return true
  }
}
