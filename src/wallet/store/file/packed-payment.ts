import type { PaymentState } from '../attempt.ts'
import type { Attempt, Outcome } from '../store.ts'

/** Status of a payment in a snapshot. The position is the number used in the file; undefined means no outcome. */
const PAYMENT_STATUSES: readonly [undefined, 'accepted', 'rejected', 'canceled'] = [
  undefined,
  'accepted',
  'rejected',
  'canceled',
]

/** Bits of the status in the flags of a payment in a snapshot. */
export const STATUS = 0x03
/** Bits that are never set. */
export const UNUSED = 0x0c
/** Flag: the time of the first claim is recorded. Earlier versions recorded neither times nor contents. */
export const CLAIMED_AT = 0x10
/** Flag: the time of the outcome is recorded. */
export const ENDED_AT = 0x20
/** Flag: the content is recorded. */
export const CONTENT = 0x40
const GENERATED = 0x80

/** The flags of a payment. */
export function flagsOf({ outcome, claimedAt, content, generated }: PaymentState): number {
  return (
    PAYMENT_STATUSES.indexOf(outcome?.status) |
    (claimedAt === undefined ? 0 : CLAIMED_AT) |
    (outcome?.at === undefined ? 0 : ENDED_AT) |
    (content === undefined ? 0 : CONTENT) |
    (generated ? GENERATED : 0)
  )
}

/** Changes since the snapshot. */
type Changes = {
  readonly attempts: Attempt[]
  outcome: Outcome | undefined
  content: Uint8Array | undefined
}

/**
 * A payment of a snapshot, read from the bytes of its record on access: digest (32 bytes), flags (1) and, if the flags say so,
 * transaction ID of the outcome (32), times of claim and outcome (8 each), size of the content (4) and the content. Most
 * payments of a snapshot are never accessed.
 */
export class PackedPayment implements PaymentState {
  readonly key: string
  private readonly record: ArrayBufferLike
  private readonly at: number
  private readonly flags: number
  private later: Changes | undefined

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

  get claimedAt(): bigint | undefined {
    return this.flags & CLAIMED_AT ? this.view.getBigUint64(this.timesAt) : undefined
  }

  get outcome(): Outcome | undefined {
    const status = PAYMENT_STATUSES[this.flags & STATUS]
    if (this.later?.outcome !== undefined || status === undefined) return this.later?.outcome
    const txID = new Uint8Array(this.record, this.at + 33, 32)
    return { status, txID, at: this.endedAt }
  }

  set outcome(outcome: Outcome | undefined) {
    this.changes.outcome = outcome
  }

  get content(): Uint8Array | undefined {
    const size = this.contentSize
    if (this.later?.content !== undefined || size === undefined) return this.later?.content
    return new Uint8Array(this.record, this.contentAt + 4, size)
  }

  set content(content: Uint8Array | undefined) {
    this.changes.content = content
  }

  /** Undefined if the content is not recorded in the snapshot. */
  get contentSize(): number | undefined {
    return this.flags & CONTENT ? this.view.getUint32(this.contentAt) : undefined
  }

  get attempts(): Attempt[] {
    return this.changes.attempts
  }

  private get endedAt(): bigint | undefined {
    if ((this.flags & ENDED_AT) === 0) return undefined
    return this.view.getBigUint64(this.timesAt + (this.flags & CLAIMED_AT ? 8 : 0))
  }

  private get view(): DataView {
    return new DataView(this.record)
  }

  private get timesAt(): number {
    return this.at + 33 + (this.flags & STATUS ? 32 : 0)
  }

  private get contentAt(): number {
    return this.timesAt + (this.flags & CLAIMED_AT ? 8 : 0) + (this.flags & ENDED_AT ? 8 : 0)
  }

  private get changes(): Changes {
    this.later ??= { attempts: [], outcome: undefined, content: undefined }
    return this.later
  }
}
