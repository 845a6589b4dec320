import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Hono } from 'hono'
import type { AvmError } from '../../core/base/errors.ts'
import type { Custody, Log } from '../index.ts'
import { ServiceError } from './errors.ts'
import { resultJSON } from './json.ts'
import { problemOf, shownError } from './problem.ts'
import type { RateLimit } from './rate.ts'
import { checkedParts } from './request.ts'
import type { Reply, Route } from './route.ts'
import type { Shared } from './shared.ts'
import type { Identity } from './tokens.ts'

type Bindings = {
  readonly Bindings: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }
}

/** A page or a document that every request gets. */
export type StaticPage = {
  readonly path: string
  readonly type: string
  readonly text: string
  readonly headers?: { readonly [name: string]: string }
}

/** What the routes need. */
export type AppSettings = {
  readonly routes: readonly Route[]
  readonly pages: readonly StaticPage[]
  readonly custodyAs: (identity: string) => Custody
  readonly identify: (authorization: string | undefined) => Promise<Identity | undefined>
  readonly shared: Shared
  /** Requests by token, and failed authentications by address. */
  readonly limits: { readonly tokens: RateLimit; readonly failures: RateLimit }
  readonly maxBodyBytes: number
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
  readonly log: Log
}

/** Headers of every answer: none of them is for caches or other sites. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Makes the routes of a Hono application. */
export function addRoutes(app: Hono<Bindings>, settings: AppSettings): void {
  for (const { path, type, text, headers } of settings.pages)
    app.get(
      path,
      () => new Response(text, { headers: { ...HEADERS, ...headers, 'content-type': type } }),
    )
  for (const route of settings.routes)
    app.on(route.method.toUpperCase(), pathOf(route), (c) =>
      answer(c, settings, () => call(route, c, settings)),
    )
  for (const path of new Set([
    ...settings.routes.map(pathOf),
    ...settings.pages.map((page) => page.path),
  ])) {
    const methods = settings.routes
      .filter((route) => pathOf(route) === path)
      .map(({ method }) => method)
    const allow = (methods.length === 0 ? ['get'] : methods).join(', ').toUpperCase()
    app.all(path, (c) =>
      answer(c, settings, async () => {
        c.env.outgoing.setHeader('allow', allow)
        throw new ServiceError('METHOD_NOT_ALLOWED', `this path has ${allow}`)
      }),
    )
  }
  app.notFound((c) =>
    answer(c as Context<Bindings>, settings, async () => {
      throw new ServiceError('ROUTE_UNKNOWN', 'no route has this path', {
        hint: 'see /openapi.json',
      })
    }),
  )
}

function pathOf({ path }: Pick<Route, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Authenticates, checks and handles a request. */
async function call(route: Route, c: Context<Bindings>, settings: AppSettings): Promise<Response> {
  const { incoming, outgoing } = c.env
  const { custodyAs, maxBodyBytes, shared, stopping } = settings
  if (stopping.aborted) throw new ServiceError('STOPPING', 'the service stops', { retryAfter: 1 })
  const { name } = route.roles.length === 0 ? NOBODY : await authorized(route, incoming, settings)
  const parts = await checkedParts(route, incoming, c.req.param(), maxBodyBytes)
  const reply = await route.handle({
    ...parts,
    identity: name,
    custody: custodyAs(name),
    shared,
    get signal() {
      return signalOf(outgoing, stopping)
    },
  })
  return responseTo(route, reply, stopping)
}

const NOBODY: Identity = { id: '', name: '', roles: [] }

/** @throws ServiceError `UNAUTHENTICATED`, `FORBIDDEN`, `RATE_LIMITED` */
async function authorized(
  route: Route,
  { headers, socket }: IncomingMessage,
  { identify, limits }: AppSettings,
): Promise<Identity> {
  const identity = await identify(headers.authorization)
  if (identity === undefined) {
    // Only failures count here, so nobody can lock out the holder of a valid token.
    requireRate(limits.failures.take(socket.remoteAddress ?? ''))
    throw new ServiceError('UNAUTHENTICATED', 'a valid token is required', {
      hint: 'Authorization: Bearer avmkit_…',
    })
  }
  requireRate(limits.tokens.take(identity.id))
  if (!route.roles.some((role) => identity.roles.includes(role)))
    throw new ServiceError('FORBIDDEN', `the token needs the role ${route.roles.join(' or ')}`)
  return identity
}

function requireRate(seconds: number): void {
  if (seconds > 0)
    throw new ServiceError('RATE_LIMITED', `too many requests: retry after ${seconds} s`, {
      retryAfter: seconds,
    })
}

/** Aborted when the client has gone or the service stops. */
function signalOf(outgoing: ServerResponse, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  if (outgoing.closed) gone.abort()
  return AbortSignal.any([gone.signal, stopping])
}

function responseTo({ result }: Route, reply: Reply, stopping: AbortSignal): Response {
  const { value, status = result.status, headers = {} } = reply
  const isText = result.type !== undefined
  return new Response(isText ? String(value) : `${resultJSON(value)}\n`, {
    status,
    headers: {
      ...HEADERS,
      'content-type': result.type ?? 'application/json',
      ...headers,
      ...closing(stopping.aborted),
    },
  })
}

/** Keeps a client from sending another request on a connection that is about to be closed. */
function closing(isClosing: boolean): { readonly [name: string]: string } {
  return isClosing ? { connection: 'close' } : {}
}

/** Runs a handler, and answers its errors as problem details. */
async function answer(
  c: Context<Bindings>,
  settings: AppSettings,
  handle: () => Promise<Response>,
): Promise<Response> {
  try {
    return await handle()
  } catch (error) {
    const shown = shownError(error)
    await logError(shown, c, settings.log)
    const problem = problemOf(shown)
    const { retryAfter } = shown as { readonly retryAfter?: number }
    return new Response(`${JSON.stringify(problem)}\n`, {
      status: problem.status,
      headers: {
        ...HEADERS,
        'content-type': 'application/problem+json',
        ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
        ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
        // The rest of a body that was not read would be taken for the next request, or be read in vain.
        ...closing(!c.env.incoming.complete || settings.stopping.aborted),
      },
    })
  }
}

/** Failures of the service itself are logged with what clients do not see. */
async function logError(shown: AvmError, c: Context<Bindings>, log: Log): Promise<void> {
  if (shown.code !== 'INTERNAL_ERROR' && shown.code !== 'UNAVAILABLE') return
  const cause = shown.cause as { readonly code?: unknown; readonly message?: unknown } | undefined
  const details = { method: c.req.method, path: c.req.path, code: cause?.code }
  try {
    await log({ level: 'error', event: 'request.failed', message: String(cause?.message), details })
  } catch {
    // A log that fails must not fail requests.
  }
}
