import type { Json } from '../codec/json.ts'
import { HttpError } from './errors.ts'
import type { CallOptions, HttpReply } from './http.ts'
import { Reply } from './reply.ts'
import { isSuccess, type StatusHints, statusError, successJSON, tryJSON } from './status.ts'
import type { Transport } from './transport.ts'

/** Parameters of a GET; undefined ones are not sent. */
export type Query = { readonly [name: string]: string | number | bigint | boolean | undefined }

/** The same in the order they are sent; names may repeat. */
export type QueryPairs = readonly (readonly [name: string, value: Query[string]])[]

/** Whether a service and its components work. Status values may be added by the server. */
export type ServiceHealth = {
  /** `ok`, `error` or `shutting_down`. */
  readonly status: string
  /** Whether the HTTP status is a success, `status` is `ok`, and no component is reported as failing. */
  readonly healthy: boolean
  /** Components that work, each with its `status` and any further members. */
  readonly info: { readonly [component: string]: Json }
  /** Components that fail. */
  readonly error: { readonly [component: string]: Json }
  /** All components. */
  readonly details: { readonly [component: string]: Json }
}

/** What to do about an error of the metrics and data interfaces. */
const HINTS: StatusHints = {
  401: 'the API key is missing or wrong: check apiKey, and apiKeyHeader for the name of its header',
  403: 'the API key does not allow this: check apiKey and apiKeyHeader; a gateway may refuse it too',
  404: 'check the path and the chain ID',
  429: 'rate limited: wait as long as retryAfterMs says; an API key raises the limits',
  503: 'the service has a problem, or its node for this chain; the chain itself may be fine',
}

/** Reads a JSON resource. Every GET may be repeated. */
export function getResource<T>(
  transport: Transport,
  path: string,
  query: QueryPairs,
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
      read: (http) => read(new Reply(method, 'body', successJSON(withClaimedStatus(http), HINTS))),
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
      read: (reply) => {
        const http = withClaimedStatus(reply)
        const isFine = isSuccess(http.status)
        if (isFine || isHealthBody(http)) {
          const json = successJSON({ ...http, status: 200 }, HINTS)
          return readServiceHealth(new Reply(method, 'body', json), isFine)
        }
        if (http.status === 503) return statusError(http, HINTS)
        throw statusError(http, HINTS)
      },
    },
    options,
  )
  if (found instanceof HttpError) throw found
  return found
}

/** Gateways send error bodies with status 200 too; then the `statusCode` of the body counts. */
function withClaimedStatus(http: HttpReply): HttpReply {
  if (!isSuccess(http.status)) return http
  const { statusCode, message, error } = membersOf(http)
  const status = Number(statusCode)
  const isError = Number.isInteger(status) && status >= 400 && status < 600
  return isError && (message ?? error ?? null) !== null ? { ...http, status } : http
}

/**
 * Whether an answer outside 2xx reports health. An error body has `statusCode`, and `error` is a text there;
 * any status but 503 may come with a `status` that means something else.
 */
function isHealthBody(http: HttpReply): boolean {
  const { statusCode, status, info, details, error } = membersOf(http)
  if (typeof status !== 'string' || statusCode !== undefined || typeof error === 'string')
    return false
  return http.status === 503 || info !== undefined || details !== undefined
}

function membersOf(http: HttpReply): { readonly [name: string]: Json | undefined } {
  const json = tryJSON(http)
  if (json === undefined || json === null || typeof json !== 'object') return {}
  return json as { readonly [name: string]: Json }
}

/** `status` must be there; contradictions between the members, or with the HTTP status, are not healthy. */
function readServiceHealth(r: Reply, isFine: boolean): ServiceHealth {
  const status = r.string('status')
  const components = (field: string) => r.map(field, (members, name) => members.json(name))
  const [info, error, details] = [components('info'), components('error'), components('details')]
  const failing = Object.keys(error).length > 0 || Object.values(details).some(isDown)
  return { status, healthy: isFine && status === 'ok' && !failing, info, error, details }
}

function isDown(component: Json): boolean {
  return (component as { readonly status?: Json | undefined } | null)?.status === 'down'
}

function withQuery(path: string, query: QueryPairs): string {
  const pairs = query
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  if (pairs.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`
}
