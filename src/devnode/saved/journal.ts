import { concat } from '../../core/base/bytes/concat.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { requireBytes } from '../../core/base/require.ts'
import { DevNodeError } from '../errors.ts'

/** An event of a chain. Replaying all events restores the chain. */
export type JournalEntry =
  | { readonly type: 'settings'; readonly text: string }
  | { readonly type: 'block'; readonly bytes: Uint8Array }
  /** A UTXO was exported to the X-Chain. */
  | { readonly type: 'atomic'; readonly chainID: Uint8Array; readonly bytes: Uint8Array }
  /** A UTXO that the X-Chain exported was imported by another chain. */
  | { readonly type: 'taken'; readonly chainID: Uint8Array; readonly key: Uint8Array }
  /** A chain became known. */
  | { readonly type: 'chain'; readonly chainID: Uint8Array; readonly subnetID: Uint8Array }
  /** An AVM chain of another subnet was added, with its genesis. */
  | {
      readonly type: 'added'
      readonly chainID: Uint8Array
      readonly subnetID: Uint8Array
      readonly genesis: Uint8Array
    }
  /** A block of an added chain. */
  | { readonly type: 'addedBlock'; readonly chainID: Uint8Array; readonly bytes: Uint8Array }
  /** An event of the P-Chain or C-Chain, see `p-and-c-chains.ts`. */
  | { readonly type: 'other'; readonly text: string }

/** Storage of encoded entries. */
export type EntryStore = {
  readonly records: readonly Uint8Array[]
  readonly append: (record: Uint8Array) => void
  /** Replaces all entries. */
  readonly replace: (records: readonly Uint8Array[]) => void
  readonly close: () => Promise<void>
}

const TYPES = [
  'settings',
  'block',
  'atomic',
  'taken',
  'chain',
  'other',
  'added',
  'addedBlock',
] as const

/** Encodes an entry: one byte for its type, then its parts, of which all but the last have 32 bytes. */
export function encodeEntry(entry: JournalEntry): Uint8Array {
  return concat([Uint8Array.of(TYPES.indexOf(entry.type)), ...partsOf(entry)])
}

/** Decodes the result of `encodeEntry`. */
export function decodeEntry(record: Uint8Array): JournalEntry {
  const type = TYPES[record[0]!]
  if (type === undefined)
    throw new DevNodeError('LOG_CORRUPT', `unknown entry type ${record[0]} in the chain log`)
  const rest = record.subarray(1)
  switch (type) {
    case 'settings':
    case 'other':
      return { type, text: new TextDecoder().decode(rest) }
    case 'block':
      return { type, bytes: rest }
    case 'atomic':
    case 'addedBlock':
      return { type, chainID: idAt(rest, 0), bytes: rest.subarray(ID_SIZE) }
    case 'taken':
      return { type, chainID: idAt(rest, 0), key: idAt(rest, ID_SIZE) }
    case 'chain':
      return { type, chainID: idAt(rest, 0), subnetID: idAt(rest, ID_SIZE) }
    case 'added':
      return {
        type,
        chainID: idAt(rest, 0),
        subnetID: idAt(rest, ID_SIZE),
        genesis: rest.subarray(2 * ID_SIZE),
      }
  }
}

function idAt(bytes: Uint8Array, start: number): Uint8Array {
  return requireBytes(bytes.subarray(start, start + ID_SIZE), 'ID', ID_SIZE)
}

function partsOf(entry: JournalEntry): Uint8Array[] {
  switch (entry.type) {
    case 'settings':
    case 'other':
      return [new TextEncoder().encode(entry.text)]
    case 'block':
      return [entry.bytes]
    case 'atomic':
    case 'addedBlock':
      return [entry.chainID, entry.bytes]
    case 'taken':
      return [entry.chainID, entry.key]
    case 'chain':
      return [entry.chainID, entry.subnetID]
    case 'added':
      return [entry.chainID, entry.subnetID, entry.genesis]
  }
}
