import { type Item, ParserError, ViewError } from './app-fields.ts'
import { parseTransaction, toggleOutputs } from './app-parser.ts'

export type { Item } from './app-fields.ts'

/** What the app shows, or undefined if it refuses. */
export function shownByApp(
  bytes: Uint8Array,
  change: readonly Uint8Array[],
): readonly Item[] | undefined {
  try {
    const tx = parseTransaction(bytes)
    for (const address of change) toggleOutputs(tx, address)
    return tx.items()
  } catch (error) {
    if (error instanceof ParserError || error instanceof ViewError) return undefined
    throw error
  }
}
