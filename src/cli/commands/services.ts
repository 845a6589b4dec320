import { stringifyJSON } from '../../codec/index.ts'
import {
  createDataClient,
  createMetricsClient,
  type DataClient,
  type MetricsClient,
  provider,
  type ServiceHealth,
} from '../../rpc/index.ts'
import type { Command, Options, Result } from '../command.ts'
import { readText } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { facts, table, timeText } from '../print.ts'

const serviceOptions = (variable: string): Options => ({
  url: {
    value: 'URL',
    help: `the interface; ${variable} or its provider’s own unless told`,
    many: true,
  },
  timeout: { value: 'SECONDS', help: 'how long to wait for one answer; 10 unless told' },
})

const limitOption: Options = {
  limit: { value: 'NUMBER', help: 'how many at most; 30 unless told, 0 for all' },
}

const dataOptions: Options = {
  ...serviceOptions('AVMKIT_DATA_URL'),
  'api-key-file': {
    value: 'FILE',
    help: 'a key that raises limits; AVMKIT_DATA_KEY unless told',
  },
  'api-key-header': { value: 'NAME', help: 'the header that carries it' },
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
    ([part, state]) => [part, JSON.stringify(state)] as const,
  )
  const verdict = health.healthy ? paint.green(health.status) : paint.red(health.status)
  const text = rows.length === 0 ? verdict : `${verdict}\n\n${facts(rows, paint)}`
  return { json: health, text, failed: !health.healthy }
}

/** The first items of a list that may be long. */
async function take<T>(items: AsyncIterable<T>, invocation: Invocation): Promise<T[]> {
  const limit = invocation.values.integer('limit', 0, 1_000_000) ?? 30
  const taken: T[] = []
  for await (const item of items) {
    taken.push(item)
    invocation.progress.show(taken.length, limit || undefined, 'read')
    if (taken.length === limit) break
  }
  invocation.progress.end()
  return taken
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
    const points = await take(client.averageTPS(chain!, invocation.callOptions()), invocation)
    const rows = points.map(({ timestamp, value }) => [
      timeText(BigInt(Math.floor(timestamp))).slice(0, 10),
      String(value),
    ])
    const columns = [{ title: 'day' }, { title: 'tx/s', right: true }] as const
    return { json: { chain, points }, text: table(columns, rows, invocation.paint) }
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
  options: { ...limitOption, ...dataOptions },
  example: 'data list /v1/chains/43114/blocks --limit 5',
  run: async (invocation) => {
    const client = await dataClient(invocation)
    const path = invocation.values.args[0]!
    const items = await take(client.list(path, invocation.callOptions()), invocation)
    return { json: { items }, text: items.map((item) => stringifyJSON(item)).join('\n') }
  },
}

/** Questions to the metrics and data interfaces. */
export const serviceCommands: readonly Command[] = [
  averageTPS,
  metricsHealth,
  dataHealth,
  dataChains,
  dataList,
]
