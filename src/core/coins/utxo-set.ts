import { decodeHexPage } from '#sha256x4'
import {
  argument,
  type Check,
  invalid,
  itemOf,
  memberOf,
  object,
  optional,
  text,
} from '../base/argument.ts'
import { CHECKSUM_SIZE, checkedHex } from '../base/encoding/checked-hex.ts'
import { hex } from '../base/encoding/hex.ts'
import { formatUTXOID, utxoIDs, utxoReference } from '../base/encoding/ids.ts'
import { AvmError } from '../base/errors.ts'
import { isBytes } from '../base/require.ts'
import type { Output } from '../chain/x/fx.ts'
import type { UTXOID } from '../chain/x/transferables.ts'
import { encodeUTXO, type UTXO } from '../chain/x/utxo.ts'
import { bytesBehind, type PageBytes, type UTXOPage } from '../chain/x/utxo-page.ts'
import { type AssetBalance, balancesOf } from './balances.ts'
import { FundsError } from './errors.ts'
import {
  type Holdings,
  type HoldingsSource,
  type OpaqueEntry,
  type Source,
  sourceMembers,
  sourceOptions,
} from './holdings.ts'
import { type Selection, type SelectOptions, selectOptions } from './need.ts'
import { selectCoins } from './select.ts'
import { UTXOStore } from './store/utxo-store.ts'
import { unixTime, type Viewpoint, viewpointMembers } from './viewpoint.ts'

/** UTXOs as the node's hex strings, as bytes or decoded, or a page that was decoded before. */
export type Page = readonly (string | Uint8Array | UTXO)[] | UTXOPage

export type { OpaqueEntry, Source } from './holdings.ts'

/** Result of adding a page. */
export type AddResult = {
  /** Number of new UTXOs. */
  readonly added: number
  /** Number of UTXOs that were in the set (pages overlap) or had been removed from it. */
  readonly known: number
  /** Number of new entries that cannot be decoded. */
  readonly opaque: number
}

/**
 * A set of UTXOs, stored in columns of about 100 bytes per UTXO. Accepts pages in any order and ignores duplicates.
 * UTXOs exported by other chains are kept apart from those of the chain itself. Results do not depend on the order of
 * arrival. Selecting a few UTXOs takes logarithmic time after the first selection of an asset, which builds an index
 * by amount.
 *
 * @example
 * const set = new UTXOSet()
 * set.add(entries)
 * set.balances({ owners: keys.addresses, now })
 */
export class UTXOSet implements HoldingsSource {
  private readonly sources = new Map<string, Holdings>()

  /** Adds a page. `sourceChain` is the chain that exported its UTXOs, if any. */
  add(page: Page, source: Source = {}): AddResult {
    argument('UTXOSet.add', page, pageEntries, 'page')
    const { store, opaque } = this.of('add', source)
    const before = store.count
    const opaqueBefore = opaque.size
    const encoded = Array.isArray(page) ? textPage(page) : bytesBehind(page as UTXOPage)
    let entryCount: number
    if (encoded !== undefined) {
      const { bytes, starts, ends, entries, faults } = encoded
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let i = 0; i < entries.length; i++) {
        const fault = faults?.get(i)
        if (fault === undefined)
          addBytes(store, opaque, entries[i]!, bytes, view, starts[i]!, ends[i]!)
        else addOpaque(opaque, entries[i]!, fault)
      }
      entryCount = entries.length
    } else {
      const { utxos: entries, opaque: undecodable } = Array.isArray(page)
        ? { utxos: page, opaque: [] }
        : (page as UTXOPage)
      for (const { raw, reason } of undecodable) addOpaque(opaque, raw, reason)
      for (const entry of entries) addEntry(store, opaque, entry)
      entryCount = entries.length + undecodable.length
    }
    const added = store.count - before
    const newOpaque = opaque.size - opaqueBefore
    return { added, known: entryCount - added - newOpaque, opaque: newOpaque }
  }

  /** Returns the number of UTXOs of a source. */
  size(source: Source = {}): number {
    return this.of('size', source).store.count
  }

  /** IDs of the chains whose exported UTXOs are in the set. */
  get sourceChains(): Uint8Array[] {
    return [...this.sources.keys()].filter((key) => key !== '').map((key) => hex.decode(key))
  }

  /** Returns the entries that cannot be decoded. */
  opaque(source: Source = {}): OpaqueEntry[] {
    return [...this.of('opaque', source).opaque.values()]
  }

  /** Returns the balance of each asset in the set, sorted by asset ID. */
  balances(view: Viewpoint & Source): AssetBalance[] {
    const checked = argument('UTXOSet.balances', view, balanceOptions)
    return balancesOf(this.holdings(checked), checked)
  }

  /**
   * Selects UTXOs for any number of assets. The result does not depend on the order in which the set was filled.
   *
   * @throws FundsError only if no selection suffices within the size limit
   *
   * @example
   * set.select({ need: needFor({ context, outputs }), owners: keys.addresses, now })
   */
  select(options: SelectOptions): Selection {
    return selectCoins(this, argument('UTXOSet.select', options, selectOptions))
  }

  /** Returns the UTXO with an ID, or undefined. */
  get(id: UTXOID, source: Source = {}): UTXO | undefined {
    const { store } = this.of('get', source)
    const row = store.find(argument('UTXOSet.get', id, utxoReference, 'id'))
    return row < 0 ? undefined : store.utxo(row)
  }

  /** Returns all UTXOs with outputs of one type, in input order. */
  ofType<T extends Output['type']>(
    type: T,
    source: Source = {},
  ): (UTXO & { readonly output: Extract<Output, { type: T }> })[] {
    argument('UTXOSet.ofType', type, text, 'type')
    const { store } = this.of('ofType', source)
    const found: (UTXO & { readonly output: Extract<Output, { type: T }> })[] = []
    const rows =
      type === 'secp256k1fx.TransferOutput' ? store.transfers() : [...store.others.keys()]
    for (const row of rows.sort((a, b) => store.compareIDs(a, b))) {
      const utxo = store.utxo(row)
      if (utxo.output.type === type) found.push(utxo as (typeof found)[number])
    }
    return found
  }

  /**
   * Removes spent UTXOs. A page from a node that lags behind does not add them again: at least the last 16,384
   * removed UTXOs of a source are remembered, and in larger sets as many as half of the remaining ones. Earlier ones
   * use no memory and would be added again if a page contained them.
   */
  remove(ids: readonly UTXOID[]): void {
    const checked = argument('UTXOSet.remove', ids, utxoIDs, 'ids')
    for (const { store, row } of checked.flatMap((id) => this.places(id))) store.remove(row)
    for (const holdings of this.sources.values())
      if (holdings.store.isSparse) holdings.store = holdings.store.compacted()
  }

  /**
   * Reserves UTXOs, so that they are not selected until they are released or until the time `until` (unix seconds, as
   * `now`; default: until released). Reserves all or none.
   *
   * @throws FundsError `UTXO_NOT_FOUND` if one is not in the set, `UTXO_RESERVED` if one is already reserved
   *
   * @example
   * set.reserve(draft.utxos, { now, until: now + 60n })
   */
  reserve(ids: readonly UTXOID[], times: ReserveOptions): void {
    const { now, until } = argument('UTXOSet.reserve', times, reserveOptions)
    const places = argument('UTXOSet.reserve', ids, utxoIDs, 'ids').flatMap((id) => {
      const found = this.places(id)
      if (found.length === 0)
        throw new FundsError('UTXO_NOT_FOUND', `UTXO ${formatUTXOID(id)} is not in the set`)
      if (found.some(({ store, row }) => store.isReserved(row, now)))
        throw new FundsError('UTXO_RESERVED', `UTXO ${formatUTXOID(id)} is already reserved`, [], {
          hint: 'another draft spends it: build again without it',
        })
      return found
    })
    for (const { store, row } of places) store.reserve(row, until)
  }

  /** Makes reserved UTXOs available again. */
  release(ids: readonly UTXOID[]): void {
    const checked = argument('UTXOSet.release', ids, utxoIDs, 'ids')
    for (const { store, row } of checked.flatMap((id) => this.places(id))) store.release(row)
  }

  /** Whether a UTXO is reserved at the time `now` (unix seconds). */
  isReserved(id: UTXOID, now: bigint): boolean {
    const checked = argument('UTXOSet.isReserved', id, utxoReference, 'id')
    const at = argument('UTXOSet.isReserved', now, unixTime, 'now')
    return this.places(checked).some(({ store, row }) => store.isReserved(row, at))
  }

  /** Returns the UTXOs of the source that the caller of a method has given. */
  private of(method: string, source: Source): Holdings {
    return this.holdings(argument(`UTXOSet.${method}`, source, sourceOptions))
  }

  /**
   * Returns the UTXOs of one source, for the functions of this folder.
   *
   * @internal
   */
  holdings({ sourceChain }: Source): Holdings {
    const key = sourceChain === undefined ? '' : hex.encode(sourceChain)
    let holdings = this.sources.get(key)
    if (holdings === undefined) {
      holdings = { store: new UTXOStore(), opaque: new Map() }
      this.sources.set(key, holdings)
    }
    return holdings
  }

  /**
   * Returns a copy of what the set has of some sources: without the objects that adding all UTXOs to a new set would
   * take.
   *
   * @internal
   */
  copyOf(...sources: readonly Source[]): UTXOSet {
    const copy = new UTXOSet()
    for (const source of sources) {
      const [from, to] = [this.holdings(source), copy.holdings(source)]
      to.store = from.store.compacted()
      for (const [raw, entry] of from.opaque) to.opaque.set(raw, entry)
    }
    return copy
  }

  /** Returns where a UTXO is stored; normally in one source only. */
  private places(id: UTXOID): { store: UTXOStore; row: number }[] {
    const places: { store: UTXOStore; row: number }[] = []
    for (const { store } of this.sources.values()) {
      const row = store.find(id)
      if (row >= 0) places.push({ store, row })
    }
    return places
  }
}

type BalanceOptions = Viewpoint & Source

const balanceOptions: Check<BalanceOptions> = object<BalanceOptions>({
  ...viewpointMembers,
  ...sourceMembers,
})

/** From when and until when UTXOs are reserved, in Unix seconds. */
export type ReserveOptions = { readonly now: bigint; readonly until?: bigint | undefined }

const reserveOptions: Check<ReserveOptions> = object<ReserveOptions>({
  now: unixTime,
  until: optional(unixTime),
})

/** A page, which is not copied. Its entries are checked one by one as they are added. */
const pageEntries: Check<Page> = (value, at) => {
  // Reading the members of a lazy page would decode it.
  if (Array.isArray(value) || bytesBehind(value as UTXOPage) !== undefined) return value as Page
  const { utxos, opaque } = (value ?? {}) as Partial<UTXOPage>
  if (!Array.isArray(utxos) || !Array.isArray(opaque))
    throw invalid(value, at, 'an array or a decoded page')
  for (const [i, entry] of opaque.entries()) opaqueEntry(entry, itemOf(memberOf(at, 'opaque'), i))
  return value as Page
}

const opaqueEntry: Check<OpaqueEntry> = (value, at) => {
  const { raw, reason } = (value ?? {}) as Partial<OpaqueEntry>
  if ((typeof raw !== 'string' && !isBytes(raw)) || !(reason instanceof Error))
    throw invalid(value, at, 'an entry with its reason')
  return value as OpaqueEntry
}

/** Decodes a page of hex strings at once. Returns undefined for other pages, or if an entry is invalid. */
function textPage(entries: readonly (string | Uint8Array | UTXO)[]): PageBytes | undefined {
  if (!entries.every((entry) => typeof entry === 'string')) return undefined
  const spans = decodeHexPage(entries, CHECKSUM_SIZE)
  return spans && { ...spans, entries }
}

function addEntry(
  store: UTXOStore,
  opaque: Map<string, OpaqueEntry>,
  entry: string | Uint8Array | UTXO,
): void {
  let bytes: Uint8Array
  if (typeof entry === 'string') {
    try {
      bytes = checkedHex.decode(entry)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      addOpaque(opaque, entry, error)
      return
    }
  } else bytes = isBytes(entry) ? entry : encodeUTXO(entry)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  addBytes(store, opaque, typeof entry === 'string' ? entry : bytes, bytes, view, 0, bytes.length)
}

function addBytes(
  store: UTXOStore,
  opaque: Map<string, OpaqueEntry>,
  raw: string | Uint8Array | UTXO,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
): void {
  try {
    store.add(bytes, view, start, end)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    addOpaque(
      opaque,
      typeof raw === 'string' ? raw : new Uint8Array(bytes.subarray(start, end)),
      error,
    )
  }
}

function addOpaque(
  opaque: Map<string, OpaqueEntry>,
  raw: string | Uint8Array,
  reason: AvmError,
): void {
  const key = typeof raw === 'string' ? raw : hex.encode(raw)
  if (!opaque.has(key)) opaque.set(key, { raw, reason })
}
