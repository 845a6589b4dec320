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
  /** Whether the status is `ok`, and the answer came as a success. */
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
      path: withQuery(path, query),
      mode: 'read',
      read: (http) => read(new Reply(method, 'body', successJSON(http))),
    },
    options,
  )
}

/**
 * Reads a health route, where 503 with a health body is an answer and not a failure. With another body it is a
 * failure, but asking again would not make the service healthy.
 */
export async function getHealth(
  transport: Transport,
  path: string,
  options?: CallOptions,
): Promise<ServiceHealth> {
  const method = `GET ${path}`
  const found = await transport.request<ServiceHealth | HttpError>(
    {
      method,
      verb: 'GET',
      path,
      mode: 'read',
      read: (http) => {
        const isFine = isSuccess(http.status)
        if (isFine || isHealthBody(http)) {
          const json = successJSON({ ...http, status: 200 })
          return readServiceHealth(new Reply(method, 'body', json), isFine)
        }
        if (http.status === 503) return statusError(http)
        throw statusError(http)
      },
    },
    options,
  )
  if (found instanceof HttpError) throw found
  return found
}

/** An error body has `statusCode`, and `error` is a text there. */
function isHealthBody(http: HttpReply): boolean {
  const json = tryJSON(http)
  if (json === undefined || json === null || typeof json !== 'object') return false
  const { statusCode, status, info, details, error } = json as { readonly [name: string]: Json }
  if (statusCode !== undefined || typeof error === 'string') return false
  return info !== undefined || details !== undefined || HEALTH_WORDS.includes(status as string)
}

const HEALTH_WORDS: readonly string[] = ['ok', 'error', 'shutting_down']

/** No member must be there; what the body and the status of the answer disagree on is not healthy. */
function readServiceHealth(r: Reply, isFine: boolean): ServiceHealth {
  const status = r.optionalString('status') ?? (isFine ? 'ok' : 'error')
  const parts = (field: string) => r.map(field, (members, part) => members.json(part))
  return {
    status,
    healthy: status === 'ok' && isFine,
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
  /** Told of every page where the next one begins; undefined after the last. */
  readonly onPage?: (nextPageToken: string | undefined) => void
}

/**
 * Follows a list by its page tokens. A page may be short or empty while there is a token; a token that
 * comes again is an error. One that is too old is refused by the server: then start over.
 */
export async function* followPages<T>(
  transport: Transport,
  path: string,
  { query = {}, pageToken, onPage, ...options }: PageOptions,
  read: (body: Reply) => T,
): AsyncGenerator<T, void, undefined> {
  const followed = new Set(pageToken === undefined ? [] : [pageToken])
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
    token = next === '' ? undefined : next
    if (token !== undefined && followed.has(token))
      throw new ReplyError(
        'REPLY_NO_PROGRESS',
        `GET ${path}`,
        'body.nextPageToken',
        'should lead on, is one that was followed before',
      )
    if (token !== undefined) followed.add(token)
    onPage?.(token)
  } while (token !== undefined)
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

function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  if (pairs.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`
}
