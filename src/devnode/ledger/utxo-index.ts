import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import { OwnerList } from './owner-list.ts'

/** Returns the key of a UTXO: its ID as hex. */
export function storageKey(utxo: {
  readonly txID: Uint8Array
  readonly outputIndex: number
}): string {
  return hex.encode(utxoID(utxo.txID, utxo.outputIndex))
}

const EMPTY_LIST: OwnerList = /* @__PURE__ */ new OwnerList()

/** Number of checksum digits at the end of a text. */
const CHECKSUM_DIGITS = 8

/**
 * UTXOs by ID and by owner. Used for the chain's own UTXOs and for those exported by each other chain. UTXOs are
 * stored as the hex text of the API: this takes less memory than a byte array each, pages need no encoding, and
 * decoding one takes a microsecond.
 */
export class UTXOIndex {
  /** Hex with checksum, by UTXO key. */
  private readonly texts = new Map<string, string>()
  /** UTXO keys by owner address in hex. */
  private readonly owned = new Map<string, OwnerList>()
  private readonly ownersOf: (bytes: Uint8Array) => readonly Uint8Array[]

  /** @param ownersOf - returns the owners in a UTXO's bytes; default: those of an X-Chain UTXO */
  constructor(ownersOf: (bytes: Uint8Array) => readonly Uint8Array[] = xChainOwners) {
    this.ownersOf = ownersOf
  }

  get size(): number {
    return this.texts.size
  }

  has(key: string): boolean {
    return this.texts.has(key)
  }

  bytes(key: string): Uint8Array | undefined {
    const text = this.texts.get(key)
    return text === undefined ? undefined : decodeText(text)
  }

  utxo(key: string): UTXO | undefined {
    const bytes = this.bytes(key)
    return bytes === undefined ? undefined : decodeUTXO(bytes)
  }

  /** Returns hex with checksum, the API's `hex` encoding. */
  text(key: string): string {
    return this.texts.get(key)!
  }

  /** Returns hex without checksum, the API's `hexnc` encoding. */
  plainText(key: string): string {
    return this.texts.get(key)!.slice(0, -CHECKSUM_DIGITS)
  }

  add(key: string, utxo: UTXO): void {
    this.put(key, checkedHex.encode(encodeUTXO(utxo)), utxo.output.addresses)
  }

  /** Adds an encoded UTXO. If it cannot be decoded, it is listed under no address. */
  addBytes(key: string, bytes: Uint8Array): void {
    this.put(key, checkedHex.encode(bytes), this.ownersOf(bytes))
  }

  delete(key: string): void {
    const bytes = this.bytes(key)
    if (bytes === undefined) return
    this.texts.delete(key)
    for (const address of this.ownersOf(bytes)) {
      const owner = hex.encode(address)
      const list = this.owned.get(owner)
      list?.delete(key)
      if (list?.size === 0) this.owned.delete(owner)
    }
  }

  /** Returns the keys of an address, newest first. */
  of(address: Uint8Array): OwnerList {
    return this.owned.get(hex.encode(address)) ?? EMPTY_LIST
  }

  /** Iterates in insertion order, for copies and digests. */
  *entries(): Generator<readonly [string, Uint8Array]> {
    for (const [key, text] of this.texts) yield [key, decodeText(text)]
  }

  clone(): UTXOIndex {
    const copy = new UTXOIndex(this.ownersOf)
    for (const [key, text] of this.texts) copy.put(key, text, this.ownersOf(decodeText(text)))
    return copy
  }

  private put(key: string, text: string, addresses: readonly Uint8Array[]): void {
    this.texts.set(key, text)
    for (const address of addresses) {
      const owner = hex.encode(address)
      let list = this.owned.get(owner)
      if (list === undefined) {
        list = new OwnerList()
        this.owned.set(owner, list)
      }
      list.add(key)
    }
  }
}

function decodeText(text: string): Uint8Array {
  return hex.decode(text.slice(0, -CHECKSUM_DIGITS))
}

function xChainOwners(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    return decodeUTXO(bytes).output.addresses
  } catch (error) {
    if (error instanceof AvmError) return []
    throw error
  }
}
