import type { PaymentState } from '../claims.ts'
import type { Attempt, Outcome } from '../store.ts'

/** Status of a payment in a snapshot. The position is the number used in the file; undefined means no outcome. */
export const PAYMENT_STATUSES: readonly [undefined, 'accepted', 'rejected', 'canceled'] = [
  undefined,
  'accepted',
  'rejected',
  'canceled',
]

/** Flag of a payment with a generated key, combined with its status. */
export const GENERATED = 0x80

/**
 * A payment of a snapshot, read from the bytes of its record on access: digest (32 bytes), flags (1) and, if it has an
 * outcome, transaction ID (32). Most payments of a snapshot are never accessed.
 */
export class PackedPayment implements PaymentState {
  readonly key: string
  private readonly record: ArrayBufferLike
  private readonly at: number
  private readonly flags: number
  /** Changes since the snapshot. */
  private later: { attempts: Attempt[]; outcome: Outcome | undefined } | undefined

  /** `digest` must be a view of the record. */
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
    const status = PAYMENT_STATUSES[this.flags & ~GENERATED]
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
