import {
  argument,
  bigintFrom,
  type Check,
  integerFrom,
  kinds,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { iterate } from '../../core/base/iterate.ts'
import {
  type CallOptions,
  callOptions,
  path,
  type TransportOptions,
  transportMembers,
} from '../http.ts'
import type { Reply } from '../methods/reply.ts'
import type { RateLimit } from '../transport/rate-limit.ts'
import { Transport } from '../transport/transport.ts'
import { followPages, type PageOptions, pageMembers } from './pages.ts'
import { getHealth, type ServiceHealth } from './service.ts'

/** A data point of a time series. */
export type MetricPoint = {
  /** Unix seconds. */
  readonly timestamp: number
  readonly value: number
}

/** One page of average transactions per second. */
export type AverageTPSPage = {
  /** Newest first, one point per day. */
  readonly results: readonly MetricPoint[]
  /** HTTP status as repeated in the body; not sent by the v2 route. */
  readonly status: number | undefined
  /** Unix time in seconds of the last update; not sent by the v2 route. */
  readonly lastRun: number | undefined
  /** Token of the next page, valid for 24 hours; undefined after the last page. */
  readonly nextPageToken: string | undefined
}

/** Options of `createMetricsClient`. */
export type MetricsClientOptions = TransportOptions & {
  /** Routes that differ from the default ones. */
  readonly paths?: { readonly [route in keyof MetricsPaths]?: string | undefined } | undefined
}

/** Routes; `{chainId}` is replaced by the chain ID. */
export type MetricsPaths = {
  /** `/v1/avg_tps/{chainId}`, or its successor `/v2/chains/{chainId}/metrics/avgTps`. */
  readonly averageTPS: string
  readonly healthCheck: string
}

const metricsClientOptions: Check<MetricsClientOptions> = object<MetricsClientOptions>({
  ...transportMembers,
  paths: optional(
    object<NonNullable<MetricsClientOptions['paths']>>({
      averageTPS: optional(path),
      healthCheck: optional(path),
    }),
  ),
})

const chain: Check<string | number | bigint> = kinds<string | number | bigint>({
  string: text,
  number: integerFrom(0),
  bigint: bigintFrom(0n),
})

const pageOptions: Check<PageOptions> = object<PageOptions>(pageMembers)

/** Client of the metrics API: chain statistics, without an API key. */
export type MetricsClient = {
  /** Average transactions per second of a chain, newest first, one point per day. Pages are requested on demand. */
  readonly averageTPS: (
    chainID: string | number | bigint,
    options?: PageOptions,
  ) => AsyncGenerator<MetricPoint, void, undefined>
  /** The same page by page, with the time of the last update and the token to continue from. */
  readonly averageTPSPages: (
    chainID: string | number | bigint,
    options?: PageOptions,
  ) => AsyncGenerator<AverageTPSPage, void, undefined>
  /** Health of the service. */
  readonly healthCheck: (options?: CallOptions) => Promise<ServiceHealth>
  /** The last rate-limit headers; undefined if there were none. */
  readonly rateLimit: () => RateLimit | undefined
}

/**
 * Creates a client of the metrics API.
 *
 * @throws ArgumentError `ENC_INVALID` for an invalid `url`
 *
 * @example
 * const metrics = createMetricsClient({ url: metricsURL })
 * for await (const { timestamp, value } of metrics.averageTPS(43114)) console.log(timestamp, value)
 */
export function createMetricsClient(options: MetricsClientOptions): MetricsClient {
  const given = argument('createMetricsClient', options, metricsClientOptions)
  const transport = new Transport(given)
  const { averageTPS = '/v1/avg_tps/{chainId}', healthCheck = '/v2/health-check' } =
    given.paths ?? {}
  const pages = (called: string, chainID: unknown, page: unknown) =>
    iterate(
      () => ({
        id: String(argument(called, chainID, chain, 'chainID')),
        options: argument(called, page ?? {}, pageOptions),
      }),
      ({ id, options }) => averageTPSPages(transport, averageTPS, id, options),
    )
  return {
    averageTPS: (chainID, page) => points(pages('averageTPS', chainID, page)),
    averageTPSPages: (chainID, page) => pages('averageTPSPages', chainID, page),
    healthCheck: async (call) =>
      getHealth(transport, healthCheck, argument('healthCheck', call, callOptions)),
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
    // The newest value changes until the day ends, its timestamp does not.
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
