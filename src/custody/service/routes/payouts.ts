import { CustodyError } from '../../index.ts'
import {
  amount,
  described,
  flag,
  id,
  integer,
  objectOf,
  oneOf,
  optional,
  text,
  time,
} from '../describe.ts'
import { keyText, payout } from '../resources.ts'
import { ANYONE, listResult, type Route, route } from '../route.ts'

const params = objectOf({ key: keyText })

const request = route({
  method: 'post',
  path: '/v1/payouts',
  summary: 'Request a payout; the same key with the same content is the same payout',
  roles: ['requester'],
  isKeyed: true,
  body: objectOf({
    to: described('X-Chain address', text(100)),
    amount: described('in the smallest unit of the asset', amount),
    assetID: optional(described('default: the native asset', id)),
    memo: optional(described('at most 256 bytes of UTF-8', text(256))),
    priority: optional(
      described('higher ones come first; default 0', integer(-1_000_000, 1_000_000)),
    ),
    notBefore: optional(described('not made before this time', time)),
    reference: optional(described('your name for the account that pays', text())),
  }),
  result: {
    status: 201,
    field: objectOf({
      key: keyText,
      added: described('false if it was requested before (status 200)', flag),
    }),
  },
  errors: ['BAD_KEY', 'KEY_CONFLICT'],
  handle: async ({ identity, key, body, shared }) => {
    const added = await shared.requests.add(identity, { ...body, key })
    return {
      status: added ? 201 : 200,
      value: { key, added },
      headers: { location: `/v1/payouts/${encodeURIComponent(key)}` },
    }
  },
})

const get = route({
  method: 'get',
  path: '/v1/payouts/{key}',
  summary: 'Get a payout',
  roles: ANYONE,
  params,
  result: { status: 200, field: payout },
  errors: ['PAYOUT_UNKNOWN'],
  handle: async ({ custody, params: { key } }) => {
    const [value] = await custody.payouts({ keys: [key] })
    if (value === undefined)
      throw new CustodyError('PAYOUT_UNKNOWN', 'no payout has this key', { keys: [key] })
    return { value }
  },
})

const list = route({
  method: 'get',
  path: '/v1/payouts',
  summary: 'List payouts in the order of their requests',
  roles: ANYONE,
  query: objectOf({
    status: optional(oneOf('queued', 'pending', 'paid', 'failed', 'canceled')),
    after: optional(described('key of the last payout that was read', keyText)),
    limit: optional(described('default 1000', integer(1, 10_000))),
  }),
  result: listResult('payouts', payout),
  errors: ['PAYOUT_UNKNOWN'],
  handle: async ({ custody, query }) => ({ value: { payouts: await custody.payouts(query) } }),
})

const change = (verb: 'hold' | 'release' | 'cancel', summary: string): Route =>
  route({
    method: 'post',
    path: `/v1/payouts/{key}/${verb}`,
    summary,
    roles: ['operator'],
    params,
    body: objectOf({ reason: optional(described('recorded in the events', text())) }),
    result: { status: 200, field: payout },
    errors: ['PAYOUT_UNKNOWN', 'PAYOUT_STATUS'],
    handle: async ({ custody, params: { key }, body: { reason } }) => {
      await custody[verb]([key], reason)
      const [value] = await custody.payouts({ keys: [key] })
      return { value }
    },
  })

/** Payouts. */
export const payoutRoutes: readonly Route[] = [
  request,
  get,
  list,
  change('hold', 'Keep a queued payout from being made until it is released'),
  change('release', 'Return a held payout to the queue'),
  change('cancel', 'Cancel a payout: in the queue at once; if it is pending, the chain decides'),
]
