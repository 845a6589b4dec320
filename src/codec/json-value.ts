/** A JSON value. Integers beyond the safe range of `number` are `bigint`. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** How addresses are represented in JSON. */
export type AddressText = {
  /** Formats the 20 bytes of an address. */
  readonly format: (address: Uint8Array) => string
  /** Parses an address to its 20 bytes. */
  readonly parse: (text: string) => Uint8Array
}
