import { utxoKey } from '../chain/ids.ts'
import type { UTXOID } from '../chain/transferables.ts'
import { FundsError } from '../coins/errors.ts'
import { type Source, UTXOSet } from '../coins/utxo-set.ts'
import { hex } from '../encoding/hex.ts'
import { formatUTXOName } from '../encoding/ids.ts'
import type { NodeClient } from '../rpc/node.ts'

/** Who keeps coins: a draft, or a transaction by its ID in hex. */
export type Holder = object | string

type Held = { readonly id: UTXOID; readonly holder: Holder }

type Spent = {
  readonly id: UTXOID
  /** How many walks had begun when it was spent. */
  readonly walks: number
  readonly source: string
}

/** The walks of one source: the one under way and the one that follows it. */
type Walks = { running?: Promise<UTXOSet>; next?: Promise<UTXOSet> }

/**
 * The coins of a wallet as the node shows them, less what its own transactions have taken. Nothing awaits
 * between choosing coins from a set and holding them, so that two calls never choose the same.
 */
export class CoinDesk {
  private readonly client: NodeClient
  private readonly addresses: readonly Uint8Array[]
  private readonly now: () => bigint
  private readonly held = new Map<string, Held>()
  private readonly spent = new Map<string, Spent>()
  /** The newest set of each source, which is what calls choose from. */
  private readonly sets = new Map<string, { set: UTXOSet; source: Source }>()
  private readonly walks = new Map<string, Walks>()
  private begun = 0

  constructor(client: NodeClient, addresses: readonly Uint8Array[], now: () => bigint) {
    this.client = client
    this.addresses = addresses
    this.now = now
  }

  /**
   * Reads all coins anew, those of a source chain too if one is named. A call that comes during a walk gets
   * the next one, which begins after it came; all that come meanwhile share that.
   */
  async fresh(source: Source = {}): Promise<UTXOSet> {
    const key = keyOf(source)
    const walks = this.walks.get(key) ?? {}
    this.walks.set(key, walks)
    if (walks.running === undefined) return this.begin(walks, source)
    walks.next ??= walks.running
      .catch(() => undefined)
      .then(() => {
        delete walks.next
        return this.begin(walks, source)
      })
    return walks.next
  }

  private begin(walks: Walks, source: Source): Promise<UTXOSet> {
    const running = this.walk(source).finally(() => {
      if (walks.running === running) delete walks.running
    })
    walks.running = running
    return running
  }

  private async walk(source: Source): Promise<UTXOSet> {
    const number = ++this.begun
    const set = new UTXOSet()
    const { addresses } = this
    const { sourceChain } = source
    const walk = async (from: Source) => {
      for await (const page of this.client.utxoPages({ addresses, ...from })) set.add(page, from)
    }
    await Promise.all([walk({}), ...(sourceChain === undefined ? [] : [walk(source)])])
    for (const [name, { id, walks, source: of }] of this.spent) {
      const seen = set.get(id) ?? set.get(id, source)
      // A node that has caught up does not show it again.
      if (seen === undefined && walks < number && (of === '' || of === keyOf(source)))
        this.spent.delete(name)
      else set.remove([id])
    }
    this.sets.set(keyOf(source), { set, source })
    for (const { id } of this.held.values()) this.reserve(set, source, id)
    return set
  }

  /** Keeps coins for a holder: all or none. A transaction takes over what a draft holds. */
  hold(ids: readonly UTXOID[], holder: Holder): void {
    for (const id of ids) {
      const name = utxoKey(id)
      const held = this.held.get(name)?.holder
      const takesOver = typeof holder === 'string' && typeof held === 'object'
      const free = held === undefined || held === holder || takesOver
      // Whoever sends a transaction again names coins that are spent: by itself.
      const isSpent = typeof holder === 'object' && this.spent.has(name)
      if (!free || isSpent)
        throw new FundsError(
          'COIN_RESERVED',
          `coin ${formatUTXOName(id)} is taken by another transaction of this wallet`,
        )
    }
    for (const id of ids) {
      const known = this.held.has(utxoKey(id))
      this.held.set(utxoKey(id), { id, holder })
      if (!known) for (const { set, source } of this.sets.values()) this.reserve(set, source, id)
    }
  }

  private reserve(set: UTXOSet, source: Source, id: UTXOID): void {
    if ((set.get(id) ?? set.get(id, source)) !== undefined) set.reserve([id], { now: this.now() })
  }

  /** Offers coins again that this holder still has. */
  release(ids: readonly UTXOID[], holder: Holder): void {
    const own = ids.filter((id) => this.held.get(utxoKey(id))?.holder === holder)
    for (const id of own) this.held.delete(utxoKey(id))
    for (const { set } of this.sets.values()) set.release(own)
  }

  /** Drops coins that an accepted transaction has spent; `imported` from another chain. */
  drop(ids: readonly UTXOID[], imported: { readonly chain: Uint8Array } | undefined): void {
    const source = imported === undefined ? '' : hex.encode(imported.chain)
    for (const id of ids) {
      this.held.delete(utxoKey(id))
      this.spent.set(utxoKey(id), { id, walks: this.begun, source })
    }
    for (const { set } of this.sets.values()) set.remove(ids)
  }
}

function keyOf({ sourceChain }: Source): string {
  return sourceChain === undefined ? '' : hex.encode(sourceChain)
}
