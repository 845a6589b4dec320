import {
  described,
  flag,
  integer,
  listOf,
  objectOf,
  optional,
  position,
  text,
} from '../describe.ts'
import { deposit } from '../resources.ts'
import { listResult, READERS, type Route, route } from '../route.ts'

const reference = optional(described('your name for the user; part of the deposits', text()))

const watch = route({
  method: 'post',
  path: '/v1/addresses',
  summary: 'Watch addresses, so that outputs to them become deposits',
  roles: ['requester', 'operator'],
  body: objectOf({
    addresses: listOf(
      objectOf({ address: described('X-Chain address', text(100)), reference }),
      10_000,
    ),
    fresh: optional(
      described('nobody can have paid to them yet: do not search earlier outputs', flag),
    ),
  }),
  result: { status: 200, field: objectOf({ watched: integer(0, 10_000) }) },
  handle: async ({ custody, body }) => ({
    value: { watched: await custody.watch(body.addresses, { fresh: body.fresh }) },
  }),
})

const watchXpub = route({
  method: 'post',
  path: '/v1/xpubs',
  summary: 'Watch the addresses of an extended public key',
  roles: ['operator'],
  body: objectOf({
    xpub: text(200),
    gap: optional(
      described('addresses watched beyond the last one paid; default 20', integer(1, 1_000)),
    ),
    reference,
  }),
  result: { status: 200, field: objectOf({}) },
  errors: ['XPUB_INVALID'],
  handle: async ({ custody, body: { xpub, ...options } }) => {
    await custody.watchXpub(xpub, options)
    return { value: {} }
  },
})

const LONGEST_WAIT_S = 60

const list = (path: string, summary: string, corrections: boolean): Route =>
  route({
    method: 'get',
    path,
    summary,
    roles: READERS,
    query: objectOf({
      after: optional(described('cursor of the last one that was processed; default 0', position)),
      limit: optional(described('default 1000', integer(1, 10_000))),
      wait: optional(
        described('seconds to wait until there is one; default 0', integer(0, LONGEST_WAIT_S)),
      ),
    }),
    result: listResult('deposits', deposit),
    errors: ['CURSOR_AHEAD'],
    handle: async ({ custody, query: { wait = 0, ...query }, signal, shared, identity }) => ({
      value: {
        deposits: await shared.feed.read({
          read: () => custody.deposits({ ...query, corrections }),
          after: query.after ?? 0n,
          waitMs: wait * 1000,
          reader: identity,
          signal,
        }),
      },
    }),
  })

/** Addresses and deposits. */
export const depositRoutes: readonly Route[] = [
  watch,
  watchXpub,
  list('/v1/deposits', 'List deposits and corrections in the order of their cursors', false),
  list('/v1/corrections', 'List only corrections of deposits', true),
]
