import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { attemptOf, type PaymentState, payingAttempts, requireValidClaim } from './attempt.ts'
import { StoreError } from './errors.ts'
import { type Rivals, spendsEvidence } from './rivals.ts'
import type { Attempt, Claim, ClaimedPayment, FoundTx } from './store.ts'

/** What the rules need to know of the claims that are recorded. */
export type ClaimsState = {
  readonly payments: ReadonlyMap<string, PaymentState>
  readonly attempts: ReadonlyMap<string, Attempt>
  readonly spentInputs: ReadonlyMap<string, UTXOID>
  readonly rivals: Pick<Rivals, 'endedFor'>
  readonly found: ReadonlyMap<string, FoundTx>
  readonly spendersOf: (id: UTXOID) => readonly Attempt[]
}

/**
 * Checks a claim against the rules and the recorded claims.
 *
 * @returns the attempt to add; undefined if exactly this claim is already recorded
 * @throws StoreError if the claim violates a rule
 */
export function checkClaim(claims: ClaimsState, claim: Claim): Attempt | undefined {
  requireValidClaim(claim)
  const attempt = attemptOf(claim)
  if (attempt.inputs.length === 0)
    throw new StoreError('CLAIM_INVALID', 'the transaction has no inputs', { keys: attempt.keys })
  for (const payment of claim.payments) checkDigest(claims, payment)
  const known = claims.attempts.get(hex.encode(attempt.txID))
  if (known !== undefined) {
    if (known.kind === attempt.kind && sameKeys(known.keys, attempt.keys)) return undefined
    throw new StoreError(
      'TX_CLAIMED',
      `transaction ${formatID(attempt.txID)} is already claimed for other keys or another kind of payment`,
      { keys: known.keys },
    )
  }
  for (const payment of claim.payments) checkPayment(claims, claim, payment, attempt)
  checkInputs(claims, attempt)
  return attempt
}

function checkDigest(claims: ClaimsState, { key, digest, content }: ClaimedPayment): void {
  const state = claims.payments.get(key)
  if (state === undefined || equalBytes(state.digest, digest)) return
  throw new StoreError(
    'KEY_CONFLICT',
    `key ${JSON.stringify(key)} is already used for a payment with other content`,
    {
      keys: [key],
      conflicts: [{ key, recorded: state.content, requested: content }],
      hint: 'nothing was signed for it; use a new key for a new payment',
    },
  )
}

function checkPayment(
  claims: ClaimsState,
  { kind, again }: Claim,
  { key }: ClaimedPayment,
  attempt: Attempt,
): void {
  const state = claims.payments.get(key)
  if (state?.outcome?.status === 'accepted')
    throw new StoreError('KEY_ACCEPTED', `key ${JSON.stringify(key)} is already paid`, {
      keys: [key],
    })
  const pending = payingAttempts(state)
  const isUnknown = kind === 'cancellation' ? pending.length === 0 : again && state === undefined
  if (isUnknown)
    throw new StoreError('KEY_UNKNOWN', `key ${JSON.stringify(key)} has no pending payment`, {
      keys: [key],
    })
  if (again && pending.length === 0 && state?.outcome?.status === 'canceled')
    throw new StoreError('KEY_CANCELED', `key ${JSON.stringify(key)} was canceled`, {
      keys: [key],
    })
  const inputs = new Set(attempt.inputs.map(utxoKey))
  if (!pending.every((earlier) => earlier.inputs.some((id) => inputs.has(utxoKey(id)))))
    throw new StoreError(
      'KEY_PENDING',
      `key ${JSON.stringify(key)} has a pending attempt that shares no input with this one`,
      { keys: [key] },
    )
  // What was found in a block is no further payment: a store that was restored learns only afterwards that it made one.
  if (kind === 'cancellation' || claims.found.has(hex.encode(attempt.txID))) return
  if (!claims.rivals.endedFor(key).every((ended) => spendsEvidence(attempt, ended)))
    throw new StoreError(
      'EVIDENCE_UNSPENT',
      `key ${JSON.stringify(key)} has an attempt that another transaction ended, of which this one spends no output`,
      { keys: [key] },
    )
}

function checkInputs(claims: ClaimsState, { inputs, keys }: Attempt): void {
  const ownKeys = new Set(keys)
  const isOfOthers = (attempt: Attempt) => !attempt.keys.some((key) => ownKeys.has(key))
  const unavailable = inputs.filter((id) => {
    const spenders = claims.spendersOf(id)
    return claims.spentInputs.has(utxoKey(id)) || spenders.some(isOfOthers)
  })
  if (unavailable.length > 0)
    throw new StoreError(
      'INPUT_CLAIMED',
      `${unavailable.length} inputs are claimed by other payments`,
      { inputs: unavailable },
    )
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  const keys = new Set(a)
  return keys.size === new Set(b).size && b.every((key) => keys.has(key))
}
