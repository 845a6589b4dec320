import type { CallOptions, TransportOptions } from './http.ts'
import { followPages, type PageOptions } from './pages.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Reply } from './reply.ts'
import { getHealth, type ServiceHealth } from './service.ts'
import { Transport } from './transport.ts'

/** A point of a series. */
export type MetricPoint = {
  /** Unix seconds. */
  readonly timestamp: number
  readonly value: number
}

/** One page of average transactions per second. */
export type AverageTPSPage = {
  /** Newest first, one point per day. */
  readonly results: readonly MetricPoint[]
  /** HTTP status as the body repeats it; the successor route does not send it. */
  readonly status: number | undefined
  /** Unix seconds of the last update of the data; the successor route does not send it. */
  readonly lastRun: number | undefined
  /** Token of the next page, valid for 24 hours; undefined after the last page. */
  readonly nextPageToken: string | undefined
}

/** Where the metrics interface is and which routes it has. */
export type MetricsClientOptions = TransportOptions & {
  readonly paths?: Partial<MetricsPaths> | undefined
}

/** Routes; `{chainId}` stands for the chain. */
export type MetricsPaths = {
  /** `/v1/avg_tps/{chainId}`; `/v2/chains/{chainId}/metrics/avgTps` is its successor and answers alike. */
  readonly averageTPS: string
  readonly healthCheck: string
}

const PATHS: MetricsPaths = {
  averageTPS: '/v1/avg_tps/{chainId}',
  healthCheck: '/v2/health-check',
}

/** The metrics interface: statistics of chains, without a key. */
export type MetricsClient = {
  /** Average transactions per second of a chain, newest first, one point per day; pages are read as needed. */
  readonly averageTPS: (
    chainID: string | number | bigint,
    options?: PageOptions,
  ) => AsyncGenerator<MetricPoint, void, undefined>
  /** The same page by page, with the time of the last update and the token to continue with. */
  readonly averageTPSPages: (
    chainID: string | number | bigint,
    options?: PageOptions,
  ) => AsyncGenerator<AverageTPSPage, void, undefined>
  readonly healthCheck: (options?: CallOptions) => Promise<ServiceHealth>
  /** The last rate-limit headers; undefined if none were sent. */
  readonly rateLimit: () => RateLimit | undefined
}

/**
 * Makes a client of the metrics interface.
 *
 * @example
 * const metrics = createMetricsClient({ url: metricsURL })
 * for await (const { timestamp, value } of metrics.averageTPS(43114)) console.log(timestamp, value)
 */
export function createMetricsClient(options: MetricsClientOptions): MetricsClient {
  const transport = new Transport(options)
  const paths = { ...PATHS, ...options.paths }
  const pages: MetricsClient['averageTPSPages'] = (chainID, page = {}) =>
    averageTPSPages(transport, paths.averageTPS, String(chainID), page)
  return {
    averageTPS: (chainID, page) => points(pages(chainID, page)),
    averageTPSPages: pages,
    healthCheck: (call) => getHealth(transport, paths.healthCheck, call),
    rateLimit: () => transport.rateLimit,
  }
}

async function* points(
  pages: AsyncIterable<AverageTPSPage>,
): AsyncGenerator<MetricPoint, void, undefined> {
  for await (const { results } of pages) yield* results
}

function averageTPSPages(
  transport: Transport,
  template: string,
  chainID: string,
  options: PageOptions,
): AsyncGenerator<AverageTPSPage, void, undefined> {
  const path = template.replaceAll('{chainId}', encodeURIComponent(chainID))
  return followPages(transport, path, options, {
    read: readSeries,
    // The newest value changes until its day ends, its time does not.
    keys: ({ results }) => results.map(({ timestamp }) => String(timestamp)),
  })
}

function readSeries(body: Reply): Omit<AverageTPSPage, 'nextPageToken'> {
  return {
    results: body.requiredList('results', (items, i) => {
      const point = items.object(i)
      return { timestamp: point.decimal('timestamp'), value: point.decimal('value') }
    }),
    status: body.has('status') ? body.decimal('status') : undefined,
    lastRun: body.has('lastRun') ? body.decimal('lastRun') : undefined,
  }
}
