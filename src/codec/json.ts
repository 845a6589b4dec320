import { CodecError } from '../errors.ts'
import type { Codec } from './io.ts'
import { JsonReader } from './json-reader.ts'
import { JsonWriter } from './json-writer.ts'
import { fieldReached } from './trace.ts'

/** A JSON value as this library holds it: integers that need it are `bigint`. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** Address texts in JSON: how to write one and how to read it back. */
export type AddressText = {
  readonly format: (address: Uint8Array) => string
  readonly parse: (text: string) => Uint8Array
}

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
