import {
  argument,
  type Check,
  integerFrom,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { iterate } from '../../core/base/iterate.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import {
  type CallOptions,
  callOptions,
  path as route,
  type TransportOptions,
  transportMembers,
} from '../http.ts'
import type { Reply } from '../methods/reply.ts'
import type { RateLimit } from '../transport/rate-limit.ts'
import { Transport } from '../transport/transport.ts'
import { followPages, type PageOptions, pageMembers } from './pages.ts'
import { getHealth, getResource, type ServiceHealth } from './service.ts'

/** Options of `createDataClient`. */
export type DataClientOptions = TransportOptions & {
  /** API key, which raises rate limits. Sent in a header to this API only; never part of errors. */
  readonly apiKey?: string | undefined
  /**
   * Name of that header.
   *
   * @defaultValue `x-service-api-key`
   */
  readonly apiKeyHeader?: string | undefined
  /** Routes that differ from the default ones. */
  readonly paths?: { readonly [route in keyof DataPaths]?: string | undefined } | undefined
}

/** Routes of the data API. */
export type DataPaths = {
  readonly healthCheck: string
  readonly liveCheck: string
  readonly chains: string
}

const dataClientOptions: Check<DataClientOptions> = object<DataClientOptions>({
  ...transportMembers,
  apiKey: optional(text),
  apiKeyHeader: optional(text),
  paths: optional(
    object<NonNullable<DataClientOptions['paths']>>({
      healthCheck: optional(route),
      liveCheck: optional(route),
      chains: optional(route),
    }),
  ),
})

/** URLs and API key header of the public provider of both APIs, to spread into a client's options. */
export const provider: {
  readonly data: { readonly url: string; readonly apiKeyHeader: string }
  readonly metrics: { readonly url: string }
} = {
  data: { url: 'https://data-api.avax.network', apiKeyHeader: 'x-glacier-api-key' },
  metrics: { url: 'https://metrics.avax.network' },
}

/** A chain known to the data API. `status` and `vmName` may have new values. */
export type DataChain = {
  /** EVM chain ID as text. */
  readonly chainId: string
  /** `OK`, or `UNAVAILABLE` if the provider's node has a problem. */
  readonly status: string
  readonly chainName: string
  readonly description: string
  readonly vmName: string
  readonly rpcUrl: string
  readonly isTestnet: boolean
  readonly networkToken: {
    readonly name: string
    readonly symbol: string
    readonly decimals: number
    readonly logoUri: string | undefined
    readonly description: string | undefined
  }
  readonly platformChainId: string | undefined
  readonly subnetId: string | undefined
  readonly vmId: string | undefined
  readonly explorerUrl: string | undefined
  readonly wsUrl: string | undefined
  readonly chainLogoUri: string | undefined
  /** Useful contracts, such as `multicall`. */
  readonly utilityAddresses: { readonly [name: string]: string }
  readonly private: boolean | undefined
  readonly enabledFeatures: readonly string[]
}

/** Options for reading a list. */
export type ListOptions = PageOptions & {
  /**
   * Items per page.
   *
   * @defaultValue chosen by the server
   */
  readonly pageSize?: number | undefined
  /**
   * The member that contains the list.
   *
   * @defaultValue the only list in the body
   */
  readonly field?: string | undefined
}

const listOptions: Check<ListOptions> = object<ListOptions>({
  ...pageMembers,
  pageSize: optional(integerFrom(0)),
  field: optional(text),
})

/**
 * Selects chains.
 *
 * @inline
 */
type ChainsQuery = { readonly network?: string | undefined; readonly feature?: string | undefined }

const chainsQuery: Check<ChainsQuery> = object<ChainsQuery>({
  network: optional(text),
  feature: optional(text),
})

/** One page of a list. */
export type ListPage = {
  /** Items as sent; integers above 2^53 - 1 are `bigint`. */
  readonly items: readonly Json[]
  /** Token of the next page, valid for 24 hours; undefined after the last page. */
  readonly nextPageToken: string | undefined
}

/** Client of the data API. */
export type DataClient = {
  /** Checks database and cache, reading and writing. */
  readonly healthCheck: (options?: CallOptions) => Promise<ServiceHealth>
  /** Checks reading only. */
  readonly liveCheck: (options?: CallOptions) => Promise<ServiceHealth>
  /** Returns the known chains; not paged. */
  readonly chains: (query?: ChainsQuery, options?: CallOptions) => Promise<readonly DataChain[]>
  /**
   * Iterates over the items of a paged route, without loss of digits. Pages are requested on demand. The path may
   * have a query, which is sent with every page.
   */
  readonly list: (path: string, options?: ListOptions) => AsyncGenerator<Json, void, undefined>
  /** The same page by page, with the token to continue from. */
  readonly listPages: (
    path: string,
    options?: ListOptions,
  ) => AsyncGenerator<ListPage, void, undefined>
  /** The last rate-limit headers; undefined if there were none. */
  readonly rateLimit: () => RateLimit | undefined
}

/**
 * Creates a client of the data API.
 *
 * @throws ArgumentError `ENC_INVALID` for an invalid `url`
 *
 * @example
 * const data = createDataClient({ ...provider.data, apiKey })
 * for await (const block of data.list('/v1/chains/43114/blocks', { pageSize: 100 })) console.log(block)
 */
export function createDataClient(options: DataClientOptions): DataClient {
  const given = argument('createDataClient', options, dataClientOptions)
  const { apiKey, apiKeyHeader = 'x-service-api-key', headers } = given
  const keyHeader = apiKey === undefined ? {} : { [apiKeyHeader]: apiKey }
  const transport = new Transport({ ...given, headers: { ...headers, ...keyHeader } })
  const {
    healthCheck = '/v1/health-check',
    liveCheck = '/v1/live-check',
    chains = '/v1/chains',
  } = given.paths ?? {}
  const health = async (called: string, path: string, call: unknown) =>
    getHealth(transport, path, argument(called, call, callOptions))
  const pages = (called: string, path: unknown, list: unknown) =>
    iterate(
      () => ({
        path: argument(called, path, route, 'path'),
        options: argument(called, list ?? {}, listOptions),
      }),
      (checked) => listPages(transport, checked.path, checked.options),
    )
  return {
    healthCheck: (call) => health('healthCheck', healthCheck, call),
    liveCheck: (call) => health('liveCheck', liveCheck, call),
    chains: async (query, call) =>
      getResource(
        transport,
        chains,
        Object.entries(argument('chains', query ?? {}, chainsQuery)),
        readChains,
        argument('chains', call, callOptions),
      ),
    list: (path, list) => itemsOf(pages('list', path, list)),
    listPages: (path, list) => pages('listPages', path, list),
    rateLimit: () => transport.rateLimit,
  }
}

async function* itemsOf(pages: AsyncIterable<ListPage>): AsyncGenerator<Json, void, undefined> {
  for await (const { items } of pages) yield* items
}

function listPages(
  transport: Transport,
  path: string,
  { pageSize, field, query, ...page }: ListOptions,
): AsyncGenerator<ListPage, void, undefined> {
  const sized = pageSize === undefined ? { ...query } : { ...query, pageSize }
  return followPages(
    transport,
    path,
    { ...page, query: sized },
    {
      read: (body) => ({ items: readItems(body, field) }),
      keys: ({ items }) => items.map(stringifyJSON),
    },
  )
}

/** Members by which servers report an error. */
const ERROR_MEMBERS = ['error', 'errors', 'message'] as const

/**
 * Returns the items of the list `field`, or of the only list in the body. A body that reports an error is rejected,
 * because its list of messages could pass as the items.
 */
function readItems(body: Reply, field?: string): readonly Json[] {
  const reported = ERROR_MEMBERS.find((name) => isErrorReport(body.json(name)))
  if (reported !== undefined && reported !== field)
    throw body.shape('', `reports an error in its member ${reported}`)
  const members = body.own((all, key) => all.json(key))
  const lists = Object.keys(members).filter((key) => Array.isArray(members[key]))
  if (field === undefined && lists.length !== 1)
    throw body.shape('', `should have exactly one list, has ${lists.join(', ') || 'none'}`)
  return body.requiredList(field ?? lists[0]!, (items, i) => items.json(i))
}

/** Whether an error member reports an error; servers also send empty ones. */
function isErrorReport(value: Json): boolean {
  if (value === null || value === false || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function readChains(body: Reply): readonly DataChain[] {
  return body.requiredList('chains', (items, i) => {
    const chain = items.object(i)
    const token = chain.object('networkToken')
    return {
      chainId: chain.label('chainId'),
      status: chain.string('status'),
      chainName: chain.string('chainName'),
      description: chain.string('description'),
      vmName: chain.string('vmName'),
      rpcUrl: chain.string('rpcUrl'),
      isTestnet: chain.boolean('isTestnet'),
      networkToken: {
        name: token.string('name'),
        symbol: token.string('symbol'),
        decimals: token.u32('decimals'),
        logoUri: token.optionalString('logoUri'),
        description: token.optionalString('description'),
      },
      platformChainId: chain.optionalString('platformChainId'),
      subnetId: chain.optionalString('subnetId'),
      vmId: chain.optionalString('vmId'),
      explorerUrl: chain.optionalString('explorerUrl'),
      wsUrl: chain.optionalString('wsUrl'),
      chainLogoUri: chain.optionalString('chainLogoUri'),
      utilityAddresses: chain.map('utilityAddresses', (addresses, name) => addresses.string(name)),
      private: chain.has('private') ? chain.boolean('private') : undefined,
      enabledFeatures: chain.strings('enabledFeatures'),
    }
  })
}
