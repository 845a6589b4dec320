import { argument, type Check, located, type Place } from '../../core/base/argument.ts'
import { WordTable, widened, wordBytes } from '../../core/base/bytes/word-table.ts'
import { ADDRESS_SIZE } from '../../core/base/encoding/address.ts'
import { isBytes } from '../../core/base/require.ts'
import type { Block } from '../../core/chain/x/block.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import type { Output } from '../../core/chain/x/fx.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { type Address, address, addressBytes } from '../methods/params.ts'

const ADDRESS_WORDS = 5
const TX_ID_WORDS = 8

/** Reads values once. Errors name the position. */
export function readEach(
  items: Iterable<unknown>,
  { call, path }: Place,
  read: (item: unknown, at: Place) => void,
): void {
  let i = 0
  const at: Place = {
    call,
    // Formatted only for an error: there may be millions of items.
    get path() {
      return `${path}[${i}]`
    },
  }
  for (const item of items) {
    read(item, at)
    i++
  }
}

/** The bytes of an address, not copied because they are only compared. */
const bytesOfAddress: Check<Uint8Array> = (value, at) => {
  if (typeof value === 'string') return located(at, () => addressBytes(value))
  return isBytes(value) && value.length === ADDRESS_SIZE ? value : addressBytes(address(value, at))
}

/** The addresses of an {@link AddressSet}, for values that are checked already. */
export class AddressTable implements Iterable<Uint8Array> {
  private readonly table = new WordTable(ADDRESS_WORDS)
  private readonly key = new Uint32Array(ADDRESS_WORDS)

  get size(): number {
    return this.table.size
  }

  /** Adds one address or an iterable of them, and checks each. */
  insert(given: unknown, at: Place): void {
    const isOne = typeof given === 'string' || isBytes(given)
    const items = given as Iterable<unknown> | null | undefined
    if (isOne || typeof items?.[Symbol.iterator] !== 'function') this.intern(given, at)
    else readEach(items, at, (item, itemAt) => this.intern(item, itemAt))
  }

  has(bytes: Uint8Array): boolean {
    readKeyWords(bytes, this.key, ADDRESS_WORDS)
    return this.table.find(this.key) >= 0
  }

  *[Symbol.iterator](): IterableIterator<Uint8Array> {
    for (let i = 0; i < this.table.size; i++) yield wordBytes(this.table, i, ADDRESS_WORDS)
  }

  private intern(given: unknown, at: Place): void {
    readKeyWords(bytesOfAddress(given, at), this.key, ADDRESS_WORDS)
    this.table.intern(this.key)
  }
}

const tables = /* @__PURE__ */ new WeakMap<object, AddressTable>()

/** Returns the addresses of a set, which may grow, or of another iterable, which is read now. */
export function tableOf(addresses: Iterable<unknown>, at: Place): AddressTable {
  const existing = addresses instanceof AddressSet ? tables.get(addresses) : undefined
  if (existing !== undefined) return existing
  const table = new AddressTable()
  table.insert(addresses, at)
  return table
}

/**
 * A set of addresses that may grow while in use. Stored in typed arrays: a million addresses take about 40 MB.
 *
 * @example
 * const customers = new AddressSet(['X-fuji1…'])
 * for await (const { created } of client.blocks({ from: 0n, addresses: customers })) console.log(created)
 * customers.add(address) // takes effect with the next block
 */
export class AddressSet implements Iterable<Uint8Array> {
  private readonly table = new AddressTable()

  constructor(addresses: Iterable<Address> = []) {
    tables.set(this, this.table)
    this.insert('AddressSet', addresses)
  }

  get size(): number {
    return this.table.size
  }

  /**
   * Adds one or more addresses.
   *
   * @throws ArgumentError if one is invalid; those before it are added
   */
  add(addresses: Address | Iterable<Address>): this {
    this.insert('add', addresses)
    return this
  }

  /** Whether the set contains an address. Throws ArgumentError if it is invalid. */
  has(address: Address): boolean {
    return this.table.has(argument('has', address, bytesOfAddress, 'address'))
  }

  /** Iterates in insertion order, including addresses added during the iteration. */
  [Symbol.iterator](): IterableIterator<Uint8Array> {
    return this.table[Symbol.iterator]()
  }

  private insert(call: string, addresses: unknown): void {
    argument(call, addresses, (value, at) => this.table.insert(value, at), 'addresses')
  }
}

/** The UTXOs that a block creates and consumes. */
export type BlockChanges = {
  readonly created: readonly UTXO[]
  readonly consumed: readonly UTXOID[]
}

type HasTxs = { readonly txs: readonly SignedTx[] }

/**
 * Accessors that compute a member from the transactions and replace themselves by it. All blocks share them: the hidden
 * class of an object keeps its accessors, and closures over a block would keep the block.
 */
const LAZY_CHANGES: PropertyDescriptorMap & ThisType<HasTxs> = {
  created: {
    configurable: true,
    enumerable: true,
    get() {
      return replaced(
        this,
        'created',
        this.txs.flatMap((tx) => createdUTXOs(tx)),
      )
    },
  },
  consumed: {
    configurable: true,
    enumerable: true,
    get() {
      return replaced(
        this,
        'consumed',
        this.txs.flatMap((tx) => consumedUTXOs(tx.unsignedTx).map(idOf)),
      )
    },
  },
}

function replaced<T>(owner: object, name: string, value: T): T {
  Object.defineProperty(owner, name, { value, enumerable: true })
  return value
}

/** Adds all UTXOs that a block creates and consumes, computed on first access. */
export function withAllChanges<B extends HasTxs>(block: B): B & BlockChanges {
  return Object.defineProperties(block, LAZY_CHANGES) as B & BlockChanges
}

/** Finds changes to the UTXOs of a set of addresses in blocks, and tracks these UTXOs. */
export class Watch {
  readonly addresses: AddressTable
  private readonly utxos: UTXOIDSet

  /** @param utxos - known UTXOs of the addresses, to which those that blocks create are added */
  constructor(addresses: AddressTable, utxos: UTXOIDSet = new UTXOIDSet()) {
    this.addresses = addresses
    this.utxos = utxos
  }

  /** Adds a UTXO, so that its consumption is recognized. */
  know(utxo: UTXOID): void {
    this.utxos.add(utxo)
  }

  /** Must be called once for each block, in order. */
  changes(block: Block): BlockChanges {
    const created: UTXO[] = []
    const consumed: UTXOID[] = []
    for (const tx of block.txs) {
      for (const input of consumedUTXOs(tx.unsignedTx))
        if (this.utxos.delete(input)) consumed.push(idOf(input))
      for (const utxo of this.createdBy(tx)) {
        this.utxos.add(utxo)
        created.push(utxo)
      }
    }
    return { created, consumed }
  }

  private createdBy(tx: SignedTx): UTXO[] {
    // Computing the ID encodes and hashes the transaction, so this is done only for watched outputs.
    if (!allOutputs(tx).some(this.owns)) return []
    return createdUTXOs(tx).filter(this.owns)
  }

  private readonly owns = ({ output }: { readonly output: Output }): boolean =>
    output.addresses.some((address) => this.addresses.has(address))
}

const UNKNOWN_ID: Uint8Array = /* @__PURE__ */ new Uint8Array(32)

/** Returns the outputs of a transaction, for most types without creating objects. */
function allOutputs(tx: SignedTx): readonly { readonly output: Output }[] {
  const { type, outputs } = tx.unsignedTx
  const hasOthers = type === 'CreateAssetTx' || type === 'OperationTx'
  return hasOthers ? createdUTXOs(tx, UNKNOWN_ID) : outputs
}

/** Returns the UTXO ID of an input without its other fields. */
function idOf({ txID, outputIndex }: UTXOID): UTXOID {
  return { txID, outputIndex }
}

/** With fewer rows, compaction is not worthwhile. */
const MIN_COMPACTED = 1024

/** A set of UTXO IDs in typed arrays. Removed ones leave gaps until half of the rows are gaps. */
export class UTXOIDSet {
  private table = new WordTable(TX_ID_WORDS + 1)
  private removed = new Uint8Array(MIN_COMPACTED)
  private gaps = 0
  private readonly key = new Uint32Array(TX_ID_WORDS + 1)

  add(utxo: UTXOID): void {
    this.read(utxo)
    this.insert()
  }

  /** Returns whether it was in the set. */
  delete(utxo: UTXOID): boolean {
    this.read(utxo)
    const row = this.table.find(this.key)
    if (row < 0 || this.removed[row] === 1) return false
    this.removed[row] = 1
    this.gaps++
    if (this.gaps >= MIN_COMPACTED && 2 * this.gaps > this.table.size) this.compact()
    return true
  }

  private read({ txID, outputIndex }: UTXOID): void {
    readKeyWords(txID, this.key, TX_ID_WORDS)
    this.key[TX_ID_WORDS] = outputIndex
  }

  private insert(): void {
    const row = this.table.intern(this.key)
    if (row >= this.removed.length) this.removed = widened(this.removed, 1)
    this.gaps -= this.removed[row]!
    this.removed[row] = 0
  }

  private compact(): void {
    const { table, removed } = this
    this.table = new WordTable(table.width)
    this.removed = new Uint8Array(MIN_COMPACTED)
    this.gaps = 0
    for (let row = 0; row < table.size; row++) {
      if (removed[row] === 1) continue
      this.key.set(table.words.subarray(row * table.width, (row + 1) * table.width))
      this.insert()
    }
  }
}

/** Reads big-endian words without allocating a DataView. */
function readKeyWords(bytes: Uint8Array, key: Uint32Array, words: number): void {
  for (let i = 0, at = 0; i < words; i++, at += 4)
    key[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
}
