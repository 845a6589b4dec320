import { parseJSON } from '../codec/index.ts'
import { checkedHex, formatID, parseID } from '../encoding/index.ts'
import type { JournalEntry } from '../wallet/index.ts'

/** An entry as one line of JSON, its end included. */
export function lineOf(entry: JournalEntry): string {
  const txID = formatID(entry.txID)
  const json =
    entry.type === 'signed'
      ? { ...entry, txID, bytes: checkedHex.encode(entry.bytes) }
      : { ...entry, txID }
  // Not in the node's way, in which names that are no whole text become others, and are paid again.
  return `${JSON.stringify(json)}\n`
}

const BEGIN = '{"type":"'

/**
 * Whether this can be what a crash has left of a line: its beginning, or zeros that were never overwritten.
 * Anything else is of another file, named by mistake, from which nothing must be taken off.
 */
export function isTornLine(rest: Uint8Array): boolean {
  const begin = Buffer.from(rest.subarray(0, BEGIN.length)).toString('latin1')
  return begin === '' || begin.startsWith('\0') || BEGIN.startsWith(begin)
}

/** The entry of a line; throws where it is not one. */
export function entryOf(line: string): JournalEntry {
  const json = parseJSON(line) as { readonly [name: string]: unknown }
  const txID = parseID(textOf(json.txID))
  switch (json.type) {
    case 'signed': {
      const { key, keys } = json
      return {
        type: 'signed',
        txID,
        bytes: checkedHex.decode(textOf(json.bytes)),
        ...(key === undefined ? {} : { key: textOf(key) }),
        ...(keys === undefined ? {} : { keys: (keys as unknown[]).map(textOf) }),
      }
    }
    case 'accepted':
      return { type: 'accepted', txID }
    case 'refused':
      return { type: 'refused', txID, code: textOf(json.code), reason: textOf(json.reason) }
    default:
      throw new TypeError('expected an entry that is signed, accepted or refused')
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`expected a text, found ${typeof value}`)
}
