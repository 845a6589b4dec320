import type { Outcome, PaymentState } from '../claims.ts'
import type { Attempt } from '../store.ts'

/** The states of a payment in a snapshot, by their numbers there. */
export const STATUSES: readonly [undefined, 'accepted', 'rejected', 'canceled'] = [
  undefined,
  'accepted',
  'rejected',
  'canceled',
]

/** Set in the flags of a payment with a generated key, beside its status. */
export const GENERATED = 0x80

/**
 * A payment of a snapshot, where it is packed as digest (32 bytes), flags (1) and, if it has an outcome, transaction ID
 * (32). They stay in the memory of the record until they are asked for: of most payments they never are.
 */
export class PackedPayment implements PaymentState {
  readonly key: string
  private readonly record: ArrayBufferLike
  private readonly at: number
  private readonly flags: number
  /** What happened since the snapshot. */
  private later: { attempts: Attempt[]; outcome: Outcome | undefined } | undefined

  /** `digest` is where it stands in the record. */
  constructor(key: string, digest: Uint8Array, flags: number) {
    this.key = key
    this.record = digest.buffer
    this.at = digest.byteOffset
    this.flags = flags
    this.later = undefined
  }

  get digest(): Uint8Array {
    return new Uint8Array(this.record, this.at, 32)
  }

  get generated(): boolean {
    return (this.flags & GENERATED) !== 0
  }

  get outcome(): Outcome | undefined {
    const status = STATUSES[this.flags & ~GENERATED]
    if (this.later?.outcome !== undefined || status === undefined) return this.later?.outcome
    return { status, txID: new Uint8Array(this.record, this.at + 33, 32) }
  }

  set outcome(outcome: Outcome | undefined) {
    this.changes.outcome = outcome
  }

  get attempts(): Attempt[] {
    return this.changes.attempts
  }

  private get changes(): { attempts: Attempt[]; outcome: Outcome | undefined } {
    this.later ??= { attempts: [], outcome: undefined }
    return this.later
  }
}
