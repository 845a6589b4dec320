import { stringifyJSON } from '../../../core/codec/json-text.ts'
import { escaped, escapedJSON } from '../../../core/sign/text.ts'
import {
  createMetricsClient,
  type MetricsClient,
  type PageOptions,
  provider,
  type ServiceHealth,
} from '../../../node/index.ts'
import type { Result } from '../../command.ts'
import { dataClient } from '../../connections/data-api.ts'
import type { Invocation } from '../../invocation.ts'
import { details, table, timeText } from '../../terminal/print.ts'

async function metricsClient(invocation: Invocation): Promise<MetricsClient> {
  const own = await invocation.findURLs('AVMKIT_METRICS_URL', 'metricsUrl')
  const url = own.length > 0 ? own : provider.metrics.url
  return createMetricsClient({ url, ...invocation.transport() })
}

function showHealth(health: ServiceHealth, { paint }: Invocation): Result {
  const rows = Object.entries(health.details).map(
    ([part, state]) => [part, stringifyJSON(state)] as const,
  )
  const status = escaped(health.status)
  const verdict = health.healthy ? paint.green(status) : paint.red(status)
  const text = rows.length === 0 ? verdict : `${verdict}\n\n${details(rows, paint)}`
  return { json: health, text, failed: !health.healthy }
}

/** The first items of a list, and the page of the last one. */
type FirstItems<P, T> = {
  readonly items: readonly T[]
  readonly last: P | undefined
  /** Continues after the last item; undefined at the end, or if items of the last page were omitted. */
  readonly nextPageToken: string | undefined
}

/** Reads pages until there are as many items as `--limit` allows. */
async function readFirstItems<T, P extends { readonly nextPageToken: string | undefined }>(
  pages: AsyncIterable<P>,
  itemsOf: (page: P) => readonly T[],
  invocation: Invocation,
): Promise<FirstItems<P, T>> {
  const limit = (invocation.values.integer('limit', 0, 1_000_000) ?? 30) || Number.POSITIVE_INFINITY
  const items: T[] = []
  let last: P | undefined
  let isCut = false
  for await (const page of pages) {
    last = page
    const remaining = limit - items.length
    for (const item of itemsOf(page).slice(0, remaining)) items.push(item)
    isCut = itemsOf(page).length > remaining
    invocation.progress.show(items.length, Number.isFinite(limit) ? limit : undefined, 'read')
    if (items.length >= limit) break
  }
  invocation.progress.end()
  return { items, last, nextPageToken: isCut ? undefined : last?.nextPageToken }
}

/** The page to start from. */
function pageOptions(invocation: Invocation): PageOptions {
  return { ...invocation.callOptions(), pageToken: invocation.values.text('page-token') }
}

export async function averageTPS(invocation: Invocation): Promise<Result> {
  const client = await metricsClient(invocation)
  const [chain] = invocation.values.args
  const pages = client.averageTPSPages(chain!, pageOptions(invocation))
  const {
    items: points,
    last,
    nextPageToken,
  } = await readFirstItems(pages, ({ results }) => results, invocation)
  const rows = points.map(({ timestamp, value }) => [
    // A server may send any number; times before 1970 are not formatted.
    timestamp < 0 ? String(timestamp) : timeText(BigInt(Math.floor(timestamp))).slice(0, 10),
    String(value),
  ])
  const columns = [{ title: 'day' }, { title: 'tx/s', right: true }] as const
  return {
    json: { chain, points, lastRun: last?.lastRun, nextPageToken },
    text: table(columns, rows, invocation.paint),
  }
}

export async function metricsHealth(invocation: Invocation): Promise<Result> {
  const client = await metricsClient(invocation)
  return showHealth(await client.healthCheck(invocation.callOptions()), invocation)
}

export async function dataHealth(invocation: Invocation): Promise<Result> {
  const client = await dataClient(invocation)
  const check = invocation.values.has('live') ? client.liveCheck : client.healthCheck
  return showHealth(await check(invocation.callOptions()), invocation)
}

export async function dataChains(invocation: Invocation): Promise<Result> {
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
}

export async function dataList(invocation: Invocation): Promise<Result> {
  const client = await dataClient(invocation)
  const { values } = invocation
  const field = values.text('field')
  const pageSize = values.integer('page-size', 0, 1_000_000)
  const pages = client.listPages(values.args[0]!, { ...pageOptions(invocation), pageSize, field })
  const { items, nextPageToken } = await readFirstItems(pages, (page) => page.items, invocation)
  return {
    json: { items, nextPageToken },
    text: items.map((item) => escapedJSON(stringifyJSON(item))).join('\n'),
  }
}
