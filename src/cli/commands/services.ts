import { stringifyJSON } from '../../codec/index.ts'
import {
  createDataClient,
  createMetricsClient,
  type DataClient,
  type MetricsClient,
  provider,
  type ServiceHealth,
} from '../../rpc/index.ts'
import { escaped, escapedJSON } from '../../sign/text.ts'
import type { Command, Options, Result } from '../command.ts'
import { readText } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { facts, table, timeText } from '../print.ts'

const serviceOptions = (variable: string): Options => ({
  url: {
    value: 'URL',
    help: `address of the interface; default: ${variable}, else its provider`,
    many: true,
  },
  timeout: { value: 'SECONDS', help: 'how long to wait for one answer; default 10' },
})

const limitOption: Options = {
  limit: { value: 'NUMBER', help: 'how many at most; default 30, 0 for all' },
}

const dataOptions: Options = {
  ...serviceOptions('AVMKIT_DATA_URL'),
  'api-key-file': {
    value: 'FILE',
    help: 'file with the API key, which raises limits; default: AVMKIT_DATA_KEY',
  },
  'api-key-header': { value: 'NAME', help: 'name of the header that carries it' },
}

async function metricsClient(invocation: Invocation): Promise<MetricsClient> {
  const own = await invocation.findURLs('AVMKIT_METRICS_URL', 'metricsUrl')
  const url = own.length > 0 ? own : provider.metrics.url
  return createMetricsClient({ url, ...invocation.transport() })
}

async function dataClient(invocation: Invocation): Promise<DataClient> {
  const { values, io } = invocation
  const config = await invocation.config()
  const own = await invocation.findURLs('AVMKIT_DATA_URL', 'dataUrl')
  const file =
    values.text('api-key-file') ?? (io.env.AVMKIT_DATA_KEY ? undefined : config.dataKeyFile)
  const apiKey = file === undefined ? io.env.AVMKIT_DATA_KEY : (await readText(file, io)).trim()
  const apiKeyHeader = values.text('api-key-header')
  return createDataClient({
    ...(own.length > 0 ? { url: own } : provider.data),
    ...(apiKey ? { apiKey } : {}),
    ...(apiKeyHeader === undefined ? {} : { apiKeyHeader }),
    ...invocation.transport(),
  })
}

function showHealth(health: ServiceHealth, { paint }: Invocation): Result {
  const rows = Object.entries(health.details).map(
    ([part, state]) => [part, stringifyJSON(state)] as const,
  )
  const status = escaped(health.status)
  const verdict = health.healthy ? paint.green(status) : paint.red(status)
  const text = rows.length === 0 ? verdict : `${verdict}\n\n${facts(rows, paint)}`
  return { json: health, text, failed: !health.healthy }
}

/** The first items of a list that may be long, and the page that the last of them is on. */
type Taken<P, T> = {
  readonly items: readonly T[]
  readonly last: P | undefined
  /** To continue behind the last item; undefined at the end, or if items of the last page were left out. */
  readonly nextPageToken: string | undefined
}

async function take<T, P extends { readonly nextPageToken: string | undefined }>(
  pages: AsyncIterable<P>,
  itemsOf: (page: P) => readonly T[],
  invocation: Invocation,
): Promise<Taken<P, T>> {
  const limit = (invocation.values.integer('limit', 0, 1_000_000) ?? 30) || Number.POSITIVE_INFINITY
  const items: T[] = []
  let last: P | undefined
  let isCut = false
  for await (const page of pages) {
    last = page
    const room = limit - items.length
    for (const item of itemsOf(page).slice(0, room)) items.push(item)
    isCut = itemsOf(page).length > room
    invocation.progress.show(items.length, Number.isFinite(limit) ? limit : undefined, 'read')
    if (items.length >= limit) break
  }
  invocation.progress.end()
  return { items, last, nextPageToken: isCut ? undefined : last?.nextPageToken }
}

const averageTPS: Command = {
  name: 'metrics tps',
  summary: 'average transactions per second of a chain, day by day',
  arguments: [{ name: 'CHAIN', help: 'EVM chain ID, mainnet, testnet or total' }],
  options: { ...limitOption, ...serviceOptions('AVMKIT_METRICS_URL') },
  example: 'metrics tps 43114 --limit 7',
  run: async (invocation) => {
    const client = await metricsClient(invocation)
    const [chain] = invocation.values.args
    const pages = client.averageTPSPages(chain!, invocation.callOptions())
    const { items: points, last } = await take(pages, ({ results }) => results, invocation)
    const rows = points.map(({ timestamp, value }) => [
      // A server may send any number; those before 1970 are no days.
      timestamp < 0 ? String(timestamp) : timeText(BigInt(Math.floor(timestamp))).slice(0, 10),
      String(value),
    ])
    const columns = [{ title: 'day' }, { title: 'tx/s', right: true }] as const
    return {
      json: { chain, points, lastRun: last?.lastRun },
      text: table(columns, rows, invocation.paint),
    }
  },
}

const metricsHealth: Command = {
  name: 'metrics health',
  summary: 'whether the metrics interface works',
  arguments: [],
  options: serviceOptions('AVMKIT_METRICS_URL'),
  example: 'metrics health',
  run: async (invocation) => {
    const client = await metricsClient(invocation)
    return showHealth(await client.healthCheck(invocation.callOptions()), invocation)
  },
}

const dataHealth: Command = {
  name: 'data health',
  summary: 'whether the data interface works; reading only with --live',
  arguments: [],
  options: { live: { help: 'check reading only' }, ...dataOptions },
  example: 'data health',
  run: async (invocation) => {
    const client = await dataClient(invocation)
    const check = invocation.values.has('live') ? client.liveCheck : client.healthCheck
    return showHealth(await check(invocation.callOptions()), invocation)
  },
}

const dataChains: Command = {
  name: 'data chains',
  summary: 'the chains that the data interface knows',
  arguments: [],
  options: dataOptions,
  example: 'data chains',
  run: async (invocation) => {
    const client = await dataClient(invocation)
    const chains = await client.chains({}, invocation.callOptions())
    const rows = chains.map(({ chainId, chainName, vmName, status, networkToken }) => [
      chainId,
      chainName,
      vmName,
      networkToken.symbol,
      status,
    ])
    const columns = ['chain', 'name', 'vm', 'token', 'status'].map((title) => ({ title }))
    return { json: { chains }, text: table(columns, rows, invocation.paint) }
  },
}

const dataList: Command = {
  name: 'data list',
  summary: 'the items of any paged route, one JSON object a line',
  arguments: [{ name: 'PATH', help: 'such as /v1/chains/43114/blocks' }],
  details:
    'With --json the result has the items and, if there are more behind them, nextPageToken for --page-token.\nThe token is missing if --limit cuts a page: choose a limit that --page-size divides.',
  options: {
    ...limitOption,
    'page-size': { value: 'NUMBER', help: 'items per page; default: chosen by the server' },
    'page-token': {
      value: 'TOKEN',
      help: 'continue with this page; tokens are valid for 24 hours',
    },
    field: {
      value: 'NAME',
      help: 'member that holds the list; default: the only list in the body',
    },
    ...dataOptions,
  },
  example: 'data list /v1/chains/43114/blocks --limit 5',
  run: async (invocation) => {
    const client = await dataClient(invocation)
    const { values } = invocation
    const pageSize = values.integer('page-size', 0, 1_000_000)
    const [pageToken, field] = [values.text('page-token'), values.text('field')]
    const pages = client.listPages(values.args[0]!, {
      ...invocation.callOptions(),
      ...(pageSize === undefined ? {} : { pageSize }),
      ...(pageToken === undefined ? {} : { pageToken }),
      ...(field === undefined ? {} : { field }),
    })
    const { items, nextPageToken } = await take(pages, (page) => page.items, invocation)
    return {
      json: { items, nextPageToken },
      text: items.map((item) => escapedJSON(stringifyJSON(item))).join('\n'),
    }
  },
}

/** Commands that read from the metrics and data interfaces. */
export const serviceCommands: readonly Command[] = [
  averageTPS,
  metricsHealth,
  dataHealth,
  dataChains,
  dataList,
]
