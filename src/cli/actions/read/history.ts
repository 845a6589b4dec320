import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID } from '../../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import type { UTXO } from '../../../core/chain/x/utxo.ts'
import { addressText } from '../../../inspect/texts.ts'
import { ReplyError } from '../../../node/index.ts'
import { addressHistory, type HistoryEntry } from '../../../wallet/discovery/index.ts'
import type {
  BlockProgress,
  Wallet,
  WalletHistoryEntry,
  WalletHistoryOptions,
} from '../../../wallet/index.ts'
import { agreedBlocksClient } from '../../chains/agreed-clients.ts'
import type { Result } from '../../command.ts'
import { type AddressIndex, configuredIndex } from '../../connections/data-api.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { commandOwners, openReading, withUnused } from '../../keys/addresses.ts'
import { noteSearches, searchJSON, searchText } from '../../keys/discover.ts'
import { type KnownAssets, lookUpAssets, type PrintedAsset } from '../../spending/lookup.ts'
import { jsonLine } from '../../terminal/plain.ts'
import { counted, table, timeText } from '../../terminal/print.ts'

/** Number of blocks that are read by default. */
const RECENT = 1000n

/** Maximum number of transactions that are read at once. */
const PAGE = 10_000

/** A change of one asset; negative if more was spent than received. */
type Change = { readonly assetID: string; readonly amount: bigint }

/** Where transactions come from. */
type Origin = {
  readonly range: Pick<WalletHistoryOptions, 'fromHeight' | 'toHeight' | 'data' | 'onProgress'>
  readonly text: string
  /** Members of the result that describe the source. */
  readonly json: object
  /** Throws if not all of it was read. */
  readonly check?: () => void
}

/** Lists the transactions of addresses, from the data API if it is configured, otherwise from a range of blocks. */
export async function history(invocation: Invocation): Promise<Result> {
  const { values, progress, paint } = invocation
  const context = await invocation.context()
  const index = values.text('source') === 'blocks' ? undefined : await configuredIndex(invocation)
  if (index === undefined && values.text('source') === 'data-api')
    throw new UsageError('NO_URL', 'no data API is configured', {
      hint: 'set AVMKIT_DATA_URL, or set "dataUrl" in the config file',
    })
  const { wallet, addresses, searches } = await openReading(values.args, invocation, context)
  const origin = await (index === undefined ? inBlocks(invocation) : inIndex(index, invocation))
  const entries = await invocation.during('reading transactions', () =>
    readAll(wallet, origin, invocation),
  )
  progress.end()
  invocation.io.signal?.throwIfAborted()
  const known = await assetsOfChanges(entries.flatMap(changesIn), context, invocation)
  const columns = [
    { title: 'height', right: true },
    { title: 'time' },
    { title: 'change', right: true },
    { title: 'asset' },
    { title: 'transaction' },
  ] as const
  const rows = entries.flatMap((entry) => {
    const { height = '', time, type, txID } = entry
    const changes = changesIn(entry).map(({ assetID, amount }) => [
      signed(amount, known.find(assetID)),
      known.find(assetID).label,
    ])
    // NFTs and properties have no amount.
    const shown = changes.length === 0 ? [['', type]] : changes
    return shown.map((change) => [String(height), timeText(time), ...change, formatID(txID)])
  })
  return {
    json: {
      ...origin.json,
      addresses: addresses.map((owner) => addressText(owner, context)),
      transactions: entries.map(historyJSON),
      ...searchJSON(searches),
    },
    text: [
      rows.length === 0 ? 'no transactions' : table(columns, rows, paint),
      `source: ${origin.text}`,
      ...searchText(searches),
    ].join('\n'),
  }
}

async function readAll(
  wallet: Wallet,
  { range, check }: Origin,
  invocation: Invocation,
): Promise<WalletHistoryEntry[]> {
  const { timeoutMs } = invocation.transport()
  const wait = timeoutMs === undefined ? undefined : { timeoutMs }
  const entries: WalletHistoryEntry[] = []
  for (;;) {
    const after = entries.at(-1)?.cursor
    const { signal } = invocation.callOptions()
    const page = await wallet.history({ ...range, after, limit: PAGE, wait, signal })
    entries.push(...page)
    if (page.length === PAGE) continue
    check?.()
    return entries
  }
}

async function inBlocks(invocation: Invocation): Promise<Origin> {
  const latest = await (await invocation.view()).height(invocation.callOptions())
  const wanted = heightOf(invocation, 'to-height') ?? latest
  const toHeight = wanted < latest ? wanted : latest
  const first = latest > RECENT ? latest - RECENT + 1n : 0n
  const fromHeight = heightOf(invocation, 'from-height') ?? first
  if (fromHeight > toHeight)
    throw new UsageError('BAD_VALUE', `--from-height must be at most ${toHeight}`)
  const total = Number(toHeight - fromHeight + 1n)
  let read = 0n
  const onProgress = ({ height }: BlockProgress) => {
    read = height < toHeight ? height : toHeight
    invocation.progress.show(Number(read - fromHeight + 1n), total, 'blocks read')
  }
  const check = () => {
    if (read >= toHeight) return
    const reason = `no server has the blocks up to ${toHeight}`
    throw new ReplyError('REPLY_MISMATCH', 'avm.getHeight', 'result.height', reason)
  }
  return {
    check,
    range: { fromHeight, toHeight, onProgress },
    text: `blocks ${fromHeight} to ${toHeight} of the node (latest ${latest})`,
    json: { source: 'blocks', fromHeight, toHeight, latest },
  }
}

async function inIndex({ data, url }: AddressIndex, invocation: Invocation): Promise<Origin> {
  const fromHeight = heightOf(invocation, 'from-height')
  const toHeight = heightOf(invocation, 'to-height')
  const range = `${fromHeight === undefined ? 'the first transaction' : `height ${fromHeight}`} to ${toHeight === undefined ? 'the latest' : `height ${toHeight}`}`
  const { origin } = new URL(url)
  return {
    range: { data, fromHeight, toHeight },
    text: `data API ${origin}, from ${range}; transactions that it omits are missing`,
    json: { source: 'data-api', url: origin, fromHeight, toHeight },
  }
}

function changesIn({ amounts }: WalletHistoryEntry): Change[] {
  return amounts.map(({ assetID, amount }) => ({ assetID: formatID(assetID), amount }))
}

function historyJSON(entry: WalletHistoryEntry): object {
  const { height, time, txID, type, direction, otherChain, fee, counterparties, memo, keys } = entry
  return {
    height,
    time,
    txID: formatID(txID),
    type,
    direction,
    otherChain,
    changes: changesIn(entry),
    fee,
    counterparties,
    memo: memo.length === 0 ? undefined : hex.encode(memo),
    keys,
  }
}

/** Prints transactions of addresses as they are accepted. */
export async function watch(invocation: Invocation): Promise<undefined> {
  const { values, io, progress } = invocation
  const client = await agreedBlocksClient(invocation)
  const context = await invocation.context()
  const found = await commandOwners(values.args, invocation, context)
  const owners = withUnused(found)
  noteSearches(found.searches, invocation)
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

function signed(amount: bigint, { format }: PrintedAsset): string {
  return amount < 0n ? `-${format(-amount)}` : `+${format(amount)}`
}
