import { decodeHexPage } from '#sha256x4'
import { argument, bulk, type Check, object, oneOf, optional } from '../../base/argument.ts'
import type { Spans } from '../../base/bytes/spans.ts'
import {
  badChecksum,
  CHECKSUM_SIZE,
  checkedHexSize,
  require0x,
} from '../../base/encoding/checked-hex.ts'
import { writeHex } from '../../base/encoding/hex.ts'
import { AvmError } from '../../base/errors.ts'
import { checksum } from '../../base/hash/sha256.ts'
import { isBytes } from '../../base/require.ts'
import { checkSize, decodeSpan, MAX_SIZE } from '../../codec/codec.ts'
import { Reader } from '../../codec/reader.ts'
import { type UTXO, utxo } from './utxo.ts'

/** An entry of a page that cannot be decoded as a UTXO. It is reported but never counted or spent. */
export type OpaqueUTXO = {
  /** Position in the page. */
  readonly index: number
  /** The entry as received. */
  readonly raw: string | Uint8Array
  /** Why it cannot be decoded. */
  readonly reason: AvmError
}

/**
 * A decoded page of UTXOs. Anyone can send outputs of any type to any address, so some entries may be undecodable.
 */
export type UTXOPage = {
  /** UTXOs of all output types, in page order. */
  readonly utxos: UTXO[]
  /** Entries that cannot be decoded. */
  readonly opaque: OpaqueUTXO[]
}

/** Encoding of the entries: with a checksum each (`hex`) or without (`hexnc`). */
export type PageEncoding = 'hex' | 'hexnc'

/** Options of {@link decodeUTXOPage}. */
export type PageOptions = { readonly encoding?: PageEncoding | undefined }

const pageOptions: Check<PageOptions> = object<PageOptions>({
  encoding: optional(oneOf<PageEncoding>('hex', 'hexnc')),
})

/** The entries of a page in one buffer. Every decoded field is a view of it. */
export type PageBytes = Spans & {
  /** The entries as received. */
  readonly entries: readonly (string | Uint8Array)[]
  /** Errors of entries that could not be converted to bytes, by position. */
  readonly faults?: ReadonlyMap<number, AvmError> | undefined
}

/**
 * Decodes a page of UTXOs, given as the node's hex strings or as bytes, and verifies the checksums. An entry that
 * cannot be decoded does not affect the others: it is returned in `opaque` with the reason.
 *
 * @param options - `encoding` is `hex` (with checksums, the default) or `hexnc`
 *
 * @example
 * const { utxos, opaque } = decodeUTXOPage(entries)
 */
export function decodeUTXOPage(
  entries: readonly (string | Uint8Array)[],
  options: PageOptions = {},
): UTXOPage {
  const { encoding = 'hex' } = argument('decodeUTXOPage', options, pageOptions)
  return decodePage(pageBytes(argument('decodeUTXOPage', entries, bulk(), 'entries'), encoding))
}

/** Converts texts to bytes and verifies their checksums. */
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

/** The bytes of each lazy page. */
const undecoded = /* @__PURE__ */ new WeakMap<UTXOPage, PageBytes>()

/** Returns a page that is decoded on first access. A `UTXOSet` adds it without decoding. */
export function lazyPage(page: PageBytes): UTXOPage {
  let decoded: UTXOPage | undefined
  const decodeOnce = () => {
    decoded ??= decodePage(page)
    return decoded
  }
  const lazy: UTXOPage = {
    get utxos() {
      return decodeOnce().utxos
    },
    get opaque() {
      return decodeOnce().opaque
    },
  }
  undecoded.set(lazy, page)
  return lazy
}

/** Returns the bytes of a lazy page, or undefined for other pages. */
export function bytesBehind(page: UTXOPage): PageBytes | undefined {
  return undecoded.get(page)
}

/** Fast path for pages that contain only well-formed texts. */
function decodeTexts(
  entries: readonly (string | Uint8Array)[],
  encoding: PageEncoding,
): Spans | undefined {
  return entries.every((entry) => typeof entry === 'string')
    ? decodeHexPage(entries, encoding === 'hex' ? CHECKSUM_SIZE : 0)
    : undefined
}

/** Slow path for all other pages, entry by entry. */
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
      // The checksum is decoded into the space after the payload and compared there.
      this.guard(i, () => {
        this.ends[i] = total + entrySize(entry, encoding)
        total = this.ends[i]! + CHECKSUM_SIZE
      })
    })
    this.bytes = new Uint8Array(total)
    entries.forEach((entry, i) => {
      if (!this.faults.has(i)) this.guard(i, () => this.fill(entry, i, encoding))
    })
  }

  /** Runs a step for one entry. If it throws, the error is recorded and the entry becomes empty. */
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

function entrySize(entry: string | Uint8Array, encoding: PageEncoding): number {
  if (isBytes(entry)) return entry.length
  if (encoding === 'hex') return checkedHexSize(entry)
  require0x(entry)
  return (entry.length - 2) >> 1
}
