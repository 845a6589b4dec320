import type { Json } from '../codec/json.ts'
import { stringifyJSON } from '../codec/json-text.ts'
import { hex } from '../encoding/hex.ts'
import { sha256 } from '../hash/sha256.ts'
import { splitTarget } from './routes.ts'
import { json, type NodeRequest, type NodeResponse } from './transport.ts'

/**
 * Health of the metrics and data interfaces; `error-body` is a failure behind their health check.
 */
export type ServiceHealth = 'ok' | 'error' | 'shutting_down' | 'error-body'

/** Settings of the metrics and data interfaces. */
export type HttpAPIOptions = {
  /** Keys that the data interface knows. Any other is refused, none is fine. */
  readonly apiKeys?: readonly string[]
  /** Names of headers that may carry the key, beside the two in use. */
  readonly apiKeyHeaders?: readonly string[]
  /** Compute units of a key in one window. */
  readonly limit?: number
  /** The same for requests without a key, and for the metrics interface. */
  readonly anonymousLimit?: number
  readonly windowSeconds?: number
}

/** What the interfaces show. */
export type HttpAPIService = {
  /** Unix seconds. */
  readonly now: () => bigint
  /** Transactions accepted on each day, by the unix time of its beginning. */
  readonly txsPerDay: () => ReadonlyMap<number, number>
  readonly health: () => ServiceHealth
}

const KEY_HEADERS = ['x-service-api-key', 'x-glacier-api-key']
const DAY = 86_400
const TOKEN_LIFE = 24 * 3600
const PAGE = 100
/** As far back as the series goes. */
const DAYS = 250
const CHAINS = ['43112', '43113', '43114', 'mainnet', 'testnet', 'total']

const PHRASES: { readonly [status: number]: string } = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

/** Compute units of each route, as far as published. */
const COSTS: { readonly [path: string]: number } = {
  '/v1/health-check': 20,
  '/v1/live-check': 20,
  '/v1/chains': 1,
  '/v2/health-check': 1,
  '/v2/live-check': 1,
}
const SERIES_COST = 100

/** The metrics and data interfaces of a chain's provider, as far as the library talks to them. */
export class HttpAPIs {
  private readonly service: HttpAPIService
  private readonly options: Required<HttpAPIOptions>
  private readonly used = new Map<string, { window: bigint; units: number }>()
  private readonly tokens = new Map<string, { offset: number; chain: string; made: bigint }>()

  constructor(service: HttpAPIService, options: HttpAPIOptions = {}) {
    this.service = service
    this.options = {
      apiKeys: [],
      apiKeyHeaders: [],
      limit: 8000,
      anonymousLimit: 6000,
      windowSeconds: 60,
      ...options,
    }
  }

  /** The answer, or nothing where the path is none of theirs. */
  answer(request: NodeRequest): NodeResponse | undefined {
    const [path, query] = splitTarget(request.target)
    if (!/^\/v[12]\//.test(path)) return undefined
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return failure(404, `Cannot ${request.method} ${path}`)
    const data = path.startsWith('/v1/') && !path.startsWith('/v1/avg_tps/')
    const key = data ? this.keyOf(request) : undefined
    if (key !== undefined && !this.options.apiKeys.includes(key))
      return failure(401, 'Unauthorized')
    const quota = this.charge(key ?? (data ? 'data' : 'metrics'), key !== undefined, path)
    if (quota.refused) return failure(429, 'Too Many Requests', quota.headers)
    const answer = this.byPath(path, query)
    return { ...answer, headers: [...answer.headers, ...quota.headers] }
  }

  private byPath(path: string, query: string): NodeResponse {
    if (/^\/v[12]\/(health|live)-check$/.test(path)) return this.healthCheck()
    if (path === '/v1/chains') return json(200, stringifyJSON({ chains: [LOCAL_C_CHAIN] }))
    const series = /^\/v1\/avg_tps\/([^/]+)$/.exec(path)
    if (series === null) return failure(404, `Cannot GET ${path}`)
    return this.averageTPS(decodeURIComponent(series[1]!), new URLSearchParams(query))
  }

  private healthCheck(): NodeResponse {
    const status = this.service.health()
    if (status === 'error-body') return failure(503, 'Service Unavailable')
    const healthy = status === 'ok'
    const database = { database: { status: healthy ? 'up' : 'down' } }
    return json(
      healthy ? 200 : 503,
      stringifyJSON({
        status,
        info: healthy ? database : {},
        error: healthy ? {} : database,
        details: database,
      }),
    )
  }

  /** Daily points, newest first, of what this chain has accepted. */
  private averageTPS(chain: string, query: URLSearchParams): NodeResponse {
    if (!CHAINS.includes(chain)) return failure(404, `chain ${chain} not found`)
    const now = this.service.now()
    const token = query.get('pageToken')
    const position = token === null ? undefined : this.tokens.get(token)
    if (token !== null && (position?.chain !== chain || now - position.made > TOKEN_LIFE))
      return failure(400, ['pageToken is invalid or expired'])
    const offset = position?.offset ?? 0
    const today = Number(now) - (Number(now) % DAY)
    const txs = this.service.txsPerDay()
    const results = Array.from({ length: Math.min(PAGE, DAYS - offset) }, (_, i) => {
      const timestamp = today - (offset + i) * DAY
      return { timestamp, value: (txs.get(timestamp) ?? 0) / DAY }
    })
    const more = offset + PAGE < DAYS
    return json(
      200,
      stringifyJSON({
        results,
        status: 200,
        lastRun: now,
        ...(more ? { nextPageToken: this.newToken(chain, offset + PAGE, now) } : {}),
      }),
    )
  }

  private newToken(chain: string, offset: number, now: bigint): string {
    const seed = new TextEncoder().encode(`${chain}:${offset}:${now}:${this.tokens.size}`)
    const digits = hex.encode(sha256(seed))
    const token = digits.replace(
      /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
      (_, a, b, c, d, e) => `${a}-${b}-4${c}-8${d}-${e}`,
    )
    this.tokens.set(token, { offset, chain, made: now })
    return token
  }

  private keyOf(request: NodeRequest): string | undefined {
    for (const name of [...KEY_HEADERS, ...this.options.apiKeyHeaders]) {
      const key = request.header(name.toLowerCase())
      if (key !== undefined) return key
    }
    return undefined
  }

  /** Counts compute units; only who has a key is told the count. */
  private charge(
    account: string,
    keyed: boolean,
    path: string,
  ): { refused: boolean; headers: [string, string][] } {
    const { windowSeconds } = this.options
    const limit = keyed ? this.options.limit : this.options.anonymousLimit
    const now = this.service.now()
    const window = now / BigInt(windowSeconds)
    const known = this.used.get(account)
    const used = known?.window === window ? known : { window, units: 0 }
    const cost = COSTS[path] ?? SERIES_COST
    const refused = used.units + cost > limit
    if (!refused) used.units += cost
    this.used.set(account, used)
    const left = BigInt(windowSeconds) - (now % BigInt(windowSeconds))
    const headers: [string, string][] = []
    if (keyed)
      headers.push(
        ['ratelimit-policy', `${limit};w=${windowSeconds}`],
        ['ratelimit-limit', `${limit}`],
        ['ratelimit-remaining', `${refused ? 0 : limit - used.units}`],
      )
    if (refused) headers.push(['ratelimit-reset', `${left}`], ['retry-after', `${left}`])
    return { refused, headers }
  }
}

/**
 * The one chain of this network that the data interface would list, with no more than it must have.
 */
const LOCAL_C_CHAIN: Json = {
  chainId: '43112',
  status: 'OK',
  chainName: 'C-Chain (local)',
  description: 'The C-Chain of a development network.',
  rpcUrl: 'http://127.0.0.1:9650/ext/bc/C/rpc',
  vmName: 'EVM',
  isTestnet: true,
  networkToken: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
}

function failure(
  statusCode: number,
  message: string | readonly string[],
  headers: readonly (readonly [string, string])[] = [],
): NodeResponse {
  const error = PHRASES[statusCode]!
  return json(statusCode, stringifyJSON({ message, error, statusCode }), headers)
}
