import { CodecError } from '../errors.ts'
import type { Codec } from './io.ts'
import { JsonReader } from './json-reader.ts'
import type { AddressText, Json } from './json-value.ts'
import { JsonWriter } from './json-writer.ts'
import { fieldReached } from './trace.ts'

export type { AddressText, Json } from './json-value.ts'

/**
 * The JSON of a value, field for field in wire order and with `type` kept, so that it can be read back
 * without guessing. The node's own form is made from it in `chain/json.ts`.
 */
export function toJSON<T>(codec: Codec<T>, value: T, addresses: AddressText): Json {
  return new JsonWriter(addresses).struct(value, codec) as Json
}

/** Reads what `toJSON` wrote, checking every field. */
export function fromJSON<T>(codec: Codec<T>, json: Json, addresses: AddressText): T {
  const read = (value: unknown) => new JsonReader(addresses).struct(value as T, codec)
  try {
    return read(json)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    throw new CodecError(error.code, error.message, 0, fieldReached(json as unknown, read))
  }
}
