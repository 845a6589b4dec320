import type { Json } from '../codec/json.ts'
import type { HttpReply } from './http.ts'
import type { NoParams, Params } from './method.ts'
import { type ID, nameText } from './params.ts'
import { Reply } from './reply.ts'
import { isMarkup, isSuccess, successJSON, tryJSON } from './status.ts'

/** The last run of one check. */
export type HealthCheck = {
  /** Whatever the check has to say. */
  readonly message: Json | undefined
  /** Why it failed; present only then. */
  readonly error: Json | undefined
  /** RFC 3339; the year 1 where it has not run yet. */
  readonly timestamp: string | undefined
  /** Nanoseconds. */
  readonly duration: bigint | undefined
  readonly contiguousFailures: bigint | undefined
  readonly timeOfFirstFailure: string | undefined
}

/** Checks of a node and whether all of them pass. */
export type Health = {
  readonly healthy: boolean
  readonly checks: { readonly [name: string]: HealthCheck }
}

/** Which checks to look at: those of the given subnets, and global ones. */
export type HealthParams = { readonly tags?: readonly ID[] }

/** Health by JSON-RPC, which answers the same whether healthy or not. Public servers refuse it. */
export const healthMethods = {
  /** All checks. */
  health: {
    method: 'health.health',
    once: true,
    params: (p: HealthParams): Params => tagParams(p),
    reply: (r: Reply): Health => readHealth(r),
  },
  /** The checks of starting up. A fresh node takes up to 30 s longer here than `info.isBootstrapped`. */
  readiness: {
    method: 'health.readiness',
    once: true,
    params: (p: HealthParams): Params => tagParams(p),
    reply: (r: Reply): Health => readHealth(r),
  },
  /** Nothing but that the node answers. */
  liveness: {
    method: 'health.liveness',
    once: true,
    params: (_: NoParams): Params => ({}),
    reply: (r: Reply): Health => readHealth(r),
  },
}

/** Health by GET, where the status tells the same as `healthy`. Routes behind `/ext/health`. */
export const healthRoutes: { readonly [name in HealthRoute]: string } = {
  root: '',
  health: '/health',
  readiness: '/readiness',
  liveness: '/liveness',
}

/** The GET routes by name; `root` and `health` answer the same. */
export type HealthRoute = 'root' | 'health' | 'readiness' | 'liveness'

/** The query of a GET route. */
export function tagQuery({ tags = [] }: HealthParams): string {
  const query = tags.map((tag) => `tag=${encodeURIComponent(nameText(tag))}`).join('&')
  return query === '' ? '' : `?${query}`
}

/**
 * Reads the answer of a GET route, where 200 means healthy and 503 unhealthy. The node's body has the details;
 * with any other the status alone decides, unless a page of markup shows that no node has answered.
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

/** Reads a health result, the same in both forms. */
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
