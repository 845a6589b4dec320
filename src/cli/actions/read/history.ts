import { formatID } from '../../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import type { UTXO } from '../../../core/chain/x/utxo.ts'
import { addressText } from '../../../inspect/texts.ts'
import {
  addressHistory,
  type HistoryEntry,
  type IndexedEntry,
  indexedHistory,
} from '../../../wallet/discovery/index.ts'
import { agreedBlocksClient } from '../../chains/agreed-clients.ts'
import type { Result } from '../../command.ts'
import { type AddressIndex, configuredIndex } from '../../connections/data-api.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { commandOwners, withUnused } from '../../keys/addresses.ts'
import { discoveryJSON, discoveryText, noteSearches } from '../../keys/discover.ts'
import { type KnownAssets, lookUpAssets, type PrintedAsset } from '../../spending/lookup.ts'
import { jsonLine } from '../../terminal/plain.ts'
import { counted, table, timeText } from '../../terminal/print.ts'

/** Number of blocks that are read by default. */
const RECENT = 1000n

/** How long to wait for the next block while the node claims to have it. */
const MAX_IDLE_MS = 30_000

/** A change of one asset; negative if more was spent than received. */
type Change = { readonly assetID: string; readonly amount: bigint }

/** Transactions, and where they come from. */
type FoundEntries = {
  readonly entries: readonly IndexedEntry[]
  readonly source: string
  /** Members of the result that describe the source. */
  readonly json: object
}

/** Lists the transactions of addresses, from the data API if it is configured, otherwise from a range of blocks. */
export async function history(invocation: Invocation): Promise<Result> {
  const { values, progress, paint } = invocation
  const context = await invocation.context()
  const found = await commandOwners(values.args, invocation, context)
  const { discoveries } = found
  const index = values.text('source') === 'blocks' ? undefined : await configuredIndex(invocation)
  if (index === undefined && values.text('source') === 'data-api')
    throw new UsageError('NO_URL', 'no data API is configured', {
      hint: 'set AVMKIT_DATA_URL, or set "dataUrl" in the config file',
    })
  const owners = index === undefined ? withUnused(found, invocation) : found.owners
  const { entries, source, json } = await (index === undefined
    ? historyOfBlocks(owners, invocation)
    : historyOfIndex(index, owners, context, invocation))
  progress.end()
  invocation.io.signal?.throwIfAborted()
  const known = await assetsOfChanges(entries.flatMap(changesOf), context, invocation)
  const columns = [
    { title: 'height', right: true },
    { title: 'time' },
    { title: 'change', right: true },
    { title: 'asset' },
    { title: 'transaction' },
  ] as const
  const rows = entries.flatMap((entry) =>
    changesOf(entry).map(({ assetID, amount }) => [
      String(entry.height ?? ''),
      timeText(entry.time),
      signed(amount, known.find(assetID)),
      known.find(assetID).label,
      formatID(entry.txID),
    ]),
  )
  return {
    json: {
      ...json,
      addresses: owners.map((owner) => addressText(owner, context)),
      transactions: entries.map(entryJSON),
      ...discoveryJSON(discoveries),
    },
    text: [
      rows.length === 0 ? 'no transactions' : table(columns, rows, paint),
      `source: ${source}`,
      ...discoveryText(discoveries),
    ].join('\n'),
  }
}

async function historyOfBlocks(
  owners: readonly Uint8Array[],
  invocation: Invocation,
): Promise<FoundEntries> {
  const client = await agreedBlocksClient(invocation)
  const latest = await (await invocation.view()).height(invocation.callOptions())
  const wanted = heightOf(invocation, 'to-height') ?? latest
  const toHeight = wanted < latest ? wanted : latest
  const first = latest > RECENT ? latest - RECENT + 1n : 0n
  const fromHeight = heightOf(invocation, 'from-height') ?? first
  if (fromHeight > toHeight)
    throw new UsageError('BAD_VALUE', `--from-height must be at most ${toHeight}`)
  const entries: HistoryEntry[] = []
  const total = Number(toHeight - fromHeight + 1n)
  for await (const entry of addressHistory({
    client,
    addresses: owners,
    fromHeight,
    toHeight,
    idleTimeoutMs: invocation.transport().timeoutMs ?? MAX_IDLE_MS,
    signal: invocation.io.signal,
    onProgress: (height) =>
      invocation.progress.show(Number(height - fromHeight + 1n), total, 'blocks read'),
  }))
    entries.push(entry)
  return {
    entries,
    source: `blocks ${fromHeight} to ${toHeight} of the node (latest ${latest})`,
    json: { source: 'blocks', fromHeight, toHeight, latest },
  }
}

async function historyOfIndex(
  { data, url }: AddressIndex,
  owners: readonly Uint8Array[],
  context: NetworkContext,
  invocation: Invocation,
): Promise<FoundEntries> {
  const { signal } = invocation.io
  const fromHeight = heightOf(invocation, 'from-height')
  const toHeight = heightOf(invocation, 'to-height')
  const entries: IndexedEntry[] = []
  const client = await invocation.client()
  for await (const entry of indexedHistory({
    ...{ data, client, context, signal },
    addresses: owners,
    onProgress: (count) => invocation.progress.show(count, undefined, 'transactions read'),
  }))
    if (isWithin(entry.height, fromHeight, toHeight)) entries.push(entry)
  // The data API lists each group of addresses newest first; the output is oldest first.
  entries.reverse().sort(byAge)
  const range = `${fromHeight === undefined ? 'the first transaction' : `height ${fromHeight}`} to ${toHeight === undefined ? 'the latest' : `height ${toHeight}`}`
  const { origin } = new URL(url)
  return {
    entries,
    source: `data API ${origin}, from ${range}; transactions that it omits are missing`,
    json: { source: 'data-api', url: origin, fromHeight, toHeight },
  }
}

/** Blocks of the same second have different heights; transactions without a height are older than all blocks. */
function byAge(a: IndexedEntry, b: IndexedEntry): number {
  if (a.height === undefined && b.height === undefined) return Number(a.time - b.time)
  return Number((a.height ?? -1n) - (b.height ?? -1n))
}

/** Whether a height is in a range. */
function isWithin(height: bigint | undefined, from?: bigint, to?: bigint): boolean {
  if (height === undefined) return from === undefined
  return height >= (from ?? 0n) && (to === undefined || height <= to)
}

/** Prints transactions of addresses as they are accepted. */
export async function watch(invocation: Invocation): Promise<undefined> {
  const { values, io, progress } = invocation
  const client = await agreedBlocksClient(invocation)
  const context = await invocation.context()
  const found = await commandOwners(values.args, invocation, context)
  const owners = withUnused(found, invocation)
  noteSearches(found.discoveries, invocation)
  const latest = await (await invocation.view()).height(invocation.callOptions())
  const fromHeight = heightOf(invocation, 'from-height') ?? latest + 1n
  const total = Number(latest - fromHeight + 1n)
  invocation.note(
    `watching ${counted(owners.length, 'address', 'addresses')} from height ${fromHeight}`,
  )
  for await (const entry of addressHistory({
    client,
    addresses: owners,
    fromHeight,
    signal: io.signal,
    onProgress: (height) => {
      // After the blocks that existed at the start, there is nothing to count down to.
      if (height < latest) progress.show(Number(height - fromHeight + 1n), total, 'blocks read')
      else progress.end()
    },
  })) {
    progress.end()
    if (values.has('json')) {
      io.stdout.write(`${jsonLine(entryJSON(entry))}\n`)
      continue
    }
    const changes = changesOf(entry)
    const known = await assetsOfChanges(changes, context, invocation)
    for (const { assetID, amount } of changes) {
      const asset = known.find(assetID)
      io.stdout.write(
        `${entry.height}  ${timeText(entry.time)}  ${signed(amount, asset)} ${asset.label}  ${formatID(entry.txID)}\n`,
      )
    }
  }
  return undefined
}

function heightOf({ values }: Invocation, name: string): bigint | undefined {
  const height = values.integer(name, 0, Number.MAX_SAFE_INTEGER)
  return height === undefined ? undefined : BigInt(height)
}

function assetsOfChanges(
  changes: readonly Change[],
  context: NetworkContext,
  invocation: Invocation,
): Promise<KnownAssets> {
  const ids = changes.map(({ assetID }) => assetID)
  return invocation
    .view()
    .then((chain) => lookUpAssets(chain, ids, context, invocation.callOptions()))
}

/** The change of the balance per asset. */
function changesOf({ created, spent }: IndexedEntry): Change[] {
  const sums = new Map<string, bigint>()
  const add = ({ assetID, output }: UTXO, sign: bigint) => {
    const key = formatID(assetID)
    const amount = 'amount' in output ? output.amount : 0n
    sums.set(key, (sums.get(key) ?? 0n) + sign * amount)
  }
  for (const utxo of created) add(utxo, 1n)
  for (const utxo of spent) add(utxo, -1n)
  return [...sums].map(([assetID, amount]) => ({ assetID, amount }))
}

function entryJSON(entry: IndexedEntry): object {
  return {
    height: entry.height,
    time: entry.time,
    txID: formatID(entry.txID),
    type: entry.tx.unsignedTx.type,
    changes: changesOf(entry),
  }
}

function signed(amount: bigint, { format }: PrintedAsset): string {
  return amount < 0n ? `-${format(-amount)}` : `+${format(amount)}`
}
