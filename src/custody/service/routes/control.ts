import type { LimitRule } from '../../index.ts'
import {
  described,
  digits,
  type Field,
  id,
  integer,
  listOf,
  objectOf,
  oneOf,
  optional,
  text,
  time,
  variantsOf,
} from '../describe.ts'
import { keyText, payout } from '../resources.ts'
import { listResult, READERS, type Route, route } from '../route.ts'

const name = described('1 to 64 letters, digits and . _ -', text(64))
const most = described('in the smallest unit, or in the unit of the rule', digits(0n, 10n ** 39n))
const window = integer(1, 1_000_000_000)
const assets = {
  assetID: optional(described('default: the native asset', id)),
  assets: optional(listOf(objectOf({ assetID: id, unit: digits(1n, 10n ** 29n) }), 10_000)),
}
const assetIDs = optional(listOf(id, 10_000))

const members = {
  limit: {
    type: oneOf('limit'),
    name,
    per: oneOf('payout', 'destination', 'reference', 'total'),
    amount: most,
    seconds: optional(described('length of the rolling window of a sum', window)),
    ...assets,
  },
  approvals: {
    type: oneOf('approvals'),
    name,
    amount: described('payouts of more than this need approvals', most),
    count: described('number of different people', integer(1, 100)),
    approvers: optional(
      described('whose approvals count; default: all', listOf(text(128), 10_000)),
    ),
    ...assets,
  },
  allow: {
    type: oneOf('allow'),
    name,
    destinations: optional(listOf(described('X-Chain address', text(100)), 10_000)),
    assetIDs,
  },
  delay: { type: oneOf('delay'), name, seconds: window, assetIDs },
}

/** A rule that payouts are compared with. The library checks how its members fit together. */
const rule = variantsOf('type', {
  limit: objectOf(members.limit),
  approvals: objectOf(members.approvals),
  allow: objectOf(members.allow),
  delay: objectOf(members.delay),
}) as Field<LimitRule>

const set = { setBy: text(), setAt: time }

/** A rule that holds. */
const limit = variantsOf('type', {
  limit: objectOf({ ...members.limit, ...set }),
  approvals: objectOf({ ...members.approvals, ...set }),
  allow: objectOf({ ...members.allow, ...set }),
  delay: objectOf({ ...members.delay, ...set }),
})

const limits = route({
  method: 'get',
  path: '/v1/limits',
  summary: 'List the limits that hold, by name',
  roles: READERS,
  result: listResult('limits', limit),
  handle: async ({ custody }) => ({ value: { limits: await custody.limits() } }),
})

const setLimit = route({
  method: 'post',
  path: '/v1/limits',
  summary: 'Add a limit, or replace the one with the same name',
  roles: ['operator'],
  body: rule,
  result: { status: 200, field: objectOf({}) },
  errors: ['LIMIT_INVALID'],
  handle: async ({ custody, body }) => {
    await custody.setLimit(body)
    return { value: {} }
  },
})

const removeLimit = route({
  method: 'delete',
  path: '/v1/limits/{name}',
  summary: 'Remove a limit',
  roles: ['operator'],
  params: objectOf({ name }),
  result: { status: 200, field: objectOf({}) },
  errors: ['LIMIT_UNKNOWN'],
  handle: async ({ custody, params }) => {
    await custody.removeLimit(params.name)
    return { value: {} }
  },
})

const decide = (verb: 'approve' | 'deny', summary: string): Route =>
  route({
    method: 'post',
    path: `/v1/payouts/{key}/${verb}`,
    summary,
    roles: ['approver'],
    params: objectOf({ key: keyText }),
    body: objectOf({ reason: optional(described('recorded in the events', text())) }),
    result: { status: 200, field: payout },
    errors: ['APPROVAL_REFUSED', 'PAYOUT_UNKNOWN', 'PAYOUT_STATUS'],
    handle: async ({ custody, params: { key }, body: { reason } }) => {
      await custody[verb]([key], reason)
      const [value] = await custody.payouts({ keys: [key] })
      return { value }
    },
  })

/** Limits and approvals. */
export const controlRoutes: readonly Route[] = [
  limits,
  setLimit,
  removeLimit,
  decide('approve', 'Approve a payout in the queue that somebody else requested'),
  decide('deny', 'Deny a payout in the queue, and hold it'),
]
