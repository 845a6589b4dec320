import {
  type Check,
  integerFrom,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../../core/base/argument.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { evmChainID } from '../c-chain/chain-id.ts'
import { corsHeaders, isPreflight, preflight } from '../cors.ts'
import { splitTarget } from '../routes.ts'
import { json, type NodeRequest, type NodeResponse } from '../transport.ts'
import { addressChains, addressTxList, type IndexSource } from './address-index.ts'
import { blockList } from './block-list.ts'
import { chainList, isNetworkOf, networkNames } from './chain-list.ts'
import { httpError } from './errors.ts'
import { type ExpiredTokens, PageTokens } from './page-tokens.ts'

/**
 * Health of the metrics and data APIs. With `error-up`, the status is `error` although the database is up and the
 * HTTP status is 200, as in the documented example. `error-body` is a failure of a component behind the health check.
 */
export type SimulatedHealth = 'ok' | 'error' | 'error-up' | 'shutting_down' | 'error-body'

/** Options of the metrics and data APIs. */
export type HttpAPIOptions = {
  /**
   * API keys that the data API accepts. Requests without a key are accepted too.
   *
   * @defaultValue none
   */
  readonly apiKeys?: readonly string[] | undefined
  /**
   * Names of headers that may contain the key, in addition to the two standard ones.
   *
   * @defaultValue none
   */
  readonly apiKeyHeaders?: readonly string[] | undefined
  /**
   * Maximum number of compute units of a key per window.
   *
   * @defaultValue 8000
   */
  readonly limit?: number | undefined
  /**
   * Maximum number of compute units per window for requests without a key, and for the metrics API.
   *
   * @defaultValue 6000
   */
  readonly anonymousLimit?: number | undefined
  /**
   * Length of the window in seconds.
   *
   * @defaultValue 60
   */
  readonly windowSeconds?: number | undefined
  /**
   * Whether a page token older than 24 hours is rejected (`refuse`), or restarts the list (`restart`) as documented.
   *
   * @defaultValue `refuse`
   */
  readonly expiredTokens?: ExpiredTokens | undefined
}

/** A chain whose transactions are counted. */
export type CountedChain = 'X' | 'P' | 'C'

/** Describes the options of the APIs. */
export const httpAPIOptions: Check<HttpAPIOptions> = object<HttpAPIOptions>({
  apiKeys: optional(list(text)),
  apiKeyHeaders: optional(list(text)),
  limit: optional(integerFrom(0)),
  anonymousLimit: optional(integerFrom(0)),
  windowSeconds: optional(integerFrom(1)),
  expiredTokens: optional(oneOf('refuse', 'restart')),
})

/** Data that the APIs return. */
export type HttpAPIService = {
  readonly networkID: number
  readonly chainID: Uint8Array
  readonly blocks: IndexSource
  /** Unix seconds. */
  readonly now: () => bigint
  /** Number of accepted transactions per day, by the unix time of its start. */
  readonly txsPerDay: (chains: readonly CountedChain[]) => ReadonlyMap<number, number>
  readonly health: () => SimulatedHealth
}

const KEY_HEADERS = ['x-service-api-key', 'x-glacier-api-key']
const DAY = 86_400
const DAYS_PER_PAGE = 100
/** Number of days in the series. */
const DAYS = 250
/** C-Chains by their EVM chain ID, and groups of chains. The name of the X-Chain is its ID. */
const METRICS_CHAINS = ['43112', '43113', '43114', 'mainnet', 'testnet', 'total']

/** Compute units of each route, as far as published. */
const COSTS: { readonly [path: string]: number } = {
  '/v1/health-check': 20,
  '/v1/live-check': 20,
  '/v1/chains': 1,
  '/v2/health-check': 1,
  '/v2/live-check': 1,
}
const SERIES_COST = 100
const LIST_COST = 20

/** The handler of a request and its compute units. */
type Route = { readonly cost: number; readonly answer: () => NodeResponse }

/** The metrics and data APIs of the public provider, as far as this library uses them. */
export class HttpAPIs {
  private readonly service: HttpAPIService
  private readonly options: {
    readonly [Name in keyof HttpAPIOptions]-?: NonNullable<HttpAPIOptions[Name]>
  }
  private readonly used = new Map<string, { window: bigint; units: number }>()
  private readonly tokens: PageTokens

  constructor(service: HttpAPIService, options: HttpAPIOptions = {}) {
    this.service = service
    this.options = {
      apiKeys: options.apiKeys ?? [],
      apiKeyHeaders: options.apiKeyHeaders ?? [],
      limit: options.limit ?? 8000,
      anonymousLimit: options.anonymousLimit ?? 6000,
      windowSeconds: options.windowSeconds ?? 60,
      expiredTokens: options.expiredTokens ?? 'refuse',
    }
    this.tokens = new PageTokens(this.options.expiredTokens)
  }

  /** Returns the answer; undefined if the path belongs to the node. */
  answer(request: NodeRequest): NodeResponse | undefined {
    const [path, query] = splitTarget(request.target)
    if (!/^\/v[12]\//.test(path)) return undefined
    if (isPreflight(request)) return preflight(request, this.keyHeaders)
    const answer = this.metered(request, path, new URLSearchParams(query))
    return { ...answer, headers: [...corsHeaders(request), ...answer.headers] }
  }

  private metered(request: NodeRequest, path: string, query: URLSearchParams): NodeResponse {
    const isDataAPI = path.startsWith('/v1/') && !path.startsWith('/v1/avg_tps/')
    const key = isDataAPI ? this.keyOf(request) : undefined
    if (key !== undefined && !this.options.apiKeys.includes(key)) return httpError(401)
    const route = this.routeOf(request, path, query)
    const account = key === undefined ? (isDataAPI ? 'data' : 'metrics') : `key ${key}`
    const { refused, headers } = this.charge(account, key !== undefined, route.cost)
    const answer = refused ? httpError(429) : route.answer()
    return { ...answer, headers: [...answer.headers, ...headers] }
  }

  /** Requests without a matching route cost nothing. */
  private routeOf({ method, host }: NodeRequest, path: string, query: URLSearchParams): Route {
    const rejection = (status: 400 | 404, message: string): Route => ({
      cost: 0,
      answer: () => httpError(status, { message }),
    })
    if (method !== 'GET' && method !== 'HEAD') return rejection(404, `Cannot ${method} ${path}`)
    const cost = COSTS[path]
    if (cost !== undefined)
      return {
        cost,
        answer: () =>
          path === '/v1/chains'
            ? chainList(this.service.networkID, host, query)
            : this.healthCheck(),
      }
    const lists = /^\/v1\/networks\/([^/]+)\/blockchains\/([^/]+)\/(blocks|transactions)$/.exec(
      path,
    )
    if (lists !== null) {
      const [, network, chain, name] = lists as unknown as [string, string, string, string]
      const list = name === 'blocks' ? blockList : addressTxList
      return { cost: LIST_COST, answer: () => this.list(list, network, chain, query) }
    }
    const used = /^\/v1\/networks\/([^/]+)\/addresses:listChainIds$/.exec(path)?.[1]
    if (used !== undefined)
      return {
        cost: LIST_COST,
        answer: () =>
          this.invalidNetwork(used, 'addresses') ?? addressChains(this.service.blocks, query),
      }
    const text = /^\/v1\/avg_tps\/([^/]+)$/.exec(path)?.[1]
    if (text === undefined) return rejection(404, `Cannot ${method} ${path}`)
    const chain = unescaped(text)
    if (chain === undefined) return rejection(400, `Failed to decode param '${text}'`)
    return { cost: SERIES_COST, answer: () => this.averageTPS(chain, query) }
  }

  private healthCheck(): NodeResponse {
    const status = this.service.health()
    if (status === 'error-body') return httpError(503)
    const isUp = status === 'ok' || status === 'error-up'
    const database = { database: { status: isUp ? 'up' : 'down' } }
    return json(
      isUp ? 200 : 503,
      stringifyJSON({
        status: status === 'error-up' ? 'error' : status,
        info: isUp ? database : {},
        error: isUp ? {} : database,
        details: database,
      }),
    )
  }

  private list(
    answer: typeof addressTxList,
    network: string,
    chain: string,
    query: URLSearchParams,
  ): NodeResponse {
    const { chainID, blocks, now } = this.service
    const isOurs = chain === 'x-chain' || chain === cb58.encode(chainID)
    return (
      this.invalidNetwork(network, `blockchain ${chain}`, isOurs) ??
      answer(blocks, this.tokens, { network, query, now: now() })
    )
  }

  /** The error for a network or a chain that is not that of the node; undefined if it is. */
  private invalidNetwork(network: string, what: string, isOurs = true): NodeResponse | undefined {
    if (!networkNames.includes(network))
      return httpError(400, {
        message: [`network must be one of the following values: ${networkNames.join(', ')}`],
      })
    return isOurs && isNetworkOf(network, this.service.networkID)
      ? undefined
      : httpError(404, { message: `${what} of network ${network} not found` })
  }

  /** Daily points of the accepted transactions, newest first. */
  private averageTPS(chain: string, query: URLSearchParams): NodeResponse {
    const counted = this.countedChains(chain)
    if (counted === undefined) return httpError(404, { message: `chain ${chain} not found` })
    const now = this.service.now()
    const position = this.tokens.find(query.get('pageToken'), `tps ${chain}`, 0n, now)
    if (position === undefined)
      return httpError(400, { message: ['pageToken is invalid or expired'] })
    const offset = Number(position)
    const today = Number(now) - (Number(now) % DAY)
    const txs = this.service.txsPerDay(counted)
    const results = Array.from({ length: Math.min(DAYS_PER_PAGE, DAYS - offset) }, (_, i) => {
      const timestamp = today - (offset + i) * DAY
      return { timestamp, value: (txs.get(timestamp) ?? 0) / DAY }
    })
    const more = offset + DAYS_PER_PAGE < DAYS
    return json(
      200,
      stringifyJSON({
        results,
        status: 200,
        lastRun: now,
        ...(more
          ? { nextPageToken: this.tokens.make(`tps ${chain}`, BigInt(offset + DAYS_PER_PAGE), now) }
          : {}),
      }),
    )
  }

  /** The chains whose transactions a name of the metrics API means; undefined if it does not exist. */
  private countedChains(name: string): readonly CountedChain[] | undefined {
    const { networkID, chainID } = this.service
    if (name === cb58.encode(chainID)) return ['X']
    if (!METRICS_CHAINS.includes(name)) return undefined
    if (name === String(evmChainID(networkID))) return ['C']
    const isOurs = name === 'total' || (networkNames.includes(name) && isNetworkOf(name, networkID))
    return isOurs ? ['X', 'P', 'C'] : []
  }

  private get keyHeaders(): string[] {
    return [...KEY_HEADERS, ...this.options.apiKeyHeaders]
  }

  /** Returns the API key of a request; an empty header counts as absent. */
  private keyOf(request: NodeRequest): string | undefined {
    return this.keyHeaders
      .map((name) => request.header(name.toLowerCase()))
      .find((key) => key !== undefined && key !== '')
  }

  /**
   * Counts compute units. Answers to requests with a key have headers with the count; when it is used up, and in every
   * rejection, also with the time to wait.
   */
  private charge(
    account: string,
    keyed: boolean,
    cost: number,
  ): { refused: boolean; headers: [string, string][] } {
    const { windowSeconds } = this.options
    const limit = keyed ? this.options.limit : this.options.anonymousLimit
    const now = this.service.now()
    const window = now / BigInt(windowSeconds)
    const known = this.used.get(account)
    const used = known?.window === window ? known : { window, units: 0 }
    const refused = cost > 0 && used.units + cost > limit
    if (!refused) used.units += cost
    this.used.set(account, used)
    const resetSeconds = BigInt(windowSeconds) - (now % BigInt(windowSeconds))
    const remaining = refused ? 0 : limit - used.units
    const headers: [string, string][] = []
    if (keyed)
      headers.push(
        ['ratelimit-policy', `${limit};w=${windowSeconds}`],
        ['ratelimit-limit', `${limit}`],
        ['ratelimit-remaining', `${remaining}`],
      )
    if (refused || (keyed && remaining <= 0))
      headers.push(['ratelimit-reset', `${resetSeconds}`], ['retry-after', `${resetSeconds}`])
    return { refused, headers }
  }
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
