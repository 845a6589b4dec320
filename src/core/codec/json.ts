import { CodecError } from '../base/errors.ts'
import type { Codec } from './io.ts'
import { JsonReader } from './json-reader.ts'
import type { AddressText, Json } from './json-value.ts'
import { JsonWriter } from './json-writer.ts'
import { failedField } from './trace.ts'

export type { AddressText, Json } from './json-value.ts'

/**
 * Converts a value to JSON, field by field in wire order. `type` is included, so the result can be converted back
 * unambiguously. `chain/json.ts` derives the node's form from it.
 */
export function toJSON<T>(codec: Codec<T>, value: T, addresses: AddressText): Json {
  return new JsonWriter(addresses).struct(value, codec) as Json
}

/**
 * Converts the result of `toJSON` back and checks every field.
 *
 * @throws CodecError `CODEC_JSON_SHAPE`
 */
export function fromJSON<T>(codec: Codec<T>, json: Json, addresses: AddressText): T {
  const read = (value: unknown) => new JsonReader(addresses).struct(value as T, codec)
  try {
    return read(json)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    throw new CodecError(error.code, error.message, 0, failedField(json as unknown, read))
  }
}
