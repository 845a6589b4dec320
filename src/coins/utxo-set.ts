import { WordTable } from '../bytes/word-table.ts'
import type { Output } from '../chain/fx.ts'
import { utxoKey } from '../chain/ids.ts'
import type { UTXOID } from '../chain/transferables.ts'
import { encodeUTXO, type UTXO } from '../chain/utxo.ts'
import { bytesBehind, type OpaqueUTXO, type PageBytes, type UTXOPage } from '../chain/utxo-page.ts'
import { CHECKSUM_SIZE, checkedHex } from '../encoding/checked-hex.ts'
import { hex } from '../encoding/hex.ts'
import { formatUTXOName } from '../encoding/ids.ts'
import { AvmError } from '../errors.ts'
import { decodeHexPage } from '../hash/sha256x4.ts'
import { type AssetBalance, balancesOf } from './balances.ts'
import { CoinStore, MARK } from './coin-store.ts'
import { FundsError } from './errors.ts'
import type { Selection, SelectOptions } from './need.ts'
import { OwnerGroups } from './owner-groups.ts'
import { selectCoins } from './select.ts'
import type { Viewpoint } from './viewpoint.ts'

/** UTXOs as they come: the node's texts, bytes, decoded ones, or a page that was decoded before. */
export type Page = readonly (string | Uint8Array | UTXO)[] | UTXOPage

/** Which UTXOs of a set are meant: the chain's own, or those that another chain exported to it. */
export type Source = {
  /** ID of the chain that exported them; left out for those of the chain itself. */
  readonly sourceChain?: Uint8Array
}

/** What came of a page. */
export type Intake = {
  readonly added: number
  /** Already in the set (pages overlap), or removed from it before. */
  readonly known: number
  readonly opaque: number
}

/** A UTXO that cannot be read or breaks the chain's rules: shown, never counted, never spent. */
export type OpaqueCoin = Pick<OpaqueUTXO, 'raw' | 'reason'>

/** The UTXOs of one source, and what cannot be read among them. */
export type Holdings = {
  readonly store: CoinStore
  /** By what they look like, so that each is there once. */
  readonly opaque: Map<string, OpaqueCoin>
}

/**
 * Any number of UTXOs, in columns: about 100 bytes each. Takes pages in any order, drops duplicates,
 * and keeps what other chains exported apart from what is spendable here. What is asked of it does not
 * depend on the order of arrival.
 *
 * @example
 * const coins = new UTXOSet()
 * coins.add(reply.utxos)
 * coins.balances({ owners: keys.addresses, now })
 */
export class UTXOSet {
  private readonly owners = new OwnerGroups()
  private readonly assets = new WordTable(8)
  private readonly sources = new Map<string, Holdings>()
  /** Unix seconds until which a coin is taken, by its name; undefined until it is released. */
  private readonly reservations = new Map<string, bigint | undefined>()

  /** Takes in a page; `sourceChain` says where its UTXOs were exported, if they were. */
  add(page: Page, source: Source = {}): Intake {
    const { store, opaque } = this.holdings(source)
    const before = store.size
    const opaqueBefore = opaque.size
    const encoded = 'utxos' in page ? bytesBehind(page) : textPage(page)
    let given: number
    if (encoded !== undefined) {
      const { bytes, starts, ends, entries, faults } = encoded
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let i = 0; i < entries.length; i++) {
        const fault = faults?.get(i)
        if (fault === undefined) take(store, opaque, entries[i]!, bytes, view, starts[i]!, ends[i]!)
        else note(opaque, entries[i]!, fault)
      }
      given = entries.length
    } else {
      const { utxos: entries, opaque: unread } =
        'utxos' in page ? page : { utxos: page, opaque: [] }
      for (const { raw, reason } of unread) note(opaque, raw, reason)
      for (const entry of entries) takeSingly(store, opaque, entry)
      given = entries.length + unread.length
    }
    const added = store.size - before
    const unread = opaque.size - opaqueBefore
    return { added, known: given - added - unread, opaque: unread }
  }

  /** How many UTXOs of a source are in the set. */
  size(source: Source = {}): number {
    const { store } = this.holdings(source)
    let gone = 0
    for (let row = 0; row < store.size; row++) gone += store.marks[row]! & MARK.gone
    return store.size - gone
  }

  /** The chains whose exports are in the set. */
  get sourceChains(): Uint8Array[] {
    return [...this.sources.keys()].filter((key) => key !== '').map((key) => hex.decode(key))
  }

  /** What could not be read. */
  opaque(source: Source = {}): OpaqueCoin[] {
    return [...this.holdings(source).opaque.values()]
  }

  /** What there is of each asset, by what can be done with it; sorted by asset ID. */
  balances(view: Viewpoint & Source): AssetBalance[] {
    return balancesOf(this, view)
  }

  /**
   * Chooses coins for any number of assets at once. The same set gives the same answer, in whatever order it
   * was filled. Fails with a FundsError only where no choice could suffice within the size.
   *
   * @example
   * coins.select({ need: needFor({ context, outputs }), owners: keys.addresses, now })
   */
  select(options: SelectOptions): Selection {
    return selectCoins(this, options)
  }

  /** A UTXO by its name. */
  get(id: UTXOID, source: Source = {}): UTXO | undefined {
    const { store } = this.holdings(source)
    const row = store.find(id.txID, id.outputIndex)
    return row < 0 || store.marks[row]! & MARK.gone ? undefined : store.utxo(row)
  }

  /** All UTXOs with outputs of one type, in the order of inputs: mint rights, NFTs, properties. */
  ofType<T extends Output['type']>(
    type: T,
    source: Source = {},
  ): (UTXO & { readonly output: Extract<Output, { type: T }> })[] {
    const { store } = this.holdings(source)
    const found: (UTXO & { readonly output: Extract<Output, { type: T }> })[] = []
    const plain = type === 'secp256k1fx.TransferOutput'
    const rows = plain ? Array.from({ length: store.size }, (_, row) => row) : store.others.keys()
    for (const row of [...rows].sort((a, b) => store.compareIDs(a, b))) {
      if (store.marks[row]! & MARK.gone) continue
      const utxo = store.utxo(row)
      if (utxo.output.type === type) found.push(utxo as (typeof found)[number])
    }
    return found
  }

  /** Forgets what was spent. It does not come back with a page from a node that lags behind. */
  remove(ids: readonly UTXOID[]): void {
    for (const id of ids) {
      this.reservations.delete(utxoKey(id))
      this.mark(id, MARK.gone, 0)
    }
  }

  /**
   * Keeps coins from being picked again, until they are released or the time `until` has come. All or none:
   * fails where one of them is reserved already, or not in the set.
   *
   * @example
   * coins.reserve(draft.utxos, { now, until: now + 60n })
   */
  reserve(
    ids: readonly UTXOID[],
    { now, until }: { readonly now: bigint; readonly until?: bigint },
  ): void {
    for (const id of ids) {
      if (!this.has(id))
        throw new FundsError('COIN_NOT_FOUND', `coin ${formatUTXOName(id)} is not in the set`)
      if (this.isReserved(id, now))
        throw new FundsError(
          'COIN_RESERVED',
          `coin ${formatUTXOName(id)} is reserved already`,
          [],
          {
            hint: 'another draft spends it; build again without it',
          },
        )
    }
    for (const id of ids) {
      this.reservations.set(utxoKey(id), until)
      this.mark(id, MARK.reserved, MARK.reserved)
    }
  }

  /** Offers reserved coins again. */
  release(ids: readonly UTXOID[]): void {
    for (const id of ids) {
      this.reservations.delete(utxoKey(id))
      this.mark(id, 0, MARK.reserved)
    }
  }

  /** Whether a coin is reserved at a time. */
  isReserved(id: UTXOID, now: bigint): boolean {
    const name = utxoKey(id)
    const until = this.reservations.get(name)
    return this.reservations.has(name) && (until === undefined || until > now)
  }

  /**
   * The columns of one source, for the functions of this folder.
   *
   * @internal
   */
  holdings({ sourceChain }: Source): Holdings {
    const key = sourceChain === undefined ? '' : hex.encode(sourceChain)
    let holdings = this.sources.get(key)
    if (holdings === undefined) {
      holdings = { store: new CoinStore(this.owners, this.assets), opaque: new Map() }
      this.sources.set(key, holdings)
    }
    return holdings
  }

  private has({ txID, outputIndex }: UTXOID): boolean {
    return [...this.sources.values()].some(({ store }) => {
      const row = store.find(txID, outputIndex)
      return row >= 0 && !(store.marks[row]! & MARK.gone)
    })
  }

  private mark({ txID, outputIndex }: UTXOID, set: number, clear: number): void {
    for (const { store } of this.sources.values()) {
      const row = store.find(txID, outputIndex)
      if (row >= 0) store.marks[row] = (store.marks[row]! & ~clear) | set
    }
  }
}

/** A page of texts alone, all at once; nothing where it is another or one of them is odd. */
function textPage(entries: readonly (string | Uint8Array | UTXO)[]): PageBytes | undefined {
  if (!entries.every((entry) => typeof entry === 'string')) return undefined
  const spans = decodeHexPage(entries, CHECKSUM_SIZE)
  return spans && { ...spans, entries }
}

function takeSingly(
  store: CoinStore,
  opaque: Map<string, OpaqueCoin>,
  entry: string | Uint8Array | UTXO,
): void {
  let bytes: Uint8Array
  if (typeof entry === 'string') {
    try {
      bytes = checkedHex.decode(entry)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      note(opaque, entry, error)
      return
    }
  } else bytes = entry instanceof Uint8Array ? entry : encodeUTXO(entry)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  take(store, opaque, typeof entry === 'string' ? entry : bytes, bytes, view, 0, bytes.length)
}

function take(
  store: CoinStore,
  opaque: Map<string, OpaqueCoin>,
  raw: string | Uint8Array | UTXO,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
): void {
  try {
    store.take(bytes, view, start, end)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    note(opaque, typeof raw === 'string' ? raw : new Uint8Array(bytes.subarray(start, end)), error)
  }
}

function note(opaque: Map<string, OpaqueCoin>, raw: string | Uint8Array, reason: AvmError): void {
  const key = typeof raw === 'string' ? raw : hex.encode(raw)
  if (!opaque.has(key)) opaque.set(key, { raw, reason })
}
