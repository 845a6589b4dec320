import { readWords, WordTable } from '../../core/base/bytes/word-table.ts'
import type { PageBytes } from '../../core/chain/x/utxo-page.ts'

/** Offset in bytes, and number of 4-byte words, of transaction ID and output index in an encoded UTXO. */
const NAME_AT = 2
const NAME_WORDS = 9
const NAME_END = NAME_AT + 4 * NAME_WORDS

/**
 * The UTXOs already returned, over all pages and address groups. A `Set` of texts would take about as long as
 * decoding the UTXOs, mostly for garbage collection.
 */
export class SeenUTXOs {
  private readonly names = new WordTable(NAME_WORDS)
  private readonly name = new Uint32Array(NAME_WORDS)
  /** Entries that are not UTXOs, by content. */
  private readonly others = new Set<string | Uint8Array>()

  /** Returns the new entries of a page and marks them as seen. */
  fresh(page: PageBytes): PageBytes {
    const { bytes, starts, ends, entries } = page
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const isNew = entries.map((entry, i) => this.add(view, starts[i]!, ends[i]!, entry))
    const keep = (_: unknown, i: number) => isNew[i]!
    if (!isNew.includes(false)) return page
    return {
      bytes,
      starts: starts.filter(keep),
      ends: ends.filter(keep),
      entries: entries.filter(keep),
    }
  }

  /** Returns whether the entry is new. */
  private add(view: DataView, start: number, end: number, entry: string | Uint8Array): boolean {
    if (end - start < NAME_END || view.getUint16(start) !== 0) {
      const { size } = this.others
      return this.others.add(entry).size > size
    }
    readWords(view, start + NAME_AT, this.name, NAME_WORDS)
    const { size } = this.names
    return this.names.intern(this.name) === size
  }
}
