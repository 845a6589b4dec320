import {
  boolean,
  type Check,
  invalid,
  kinds,
  optional,
  record,
  text,
} from '../../core/base/argument.ts'
import type { Json } from '../../core/codec/json.ts'
import { isJSONObject, type JsonObject } from '../../core/codec/json-value.ts'
import { HttpError } from '../errors.ts'
import type { CallOptions, HttpReply } from '../http.ts'
import { Reply } from '../methods/reply.ts'
import {
  isSuccess,
  type StatusHints,
  statusError,
  successJSON,
  tryJSON,
} from '../transport/status.ts'
import type { Transport } from '../transport/transport.ts'

/** Query parameters; undefined ones are omitted. */
export type Query = { readonly [name: string]: string | number | bigint | boolean | undefined }

/** Describes `Query`. */
export const query: Check<Query> = record<Query[string]>(
  optional(
    kinds<NonNullable<Query[string]>>({
      string: text,
      number: (value, at) => {
        if (!Number.isFinite(value)) throw invalid(value, at, 'a finite number')
        return value as number
      },
      bigint: (value) => value as bigint,
      boolean,
    }),
  ),
)

/** Query parameters in order; names may repeat. */
export type QueryPairs = readonly (readonly [name: string, value: Query[string]])[]

/** Health of a service and its components. Servers may add status values. */
export type ServiceHealth = {
  /** `ok`, `error` or `shutting_down`. */
  readonly status: string
  /** Whether the HTTP status is 2xx, `status` is `ok`, and no component is failing. */
  readonly healthy: boolean
  /** Working components, with their `status` and other members. */
  readonly info: { readonly [component: string]: Json }
  /** Failing components. */
  readonly error: { readonly [component: string]: Json }
  /** All components. */
  readonly details: { readonly [component: string]: Json }
}

/** Hints for errors of the metrics and data APIs. */
const SERVICE_STATUS_HINTS: StatusHints = {
  401: 'API key missing or invalid: check apiKey, and apiKeyHeader for the name of its header',
  403: 'not allowed for this API key: check apiKey and apiKeyHeader; a gateway may also refuse it',
  404: 'check the path and the chain ID',
  429: 'rate limited: wait for retryAfterMs; an API key raises the limits',
  503: 'the service or its node for this chain has a problem; the chain itself may be fine',
}

/** Requests a JSON resource. GET requests may be repeated. */
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
      read: (http) =>
        read(new Reply(method, 'body', successJSON(withClaimedStatus(http), SERVICE_STATUS_HINTS))),
    },
    options,
  )
}

/**
 * Requests a health route, where status 503 with a health body is a valid answer. With another body it is an error,
 * but not retried.
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
          const json = successJSON({ ...http, status: 200 }, SERVICE_STATUS_HINTS)
          return readServiceHealth(new Reply(method, 'body', json), isFine)
        }
        if (http.status === 503) return statusError(http, SERVICE_STATUS_HINTS)
        throw statusError(http, SERVICE_STATUS_HINTS)
      },
    },
    options,
  )
  if (found instanceof HttpError) throw found
  return found
}

/** Some gateways send error bodies with status 200; then the `statusCode` of the body is used. */
function withClaimedStatus(http: HttpReply): HttpReply {
  if (!isSuccess(http.status)) return http
  const status = Number(membersOfBody(http).statusCode)
  const isError = Number.isInteger(status) && status >= 400 && status < 600
  return isError ? { ...http, status } : http
}

/**
 * Whether an answer outside 2xx is a health report. Error bodies have `statusCode` and a text `error`. With a status
 * other than 503, `status` may mean something else.
 */
function isHealthBody(http: HttpReply): boolean {
  const { statusCode, status, info, details, error } = membersOfBody(http)
  if (typeof status !== 'string' || statusCode !== undefined || typeof error === 'string')
    return false
  return http.status === 503 || info !== undefined || details !== undefined
}

function membersOfBody(http: HttpReply): JsonObject {
  const json = tryJSON(http)
  return isJSONObject(json) ? json : {}
}

/** Requires `status`. Contradicting members or HTTP status mean not healthy. */
function readServiceHealth(r: Reply, isFine: boolean): ServiceHealth {
  const status = r.string('status')
  const components = (field: string) => r.map(field, (members, name) => members.json(name))
  const [info, error, details] = [components('info'), components('error'), components('details')]
  const failing =
    Object.keys(error).length > 0 ||
    [...Object.values(info), ...Object.values(details)].some(isFailing) ||
    r.json('healthy') === false
  return { status, healthy: isFine && status === 'ok' && !failing, info, error, details }
}

/** Whether a component reports anything other than `up`. A component without a status reports nothing. */
function isFailing(component: Json): boolean {
  const isObject = component !== null && typeof component === 'object'
  const status = isObject && 'status' in component ? component.status : component
  return typeof status === 'string' && status !== 'up' && status !== 'ok'
}

function withQuery(path: string, query: QueryPairs): string {
  const pairs = query
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  if (pairs.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`
}
