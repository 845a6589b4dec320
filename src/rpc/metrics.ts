import type { CallOptions, TransportOptions } from './http.ts'
import type { RateLimit } from './rate-limit.ts'
import { followPages, getHealth, type PageOptions, type ServiceHealth } from './service.ts'
import { Transport } from './transport.ts'

/** A point of a series. */
export type MetricPoint = {
  /** Unix seconds. */
  readonly timestamp: number
  readonly value: number
}

/** Where the metrics interface is and which routes it has. */
export type MetricsClientOptions = TransportOptions & {
  readonly paths?: Partial<MetricsPaths>
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
  /** Average transactions per second of a chain, newest first, one point a day; pages are asked as needed. */
  readonly averageTPS: (
    chainID: string | number | bigint,
    options?: PageOptions,
  ) => AsyncGenerator<MetricPoint, void, undefined>
  readonly healthCheck: (options?: CallOptions) => Promise<ServiceHealth>
  /** What the last rate-limit headers said; undefined where none came. */
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
  return {
    averageTPS: (chainID, page = {}) => averageTPS(transport, paths, String(chainID), page),
    healthCheck: (call) => getHealth(transport, paths.healthCheck, call),
    rateLimit: () => transport.rateLimit,
  }
}

async function* averageTPS(
  transport: Transport,
  paths: MetricsPaths,
  chainID: string,
  page: PageOptions,
): AsyncGenerator<MetricPoint, void, undefined> {
  const path = paths.averageTPS.replaceAll('{chainId}', encodeURIComponent(chainID))
  const pages = followPages(transport, path, page, (body) =>
    body.list('results', (items, i) => {
      const point = items.object(i)
      return { timestamp: point.decimal('timestamp'), value: point.decimal('value') }
    }),
  )
  for await (const points of pages) yield* points
}
