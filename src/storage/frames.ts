import { sha256 } from '../core/base/hash/sha256.ts'
import type { DiskFile } from './disk.ts'
import { FileError } from './file-error.ts'

/*
 * The format of a log:
 *
 *   file    = header frame*
 *   header  = kind (8 bytes) nonce (16) checksum (8)
 *   frame   = sequence (u64) length (u32) check (4) payload checksum (8)
 *
 * The checksum of a frame is the start of SHA-256 over the previous checksum, the frame header and the payload; that
 * of the file header covers kind and nonce. `check` is the start of SHA-256 over the previous checksum, sequence and
 * length: without it a damaged length would look like a record that a crash left unfinished. All bytes that a
 * checksum covers are adjacent in the file, because each frame follows the checksum of the previous one. The nonce
 * is random, so that frames of other logs, or of an earlier version of this one, never verify.
 */

const KIND_SIZE = 8
const LOG_NONCE_SIZE = 16
const LOG_CHECKSUM_SIZE = 8
const HEADER_SIZE: number = KIND_SIZE + LOG_NONCE_SIZE + LOG_CHECKSUM_SIZE
const SEQUENCE_SIZE = 8
const LENGTH_SIZE = 4
const FRAME_CHECK_SIZE = 4
const FRAME_HEADER_SIZE: number = SEQUENCE_SIZE + LENGTH_SIZE + FRAME_CHECK_SIZE
const CHUNK_SIZE = 1 << 18

/** Maximum size of a record's payload. */
export const MAX_RECORD_SIZE: number = 1 << 24

/** The end of a log, to which the next frame is chained. */
export type LogEnd = {
  /** Size in bytes up to the end of the last complete record. */
  readonly size: number
  /** Number of complete records. */
  readonly records: number
  /** Checksum of the last record, or of the file header. */
  readonly checksum: Uint8Array
}

/** Encodes the header of a new log. */
export function encodeHeader(kind: string, nonce: Uint8Array): { bytes: Uint8Array; end: LogEnd } {
  const bytes = new Uint8Array(HEADER_SIZE)
  bytes.set(new TextEncoder().encode(kind))
  bytes.set(nonce, KIND_SIZE)
  const checksum = frameChecksum(bytes.subarray(0, HEADER_SIZE - LOG_CHECKSUM_SIZE))
  bytes.set(checksum, HEADER_SIZE - LOG_CHECKSUM_SIZE)
  return { bytes, end: { size: HEADER_SIZE, records: 0, checksum } }
}

/** Encodes the next record of a log. */
export function encodeFrame(
  { size, records, checksum: previous }: LogEnd,
  payload: Uint8Array,
): { bytes: Uint8Array; end: LogEnd } {
  const bytes = new Uint8Array(
    LOG_CHECKSUM_SIZE + FRAME_HEADER_SIZE + payload.length + LOG_CHECKSUM_SIZE,
  )
  const view = new DataView(bytes.buffer)
  bytes.set(previous)
  view.setBigUint64(LOG_CHECKSUM_SIZE, BigInt(records + 1))
  view.setUint32(LOG_CHECKSUM_SIZE + SEQUENCE_SIZE, payload.length)
  const checked = LOG_CHECKSUM_SIZE + SEQUENCE_SIZE + LENGTH_SIZE
  bytes.set(sha256(bytes.subarray(0, checked)).subarray(0, FRAME_CHECK_SIZE), checked)
  bytes.set(payload, LOG_CHECKSUM_SIZE + FRAME_HEADER_SIZE)
  const checksum = frameChecksum(bytes.subarray(0, bytes.length - LOG_CHECKSUM_SIZE))
  bytes.set(checksum, bytes.length - LOG_CHECKSUM_SIZE)
  const frame = bytes.subarray(LOG_CHECKSUM_SIZE)
  return { bytes: frame, end: { size: size + frame.length, records: records + 1, checksum } }
}

/**
 * Reads a log in chunks and verifies every record. `onRecord` is called with each payload, which is valid only during
 * the call.
 *
 * A crash may leave the end of the file incomplete: the file ends within a record, or what follows was allocated but not
 * written and reads as zeros. These may begin anywhere in a record, because the system may write a record in several
 * parts. Such a tail is reported as `torn` and is not an error. Any other mismatch is.
 *
 * @throws FileError `FILE_CORRUPT`
 */
export async function readFrames(
  file: DiskFile,
  kind: string,
  onRecord: (payload: Uint8Array, record: number) => void,
): Promise<LogEnd & { readonly torn: boolean }> {
  const source = new FileWindow(file)
  const header = await source.read(0, HEADER_SIZE)
  const expected = new TextEncoder().encode(kind)
  if (header.length < HEADER_SIZE || !startsWith(header, expected))
    throw corrupt(0, 'the file has another format')
  if (
    !startsWith(
      frameChecksum(header.subarray(0, -LOG_CHECKSUM_SIZE)),
      header.subarray(-LOG_CHECKSUM_SIZE),
    )
  )
    throw corrupt(0, 'the file header is damaged')
  let size = HEADER_SIZE
  let checksum = header.slice(-LOG_CHECKSUM_SIZE)
  for (let records = 0; ; records++) {
    const end = { size, records, checksum }
    const record = records + 1
    // Views start with the previous checksum, which is part of the checksummed bytes.
    const start = size - LOG_CHECKSUM_SIZE
    let frame = source.peek(start, LOG_CHECKSUM_SIZE + FRAME_HEADER_SIZE)
    frame ??= await source.read(start, LOG_CHECKSUM_SIZE + FRAME_HEADER_SIZE)
    if (frame.length === LOG_CHECKSUM_SIZE) return { ...end, torn: false }
    const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
    if (frame.length < LOG_CHECKSUM_SIZE + FRAME_HEADER_SIZE || !isCheckValid(frame)) {
      const written = (await source.endOfData(size)) - size
      if (isStartOfHeader(frame, written, record)) return { ...end, torn: true }
      throw corrupt(record, 'its header is damaged')
    }
    if (view.getBigUint64(LOG_CHECKSUM_SIZE) !== BigInt(record))
      throw corrupt(record, `it has the number ${view.getBigUint64(LOG_CHECKSUM_SIZE)}`)
    const length = view.getUint32(LOG_CHECKSUM_SIZE + SEQUENCE_SIZE)
    if (length > MAX_RECORD_SIZE) throw corrupt(record, `it is ${length} bytes long`)
    const whole = LOG_CHECKSUM_SIZE + FRAME_HEADER_SIZE + length + LOG_CHECKSUM_SIZE
    frame = source.peek(start, whole) ?? (await source.read(start, whole))
    if (frame.length < whole) return { ...end, torn: true }
    const stored = frame.subarray(-LOG_CHECKSUM_SIZE)
    const computed = frameChecksum(frame.subarray(0, -LOG_CHECKSUM_SIZE))
    if (!startsWith(computed, stored)) {
      const missing = start + whole - (await source.endOfData(size))
      // A checksum may end with zeros, so what is there of it must be right.
      const there = stored.subarray(0, Math.max(0, LOG_CHECKSUM_SIZE - missing))
      if (missing > 0 && startsWith(computed, there)) return { ...end, torn: true }
      throw corrupt(record, 'its checksum is wrong')
    }
    checksum = stored.slice()
    size += whole - LOG_CHECKSUM_SIZE
    onRecord(frame.subarray(LOG_CHECKSUM_SIZE + FRAME_HEADER_SIZE, -LOG_CHECKSUM_SIZE), record)
  }
}

/**
 * Whether a crash has left only the start of a valid frame header.
 *
 * @param frame - the header, after the previous checksum
 * @param written - number of bytes of the frame up to the last one that is not zero
 */
function isStartOfHeader(frame: Uint8Array, written: number, record: number): boolean {
  if (written >= FRAME_HEADER_SIZE) return false
  const there = frame.subarray(LOG_CHECKSUM_SIZE, LOG_CHECKSUM_SIZE + written)
  const sequence = new Uint8Array(SEQUENCE_SIZE)
  new DataView(sequence.buffer).setBigUint64(0, BigInt(record))
  if (!startsWith(sequence, there.subarray(0, SEQUENCE_SIZE))) return false
  return startsWith(headerCheck(frame), there.subarray(SEQUENCE_SIZE + LENGTH_SIZE))
}

function isCheckValid(frame: Uint8Array): boolean {
  const end = LOG_CHECKSUM_SIZE + SEQUENCE_SIZE + LENGTH_SIZE
  return startsWith(headerCheck(frame), frame.subarray(end, end + FRAME_CHECK_SIZE))
}

/** The check of a frame header that follows the previous checksum. */
function headerCheck(frame: Uint8Array): Uint8Array {
  return sha256(frame.subarray(0, LOG_CHECKSUM_SIZE + SEQUENCE_SIZE + LENGTH_SIZE))
}

function frameChecksum(bytes: Uint8Array): Uint8Array {
  return sha256(bytes).subarray(0, LOG_CHECKSUM_SIZE)
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false
  return true
}

function corrupt(record: number, reason: string): FileError {
  const what = record === 0 ? '' : `record ${record} is damaged: `
  return new FileError('FILE_CORRUPT', what + reason, { record })
}

/** A buffer that moves forward through a file. */
class FileWindow {
  private readonly file: DiskFile
  private buffer = new Uint8Array(CHUNK_SIZE)
  /** Position in the file of the first byte of the buffer. */
  private from = 0
  private filled = 0

  constructor(file: DiskFile) {
    this.file = file
  }

  /** Returns a view that is valid until the next `read`, or undefined if the bytes are not in the buffer. */
  peek(position: number, length: number): Uint8Array | undefined {
    const at = position - this.from
    return at + length <= this.filled ? this.buffer.subarray(at, at + length) : undefined
  }

  /** Returns a view that is valid until the next `read`; it is shorter at the end of the file. */
  async read(position: number, length: number): Promise<Uint8Array> {
    const rest = this.buffer.subarray(position - this.from, this.filled)
    if (length > this.buffer.length) this.buffer = new Uint8Array(length + CHUNK_SIZE)
    this.buffer.set(rest)
    this.from = position
    this.filled = rest.length
    while (this.filled < length) {
      const count = await this.file.read(this.buffer.subarray(this.filled), this.from + this.filled)
      if (count === 0) break
      this.filled += count
    }
    return this.buffer.subarray(0, Math.min(length, this.filled))
  }

  /** Position after the last byte from `start` on that is not zero; `start` if there is none. */
  async endOfData(start: number): Promise<number> {
    const chunk = new Uint8Array(CHUNK_SIZE)
    let position = start
    let end = start
    for (let count = 1; count > 0; position += count) {
      count = await this.file.read(chunk, position)
      const last = chunk.subarray(0, count).findLastIndex((byte) => byte !== 0)
      if (last >= 0) end = position + last + 1
    }
    return end
  }
}
