import { hex } from '../encoding/hex.ts'

/** What the caller calls the payments of a transaction, so that each is made once. */
export type PaymentKeys = {
  /** The only payment in it. */
  readonly key?: string
  /** One of several payments in it each. */
  readonly keys?: readonly string[]
}

/** All the names, in whichever way they are given. */
export function keysOf({ key, keys = [] }: PaymentKeys): readonly string[] {
  return key === undefined ? keys : [key, ...keys]
}

/** The names in the form in which they are written down. */
export function namedBy(keys: readonly string[]): PaymentKeys {
  const [key] = keys
  if (key === undefined) return {}
  return keys.length === 1 ? { key } : { keys }
}

/** One line of a journal. */
export type JournalEntry =
  | ({
      readonly type: 'signed'
      readonly txID: Uint8Array
      /** The signed transaction, encoded. */
      readonly bytes: Uint8Array
    } & PaymentKeys)
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
 * crash, and entries come back from `load` in the order in which they were written. A wallet reads it once, so
 * only one wallet may use it at a time.
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

/**
 * What a journal says of a payment. It is `due`, and may be made, only where no transaction has made it or can
 * make it yet. `unknown`: nothing was ever signed for it. `refused`: what was signed for it last was refused for
 * good. `open`: it may be accepted yet, or was, and nobody knows.
 */
export type Payment = { readonly key: string } & (
  | { readonly due: true; readonly status: 'unknown' }
  | { readonly due: true; readonly status: 'refused'; readonly txID: Uint8Array }
  | { readonly due: false; readonly status: 'open' | 'accepted'; readonly txID: Uint8Array }
)

/**
 * What entries of a journal say of these payments, or of all that have a name, in the order of the first
 * mention. For reports; who pays asks `wallet.payments`, which knows what has happened since.
 */
export function readPayments(
  entries: readonly JournalEntry[],
  keys?: readonly string[],
): Payment[] {
  return new JournalRecords(entries).payments(keys)
}

/** What a journal says of one transaction. */
export type JournalRecord = {
  readonly txID: Uint8Array
  /** Empty once the end is known: a long sweep has sent hundreds of megabytes. */
  bytes: Uint8Array
  /** The payments it makes. */
  keys: Set<string>
  /** `open`: its end was not written down. */
  status: 'open' | 'accepted' | 'refused'
}

type Standing = JournalRecord & { readonly status: 'open' | 'accepted' }

/** All that a journal says, in the order of the first mention. */
export class JournalRecords {
  private readonly byID = new Map<string, JournalRecord>()
  private readonly byKey = new Map<string, Set<JournalRecord>>()

  constructor(entries: readonly JournalEntry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  add(entry: JournalEntry): void {
    const name = hex.encode(entry.txID)
    const known = this.byID.get(name)
    if (entry.type !== 'signed') {
      // Accepted is for good, whatever a node says later.
      if (known === undefined || known.status === 'accepted') return
      known.status = entry.type
      known.bytes = new Uint8Array()
      return
    }
    const { txID, bytes } = entry
    const record = known ?? { txID, bytes, keys: new Set(), status: 'open' }
    if (record.status === 'refused') {
      record.status = 'open'
      record.bytes = bytes
      // It did not make the payments it was first signed for. Now it makes those it is signed for again.
      record.keys = new Set()
    }
    this.byID.set(name, record)
    for (const key of keysOf(entry)) {
      record.keys.add(key)
      this.byKey.set(key, (this.byKey.get(key) ?? new Set()).add(record))
    }
  }

  get(txID: Uint8Array): JournalRecord | undefined {
    return this.byID.get(hex.encode(txID))
  }

  /** Those whose end is not known. */
  open(): JournalRecord[] {
    return [...this.byID.values()].filter(({ status }) => status === 'open')
  }

  /**
   * The transaction that stands for a key: one that was refused for good does not. There may be an open one
   * beside an accepted one, since a refusal that could not be written down is not known after a restart.
   */
  standing(key: string): Standing | undefined {
    const records = [...(this.byKey.get(key) ?? [])].filter(
      (record): record is Standing => record.status !== 'refused' && record.keys.has(key),
    )
    return records.find(({ status }) => status === 'accepted') ?? records.at(-1)
  }

  payments(keys: Iterable<string> = this.byKey.keys()): Payment[] {
    return Array.from(keys, (key) => {
      const standing = this.standing(key)
      if (standing !== undefined)
        return { key, due: false, status: standing.status, txID: standing.txID }
      const refused = [...(this.byKey.get(key) ?? [])].at(-1)
      return refused === undefined
        ? { key, due: true, status: 'unknown' }
        : { key, due: true, status: 'refused', txID: refused.txID }
    })
  }
}
