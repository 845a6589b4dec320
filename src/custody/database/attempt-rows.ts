import { hex } from '../../core/base/encoding/hex.ts'
import { attemptOf } from '../../wallet/store/attempt.ts'
import type { Attempt, Claim, ClaimedLeg } from '../../wallet/store/store.ts'
import { type Bytes, bytesOf, type Digits, keyOf } from './values.ts'

/** Columns of a pending attempt. */
export type AttemptColumns = {
  readonly seq: Digits
  readonly kind: Claim['kind']
  readonly bytes: Bytes
  readonly from_height: Digits
  readonly leg: LegColumn | null
  readonly keys: readonly string[] | null
  readonly of_wallet: boolean
}

/** SQL expression: the keys of an attempt `a`, in the order of its payments; null if it has none. */
export const KEYS_OF_ATTEMPT: string = `(SELECT array_agg(p.key ORDER BY ap.position) FROM @.attempt_payments ap
  JOIN @.payments p ON p.seq = ap.payment WHERE ap.attempt = a.seq)`

/** A leg as JSON; bytes in hex. */
type LegColumn = {
  readonly chain: ClaimedLeg['chain']
  readonly inputs: readonly { readonly txID: string; readonly outputIndex: number }[]
  readonly note: string
}

/** The attempt behind a row; its ID and inputs are derived from its bytes. */
export function attemptFrom({
  kind,
  bytes,
  from_height,
  leg,
  keys,
}: Omit<AttemptColumns, 'seq' | 'of_wallet'>): Attempt {
  const payments = (keys ?? []).map((key) => ({ key: keyOf(key), digest: new Uint8Array(32) }))
  return attemptOf({
    kind,
    payments,
    bytes: bytesOf(bytes),
    fromHeight: BigInt(from_height),
    ...(leg !== null && { leg: legOf(leg) }),
  })
}

function legOf({ chain, inputs, note }: LegColumn): ClaimedLeg {
  return {
    chain,
    inputs: inputs.map(({ txID, outputIndex }) => ({ txID: hex.decode(txID), outputIndex })),
    note: hex.decode(note),
  }
}

/** The leg of a move as it is stored, with bytes as hex. */
export function legColumn({ chain, inputs, note }: ClaimedLeg): LegColumn {
  return {
    chain,
    inputs: inputs.map(({ txID, outputIndex }) => ({ txID: hex.encode(txID), outputIndex })),
    note: hex.encode(note),
  }
}
