import { hex } from '../encoding/hex.ts'

/** One line of a journal. */
export type JournalEntry =
  | {
      readonly type: 'signed'
      readonly txID: Uint8Array
      /** The signed transaction, encoded. */
      readonly bytes: Uint8Array
      /** What the caller calls the payment, so that it is made once. */
      readonly key?: string
    }
  | { readonly type: 'accepted'; readonly txID: Uint8Array }
  | {
      readonly type: 'refused'
      readonly txID: Uint8Array
      readonly code: string
      /** The node's own words. */
      readonly reason: string
    }

/**
 * Where a wallet writes down what it is about to send. `append` resolves only when the entry would survive a
 * crash, and entries come back from `load` in the order in which they were written.
 */
export type Journal = {
  readonly append: (entry: JournalEntry) => Promise<void>
  readonly load: () => Promise<readonly JournalEntry[]>
}

/** A journal that lasts as long as the process: enough against lost answers, not against crashes. */
export function memoryJournal(): Journal {
  const entries: JournalEntry[] = []
  return {
    append: async (entry) => {
      entries.push(entry)
    },
    load: async () => [...entries],
  }
}

/** What a journal says of one transaction. */
export type JournalRecord = {
  readonly txID: Uint8Array
  /** Empty once the end is known: a long sweep has sent hundreds of megabytes. */
  bytes: Uint8Array
  readonly key?: string
  /** `open`: its end was not written down. */
  status: 'open' | 'accepted' | 'refused'
}

/** All that a journal says, in the order of the first mention. */
export class JournalRecords {
  private readonly byID = new Map<string, JournalRecord>()
  private readonly byKey = new Map<string, JournalRecord[]>()

  constructor(entries: readonly JournalEntry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  add(entry: JournalEntry): void {
    const name = hex.encode(entry.txID)
    const known = this.byID.get(name)
    // Accepted is for good, whatever a node says later.
    if (known?.status === 'accepted') return
    if (known !== undefined) {
      known.status = entry.type === 'signed' ? 'open' : entry.type
      known.bytes = entry.type === 'signed' ? entry.bytes : new Uint8Array()
      return
    }
    if (entry.type !== 'signed') return
    const { txID, bytes, key } = entry
    const record: JournalRecord = {
      txID,
      bytes,
      status: 'open',
      ...(key === undefined ? {} : { key }),
    }
    this.byID.set(name, record)
    if (key !== undefined) this.byKey.set(key, [...(this.byKey.get(key) ?? []), record])
  }

  get(txID: Uint8Array): JournalRecord | undefined {
    return this.byID.get(hex.encode(txID))
  }

  /** Those whose end is not known. */
  open(): JournalRecord[] {
    return [...this.byID.values()].filter(({ status }) => status === 'open')
  }

  /** The transaction that stands for a key: one that was refused for good does not. */
  standing(key: string): JournalRecord | undefined {
    return this.byKey.get(key)?.find(({ status }) => status !== 'refused')
  }
}
