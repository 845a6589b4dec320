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
