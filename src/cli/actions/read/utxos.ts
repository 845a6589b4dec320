import { equalBytes } from '../../../core/base/bytes/compare.ts'
import { MAX_DENOMINATION, parseAmount } from '../../../core/base/encoding/amount.ts'
import { checkedHex } from '../../../core/base/encoding/checked-hex.ts'
import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import { utxoToJSON } from '../../../core/chain/x/json.ts'
import { encodeUTXO, type UTXO } from '../../../core/chain/x/utxo.ts'
import type { UTXOPage } from '../../../core/chain/x/utxo-page.ts'
import { UTXOSet } from '../../../core/coins/utxo-set.ts'
import { escaped, quoted, readMemo } from '../../../core/sign/text.ts'
import { addressText } from '../../../inspect/texts.ts'
import type { Discovery } from '../../../wallet/discovery/index.ts'
import { chainBalances } from '../../chains/balances.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { commandOwners } from '../../keys/addresses.ts'
import { discoveryJSON, discoveryText } from '../../keys/discover.ts'
import { type KnownAssets, lookUpAssets } from '../../spending/lookup.ts'
import { selectAsset } from '../../spending/payments.ts'
import { table, timeText } from '../../terminal/print.ts'
import { clientWithProgress } from '../../terminal/walk-progress.ts'

/** Bytes and characters of a payload that fit in a table. */
const SHOWN_PAYLOAD = 16
const SHOWN_PAYLOAD_TEXT = 60

type UTXOWalk = {
  readonly context: NetworkContext
  readonly owners: readonly Uint8Array[]
  readonly discoveries: readonly Discovery[]
  readonly addresses: readonly string[]
  readonly pages: AsyncGenerator<UTXOPage, void, undefined>
  readonly source: { readonly sourceChain: Uint8Array | undefined }
}

/** All UTXOs of the owners, page by page and with progress. */
async function walk(invocation: Invocation): Promise<UTXOWalk> {
  const client = await clientWithProgress(invocation)
  const context = await invocation.context()
  const chain = invocation.values.text('source-chain')
  const { owners, discoveries } = await commandOwners(invocation.values.args, invocation, context)
  const addresses = owners.map((owner) => addressText(owner, context))
  const pages = client.utxoPages({
    addresses,
    sourceChain: chain,
    ...invocation.callOptions(),
  })
  return {
    context,
    owners,
    discoveries,
    addresses,
    pages,
    source: { sourceChain: chain === undefined ? undefined : context.chains[chain] },
  }
}

/** Shows the sums per asset. */
export async function balance(invocation: Invocation): Promise<Result> {
  const others = await chainBalances(invocation)
  if (others !== undefined) return others
  const { context, owners, discoveries, addresses, pages, source } = await walk(invocation)
  const set = new UTXOSet()
  for await (const page of pages) set.add(page, source)
  const balances = set.balances({ owners, now: invocation.now(), ...source })
  const known = await lookUpAssets(
    await invocation.client(),
    balances.map(({ assetID }) => formatID(assetID)),
    context,
    invocation.callOptions(),
  )
  const ordered = arranged(
    ofAsset(balances, known, context, invocation),
    ({ assetID, spendable, locked, shortOfSigners }) => ({
      assetID: formatID(assetID),
      amount: spendable + locked + shortOfSigners,
    }),
    known,
    invocation,
  )
  const assets = ordered.map(({ assetID: bytes, ...rest }) => {
    const assetID = formatID(bytes)
    const { name, symbol, denomination } = known.find(assetID).asset ?? {}
    return { assetID, name, symbol, denomination, ...rest }
  })
  const columns = [
    { title: 'asset' },
    { title: 'spendable', right: true },
    { title: 'UTXOs', right: true },
    { title: 'locked', right: true },
    { title: 'other signers', right: true },
    { title: 'other outputs', right: true },
    { title: 'asset ID' },
  ] as const
  const rows = assets.map((asset) => {
    const { asset: details, format } = known.find(asset.assetID)
    return [
      details?.label ?? '?',
      format(asset.spendable),
      String(asset.spendableUTXOs),
      format(asset.locked),
      format(asset.shortOfSigners),
      String(asset.otherOutputs),
      asset.assetID,
    ]
  })
  return {
    json: {
      addresses,
      assets,
      opaque: set.opaque(source).length,
      ...discoveryJSON(discoveries),
    },
    text: [
      rows.length === 0 ? 'nothing' : table(columns, rows, invocation.paint),
      ...discoveryText(discoveries),
    ].join('\n'),
  }
}

/** Lists UTXOs, one per line. */
export async function utxos(invocation: Invocation): Promise<Result> {
  const { context, discoveries, addresses, pages } = await walk(invocation)
  const found: UTXO[] = []
  const opaque: { readonly raw: string; readonly code: string; readonly reason: string }[] = []
  for await (const page of pages) {
    for (const utxo of page.utxos) found.push(utxo)
    for (const { raw, reason } of page.opaque)
      opaque.push({
        raw: typeof raw === 'string' ? raw : checkedHex.encode(raw),
        code: reason.code,
        reason: reason.message,
      })
  }
  const known = await lookUpAssets(
    await invocation.client(),
    found.map(({ assetID }) => formatID(assetID)),
    context,
    invocation.callOptions(),
  )
  const columns = [
    { title: 'UTXO' },
    { title: 'amount', right: true },
    { title: 'asset' },
    { title: 'owners' },
  ] as const
  const ordered = arranged(
    ofAsset(found, known, context, invocation),
    ({ assetID, output }) => ({
      assetID: formatID(assetID),
      amount: 'amount' in output ? output.amount : undefined,
    }),
    known,
    invocation,
  )
  const rows = ordered.map((utxo) => rowOfUTXO(utxo, known, context))
  const list = rows.length === 0 ? 'no UTXOs' : table(columns, rows, invocation.paint)
  const undecodable = opaque.map(({ code, reason }) => `cannot be decoded: ${code}: ${reason}`)
  return {
    json: {
      addresses,
      utxos: ordered.map((utxo) => ({
        name: formatUTXOID(utxo),
        type: utxo.output.type,
        utxo: utxoToJSON(utxo, context),
        bytes: checkedHex.encode(encodeUTXO(utxo)),
      })),
      opaque,
      ...discoveryJSON(discoveries),
    },
    text: [list, ...undecodable, ...discoveryText(discoveries)].join('\n'),
  }
}

function rowOfUTXO(utxo: UTXO, known: KnownAssets, context: NetworkContext): string[] {
  const { output } = utxo
  const { label, format } = known.find(formatID(utxo.assetID))
  const addresses = output.addresses.map((address) => addressText(address, context))
  const owners =
    addresses.length === 1 && output.threshold === 1
      ? addresses[0]!
      : `${output.threshold} of ${addresses.join(', ') || 'nobody'}`
  return [
    formatUTXOID(utxo),
    'amount' in output ? format(output.amount) : output.type + groupText(output),
    label,
    owners + (output.locktime === 0n ? '' : `, locked until ${timeText(output.locktime)}`),
  ]
}

/** Group and payload of an NFT; the whole payload is in the JSON. */
function groupText(output: UTXO['output']): string {
  const group = 'groupID' in output ? ` group ${output.groupID}` : ''
  return 'payload' in output ? `${group}, payload ${payloadText(output.payload)}` : group
}

/** A payload as text if it is printable UTF-8, such as a URL; otherwise as hex. Long payloads are truncated. */
function payloadText(payload: Uint8Array): string {
  const { text } = readMemo(payload)
  const isText = text !== undefined && text !== '' && escaped(text) === text
  const shown = isText
    ? text.slice(0, SHOWN_PAYLOAD_TEXT)
    : `0x${hex.encode(payload.subarray(0, SHOWN_PAYLOAD))}`
  const isCut = payload.length > (isText ? SHOWN_PAYLOAD_TEXT : SHOWN_PAYLOAD)
  return `${isText ? quoted(shown) : shown}${isCut ? `…, ${payload.length} bytes` : ''}`
}

/** The items of the asset that `--asset` names; without this option, all. */
function ofAsset<T extends { readonly assetID: Uint8Array }>(
  items: readonly T[],
  known: KnownAssets,
  context: NetworkContext,
  { values }: Invocation,
): readonly T[] {
  const text = values.text('asset')
  if (text === undefined) return items
  const owned = [...new Set(items.map(({ assetID }) => formatID(assetID)))]
  const wanted = selectAsset(text, owned, known, context)
  return items.filter(({ assetID }) => equalBytes(assetID, wanted))
}

/** Something with an asset and an amount, in its smallest unit. */
type Holding = { readonly assetID: string; readonly amount: bigint | undefined }

/** Applies `--min` and `--sort`. */
function arranged<T>(
  items: readonly T[],
  holdingOf: (item: T) => Holding,
  known: KnownAssets,
  { values }: Invocation,
): T[] {
  const min = values.text('min')
  const scaled = (item: T) => {
    const { assetID, amount = 0n } = holdingOf(item)
    const { denomination: places, label } = known.find(assetID)
    return { amount, places, label }
  }
  const kept =
    min === undefined
      ? [...items]
      : items.filter((item) => {
          const { amount, places } = scaled(item)
          return amount >= parseAmount(min, places)
        })
  const order = values.text('sort')
  if (order === 'asset') return kept.sort((a, b) => compareTexts(scaled(a).label, scaled(b).label))
  if (order !== 'amount') return kept
  // Amounts of different assets are compared with their decimals.
  const value = (item: T) => {
    const { amount, places } = scaled(item)
    return amount * 10n ** BigInt(MAX_DENOMINATION - places)
  }
  return kept.sort((a, b) => (value(a) < value(b) ? 1 : value(a) > value(b) ? -1 : 0))
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
