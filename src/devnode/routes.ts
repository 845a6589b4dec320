import { cb58 } from '../core/base/encoding/cb58.ts'
import { P_CHAIN_ID } from '../core/chain/networks.ts'
import { corsHeaders, isPreflight, preflight } from './cors.ts'
import { answerRPC, type Services } from './rpc/envelope.ts'
import type { Report, ReportName } from './rpc/health.ts'
import { json, type NodeRequest, type NodeResponse, textResponse } from './transport.ts'

/**
 * Bootstrapping stage: with `platform`, the routes of the X-Chain do not exist yet; with `chains`, they reject
 * requests.
 */
export type Bootstrapping = 'platform' | 'chains' | 'done'

/** Handlers of the routes. */
export type Routes = {
  readonly nodeID: string
  readonly chainID: Uint8Array
  /** The X-Chain. */
  readonly chain: Services
  /** The wallet API of the X-Chain. */
  readonly wallet: Services
  /** The AVM chains of other subnets, by ID. */
  readonly added: (
    id: string,
  ) => { readonly chain: Services; readonly wallet: Services } | undefined
  /** The P-Chain. */
  readonly platform: Services
  readonly cChainID: Uint8Array
  /** Atomic transactions of the C-Chain. */
  readonly atomic: Services
  /** Ethereum API of the C-Chain. */
  readonly evm: (body: string) => string
  /** Whether a method is refused, as if it did not exist. */
  readonly isRefused: (method: string) => boolean
  /** Primary alias and height of each chain, for the metrics. */
  readonly heights: () => (readonly [alias: string, height: bigint])[]
  readonly info: Services
  readonly health: Services
  readonly report: (name: ReportName, tags: readonly string[]) => Report
  readonly bootstrapping: () => Bootstrapping
}

const REPORTS: { readonly [path: string]: ReportName } = {
  '/ext/health': 'health',
  '/ext/health/health': 'health',
  '/ext/health/readiness': 'readiness',
  '/ext/health/liveness': 'liveness',
}

/** Answers a request to the node. Performs the checks before a method in the node's order. */
export async function route(request: NodeRequest, routes: Routes): Promise<NodeResponse> {
  // Rejected by Go's HTTP server before the node sees the request, so without the node's headers.
  if (decodePath(splitTarget(request.target)[0]) === undefined) return badRequest('400 Bad Request')
  if (!HOST_LETTERS.test(request.host)) return badRequest('400 Bad Request: malformed Host header')
  const id = ['node-id', routes.nodeID] as const
  if (isPreflight(request)) {
    const answer = preflight(request)
    return { ...answer, headers: [id, ...answer.headers] }
  }
  const answer = isAllowedHost(request.host)
    ? await byPath(request, routes)
    : textResponse(403, 'invalid host specified\n')
  return { ...answer, headers: [id, ...corsHeaders(request), ...answer.headers] }
}

async function byPath(request: NodeRequest, routes: Routes): Promise<NodeResponse> {
  // The node routes by this header instead of the path. The development node has no such routes.
  if (request.header('avalanche-api-route') !== undefined)
    return { status: 404, headers: [], body: '' }
  const [rawPath, query] = splitTarget(request.target)
  const path = decodePath(rawPath)!
  const clean = canonical(path)
  if (clean !== path)
    return {
      status: 301,
      headers: [
        [
          'location',
          encodeURI(clean).replace(/[?#]/g, encodeURIComponent) + (query === '' ? '' : `?${query}`),
        ],
      ],
      body: '',
    }
  const reportName = REPORTS[path]
  if (reportName !== undefined && (path !== '/ext/health' || request.method === 'GET')) {
    if (routes.isRefused(`health.${reportName}`)) return textResponse(404, '404 page not found\n')
    const tags = new URLSearchParams(readable(query)).getAll('tag')
    const { healthy, text: body } = routes.report(reportName, tags)
    return json(healthy ? 200 : 503, `${body}\n`)
  }
  if (path === '/ext/metrics') return metrics(routes)
  if (isCChain(path, routes, 'rpc') && routes.bootstrapping() === 'done')
    return evm(request, routes)
  const services = servicesAt(path, routes)
  if (services === undefined) return textResponse(404, '404 page not found\n')
  if (services === 'bootstrapping')
    return textResponse(503, 'API call rejected because chain is not done bootstrapping\n')
  return rpcResponse(request, services, routes.isRefused)
}

function servicesAt(path: string, routes: Routes): Services | 'bootstrapping' | undefined {
  if (path === '/ext/info') return routes.info
  if (path === '/ext/health') return routes.health
  const stage = routes.bootstrapping()
  if (/^\/ext\/(bc\/)?(P|platform)$/.test(path) || path === `/ext/bc/${cb58.encode(P_CHAIN_ID)}`)
    return stage === 'platform' ? 'bootstrapping' : routes.platform
  if (stage === 'platform') return undefined
  if (isCChain(path, routes, 'avax') || isCChain(path, routes, 'rpc'))
    return stage === 'chains' ? 'bootstrapping' : routes.atomic
  const found = /^\/ext\/(?:(?:bc\/)?(?:X|avm)|bc\/(\w+))(\/wallet)?$/.exec(path)
  if (found === null) return undefined
  const [, id, wallet] = found
  const isX = id === undefined || id === cb58.encode(routes.chainID)
  const services = isX ? routes : routes.added(id)
  if (services === undefined) return undefined
  if (stage === 'chains') return 'bootstrapping'
  return wallet === undefined ? services.chain : services.wallet
}

/** The node's Prometheus metrics, of which the development node has only the heights. */
function metrics({ heights }: Routes): NodeResponse {
  const name = 'avalanche_snowman_last_accepted_height'
  const lines = heights()
    .map(([chain, height]) => `${name}{chain="${chain}"} ${height}`)
    .sort()
  const body = [`# HELP ${name} last height accepted`, `# TYPE ${name} gauge`, ...lines, ''].join(
    '\n',
  )
  const type = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'
  return { status: 200, headers: [['content-type', type]], body }
}

function isCChain(path: string, { cChainID }: Routes, route: 'avax' | 'rpc'): boolean {
  const found = /^\/ext\/(?:(?:bc\/)?(?:C|evm)|bc\/(\w+))\/(avax|rpc)$/.exec(path)
  if (found === null || found[2] !== route) return false
  return found[1] === undefined || found[1] === cb58.encode(cChainID)
}

/** Content types of the Ethereum API. */
const EVM_TYPES = ['application/json', 'application/json-rpc', 'application/jsonrequest']

function evm(request: NodeRequest, { evm: answer }: Routes): NodeResponse {
  const { method, body } = request
  // Load balancers ask like this whether the server is up.
  if (method === 'GET' && body === '' && !request.target.includes('?'))
    return { status: 200, headers: [], body: '' }
  const type = (request.header('content-type') ?? '').split(';')[0]!.toLowerCase()
  if (method === 'PUT' || method === 'DELETE') return textResponse(405, 'method not allowed\n')
  if (method !== 'OPTIONS' && !EVM_TYPES.includes(type))
    return textResponse(415, 'invalid content type, only application/json is supported\n')
  return json(200, answer(body))
}

async function rpcResponse(
  request: NodeRequest,
  services: Services,
  isRefused: Routes['isRefused'],
): Promise<NodeResponse> {
  if (request.method !== 'POST')
    return textResponse(405, `rpc: POST method required, received ${request.method}`, false)
  const type = (request.header('content-type') ?? '').split(';')[0]!.toLowerCase()
  if (type !== 'application/json')
    return textResponse(415, `rpc: unrecognized Content-Type: ${type}`, false)
  const { body, reached } = await answerRPC(request.body, services, isRefused)
  return {
    status: 200,
    headers: [
      ...(body === '' ? [] : [['content-type', 'application/json; charset=utf-8'] as const]),
      ...(reached ? [['x-content-type-options', 'nosniff'] as const] : []),
    ],
    body,
  }
}

/** Characters allowed in a host header. */
const HOST_LETTERS = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/

const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`)

/** The default allow list of a node: `localhost`, IP addresses, and an empty host. */
function isAllowedHost(host: string): boolean {
  // The port follows the only colon, or brackets and a colon.
  const name =
    (/^\[([^[\]]*)\]:[^:[\]]*$/.exec(host) ?? /^([^:[\]]*):[^:[\]]*$/.exec(host))?.[1] ?? host
  return host === '' || name.toLowerCase() === 'localhost' || IPV4.test(name) || isIPv6(name)
}

function isIPv6(name: string): boolean {
  return /^[0-9a-f:.]+$/i.test(name) && URL.canParse(`http://[${name}]`)
}

function badRequest(body: string): NodeResponse {
  const headers = [
    ['content-type', 'text/plain; charset=utf-8'],
    ['connection', 'close'],
  ] as const
  return { status: 400, headers, body }
}

/** Splits a request target into path and query. */
export function splitTarget(target: string): [string, string] {
  const mark = target.indexOf('?')
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** Removes the parts of a query that Go ignores. */
function readable(query: string): string {
  return query
    .split('&')
    .filter((part) => !part.includes(';') && !/%(?![0-9a-fA-F]{2})/.test(part))
    .join('&')
}

function decodePath(path: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    // Escaped bytes that are not UTF-8 do not occur in any path of the node.
    return path
  }
}

/** Go's `path.Clean`, except that a trailing slash is kept; no route has one. */
function canonical(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/'))
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  const clean = `/${parts.join('/')}`
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean
}
