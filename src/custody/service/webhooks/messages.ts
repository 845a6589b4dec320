import { formatAddress } from '../../../core/base/encoding/address.ts'
import type { Queries } from '../../database/database.ts'
import { type Bytes, bytesOf, type Digits, keyOf } from '../../database/values.ts'
import { resultJSON } from '../json.ts'
import type { WebhookTopic } from './options.ts'

/** A message about an event. Its ID is always the same for the same event. */
export type Message = {
  /** Cursor of the event. */
  readonly event: bigint
  readonly id: string
  readonly topic: WebhookTopic
  /** Messages of a lane are delivered in their order: those of one reference, or else of one subject. */
  readonly lane: string
  readonly body: string
}

/** The statuses of payouts as the interface names them. */
const STATUSES: { readonly [status: string]: string } = { accepted: 'paid', rejected: 'failed' }

type Columns = {
  readonly seq: Digits
  readonly at: Date
  readonly kind: string
  readonly subject: Digits
  readonly key: string | null
  readonly reference: string | null
  readonly old_status: string | null
  readonly new_status: string
  readonly tx_id: Bytes | null
  readonly reason: string | null
  readonly output_index: Digits | null
  readonly address: Bytes | null
  readonly asset_id: Bytes | null
  readonly amount: Digits | null
  readonly height: Digits | null
  readonly hrp: string | null
  readonly store_id: Bytes
}

/** Events with what never changes of their payout or deposit. */
const COLUMNS = `SELECT e.*, o.output_index, coalesce(o.address, p.address) AS address, coalesce(o.asset_id, p.asset_id) AS asset_id,
    coalesce(o.amount, p.amount) AS amount, o.height, c.hrp, c.store_id
  FROM @.events e CROSS JOIN @.chain c
    LEFT JOIN @.payments p ON e.kind = 'payout' AND p.seq = e.subject
    LEFT JOIN @.outputs o ON e.kind = 'deposit' AND o.cursor = e.subject`

/** Messages about events in a range, in their order. */
export async function readMessages(
  queries: Queries,
  { after, last, limit }: { readonly after: bigint; readonly last: bigint; readonly limit: number },
): Promise<Message[]> {
  const rows = await queries.query<Columns>(
    `${COLUMNS} WHERE e.seq > $1 AND e.seq <= $2 AND e.kind IN ('deposit', 'payout', 'problem') ORDER BY e.seq LIMIT $3`,
    [after, last, limit],
  )
  return rows.map(messageFrom)
}

/** The messages about these events. */
export async function messagesOf(queries: Queries, events: readonly bigint[]): Promise<Message[]> {
  const rows = await queries.query<Columns>(
    `${COLUMNS} WHERE e.seq = ANY($1::bigint[]) ORDER BY e.seq`,
    [events],
  )
  return rows.map(messageFrom)
}

function messageFrom(row: Columns): Message {
  const { kind, subject, reference, old_status, new_status } = row
  const topic = kind as WebhookTopic
  const status = STATUSES[new_status] ?? new_status
  const name = {
    deposit: old_status === null ? 'created' : 'corrected',
    payout: status,
    problem: new_status === 'open' ? 'opened' : 'resolved',
  }[topic]
  const data = { event: BigInt(row.seq), ...dataOf(topic, row, status) }
  const lane =
    reference === null
      ? `${kind} ${topic === 'problem' ? row.key : subject}`
      : `reference ${reference}`
  return {
    event: BigInt(row.seq),
    // Events of other databases, and of a database that was begun anew, have other IDs.
    id: `evt_${Buffer.from(row.store_id).toString('hex').slice(0, 16)}_${row.seq}`,
    topic,
    lane,
    body: resultJSON({ type: `${topic}.${name}`, timestamp: row.at, data }),
  }
}

function dataOf(topic: WebhookTopic, row: Columns, status: string): object {
  const { key, reference, reason, tx_id, address, asset_id, amount, hrp } = row
  const text = (column: string | null) => column ?? undefined
  if (topic === 'problem') return { code: text(key), status, message: text(reason) }
  const common = {
    reference: text(reference),
    txID: tx_id === null ? undefined : bytesOf(tx_id),
    assetID: asset_id === null ? undefined : bytesOf(asset_id),
    amount: amount === null ? undefined : BigInt(amount),
  }
  const place =
    address === null || hrp === null
      ? undefined
      : formatAddress({ chain: 'X', hrp, address: bytesOf(address) })
  if (topic === 'payout')
    return { key: keyOf(key ?? ''), status, to: place, reason: text(reason), ...common }
  return {
    cursor: BigInt(row.subject),
    kind: status,
    previousKind: text(row.old_status),
    address: place,
    outputIndex: Number(row.output_index),
    height: row.height === null ? undefined : BigInt(row.height),
    ...common,
  }
}
