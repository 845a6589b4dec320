import { cb58 } from '../../core/base/encoding/cb58.ts'
import { MAX_TX_SIZE } from '../../core/chain/x/size.ts'
import { DevNodeError } from '../errors.ts'
import { DropMemory } from '../ledger/drop-memory.ts'
import { type ChainTx, inputKeysOf } from './execute.ts'

/** The node's size limit for all pending transactions together, in bytes. */
export const MEMPOOL_SIZE = 67_108_864

/** Pending transactions in order of arrival. Follows `vms/txs/mempool/mempool.go`. */
export class Mempool {
  /** Remembered rejections. */
  readonly dropped: DropMemory
  private readonly pending = new Map<string, ChainTx>()
  /** The key of the pending transaction that spends a UTXO, by the UTXO's key. */
  private readonly spenders = new Map<string, string>()
  /** Bytes that can still be added. */
  private available: number = MEMPOOL_SIZE

  constructor(dropped: DropMemory = new DropMemory()) {
    this.dropped = dropped
  }

  get size(): number {
    return this.pending.size
  }

  has(key: string): boolean {
    return this.pending.has(key)
  }

  get(key: string): ChainTx | undefined {
    return this.pending.get(key)
  }

  /** All transactions in order of arrival. */
  all(): ChainTx[] {
    return [...this.pending.values()]
  }

  oldest(): ChainTx | undefined {
    for (const item of this.pending.values()) return item
    return undefined
  }

  /** Adds a transaction or throws. The caller has checked that it is not pending already. */
  add(item: ChainTx): void {
    const size = item.bytes.length
    const id = cb58.encode(item.id)
    if (size > MAX_TX_SIZE)
      throw new DevNodeError(
        'TX_TOO_LARGE',
        `tx too large: ${id} size (${size}) > max size (${MAX_TX_SIZE})`,
      )
    if (size > this.available)
      throw new DevNodeError(
        'MEMPOOL_FULL',
        `mempool is full: ${id} size (${size}) > available space (${this.available})`,
      )
    const inputs = inputKeysOf(item)
    if (inputs.some((input) => this.spenders.has(input)))
      throw new DevNodeError('MEMPOOL_CONFLICT', `tx conflicts with other tx: ${id}`)
    for (const input of inputs) this.spenders.set(input, item.key)
    this.pending.set(item.key, item)
    this.available -= size
    this.dropped.forget(item.key)
  }

  /** Removes a transaction; if it was not pending, removes those that conflict with it. */
  remove(item: ChainTx): void {
    if (this.pending.has(item.key)) {
      this.take(item.key)
      return
    }
    for (const input of inputKeysOf(item)) {
      const rival = this.spenders.get(input)
      if (rival !== undefined) this.take(rival)
    }
  }

  clone(): Mempool {
    const copy = new Mempool(this.dropped.clone())
    for (const [key, item] of this.pending) copy.pending.set(key, item)
    for (const [input, key] of this.spenders) copy.spenders.set(input, key)
    copy.available = this.available
    return copy
  }

  private take(key: string): void {
    const item = this.pending.get(key)!
    this.pending.delete(key)
    for (const input of inputKeysOf(item)) this.spenders.delete(input)
    this.available += item.bytes.length
  }
}
