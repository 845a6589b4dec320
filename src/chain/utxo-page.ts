import type { Spans } from '../bytes/spans.ts'
import { checkSize, decodeSpan, MAX_SIZE } from '../codec/codec.ts'
import { Reader } from '../codec/reader.ts'
import { badChecksum, CHECKSUM_SIZE, checkedHexSize } from '../encoding/checked-hex.ts'
import { writeHex } from '../encoding/hex.ts'
import { AvmError, EncodingError } from '../errors.ts'
import { checksum } from '../hash/sha256.ts'
import { decodeHexPage } from '../hash/sha256x4.ts'
import { type UTXO, utxo } from './utxo.ts'

/** An entry of a page that is no UTXO we can read: shown, never counted, never spent. */
export type OpaqueUTXO = {
  /** Its position in the page. */
  readonly index: number
  /** As it came. */
  readonly raw: string | Uint8Array
  readonly reason: AvmError
}

/** A page of UTXOs, taken apart. Anyone can put odd outputs on any address, so a page may hold some. */
export type UTXOPage = {
  /** Of every output type, in the order of the page. */
  readonly utxos: UTXO[]
  readonly opaque: OpaqueUTXO[]
}

/** The API's encodings for pages: with a checksum for each entry, or without. */
export type PageEncoding = 'hex' | 'hexnc'

/** The entries of a page in one buffer, of which every decoded field is a view. */
export type PageBytes = Spans & {
  /** As they came. */
  readonly entries: readonly (string | Uint8Array)[]
  /** Why an entry is no bytes, by its position. */
  readonly faults?: ReadonlyMap<number, AvmError>
}

/**
 * Decodes the UTXOs of a page, given as the node's texts or as bytes. Checksums are verified. An entry
 * that cannot be read does not spoil the others: it comes back in `opaque` with the reason.
 *
 * @example
 * const { utxos, opaque } = decodeUTXOPage(reply.utxos)
 */
export function decodeUTXOPage(
  entries: readonly (string | Uint8Array)[],
  { encoding = 'hex' }: { readonly encoding?: PageEncoding } = {},
): UTXOPage {
  return decodePage(pageBytes(entries, encoding))
}

/** Turns texts into bytes and verifies their checksums. */
export function pageBytes(
  entries: readonly (string | Uint8Array)[],
  encoding: PageEncoding,
): PageBytes {
  const spans = decodeTexts(entries, encoding)
  return spans === undefined ? new Entries(entries, encoding) : { ...spans, entries }
}

function decodePage(page: PageBytes): UTXOPage {
  const { entries, bytes, starts, ends, faults } = page
  const reader = new Reader(bytes)
  const utxos: UTXO[] = []
  const opaque: OpaqueUTXO[] = []
  for (let index = 0; index < entries.length; index++) {
    const start = starts[index]!
    const end = ends[index]!
    try {
      const fault = faults?.get(index)
      if (fault !== undefined) throw fault
      checkSize(end - start, MAX_SIZE)
      utxos.push(decodeSpan(utxo, reader, bytes, start, end))
    } catch (reason) {
      if (!(reason instanceof AvmError)) throw reason
      opaque.push({ index, raw: entries[index]!, reason })
    }
  }
  return { utxos, opaque }
}

const undecoded = /* @__PURE__ */ new WeakMap<UTXOPage, PageBytes>()

/** A page that is decoded when it is looked into: a `UTXOSet` takes it in without. */
export function lazyPage(page: PageBytes): UTXOPage {
  let decoded: UTXOPage | undefined
  const look = () => {
    decoded ??= decodePage(page)
    return decoded
  }
  const lazy: UTXOPage = {
    get utxos() {
      return look().utxos
    },
    get opaque() {
      return look().opaque
    },
  }
  undecoded.set(lazy, page)
  return lazy
}

/** The bytes behind a lazy page. */
export function bytesBehind(page: UTXOPage): PageBytes | undefined {
  return undecoded.get(page)
}

/** The fast way for whole pages of well-formed texts. */
function decodeTexts(
  entries: readonly (string | Uint8Array)[],
  encoding: PageEncoding,
): Spans | undefined {
  return entries.every((entry) => typeof entry === 'string')
    ? decodeHexPage(entries, encoding === 'hex' ? CHECKSUM_SIZE : 0)
    : undefined
}

/** The way for everything else, entry by entry. */
class Entries implements PageBytes {
  readonly entries: readonly (string | Uint8Array)[]
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly faults: Map<number, AvmError> = new Map()

  constructor(entries: readonly (string | Uint8Array)[], encoding: PageEncoding) {
    this.entries = entries
    this.starts = new Uint32Array(entries.length)
    this.ends = new Uint32Array(entries.length)
    let total = 0
    entries.forEach((entry, i) => {
      this.starts[i] = total
      // Room for a checksum behind the payload, where it is read before it is compared.
      this.guard(i, () => {
        this.ends[i] = total + sizeOf(entry, encoding)
        total = this.ends[i]! + CHECKSUM_SIZE
      })
    })
    this.bytes = new Uint8Array(total)
    entries.forEach((entry, i) => {
      if (!this.faults.has(i)) this.guard(i, () => this.fill(entry, i, encoding))
    })
  }

  private guard(index: number, run: () => void): void {
    try {
      run()
    } catch (fault) {
      if (!(fault instanceof AvmError)) throw fault
      this.faults.set(index, fault)
      this.ends[index] = this.starts[index]!
    }
  }

  private fill(entry: string | Uint8Array, index: number, encoding: PageEncoding): void {
    const start = this.starts[index]!
    if (typeof entry !== 'string') {
      this.bytes.set(entry, start)
      return
    }
    writeHex(entry, 2, this.bytes, start)
    if (encoding === 'hexnc') return
    const end = this.ends[index]!
    const found = new DataView(this.bytes.buffer).getUint32(end)
    const expected = checksum(this.bytes.subarray(start, end))
    if (found !== expected) throw badChecksum(found, expected)
  }
}

function sizeOf(entry: string | Uint8Array, encoding: PageEncoding): number {
  if (entry instanceof Uint8Array) return entry.length
  if (typeof entry !== 'string')
    throw new EncodingError('ENC_INVALID', `expected text or bytes, found ${typeof entry}`)
  if (encoding === 'hex') return checkedHexSize(entry)
  if (!entry.startsWith('0x'))
    throw new EncodingError('ENC_MISSING_0X', 'expected hex that starts with 0x')
  return (entry.length - 2) >> 1
}
