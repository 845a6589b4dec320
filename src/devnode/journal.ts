import { concat } from './concat.ts'
import { DevNodeError } from './errors.ts'

/** What happened to a chain, in the order it happened: enough to bring it back. */
export type Entry =
  | { readonly type: 'settings'; readonly text: string }
  | { readonly type: 'block'; readonly bytes: Uint8Array }
  | { readonly type: 'atomic'; readonly chainID: Uint8Array; readonly bytes: Uint8Array }
  | { readonly type: 'taken'; readonly chainID: Uint8Array; readonly key: Uint8Array }
  | { readonly type: 'chain'; readonly chainID: Uint8Array; readonly subnetID: Uint8Array }
  /** An event of the P- or C-Chain, see `other-chains.ts`. */
  | { readonly type: 'other'; readonly text: string }

/** Where entries are kept, as the bytes of each. */
export type EntryStore = {
  readonly records: readonly Uint8Array[]
  readonly append: (record: Uint8Array) => void
  /** Puts these in the place of all that is there. */
  readonly replace: (records: readonly Uint8Array[]) => void
  readonly close: () => void
}

const TYPES = ['settings', 'block', 'atomic', 'taken', 'chain', 'other'] as const

/** An entry as bytes: one for its type, then its parts, of which all but the last have 32. */
export function encodeEntry(entry: Entry): Uint8Array {
  return concat([Uint8Array.of(TYPES.indexOf(entry.type)), ...partsOf(entry)])
}

/** Reads what `encodeEntry` wrote. */
export function decodeEntry(record: Uint8Array): Entry {
  const type = TYPES[record[0]!]
  if (type === undefined)
    throw new DevNodeError('LOG_CORRUPT', `expected an entry of a known type, found ${record[0]}`)
  const rest = record.subarray(1)
  switch (type) {
    case 'settings':
    case 'other':
      return { type, text: new TextDecoder().decode(rest) }
    case 'block':
      return { type, bytes: rest }
    case 'atomic':
      return { type, chainID: rest.subarray(0, 32), bytes: rest.subarray(32) }
    case 'taken':
      return { type, chainID: rest.subarray(0, 32), key: rest.subarray(32) }
    case 'chain':
      return { type, chainID: rest.subarray(0, 32), subnetID: rest.subarray(32) }
  }
}

function partsOf(entry: Entry): Uint8Array[] {
  switch (entry.type) {
    case 'settings':
    case 'other':
      return [new TextEncoder().encode(entry.text)]
    case 'block':
      return [entry.bytes]
    case 'atomic':
      return [entry.chainID, entry.bytes]
    case 'taken':
      return [entry.chainID, entry.key]
    case 'chain':
      return [entry.chainID, entry.subnetID]
  }
}
