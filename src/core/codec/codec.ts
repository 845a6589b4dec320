import type { Check } from '../base/argument.ts'
import { AvmError, CodecError } from '../base/errors.ts'
import { requireBytes } from '../base/require.ts'
import type { Codec } from './io.ts'
import { Reader } from './reader.ts'
import { blank, failedField } from './trace.ts'
import { Writer } from './writer.ts'

/** The only codec version. It precedes every top-level value. */
const CODEC_VERSION = 0
/** Bytes of the codec version. */
export const VERSION_SIZE = 2

/** Size limit of the node for transactions, blocks and UTXOs, including the version. */
export const MAX_SIZE = 262_144

/** Size limit of the node for genesis data. */
export const MAX_GENESIS_SIZE = 0x7fffffff

/**
 * Decodes a top-level value: the codec version and the value, with no bytes left over. The bytes are copied once; the
 * result shares no memory with the input.
 *
 * @throws CodecError
 */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array, maxSize: number = MAX_SIZE): T {
  requireBytes(bytes, 'input')
  checkSize(bytes.length, maxSize)
  // Not `slice`, which does not copy a Node Buffer.
  const owned = new Uint8Array(bytes)
  return decodeSpan(codec, new Reader(owned), owned, 0, owned.length)
}

/** Rejects sizes above `maxSize`. */
export function checkSize(size: number, maxSize: number): void {
  if (size > maxSize)
    throw new CodecError('CODEC_TOO_BIG', `too large: ${size} bytes, at most ${maxSize} allowed`, 0)
}

/**
 * Decodes the value in `owned` from `start` to `end` with a reader of `owned`. For callers that decode many values
 * from one buffer; they check the size.
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
    const path = failedField(blank as T, (recorder) => {
      const tracer = new Reader(owned, true)
      tracer.seek(start + VERSION_SIZE, end)
      tracer.struct(recorder, codec)
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
      `missing codec version: expected ${VERSION_SIZE} bytes, found ${size}`,
      0,
    )
  const version = reader.u16(CODEC_VERSION)
  if (version !== CODEC_VERSION)
    throw new CodecError(
      'CODEC_UNKNOWN_VERSION',
      `expected codec version ${CODEC_VERSION}, found ${version}`,
      0,
    )
}

/**
 * Returns the result of `body`, which reads `value` without checking it. If that fails or returns undefined or NaN,
 * encodes `value`, so that the error names the field that is missing or has the wrong type. Successful calls have no
 * overhead.
 *
 * @throws CodecError
 */
export function withFieldErrors<T, R extends object | number>(
  codec: Codec<T>,
  value: T,
  body: () => R,
): R {
  let failure: unknown
  try {
    const result = body()
    if (result !== undefined && !Number.isNaN(result)) return result
  } catch (error) {
    failure = error
  }
  if (!(failure instanceof AvmError)) requireEncodable(codec, value)
  throw failure
}

// One writer is shared by all calls. A nested call (a getter of the value that encodes) creates its own.
let idleWriter: Writer | undefined

/**
 * Encodes a top-level value, preceded by the codec version.
 *
 * @throws CodecError
 */
export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  return write(codec, value, VERSION_SIZE).finish()
}

/**
 * Encodes a value as it appears inside others, without the codec version.
 *
 * @throws CodecError
 */
export function encodeBare<T>(codec: Codec<T>, value: T): Uint8Array {
  return write(codec, value, 0).finish()
}

/**
 * Rejects values that cannot be encoded, such as those from plain JavaScript. The error names the wrong field.
 *
 * @throws CodecError
 */
export function requireEncodable<T>(codec: Codec<T>, value: T): void {
  write(codec, value, 0)
}

/**
 * Checks every field of a value and returns a copy, which later changes of the original do not reach.
 *
 * @throws CodecError
 */
export function copyOf<T>(codec: Codec<T>, value: T): T {
  return new Reader(encodeBare(codec, value)).struct(undefined as T, codec)
}

/** Like `copyOf`, for a list; errors name its items `name[0]` and so on. */
export function copyOfList<T>(codec: Codec<T>, list: readonly T[], name: string): readonly T[] {
  const wrapped: Codec<{ readonly [name: string]: readonly T[] }> = (io, v) => ({
    [name]: io.list(v[name]!, codec),
  })
  return copyOf(wrapped, { [name]: list })[name]!
}

/** Describes a struct of the protocol in an argument. It is not copied. */
/* @__NO_SIDE_EFFECTS__ */
export function struct<T>(codec: Codec<T>): Check<T> {
  return (value) => {
    requireEncodable(codec, value as T)
    return value as T
  }
}

/** Returns the writer with the encoded value, which the next call overwrites. */
function write<T>(codec: Codec<T>, value: T, versionSize: number): Writer {
  const writer = idleWriter ?? new Writer()
  idleWriter = undefined
  writer.reset()
  try {
    if (versionSize > 0) writer.u16(CODEC_VERSION)
    writer.struct(value, codec)
    return writer
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const path = failedField(value, (recorder) => new Writer().struct(recorder, codec))
    throw new CodecError(error.code, error.message, error.offset, path)
  } finally {
    idleWriter = writer
  }
}
