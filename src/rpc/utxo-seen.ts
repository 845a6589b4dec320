import type { UTXO } from '../chain/utxo.ts'
import type { UTXOPage } from '../chain/utxo-page.ts'

/** Eight words of transaction ID and one of output index. */
const KEY_WORDS = 9

/**
 * Which UTXOs were handed out already, over all pages and address groups of one walk. Transaction and
 * index are kept as words in one array with open addressing: for a hundred thousand UTXOs a `Set` of texts
 * took about as long as decoding them, and most of it was garbage collection.
 */
export class SeenUTXOs {
  private words = new Uint32Array(KEY_WORDS * 1024)
  /** Positions of keys, from 1; twice as many slots as there is room for keys. */
  private slots = new Int32Array(2048)
  private count = 0
  /** Differs from run to run, so that nobody can choose transactions that meet in one slot. */
  private readonly seeds = Uint32Array.from(
    { length: KEY_WORDS },
    () => (Math.random() * 2 ** 32) | 1,
  )
  private readonly opaque = new Set<string | Uint8Array>()

  /** The part of a page that was not seen before, which counts as seen from now on. */
  fresh(page: UTXOPage): UTXOPage {
    return {
      utxos: page.utxos.filter((utxo) => this.add(utxo)),
      opaque: page.opaque.filter(({ raw }) => this.addOpaque(raw)),
    }
  }

  /** Whether it is new. */
  private add({ txID, outputIndex }: UTXO): boolean {
    const at = this.count * KEY_WORDS
    for (let i = 0, from = 0; i < KEY_WORDS - 1; i++, from += 4)
      this.words[at + i] =
        (txID[from]! << 24) | (txID[from + 1]! << 16) | (txID[from + 2]! << 8) | txID[from + 3]!
    this.words[at + KEY_WORDS - 1] = outputIndex
    const slot = this.slotOf(at)
    if (this.slots[slot] !== 0) return false
    this.slots[slot] = ++this.count
    if (this.count * 2 === this.slots.length) this.grow()
    return true
  }

  private addOpaque(raw: string | Uint8Array): boolean {
    const size = this.opaque.size
    return this.opaque.add(raw).size > size
  }

  /** Where the key that stands at `at` is, or would be. */
  private slotOf(at: number): number {
    const { words, slots, seeds } = this
    let hash = 0
    for (let i = 0; i < KEY_WORDS; i++)
      hash = Math.imul(hash ^ words[at + i]!, seeds[i]!) ^ (hash >>> 15)
    const mask = slots.length - 1
    for (let slot = (hash ^ (hash >>> 16)) & mask; ; slot = (slot + 1) & mask) {
      const position = slots[slot]!
      if (position === 0 || this.isSame((position - 1) * KEY_WORDS, at)) return slot
    }
  }

  private isSame(a: number, b: number): boolean {
    for (let i = 0; i < KEY_WORDS; i++) if (this.words[a + i] !== this.words[b + i]) return false
    return true
  }

  private grow(): void {
    const words = new Uint32Array(this.words.length * 2)
    words.set(this.words)
    this.words = words
    this.slots = new Int32Array(this.slots.length * 2)
    for (let position = 1; position <= this.count; position++)
      this.slots[this.slotOf((position - 1) * KEY_WORDS)] = position
  }
}
