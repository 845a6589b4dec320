import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import { argument } from '../../core/base/argument.ts'
import type { Database } from '../database/database.ts'
import { type Custody, CustodyError } from '../index.ts'
import { addRoutes } from './app.ts'
import { DepositFeed } from './deposit-feed.ts'
import { ServiceError } from './errors.ts'
import { type ServiceOptions, serviceOptions } from './options.ts'
import { servicePages } from './page.ts'
import { RateLimit } from './rate.ts'
import { RequestQueue } from './request-queue.ts'
import { routes } from './routes/index.ts'
import { atMostEvery, type Shared } from './shared.ts'
import { authenticate, openTables, readValidTokens } from './tokens.ts'
import { cursorOf, deliverEvents } from './webhooks/deliverer.ts'
import { recordProblems } from './webhooks/problems.ts'

/** A service that runs. */
export type CustodyService = {
  readonly url: string
  /** Completes requests in progress, then closes all connections. */
  readonly close: () => Promise<void>
}

/** How long requests in progress may take when the service stops. */
const STOP_MS = 10_000
const MAX_CONNECTIONS = 2_000
/** Failed authentications per address. */
const FAILURES = { perSecond: 1, burst: 20 }

/**
 * Serves the operations of a custody system over HTTP. It needs the packages `hono` and `@hono/node-server`.
 *
 * @throws CustodyError `LISTEN_FAILED`, `DATABASE_POOLED` with webhooks
 * @throws ServiceError `SERVER_DRIVER`, `TLS_INVALID`
 * @example
 * const { url, close } = await serveCustody({ custody, database: 'postgres://localhost/custody', port: 8080 })
 */
export async function serveCustody(options: ServiceOptions): Promise<CustodyService> {
  const config = argument('serveCustody', options, serviceOptions)
  const { custody, host = '127.0.0.1', port = 0 } = config
  if (config.tls !== undefined) requireCertificate(config.tls)
  const { Hono, createAdaptorServer } = await loadFramework()
  const database = await openTables(config)
  const stopping = new AbortController()
  const custodyAs = perIdentity(custody)
  const shared: Shared = {
    requests: new RequestQueue(custodyAs),
    feed: new DepositFeed(custody),
    status: atMostEvery(1_000, () => custody.status()),
    maxLagSeconds: config.maxLagSeconds ?? 60,
  }
  const readKnown = atMostEvery(1_000, () => readValidTokens(database))
  const readNew = atMostEvery(100, () => readValidTokens(database))
  const app = new Hono<never>()
  addRoutes(app as never, {
    routes,
    pages: servicePages(),
    custodyAs,
    identify: (header) => authenticate(header, readKnown, readNew),
    shared,
    limits: {
      tokens: new RateLimit(config.rate ?? { perSecond: 10_000, burst: 10_000 }),
      failures: new RateLimit(FAILURES),
    },
    maxBodyBytes: config.maxBodyBytes ?? 1_048_576,
    stopping: stopping.signal,
    log: config.log ?? (() => {}),
  })
  const requestTimeout = config.requestMs ?? 30_000
  const server = createAdaptorServer({
    fetch: app.fetch as never,
    // Other code of the process must not get other classes than those of the platform.
    overrideGlobalObjects: false,
    createServer: (config.tls === undefined
      ? createServer
      : createSecureServer) as typeof createServer,
    serverOptions: {
      ...config.tls,
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, 10_000),
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: Math.min(requestTimeout, 1_000),
    },
  }) as Server
  server.maxConnections = MAX_CONNECTIONS
  try {
    if (config.webhooks !== undefined && config.webhooks.length > 0)
      await database.requireSessions()
    // Before anything is recorded that they are to be told.
    for (const hook of config.webhooks ?? []) await cursorOf({ database, hook })
    await listen(server, host, port)
  } catch (error) {
    await database.close()
    throw error
  }
  const tasks = webhookTasks(config, database, shared, stopping.signal)
  return {
    url: urlOf(server, config.tls !== undefined),
    close: async () => {
      stopping.abort()
      await Promise.all([closeServer(server), ...tasks])
      await database.close()
    },
  }
}

/** Starts the deliveries to all receivers. */
function webhookTasks(
  { webhooks = [], webhookLimits = {}, log = () => {} }: ServiceOptions,
  database: Database,
  { status }: Shared,
  signal: AbortSignal,
): Promise<void>[] {
  const tellsProblems = webhooks.some(({ topics }) => topics?.includes('problem') ?? true)
  return [
    ...webhooks.map((hook) =>
      deliverEvents({ database, hook, limits: webhookLimits, log }, signal),
    ),
    ...(tellsProblems ? [recordProblems(database, status, signal)] : []),
  ]
}

/** The system as each identity sees it, made once for each. */
function perIdentity(custody: Custody): (identity: string) => Custody {
  const known = new Map<string, Custody>([['', custody]])
  return (identity) => {
    const own = known.get(identity) ?? { ...custody, ...custody.actingFor(identity) }
    known.set(identity, own)
    return own
  }
}

/** @throws ServiceError `TLS_INVALID` */
function requireCertificate(tls: { readonly cert: string; readonly key: string }): void {
  try {
    createSecureContext(tls)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ServiceError('TLS_INVALID', `invalid certificate or key: ${reason}`, { cause })
  }
}

async function loadFramework(): Promise<
  typeof import('hono') & typeof import('@hono/node-server')
> {
  // Not literals: the packages are optional, and the command line is bundled without them.
  const names: readonly string[] = ['hono', '@hono/node-server']
  try {
    const [hono, server] = await Promise.all(names.map((name) => import(name)))
    return { ...hono, ...server }
  } catch (cause) {
    throw new ServiceError(
      'SERVER_DRIVER',
      'the packages hono and @hono/node-server cannot be loaded',
      {
        cause,
        hint: 'run: npm install hono@4 @hono/node-server@2',
      },
    )
  }
}

/** @throws CustodyError `LISTEN_FAILED` */
function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot listen on port ${port} of ${host}: ${cause.message}`
      reject(new CustodyError('LISTEN_FAILED', message, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

function urlOf(server: Server, isSecure: boolean): string {
  const { port, address, family } = server.address() as AddressInfo
  const host = family === 'IPv6' ? `[${address}]` : address
  return `${isSecure ? 'https' : 'http'}://${host}:${port}`
}

/** Closes a server after the requests in progress, or after a time. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), STOP_MS)
  await closed
  clearTimeout(timer)
}
