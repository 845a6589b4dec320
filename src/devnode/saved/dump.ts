import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { parseJSON, stringifyJSON } from '../../core/codec/json-text.ts'
import { DevNodeError } from '../errors.ts'
import type { EntryStore } from './journal.ts'

const FORMAT = 'avmkit-devnode-state'
const DUMP_VERSION = 1

/** The records of a chain as JSON text, one record per line. */
export function formatDump(records: readonly Uint8Array[]): string {
  const lines = records.map((record) => `    ${stringifyJSON(hex.encode(record))}`)
  return `{\n  "format": "${FORMAT}",\n  "version": ${DUMP_VERSION},\n  "records": [\n${lines.join(',\n')}\n  ]\n}\n`
}

/**
 * Reads what `formatDump` wrote.
 *
 * @throws DevNodeError `LOG_CORRUPT`
 */
export function parseDump(text: string): Uint8Array[] {
  try {
    const { format, version, records } = parseJSON(text) as {
      readonly [name: string]: unknown
    }
    if (
      format === FORMAT &&
      version === DUMP_VERSION &&
      Array.isArray(records) &&
      records.length > 0
    )
      return records.map((record: string) => hex.decode(record))
  } catch (error) {
    if (!(error instanceof AvmError || error instanceof TypeError)) throw error
  }
  throw new DevNodeError('LOG_CORRUPT', 'this is not a state dump of a development node')
}

/** Keeps records in memory. */
export function memoryLog(): EntryStore {
  let stored: Uint8Array[] = []
  return {
    get records() {
      return stored
    },
    append: (record) => {
      stored.push(record)
    },
    replace: (others) => {
      stored = [...others]
    },
    close: async () => {},
  }
}
