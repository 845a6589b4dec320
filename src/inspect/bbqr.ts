import { base32nopad } from '@scure/base'
import { concat } from '../core/base/bytes/concat.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { InspectError } from './errors.ts'

/*
 * BBQr (https://bbqr.org) carries a file in a series of QR codes that can be read in any order. A frame is `B$`, one
 * letter for the encoding, one for the type of file, the number of frames and the place of this one (two digits of
 * base 36 each), and the data. The reference library has compression, image and QR encoders in it and weighs 51 KB
 * gzipped, so the format is implemented here; the tests compare it with that library.
 */

/** What a series of frames holds. `J` is JSON, `U` text in UTF-8, `B` bytes. */
export type FileType = 'J' | 'U' | 'B'

/** A file that was put together from frames. */
export type Joined = { readonly fileType: string; readonly bytes: Uint8Array }

/** Characters of a QR code of version 18 with low error correction: fine enough for small cameras. */
export const FRAME_CHARACTERS = 1046

const BBQR_HEADER_LENGTH = 8
const MAX_FRAMES = 36 * 36 - 1
/** More than any request can have; a compressed file must not fill the memory. */
const MAX_FILE_SIZE = 16 * 1024 * 1024

/** Splits a file into the texts of QR codes of equal size, in base32. */
export function splitFrames(
  bytes: Uint8Array,
  fileType: FileType,
  characters: number = FRAME_CHARACTERS,
): string[] {
  // 5 bytes are 8 characters, so that each frame holds whole bytes.
  const most = Math.floor((characters - BBQR_HEADER_LENGTH) / 8) * 5
  const count = Math.max(1, Math.ceil(bytes.length / most))
  if (count > MAX_FRAMES)
    throw new InspectError(
      'TOO_LARGE_FOR_QR',
      `${bytes.length} bytes do not fit in ${MAX_FRAMES} QR codes`,
    )
  const size = Math.ceil(bytes.length / count / 5) * 5
  return Array.from({ length: count }, (_, i) => {
    const part = bytes.subarray(i * size, (i + 1) * size)
    return `B$2${fileType}${base36(count)}${base36(i)}${base32nopad.encode(part)}`
  })
}

function base36(number: number): string {
  return number.toString(36).toUpperCase().padStart(2, '0')
}

/** Whether a text claims to be a frame of a series. */
export function isFrame(text: string): boolean {
  return text.startsWith('B$')
}

/** Collects the frames of one series in any order. */
export class FrameCollector {
  private head = ''
  private readonly parts = new Map<number, string>()
  private count = 0

  /** Number of different frames that were read, and of all frames of the series; 0 before the first. */
  get progress(): { readonly read: number; readonly count: number } {
    return { read: this.parts.size, count: this.count }
  }

  /**
   * Adds a frame. A repeated one has no effect; a frame of another series starts over.
   *
   * @returns whether all frames are there
   * @throws InspectError `QR_FRAME` for a text that is no frame, or that contradicts one of the same series
   */
  add(text: string): boolean {
    const { head, count, index, data } = readFrame(text)
    if (head !== this.head) {
      this.parts.clear()
      this.head = head
      this.count = count
    }
    const known = this.parts.get(index)
    if (known !== undefined && known !== data) {
      this.head = ''
      this.parts.clear()
      throw badFrame('contradicts an earlier one; scanning starts over')
    }
    this.parts.set(index, data)
    return this.parts.size === this.count
  }

  /** The file, once all frames are there. */
  async join(): Promise<Joined> {
    const frames = Array.from({ length: this.count }, (_, i) => this.parts.get(i)!)
    const sizes = new Set(frames.slice(0, -1).map(({ length }) => length))
    if (sizes.size > 1) throw badFrame('has another size than the others')
    const encoding = this.head[2]
    const bytes = concat(frames.map((data) => decodeFrame(data, encoding!)))
    return {
      fileType: this.head[3]!,
      bytes: encoding === 'Z' ? await inflate(bytes) : bytes,
    }
  }
}

function readFrame(text: string): { head: string; count: number; index: number; data: string } {
  const match = /^(B\$[H2Z][A-Z]([0-9A-Z]{2}))([0-9A-Z]{2})([0-9A-Z]*)$/.exec(text)
  if (match === null) throw badFrame('cannot be read')
  const [, head, total, place, data] = match as unknown as [string, string, string, string, string]
  const count = Number.parseInt(total, 36)
  const index = Number.parseInt(place, 36)
  if (index >= count) throw badFrame(`has the number ${index + 1} of ${count}`)
  decodeFrame(data, head[2]!)
  return { head, count, index, data }
}

function decodeFrame(data: string, encoding: string): Uint8Array {
  try {
    return encoding === 'H' ? hex.decode(data) : base32nopad.decode(data)
  } catch {
    throw badFrame('cannot be decoded')
  }
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) return concat(chunks)
      chunks.push(value)
      size += value.length
      if (size > MAX_FILE_SIZE) {
        await reader.cancel()
        break
      }
    }
  } catch {
    throw badFrame('holds damaged compressed data')
  }
  throw badFrame('holds too much data')
}

function badFrame(what: string): InspectError {
  return new InspectError('QR_FRAME', `a QR code of the series ${what}`)
}
