import { CodecError } from '../errors.ts'
import type { Codec } from './io.ts'
import { Reader } from './reader.ts'
import { blank, fieldReached } from './trace.ts'
import { Writer } from './writer.ts'

/** The only codec version there is; it precedes every value that stands on its own. */
const VERSION = 0
const VERSION_SIZE = 2

/** The node's limit for transactions, blocks and UTXOs, version included. */
export const MAX_SIZE = 262_144

/** The node's limit for genesis data. */
export const MAX_GENESIS_SIZE = 0x7fffffff

/**
 * Decodes a value that stands on its own: version, value, nothing else. The bytes are copied once;
 * what is returned shares no memory with them.
 */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array, maxSize: number = MAX_SIZE): T {
  checkSize(bytes.length, maxSize)
  // Not `slice`, which on a Node Buffer does not copy.
  const owned = new Uint8Array(bytes)
  return decodeSpan(codec, new Reader(owned), owned, 0, owned.length)
}

/** Refuses sizes above the node's limit. */
export function checkSize(size: number, maxSize: number): void {
  if (size > maxSize)
    throw new CodecError('CODEC_TOO_BIG', `expected at most ${maxSize} bytes, found ${size}`, 0)
}

/**
 * Decodes the value that stands in `owned` from `start` to `end` with a reader of `owned`, for callers
 * that read many values out of one buffer. The size is theirs to check.
 */
export function decodeSpan<T>(
  codec: Codec<T>,
  reader: Reader,
  owned: Uint8Array,
  start: number,
  end: number,
): T {
  reader.seek(start, end)
  readVersion(reader, end - start)
  let value: T
  try {
    value = reader.struct(undefined as T, codec)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const path = fieldReached(blank as T, (noting) => {
      const tracer = new Reader(owned, true)
      tracer.seek(start + VERSION_SIZE, end)
      tracer.struct(noting, codec)
    })
    throw new CodecError(error.code, error.message, error.offset, path)
  }
  reader.finish()
  return value
}

function readVersion(reader: Reader, size: number): void {
  if (size < VERSION_SIZE)
    throw new CodecError(
      'CODEC_VERSION_MISSING',
      `expected ${VERSION_SIZE} bytes of codec version, found ${size}`,
      0,
    )
  const version = reader.u16(VERSION)
  if (version !== VERSION)
    throw new CodecError(
      'CODEC_UNKNOWN_VERSION',
      `expected codec version ${VERSION}, found ${version}`,
      0,
    )
}

// One writer serves all calls but those made while it is busy (a getter of the value that encodes).
let idleWriter: Writer | undefined

/** Encodes a value that stands on its own, with the version in front. */
export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  return write(codec, value, VERSION_SIZE)
}

/** Encodes a value as it stands inside others, without a version. */
export function encodeBare<T>(codec: Codec<T>, value: T): Uint8Array {
  return write(codec, value, 0)
}

function write<T>(codec: Codec<T>, value: T, versionSize: number): Uint8Array {
  const writer = idleWriter ?? new Writer()
  idleWriter = undefined
  writer.reset()
  try {
    if (versionSize > 0) writer.u16(VERSION)
    writer.struct(value, codec)
    return writer.finish()
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const path = fieldReached(value, (noting) => new Writer().struct(noting, codec))
    throw new CodecError(error.code, error.message, error.offset, path)
  } finally {
    idleWriter = writer
  }
}
