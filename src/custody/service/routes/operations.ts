import { formatMetrics, healthOf } from '../../index.ts'
import {
  described,
  flag,
  id,
  integer,
  listOf,
  objectOf,
  optional,
  position,
  text,
} from '../describe.ts'
import { auditReport, event, health, keyText, status, unknownPayment } from '../resources.ts'
import { listResult, READERS, type Route, route } from '../route.ts'

const sweeps = route({
  method: 'post',
  path: '/v1/sweeps',
  summary: 'Apply the sweep rules; needs a service that was started with rules and keys',
  roles: ['operator'],
  body: objectOf({}),
  result: { status: 200, field: objectOf({ transactions: integer(0, 1_000) }) },
  errors: ['NOT_SYNCED'],
  handle: async ({ custody }) => ({ value: { transactions: await custody.sweep() } }),
})

const requests = route({
  method: 'get',
  path: '/v1/signing-requests',
  summary: 'List open signing requests for cold keys',
  roles: READERS,
  result: listResult('requests', objectOf({ id: position, request: text(10_000_000) })),
  handle: async ({ custody }) => ({ value: { requests: await custody.requests() } }),
})

const dropRequest = route({
  method: 'delete',
  path: '/v1/signing-requests/{id}',
  summary: 'Drop a signing request and release its UTXOs',
  roles: ['operator'],
  params: objectOf({ id: position }),
  result: { status: 200, field: objectOf({}) },
  handle: async ({ custody, params }) => {
    await custody.dropRequest(params.id)
    return { value: {} }
  },
})

const audit = route({
  method: 'post',
  path: '/v1/audits',
  summary: 'Compare deposits, payouts and fees with the chain',
  roles: ['operator', 'approver'],
  body: objectOf({
    height: optional(described('last block to count; default: the latest', position)),
    whole: optional(described('request all transactions again', flag)),
  }),
  result: { status: 200, field: auditReport },
  handle: async ({ custody, body, signal }) => ({
    value: await custody.audit({ ...body, signal }),
  }),
})

const events = route({
  method: 'get',
  path: '/v1/events',
  summary: 'List changes of statuses, oldest first',
  roles: READERS,
  query: objectOf({
    after: optional(described('cursor of the last event that was processed; default 0', position)),
    limit: optional(described('default 1000', integer(1, 10_000))),
  }),
  result: listResult('events', event),
  handle: async ({ custody, query }) => ({ value: { events: await custody.events(query) } }),
})

const unknownPayments = route({
  method: 'get',
  path: '/v1/unknown-payments',
  summary: 'List payments without a claim that no operator has decided about',
  roles: READERS,
  query: objectOf({
    since: optional(described('only blocks from this height on; default 0', position)),
  }),
  result: listResult('payments', unknownPayment),
  handle: async ({ custody, query }) => ({
    value: { payments: await custody.unknownPayments(query) },
  }),
})

const attribute = route({
  method: 'post',
  path: '/v1/attributions',
  summary: 'Record which payouts unknown payments made, all of it or nothing',
  roles: ['operator'],
  body: objectOf({
    decisions: listOf(
      objectOf({ txID: id, key: optional(described('absent: it made no other payout', keyText)) }),
      1_000,
    ),
  }),
  result: { status: 200, field: objectOf({}) },
  errors: ['PAYMENT_UNKNOWN', 'PAYOUT_UNKNOWN', 'PAYOUT_STATUS'],
  handle: async ({ custody, body: { decisions } }) => {
    await custody.attribute(decisions)
    return { value: {} }
  },
})

const readStatus = route({
  method: 'get',
  path: '/v1/status',
  summary: 'Show the queue, the balances and the height',
  roles: READERS,
  result: { status: 200, field: status },
  handle: async ({ shared }) => ({ value: await shared.status() }),
})

const metrics = route({
  method: 'get',
  path: '/metrics',
  summary: 'Metrics in the text format of Prometheus',
  roles: READERS,
  result: { status: 200, field: text(), type: 'text/plain; version=0.0.4; charset=utf-8' },
  handle: async ({ shared }) => ({ value: formatMetrics(await shared.status()) }),
})

const readHealth = route({
  method: 'get',
  path: '/health',
  summary: 'Whether payments can be claimed: 200, or 503 with the problems',
  roles: [],
  result: { status: 200, field: health },
  handle: async ({ shared }) => {
    const value = healthOf(await shared.status(), shared.maxLagSeconds)
    return { value, status: value.healthy ? 200 : 503 }
  },
})

/** Everything but addresses, deposits and payouts. */
export const operationRoutes: readonly Route[] = [
  sweeps,
  requests,
  dropRequest,
  audit,
  events,
  unknownPayments,
  attribute,
  readStatus,
  metrics,
  readHealth,
]
