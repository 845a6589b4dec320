import type { Json } from '../codec/json.ts'
import { HttpError, ReplyError } from './errors.ts'
import type { CallOptions, HttpReply } from './http.ts'
import { Reply } from './reply.ts'
import { isSuccess, statusError, successJSON, tryJSON } from './status.ts'
import type { Transport } from './transport.ts'

/** Parameters of a GET; what is undefined is left out. */
export type Query = { readonly [name: string]: string | number | bigint | boolean | undefined }

/** Whether a service and its parts work. Other words than those known may come. */
export type ServiceHealth = {
  /** `ok`, `error` or `shutting_down`. */
  readonly status: string
  /** Whether the status is `ok`. */
  readonly healthy: boolean
  /** Parts that work, each with its `status` and whatever else it tells. */
  readonly info: { readonly [part: string]: Json }
  /** Parts that do not. */
  readonly error: { readonly [part: string]: Json }
  /** All parts. */
  readonly details: { readonly [part: string]: Json }
}

/** Reads a JSON resource. Every GET may be repeated. */
export function getResource<T>(
  transport: Transport,
  path: string,
  query: Query,
  read: (body: Reply) => T,
  options?: CallOptions,
): Promise<T> {
  const method = `GET ${path}`
  return transport.request(
    {
      method,
      verb: 'GET',
      path: path + queryText(query),
      mode: 'read',
      read: (http) => read(new Reply(method, 'body', successJSON(http))),
    },
    options,
  )
}

/** Reads a health route, where 503 with a health body is an answer and not a failure. */
export function getHealth(
  transport: Transport,
  path: string,
  options?: CallOptions,
): Promise<ServiceHealth> {
  const method = `GET ${path}`
  return transport.request(
    {
      method,
      verb: 'GET',
      path,
      mode: 'once',
      read: (http) => {
        if (!isSuccess(http.status) && !isHealthBody(http)) throw statusError(http)
        return readServiceHealth(new Reply(method, 'body', successJSON({ ...http, status: 200 })))
      },
    },
    options,
  )
}

/** An error body has `statusCode`, and `error` is a text there. */
function isHealthBody(http: HttpReply): boolean {
  const json = tryJSON(http)
  if (json === undefined || json === null || typeof json !== 'object') return false
  return ('details' in json || 'info' in json) && !('statusCode' in json)
}

function readServiceHealth(r: Reply): ServiceHealth {
  const status = r.string('status')
  const parts = (field: string) => r.map(field, (members, part) => members.json(part))
  return {
    status,
    healthy: status === 'ok',
    info: parts('info'),
    error: parts('error'),
    details: parts('details'),
  }
}

/** How to follow a list over its pages. */
export type PageOptions = CallOptions & {
  /** Sent with every page, unchanged. */
  readonly query?: Query
  /** Where to go on from; tokens live 24 hours. */
  readonly pageToken?: string
}

/**
 * Follows a list by its page tokens. A page may be short or empty while there is a token; a token that
 * comes again is an error. One that is too old is refused by the server: then start over.
 */
export async function* followPages<T>(
  transport: Transport,
  path: string,
  { query = {}, pageToken, ...options }: PageOptions,
  read: (body: Reply) => T,
): AsyncGenerator<T, void, undefined> {
  const followed = new Set<string>()
  let token = pageToken
  do {
    const asked = { ...query, pageToken: token }
    const readBoth = (body: Reply): [T, string | undefined] => [
      read(body),
      body.optionalString('nextPageToken'),
    ]
    const [page, next] = await getResource(transport, path, asked, readBoth, options).catch(
      (error) => {
        throw token === undefined ? error : withTokenHint(error)
      },
    )
    yield page
    if (next !== undefined && followed.has(next))
      throw new ReplyError(
        'REPLY_NO_PROGRESS',
        `GET ${path}`,
        'body.nextPageToken',
        'should lead on, is one that was followed before',
      )
    if (next !== undefined) followed.add(next)
    token = next
  } while (token !== undefined && token !== '')
}

function withTokenHint(error: unknown): unknown {
  if (!(error instanceof HttpError) || (error.status !== 400 && error.status !== 404)) return error
  const { method, endpoint, status, body } = error
  return new HttpError('HTTP_STATUS', 'expected a page, the server refused its token', {
    method,
    endpoint,
    status,
    ...(body === undefined ? {} : { body }),
    cause: error,
    hint: 'page tokens live 24 hours: start over from the first page',
  })
}

function queryText(query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
