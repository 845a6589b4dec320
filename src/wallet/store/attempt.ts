import { txID as idOf } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { StoreError } from './errors.ts'
import type { Attempt, Claim, Outcome } from './store.ts'

const MAX_KEY_LENGTH = 256
const MAX_NOTE_SIZE = 4096

/** The kinds of claims. The position is the number used in files. */
export const CLAIM_KINDS: readonly Claim['kind'][] = ['payment', 'cancellation', 'export', 'import']

/** Whether a claim is for the export or import transaction of a move. */
export function isLeg(kind: Claim['kind']): boolean {
  return kind === 'export' || kind === 'import'
}

/**
 * Checks the rules of a claim whose types are checked.
 *
 * @throws StoreError `CLAIM_INVALID`
 */
export function requireValidClaim({ kind, payments, leg }: Claim): void {
  if (isLeg(kind) ? leg === undefined || leg.note.length > MAX_NOTE_SIZE : leg !== undefined)
    throw invalidClaim(
      `leg is required for exports and imports and not allowed otherwise; its note has at most ${MAX_NOTE_SIZE} bytes`,
    )
  if (payments.length === 0) throw invalidClaim('a claim needs at least one payment')
  for (const { key } of payments) {
    if (key === '' || [...key].length > MAX_KEY_LENGTH)
      throw invalidClaim(`a key must be text of 1 to ${MAX_KEY_LENGTH} characters`)
    if (/\p{Surrogate}/u.test(key)) throw invalidClaim('a key must be well-formed Unicode')
  }
  if (new Set(payments.map(({ key }) => key)).size < payments.length)
    throw invalidClaim('a claim contains a key twice')
}

function invalidClaim(message: string): StoreError {
  return new StoreError('CLAIM_INVALID', message)
}

/** Creates the attempt of a claim, with ID and inputs derived from its bytes. */
export function attemptOf({ kind, payments, bytes, fromHeight, leg }: Claim): Attempt {
  const spent = leg?.inputs ?? consumedUTXOs(decodeTx(bytes).unsignedTx)
  return {
    kind,
    txID: idOf(bytes),
    bytes,
    keys: payments.map(({ key }) => key),
    inputs: spent.map(({ txID, outputIndex }) => ({ txID, outputIndex })),
    fromHeight,
    leg,
  }
}

/** A payment in memory. */
export type PaymentState = {
  readonly key: string
  readonly digest: Uint8Array
  readonly generated: boolean
  /** Undefined if it is not recorded. */
  content?: Uint8Array | undefined
  /** Time of the first claim; undefined if it is not recorded. */
  readonly claimedAt?: bigint | undefined
  /** Its pending attempts including cancellations, oldest first. */
  readonly attempts: Attempt[]
  /** Outcome of its last attempt that ended. Kept while a later attempt is pending. */
  outcome: Outcome | undefined
}

/** Returns the pending attempts without cancellations. */
export function payingAttempts(state: PaymentState | undefined): Attempt[] {
  return state?.attempts.filter(({ kind }) => kind !== 'cancellation') ?? []
}
