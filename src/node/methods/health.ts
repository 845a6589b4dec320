import { type Check, list, object, optional } from '../../core/base/argument.ts'
import type { Json } from '../../core/codec/json.ts'
import type { HttpReply } from '../http.ts'
import { isMarkup, isSuccess, successJSON, tryJSON } from '../transport/status.ts'
import { type NoParams, noParams, type Params } from './method.ts'
import { type ID, nameOrID, nameText } from './params.ts'
import { Reply } from './reply.ts'

/** Result of one check. */
export type HealthCheck = {
  /** Details; the form depends on the check. */
  readonly message: Json | undefined
  /** Why the check failed; undefined if it passed. */
  readonly error: Json | undefined
  /** RFC 3339; the year 1 if the check has not run yet. */
  readonly timestamp: string | undefined
  /** Nanoseconds. */
  readonly duration: bigint | undefined
  /** Number of consecutive failures. */
  readonly contiguousFailures: bigint | undefined
  /** RFC 3339. */
  readonly timeOfFirstFailure: string | undefined
}

/** The checks of a node, and whether all of them pass. */
export type Health = {
  readonly healthy: boolean
  readonly checks: { readonly [name: string]: HealthCheck }
}

/** Selects checks: those with one of the tags (such as subnet IDs), and the global ones. */
export type HealthParams = { readonly tags?: readonly ID[] | undefined }

/** Describes `HealthParams`. */
export const healthParams: Check<HealthParams> = object<HealthParams>({
  tags: optional(list(nameOrID)),
})

/** Health by JSON-RPC; the HTTP status is 200 even if the node is unhealthy. Not available on public servers. */
export const healthMethods = {
  /** All checks. */
  health: {
    method: 'health.health',
    once: true,
    accepts: (): Check<HealthParams> => healthParams,
    params: (p: HealthParams): Params => tagParams(p),
    reply: (r: Reply): Health => readHealth(r),
  },
  /** Startup checks. After a start, they pass up to 30 s later than `info.isBootstrapped`. */
  readiness: {
    method: 'health.readiness',
    once: true,
    accepts: (): Check<HealthParams> => healthParams,
    params: (p: HealthParams): Params => tagParams(p),
    reply: (r: Reply): Health => readHealth(r),
  },
  /** Healthy as soon as the node answers. */
  liveness: {
    method: 'health.liveness',
    once: true,
    accepts: (): Check<NoParams> => noParams,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): Health => readHealth(r),
  },
}

/** Paths of the GET routes after `/ext/health`. Their HTTP status repeats `healthy`. */
export const healthRoutes: { readonly [name in HealthRoute]: string } = {
  root: '',
  health: '/health',
  readiness: '/readiness',
  liveness: '/liveness',
}

/** Names of the GET routes; `root` and `health` are equivalent. */
export type HealthRoute = 'root' | 'health' | 'readiness' | 'liveness'

/** The query of a GET route. */
export function tagQuery({ tags = [] }: HealthParams): string {
  const query = tags.map((tag) => `tag=${encodeURIComponent(nameText(tag))}`).join('&')
  return query === '' ? '' : `?${query}`
}

/**
 * Reads the answer of a GET route: status 200 means healthy, 503 unhealthy. The node's body has the details. With
 * another body the status alone decides, except for markup, which does not come from a node.
 */
export function readHealthReply(http: HttpReply): Health {
  const isUnhealthy = http.status === 503
  if ((!isUnhealthy && !isSuccess(http.status)) || isMarkup(http)) successJSON(http)
  const json = tryJSON(http)
  const isReport = json !== undefined && json !== null && typeof json === 'object'
  const report =
    isReport && 'healthy' in json
      ? readHealth(new Reply(http.method, 'body', json))
      : { healthy: true, checks: {} }
  return isUnhealthy ? { ...report, healthy: false } : report
}

/** Reads a health result, which is the same for both APIs. */
export function readHealth(r: Reply): Health {
  return {
    healthy: r.boolean('healthy'),
    checks: r.map('checks', (checks, name) => {
      const check = checks.object(name)
      return {
        message: check.has('message') ? check.json('message') : undefined,
        error: check.has('error') ? check.json('error') : undefined,
        timestamp: check.optionalString('timestamp'),
        duration: check.optionalU64('duration'),
        contiguousFailures: check.optionalU64('contiguousFailures'),
        timeOfFirstFailure: check.optionalString('timeOfFirstFailure'),
      }
    }),
  }
}

function tagParams({ tags }: HealthParams): Params {
  return { tags: tags?.map(nameText) }
}
