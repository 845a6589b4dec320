/** A JSON value. Integers beyond the safe range of `number` are `bigint`. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** Whether a JSON value is an object, and not a list. */
export function isJSONObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How addresses are represented in JSON. */
export type AddressText = {
  /** Formats the 20 bytes of an address. */
  readonly format: (address: Uint8Array) => string
  /** Parses an address to its 20 bytes. */
  readonly parse: (text: string) => Uint8Array
}
