import { type Members, optional, text } from '../../core/base/argument.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import { HttpError, ReplyError } from '../errors.ts'
import { type CallOptions, callMembers } from '../http.ts'
import type { Reply } from '../methods/reply.ts'
import type { Transport } from '../transport/transport.ts'
import { getResource, type Query, type QueryPairs, query } from './service.ts'

/** Options for reading a paged list. */
export type PageOptions = CallOptions & {
  /** Sent unchanged with every page. */
  readonly query?: Query | undefined
  /** The `nextPageToken` to continue from. Tokens are valid for 24 hours. */
  readonly pageToken?: string | undefined
}

/** Describes the members of `PageOptions`. */
export const pageMembers: Members<PageOptions> = {
  ...callMembers,
  query: optional(query),
  pageToken: optional(text),
}

/** How to read a page and identify its items. */
export type PageReader<P> = {
  readonly read: (body: Reply) => P
  /** A key for each item, in order. Equal keys mean the same item. */
  readonly keys: (page: P) => readonly string[]
}

/** A page with the token of the next one; undefined after the last. */
export type WithToken<P> = P & { readonly nextPageToken: string | undefined }

const TOKEN_LIFE_MS = 24 * 3_600_000
/** Maximum number of consecutive empty pages: a server could send new tokens forever. */
const MAX_EMPTY_PAGES = 100
const START_OVER = 'page tokens are valid for 24 hours: start again from the first page'

/**
 * Follows the page tokens of a list. A page with a token may be short or empty.
 *
 * @throws ReplyError `REPLY_NO_PROGRESS` if a token or a page repeats (after 24 hours a server may restart the list
 * instead of rejecting the token), or after 100 consecutive empty pages. `REPLY_EXPIRED` if a token became too old
 * before it was used.
 */
export async function* followPages<P extends object>(
  transport: Transport,
  path: string,
  options: PageOptions,
  { read, keys }: PageReader<P>,
): AsyncGenerator<WithToken<P>, void, undefined> {
  const { query, pageToken, ...call } = options
  const { route, pairs, start } = mergeQuery(path, query, pageToken)
  const method = `GET ${route}`
  const followed = new Set<string>()
  /** The first item of every page. A repeated page or restarted list contains one of them. */
  const heads = new Set<string>()
  let token = start
  let emptyPages = 0
  for (;;) {
    if (token !== undefined) followed.add(token)
    const page = await readServicePage(
      transport,
      route,
      [...pairs, ['pageToken', token]],
      call,
      read,
    )
    const received = transport.clock.now()
    const items = keys(page)
    if (items.some((key) => heads.has(key)))
      throw new ReplyError('REPLY_NO_PROGRESS', method, 'body', 'repeats an earlier page', {
        hint: START_OVER,
      })
    if (items[0] !== undefined) heads.add(items[0])
    emptyPages = items.length === 0 ? emptyPages + 1 : 0
    if (emptyPages > MAX_EMPTY_PAGES)
      throw new ReplyError(
        'REPLY_NO_PROGRESS',
        method,
        'body',
        `is the last of ${emptyPages} consecutive empty pages`,
      )
    yield page
    token = page.nextPageToken
    if (token === undefined) return
    if (followed.has(token))
      throw new ReplyError(
        'REPLY_NO_PROGRESS',
        method,
        'body.nextPageToken',
        'repeats an earlier token',
      )
    if (transport.clock.now() - received >= TOKEN_LIFE_MS)
      throw new ReplyError(
        'REPLY_EXPIRED',
        method,
        'body.nextPageToken',
        'was received more than 24 hours ago',
        { hint: START_OVER },
      )
  }
}

async function readServicePage<P extends object>(
  transport: Transport,
  route: string,
  query: QueryPairs,
  call: CallOptions,
  read: (body: Reply) => P,
): Promise<WithToken<P>> {
  const readBoth = (body: Reply): WithToken<P> => ({
    ...read(body),
    // The last page has an empty token or none.
    nextPageToken: body.optionalString('nextPageToken') || undefined,
  })
  const hasToken = query.some(([name, value]) => name === 'pageToken' && value !== undefined)
  try {
    return await getResource(transport, route, query, readBoth, call)
  } catch (error) {
    throw hasToken ? withTokenHint(error) : error
  }
}

/** Separates the query from a path and merges it with the options. Rejects parameters given in both. */
function mergeQuery(
  path: string,
  query: Query = {},
  pageToken: string | undefined,
): { route: string; pairs: QueryPairs; start: string | undefined } {
  const mark = path.indexOf('?')
  const route = mark < 0 ? path : path.slice(0, mark)
  const inPath = [...new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1))]
  const inOptions = Object.entries({ ...query }).filter(([, value]) => value !== undefined)
  if (pageToken !== undefined) inOptions.push(['pageToken', pageToken])
  const all: QueryPairs = [...inPath, ...inOptions]
  const isRepeated = ([name]: readonly [string, unknown]) =>
    all.filter(([other]) => other === name).length > 1
  // Within the path, names may repeat, except those that must be unique.
  const repeated =
    inOptions.find(isRepeated) ??
    inPath.find((pair) => /^page(Token|Size)$/.test(pair[0]) && isRepeated(pair))
  if (repeated !== undefined)
    throw new ArgumentError('ENC_INVALID', `query parameter ${repeated[0]} is given twice`)
  const start = all.find(([name]) => name === 'pageToken')?.[1]
  return {
    route,
    pairs: all.filter(([name]) => name !== 'pageToken'),
    start: start === undefined || start === '' ? undefined : String(start),
  }
}

function withTokenHint(error: unknown): unknown {
  if (!(error instanceof HttpError) || (error.status !== 400 && error.status !== 404)) return error
  const { method, endpoint, status, body, messages, error: name, statusCode } = error
  return new HttpError('HTTP_STATUS', `page token rejected: http status ${status}`, {
    method,
    endpoint,
    status,
    messages,
    body,
    error: name,
    statusCode,
    cause: error,
    hint: START_OVER,
  })
}
