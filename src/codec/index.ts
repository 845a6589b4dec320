export { decode, encode, encodeBare, MAX_GENESIS_SIZE, MAX_SIZE } from './codec.ts'
export { type Codec, type Io, type Tagged, type Union, union } from './io.ts'
export { type AddressText, fromJSON, type Json, toJSON } from './json.ts'
export { parseJSON, stringifyJSON } from './json-text.ts'
