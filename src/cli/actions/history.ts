import type { NetworkContext, UTXO } from '../../chain/index.ts'
import { addressHistory, type HistoryEntry } from '../../discovery/index.ts'
import { formatAmount, formatID } from '../../encoding/index.ts'
import { ownersOf } from '../addresses.ts'
import type { Result } from '../command.ts'
import { discoveryJSON, discoveryText } from '../discover.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { assetFacts } from '../lookup.ts'
import { jsonLine } from '../plain.ts'
import { counted, table, timeText } from '../print.ts'
import { addressText } from '../texts.ts'

/** Blocks that are read by default. */
const RECENT = 1000n

/** A change of one asset; negative if more was spent than received. */
type Change = { readonly assetID: string; readonly amount: bigint }

/** Lists the transactions of addresses in a range of blocks. */
export async function history(invocation: Invocation): Promise<Result> {
  const { values, progress, paint } = invocation
  const client = await invocation.client()
  const context = await invocation.context()
  const { owners, discoveries } = await ownersOf(values.args, invocation, context)
  const latest = await client.avm.getHeight({}, invocation.callOptions())
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
    signal: invocation.io.signal,
    onProgress: (height) => progress.show(Number(height - fromHeight + 1n), total, 'blocks read'),
  }))
    entries.push(entry)
  progress.end()
  invocation.io.signal?.throwIfAborted()
  const known = await factsOf(entries.flatMap(changesOf), context, invocation)
  const columns = [
    { title: 'height', right: true },
    { title: 'time' },
    { title: 'change', right: true },
    { title: 'asset' },
    { title: 'transaction' },
  ] as const
  const rows = entries.flatMap((entry) =>
    changesOf(entry).map(({ assetID, amount }) => [
      String(entry.height),
      timeText(entry.time),
      signed(amount, known[assetID]?.denomination),
      known[assetID]?.label ?? assetID,
      formatID(entry.txID),
    ]),
  )
  const source = `source: blocks ${fromHeight} to ${toHeight} of the node (latest ${latest})`
  return {
    json: {
      source: 'blocks',
      fromHeight,
      toHeight,
      latest,
      addresses: owners.map((owner) => addressText(owner, context)),
      transactions: entries.map(entryJSON),
      ...discoveryJSON(discoveries),
    },
    text: [
      rows.length === 0 ? 'no transactions' : table(columns, rows, paint),
      source,
      ...discoveryText(discoveries),
    ].join('\n'),
  }
}

/** Prints transactions of addresses as they are accepted. */
export async function watch(invocation: Invocation): Promise<undefined> {
  const { values, io } = invocation
  const client = await invocation.client()
  const context = await invocation.context()
  const { owners } = await ownersOf(values.args, invocation, context)
  const latest = await client.avm.getHeight({}, invocation.callOptions())
  const fromHeight = heightOf(invocation, 'from-height') ?? latest + 1n
  invocation.note(
    `watching ${counted(owners.length, 'address', 'addresses')} from height ${fromHeight}`,
  )
  for await (const entry of addressHistory({
    client,
    addresses: owners,
    fromHeight,
    signal: io.signal,
  })) {
    if (values.has('json')) {
      io.stdout.write(`${jsonLine(entryJSON(entry))}\n`)
      continue
    }
    const changes = changesOf(entry)
    const known = await factsOf(changes, context, invocation)
    for (const { assetID, amount } of changes) {
      const facts = known[assetID]
      io.stdout.write(
        `${entry.height}  ${timeText(entry.time)}  ${signed(amount, facts?.denomination)} ${facts?.label ?? assetID}  ${formatID(entry.txID)}\n`,
      )
    }
  }
  return undefined
}

function heightOf({ values }: Invocation, name: string): bigint | undefined {
  const height = values.integer(name, 0, Number.MAX_SAFE_INTEGER)
  return height === undefined ? undefined : BigInt(height)
}

function factsOf(
  changes: readonly Change[],
  context: NetworkContext,
  invocation: Invocation,
): Promise<Awaited<ReturnType<typeof assetFacts>>> {
  const ids = changes.map(({ assetID }) => assetID)
  return invocation
    .client()
    .then((client) => assetFacts(client, ids, context, invocation.callOptions()))
}

/** What a transaction added to the addresses and took from them, per asset. */
function changesOf({ created, spent }: HistoryEntry): Change[] {
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

function entryJSON(entry: HistoryEntry): object {
  return {
    height: entry.height,
    time: entry.time,
    txID: formatID(entry.txID),
    type: entry.tx.unsignedTx.type,
    changes: changesOf(entry),
  }
}

function signed(amount: bigint, denomination = 0): string {
  const text = formatAmount(amount < 0n ? -amount : amount, denomination)
  return amount < 0n ? `-${text}` : `+${text}`
}
