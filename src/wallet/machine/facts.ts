import type { Attempt, PaymentRecord } from '../store/store.ts'
import type { Facts } from './run.ts'

/** Whether an attempt makes its payments. */
export function isPaying({ kind }: Pick<Attempt, 'kind'>): boolean {
  return kind !== 'cancellation'
}

/**
 * Whether a payment was rejected or canceled, and no unspent output of the wallet shows that: a further attempt has nothing to
 * spend that would make it invalid if the servers lie.
 */
export function isUnshown({
  status,
  ended = [],
}: Pick<PaymentRecord, 'status' | 'ended'>): boolean {
  if (status !== 'rejected' && status !== 'canceled') return false
  return ended.length === 0 || ended.some(({ evidence }) => evidence.length === 0)
}

/** Whether the export of a move was accepted and no import is claimed yet. */
export function isExported({ attempts, exported }: Facts): boolean {
  return exported !== undefined && !attempts.some(({ kind }) => kind === 'import')
}

/**
 * The attempt to issue: the newest import, or the newest attempt if there is no import. An import is claimed only after
 * an export was accepted; exports that other processes claimed later, unaware of that, are superseded.
 */
export function issuedOf(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.findLast(({ kind }) => kind === 'import') ?? attempts.at(-1)
}
