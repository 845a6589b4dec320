import { type Check, list, text } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { badUR, crc32, decodeBytewords, encodeBytewords } from './bytewords.ts'
import { decodeCBOR, encodeCBOR } from './cbor.ts'
import { chooseFragments } from './fountain.ts'

// Uniform Resources (BCR-2020-005): a typed content as one text, or as a series of QR codes that can be read in any order.

/** A content and its type. */
export type UR = { readonly type: string; readonly bytes: Uint8Array }

/** Bytes per QR code: about 500 characters, as Keystone devices show and read well. */
export const FRAGMENT_BYTES = 200

/** Parts that a series may have. A request of the largest transaction has about 1 300. */
const MAX_PARTS = 2_000
const MAX_CONTENT = 1024 * 1024

/**
 * The texts of QR codes, in upper case, which QR codes hold more compactly. A content of several fragments gets as many
 * mixed parts, each of which replaces one that was missed.
 */
export function encodeUR({ type, bytes }: UR, fragmentBytes: number = FRAGMENT_BYTES): string[] {
  const count = Math.max(1, Math.ceil(bytes.length / fragmentBytes))
  if (count === 1) return [`ur:${type}/${encodeBytewords(bytes)}`.toUpperCase()]
  if (count > MAX_PARTS) throw badUR(`would have ${count} parts, at most ${MAX_PARTS} are possible`)
  const size = Math.ceil(bytes.length / count)
  const padded = new Uint8Array(size * count)
  padded.set(bytes)
  const checksum = crc32(bytes)
  return Array.from({ length: 2 * count }, (_, i) => {
    const mixed = new Uint8Array(size)
    for (const place of chooseFragments(i + 1, count, checksum))
      xorInto(mixed, padded.subarray(place * size, (place + 1) * size))
    const part = encodeCBOR([i + 1, count, bytes.length, checksum, mixed])
    return `ur:${type}/${i + 1}-${count}/${encodeBytewords(part)}`.toUpperCase()
  })
}

/** Whether a text claims to be a UR. */
export function isUR(text: string): boolean {
  return /^ur:/i.test(text)
}

/** Description of the texts of a UR. */
export const urTexts: Check<string | readonly string[]> = (value, at) =>
  typeof value === 'string' ? value : list(text)(value, at)

/**
 * The content of a UR: one text, the texts of a series separated by white space, or a list of them.
 *
 * @throws KeystoneError `KEYSTONE_UR`, `KEYSTONE_CBOR`
 */
export function joinUR(texts: string | readonly string[]): UR {
  const collector = new URCollector()
  for (const part of typeof texts === 'string' ? texts.split(/\s+/).filter(Boolean) : texts) {
    const ur = collector.add(part)
    if (ur !== undefined) return ur
  }
  const { read, count } = collector.progress
  throw badUR(`is incomplete: ${read} of ${count} parts`)
}

/** A series that is being read. */
type Series = {
  readonly type: string
  readonly count: number
  readonly size: number
  readonly length: number
  readonly checksum: number
}

/** A part that mixes several fragments which are not known yet. */
type Mixed = { readonly places: Set<number>; readonly data: Uint8Array }

/** Collects the parts of a UR in any order. */
export class URCollector {
  private series: Series | undefined
  private fragments = new Map<number, Uint8Array>()
  private mixed: Mixed[] = []
  private seen = new Set<number>()

  /** Number of fragments that are known, and of all; 0 before the first part. */
  get progress(): { readonly read: number; readonly count: number } {
    return { read: this.fragments.size, count: this.series?.count ?? 0 }
  }

  /**
   * Adds a part, or a whole UR. A part of another series starts over.
   *
   * @returns the content as soon as it is known
   * @throws KeystoneError `KEYSTONE_UR`, `KEYSTONE_CBOR`
   */
  add(text: string): UR | undefined {
    if (typeof text !== 'string') throw badUR('is not a text')
    const match = /^ur:([a-z0-9-]{1,50})\/(?:(\d{1,9})-(\d{1,9})\/)?([a-z]+)$/.exec(
      text.toLowerCase(),
    )
    if (match === null) throw badUR('cannot be read')
    const [, type, place, total, letters] = match
    const bytes = decodeBytewords(letters!)
    if (place === undefined) return { type: type!, bytes }
    const { seqNum, data, ...series } = readPart(type!, bytes)
    if (seqNum !== Number(place) || series.count !== Number(total))
      throw badUR('has another number than its content')
    if (!isSame(this.series, series)) this.restart(series)
    if (!this.seen.has(seqNum)) {
      this.seen.add(seqNum)
      this.take({ places: new Set(chooseFragments(seqNum, series.count, series.checksum)), data })
    }
    return this.fragments.size === series.count ? this.join(series) : undefined
  }

  private restart(series: Series | undefined): void {
    this.series = series
    this.fragments = new Map()
    this.mixed = []
    this.seen = new Set()
  }

  /** Removes the known fragments from a part; one that is left becomes known, and may make others known. */
  private take(part: Mixed): void {
    const queue = [part]
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const place of next.places) {
        const known = this.fragments.get(place)
        if (known === undefined) continue
        xorInto(next.data, known)
        next.places.delete(place)
      }
      const [place] = next.places
      if (place === undefined) continue
      if (next.places.size > 1) {
        this.mixed.push(next)
        continue
      }
      this.fragments.set(place, next.data)
      queue.push(...this.mixed.filter(({ places }) => places.has(place)))
      this.mixed = this.mixed.filter(({ places }) => !places.has(place))
    }
  }

  private join({ type, count, size, length, checksum }: Series): UR {
    const padded = new Uint8Array(count * size)
    for (const [place, data] of this.fragments) padded.set(data, place * size)
    const bytes = padded.slice(0, length)
    if (
      crc32(bytes) === checksum &&
      equalBytes(padded.subarray(length), new Uint8Array(count * size - length))
    )
      return { type, bytes }
    this.restart(undefined)
    throw badUR('has parts that contradict each other; scanning starts over')
  }
}

function readPart(type: string, bytes: Uint8Array): Series & { seqNum: number; data: Uint8Array } {
  const part = decodeCBOR(bytes)
  const [seqNum, count, length, checksum, data] = Array.isArray(part) ? part : []
  const isNumber = (value: unknown): value is number => typeof value === 'number'
  if (
    !isNumber(seqNum) ||
    !isNumber(count) ||
    !isNumber(length) ||
    !isNumber(checksum) ||
    !(data instanceof Uint8Array) ||
    part instanceof Uint8Array
  )
    throw badUR('has a part that cannot be read')
  const size = data.length
  const fits = count * size >= length && (count - 1) * size < length
  if (seqNum < 1 || count < 1 || count > MAX_PARTS || length > MAX_CONTENT || !fits)
    throw badUR('has a part with impossible sizes')
  return { type, seqNum, count, size, length, checksum, data: data.slice() }
}

function isSame(a: Series | undefined, b: Series): boolean {
  return (
    a !== undefined &&
    a.type === b.type &&
    a.count === b.count &&
    a.size === b.size &&
    a.length === b.length &&
    a.checksum === b.checksum
  )
}

function xorInto(target: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < target.length; i++) target[i] = target[i]! ^ other[i]!
}
