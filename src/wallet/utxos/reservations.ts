import { formatUTXOID } from '../../core/base/encoding/ids.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { UTXOSet } from '../../core/coins/utxo-set.ts'

/** The owner of a reservation: a draft, or {@link CLAIMED}. */
type Holder = object

/** The holder of the inputs of all pending attempts. */
const CLAIMED: Holder = {}

type Reservation = { readonly id: UTXOID; readonly holder: Holder }

/**
 * Which UTXOs are reserved, and by whom. Reservations outlive the set in which they are marked: they are marked again
 * in the set of the next walk. A UTXO can be reserved before any set contains it.
 */
export class Reservations {
  private readonly utxos: () => UTXOSet
  private readonly byUTXO = new Map<string, Reservation>()
  private readonly byHolder = new Map<Holder, Map<string, UTXOID>>()
  private readonly onRelease: () => void

  /**
   * @param utxos - the set in which reservations are marked
   * @param onRelease - called after UTXOs were released
   */
  constructor(utxos: () => UTXOSet, onRelease: () => void) {
    this.utxos = utxos
    this.onRelease = onRelease
  }

  /** Whether nothing is reserved. */
  get isEmpty(): boolean {
    return this.byUTXO.size === 0
  }

  /**
   * Reserves UTXOs that are in the set, atomic ones included: all or none.
   *
   * @param replaced - inputs of attempts that a draft replaces, which stay reserved for these
   * @throws FundsError `UTXO_RESERVED` if one is spent or reserved by another holder
   */
  reserve(ids: readonly UTXOID[], holder: Holder, replaced: readonly UTXOID[] = []): void {
    const utxos = this.utxos()
    const shared = new Set(replaced.map(utxoKey))
    for (const id of ids) {
      const { holder: other = holder } = this.byUTXO.get(utxoKey(id)) ?? {}
      const isTaken = other !== holder && !shared.has(utxoKey(id))
      const isGone = !hasUTXO(utxos, id)
      if (isGone || isTaken)
        throw new FundsError(
          'UTXO_RESERVED',
          `UTXO ${formatUTXOID(id)} is ${isGone ? 'spent' : 'reserved by another transaction'}`,
        )
    }
    this.reserveFree(ids, holder)
  }

  /** Reserves the UTXOs of a claimed transaction, whether or not they are known, and replaces earlier reservations. */
  claim(ids: readonly UTXOID[]): void {
    this.assign(ids, CLAIMED)
  }

  /** Releases UTXOs that no claimed transaction spends any more. */
  unclaim(ids: readonly UTXOID[]): void {
    this.release(ids, CLAIMED)
  }

  private assign(ids: readonly UTXOID[], holder: Holder): void {
    for (const id of ids) {
      const name = utxoKey(id)
      const before = this.byUTXO.get(name)
      if (before !== undefined) this.forget(name, before.holder)
      this.byUTXO.set(name, { id, holder })
      this.byHolder.set(holder, (this.byHolder.get(holder) ?? new Map()).set(name, id))
      if (before === undefined) mark(this.utxos(), id)
    }
  }

  /** Reserves those of the UTXOs that nobody has reserved. */
  reserveFree(ids: readonly UTXOID[], holder: Holder): void {
    this.assign(
      ids.filter((id) => !this.byUTXO.has(utxoKey(id))),
      holder,
    )
  }

  /** Releases those of the UTXOs that are still reserved by this holder. */
  release(ids: readonly UTXOID[], holder: Holder): void {
    const released = ids.filter((id) => this.byUTXO.get(utxoKey(id))?.holder === holder)
    for (const id of released) this.forget(utxoKey(id), holder)
    this.utxos().release(released)
    if (released.length > 0) this.onRelease()
  }

  /** Releases all UTXOs of a holder. */
  releaseAll(holder: Holder): void {
    this.release([...(this.byHolder.get(holder)?.values() ?? [])], holder)
  }

  /** Runs `draft` with the reservations of UTXOs suspended. */
  withReleased<T>(ids: readonly UTXOID[], draft: () => T): T {
    const reserved = ids.filter((id) => this.byUTXO.has(utxoKey(id)))
    this.utxos().release(reserved)
    try {
      return draft()
    } finally {
      for (const id of reserved) mark(this.utxos(), id)
    }
  }

  /** Marks all reserved UTXOs as reserved in a set. */
  markIn(utxos: UTXOSet): void {
    for (const { id } of this.byUTXO.values()) mark(utxos, id)
  }

  private forget(name: string, holder: Holder): void {
    this.byUTXO.delete(name)
    const reserved = this.byHolder.get(holder)
    reserved?.delete(name)
    if (reserved?.size === 0) this.byHolder.delete(holder)
  }
}

/** Whether a set has a UTXO, atomic ones included. */
export function hasUTXO(utxos: UTXOSet, id: UTXOID): boolean {
  return utxos.get(id) !== undefined || exportingChainOf(utxos, id) !== undefined
}

/** The chain that exported a UTXO of a set; undefined if the set has no atomic UTXO with this ID. */
export function exportingChainOf(utxos: UTXOSet, id: UTXOID): Uint8Array | undefined {
  return utxos.sourceChains.find((sourceChain) => utxos.get(id, { sourceChain }) !== undefined)
}

function mark(utxos: UTXOSet, id: UTXOID): void {
  if (hasUTXO(utxos, id) && !utxos.isReserved(id, 0n)) utxos.reserve([id], { now: 0n })
}
