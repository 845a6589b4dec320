import { invalid } from '../../core/base/argument.ts'
import {
  amount,
  described,
  digits,
  type Field,
  flag,
  id,
  integer,
  listOf,
  objectOf,
  oneOf,
  optional,
  position,
  text,
  time,
} from './describe.ts'

// What the service returns.

const MAX_SUM = 2n ** 127n

/** A sum of amounts. */
const sum: Field<bigint> = digits(0n, MAX_SUM)
const difference: Field<bigint> = digits(-MAX_SUM, MAX_SUM)
const count: Field<number> = integer(0, Number.MAX_SAFE_INTEGER)
const address: Field<string> = described('X-Chain address', text(100))
const note: Field<string> = text(100_000)
const seconds: Field<number> = {
  check: (value, at) => {
    if (typeof value !== 'number') throw invalid(value, at, 'a number of seconds')
    return value
  },
  schema: { type: 'number' },
}

/** An idempotency key. */
export const keyText: Field<string> = described('idempotency key', text(256))

/** A deposit or a correction. */
export const deposit: Field<unknown> = objectOf({
  cursor: described('1, 2, 3, … without gaps, corrections included', position),
  txID: id,
  outputIndex: count,
  address,
  assetID: id,
  amount: described('in the smallest unit of the asset', sum),
  height: optional(described('absent if it existed before the address was watched', position)),
  existing: flag,
  kind: described(
    'credit only `plain`; take the credit back if a correction is `void`',
    oneOf('plain', 'own', 'time-locked', 'multisig', 'unknown-asset', 'nft', 'void'),
  ),
  reference: optional(text()),
  corrects: optional(described('cursor of the deposit that this corrects', position)),
})

const missing = objectOf({ assetID: id, amount })

/** A payout. */
export const payout: Field<unknown> = objectOf({
  key: keyText,
  status: oneOf('queued', 'pending', 'paid', 'failed', 'canceled'),
  txID: optional(id),
  to: address,
  amount: described('in the smallest unit of the asset', amount),
  assetID: id,
  priority: integer(-1_000_000, 1_000_000),
  reference: optional(text()),
  held: described('queued, but not made until it is released', flag),
  note: optional(note),
  limit: optional(
    described(
      'the limit that keeps it in the queue, and when to compare again',
      objectOf({ name: text(64), until: optional(time) }),
    ),
  ),
  requestedBy: optional(described('role of the database session, and the identity', note)),
  missing: optional(described('what the hot wallet lacks for it', missing)),
  requestedAt: time,
  pendingSince: optional(time),
  endedAt: optional(time),
})

/** A change of a status. */
export const event: Field<unknown> = objectOf({
  cursor: position,
  at: time,
  actor: note,
  kind: text(20),
  subject: position,
  key: optional(note),
  reference: optional(text()),
  oldStatus: optional(text()),
  newStatus: text(),
  txID: optional(id),
  reason: optional(note),
  identity: optional(described('who approved or denied', note)),
})

const problem = objectOf({ code: text(100), message: note })

/** `/health` */
export const health: Field<unknown> = objectOf({
  healthy: flag,
  problems: listOf(problem),
  reasons: listOf(note),
})

/** The state of the system. */
export const status: Field<unknown> = objectOf({
  healthy: flag,
  problems: listOf(problem),
  now: time,
  height: optional(digits(-1n, MAX_SUM)),
  nodeHeight: optional(position),
  lag: optional(position),
  syncedSecondsAgo: optional(seconds),
  leader: optional(text()),
  depositCursor: position,
  addresses: objectOf({ toWalk: flag }),
  payouts: objectOf({
    queued: count,
    held: count,
    pending: count,
    paid: count,
    failed: count,
    canceled: count,
  }),
  oldestQueued: optional(time),
  pendingSince: optional(time),
  missing: listOf(missing),
  pendingTransactions: count,
  lastError: optional(note),
  reserves: listOf(
    objectOf({
      wallet: oneOf('deposit', 'hot', 'cold'),
      assetID: id,
      free: sum,
      reserved: sum,
      locked: sum,
      utxos: count,
    }),
  ),
})

const utxo = { txID: id, outputIndex: count, assetID: id, amount: sum }

/** The result of an audit. */
export const auditReport: Field<unknown> = objectOf({
  balanced: flag,
  height: position,
  assets: listOf(
    objectOf({
      assetID: id,
      deposits: sum,
      refills: sum,
      payouts: sum,
      fees: sum,
      spentByOthers: sum,
      expected: difference,
      utxos: sum,
      node: difference,
      balanced: flag,
    }),
  ),
  missing: listOf(objectOf(utxo)),
  extra: listOf(objectOf(utxo)),
  faults: listOf(
    objectOf({ kind: text(20), key: optional(note), txID: optional(id), message: note }),
  ),
  disputed: listOf(objectOf({ ...utxo, listedBy: listOf(note), missingFrom: listOf(note) })),
})

/** A payment without a claim. */
export const unknownPayment: Field<unknown> = objectOf({
  ...utxo,
  height: position,
  to: address,
  keys: listOf(keyText),
})
