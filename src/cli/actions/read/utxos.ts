import { equalBytes } from '../../../core/base/bytes/compare.ts'
import { MAX_DENOMINATION, parseAmount } from '../../../core/base/encoding/amount.ts'
import { checkedHex } from '../../../core/base/encoding/checked-hex.ts'
import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import { utxoToJSON } from '../../../core/chain/x/json.ts'
import { encodeUTXO, type UTXO } from '../../../core/chain/x/utxo.ts'
import { UTXOSet } from '../../../core/coins/utxo-set.ts'
import { escaped, quoted, readMemo } from '../../../core/sign/text.ts'
import { addressText } from '../../../inspect/texts.ts'
import { leftAsDisputed, withDisputed } from '../../../wallet/utxos/disputed.ts'
import { chainBalances } from '../../chains/balances.ts'
import {
  disputeJSON,
  disputeOf,
  disputeText,
  type Listing,
  listUTXOs,
} from '../../chains/listing.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { commandOwners } from '../../keys/addresses.ts'
import { type Search, searchJSON, searchText } from '../../keys/discover.ts'
import { type KnownAssets, lookUpAssets } from '../../spending/lookup.ts'
import { selectAsset } from '../../spending/payments.ts'
import { table, timeText } from '../../terminal/print.ts'

/** Bytes and characters of a payload that fit in a table. */
const SHOWN_PAYLOAD = 16
const SHOWN_PAYLOAD_TEXT = 60

type UTXOWalk = {
  readonly context: NetworkContext
  readonly owners: readonly Uint8Array[]
  readonly searches: readonly Search[]
  readonly addresses: readonly string[]
  readonly source: { readonly sourceChain: Uint8Array | undefined }
} & Listing

/** All UTXOs of the owners, page by page and with progress. */
async function walk(invocation: Invocation): Promise<UTXOWalk> {
  const client = await invocation.client()
  const context = await invocation.context()
  const chain = invocation.values.text('source-chain')
  const { owners, searches } = await commandOwners(invocation.values.args, invocation, context)
  const addresses = owners.map((owner) => addressText(owner, context))
  return {
    context,
    owners,
    searches,
    addresses,
    ...(await listUTXOs(client, { owners, sourceChain: chain }, context, invocation)),
    source: { sourceChain: chain === undefined ? undefined : context.chains[chain] },
  }
}

/** Shows the sums per asset. */
export async function balance(invocation: Invocation): Promise<Result> {
  const others = await chainBalances(invocation)
  if (others !== undefined) return others
  const walked = await walk(invocation)
  const { context, owners, searches, addresses, pages, source } = walked
  const set = new UTXOSet()
  for await (const page of pages) set.add(page, source)
  const disputedUTXOs = walked.disputed.map(({ utxo }) => utxo)
  const balances = withDisputed(
    set.balances({ owners, now: invocation.now(), ...source }),
    leftAsDisputed(walked.disputed),
  )
  const known = await lookUpAssets(
    await invocation.view(),
    [...balances, ...disputedUTXOs].map(({ assetID }) => formatID(assetID)),
    context,
    invocation.callOptions(),
  )
  const isWanted = assetFilter([...balances, ...disputedUTXOs], known, context, invocation)
  const disputes = walked.disputed
    .filter(({ utxo }) => isWanted(utxo))
    .map((one) => disputeOf(context.chainAlias, one))
  const ordered = arranged(
    balances.filter(isWanted),
    ({ assetID, spendable, locked, shortOfSigners, disputed = 0n }) => ({
      assetID: formatID(assetID),
      amount: spendable + locked + shortOfSigners + disputed,
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
    ...(disputes.length === 0 ? [] : [{ title: 'disputed', right: true } as const]),
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
      ...(disputes.length === 0 ? [] : [format(asset.disputed ?? 0n)]),
      asset.assetID,
    ]
  })
  return {
    json: {
      addresses,
      assets,
      opaque: set.opaque(source).length,
      ...disputeJSON(disputes),
      ...searchJSON(searches),
    },
    text: [
      rows.length === 0 ? 'nothing' : table(columns, rows, invocation.paint),
      ...disputeText(disputes, known),
      ...searchText(searches),
    ].join('\n'),
  }
}

/** Lists UTXOs, one per line. */
export async function utxos(invocation: Invocation): Promise<Result> {
  const { context, searches, addresses, pages, disputed } = await walk(invocation)
  const disputedUTXOs = disputed.map(({ utxo }) => utxo)
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
    await invocation.view(),
    [...found, ...disputedUTXOs].map(({ assetID }) => formatID(assetID)),
    context,
    invocation.callOptions(),
  )
  const columns = [
    { title: 'UTXO' },
    { title: 'amount', right: true },
    { title: 'asset' },
    { title: 'owners' },
  ] as const
  const isWanted = assetFilter([...found, ...disputedUTXOs], known, context, invocation)
  const disputes = disputed
    .filter(({ utxo }) => isWanted(utxo))
    .map((one) => disputeOf(context.chainAlias, one))
  const ordered = arranged(
    found.filter(isWanted),
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
      ...disputeJSON(disputes),
      ...searchJSON(searches),
    },
    text: [list, ...disputeText(disputes, known), ...undecodable, ...searchText(searches)].join(
      '\n',
    ),
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

/** Whether an item has the asset that `--asset` names; without this option, true. */
function assetFilter(
  items: readonly HasAsset[],
  known: KnownAssets,
  context: NetworkContext,
  { values }: Invocation,
): (item: HasAsset) => boolean {
  const text = values.text('asset')
  if (text === undefined) return () => true
  const owned = [...new Set(items.map(({ assetID }) => formatID(assetID)))]
  const wanted = selectAsset(text, owned, known, context)
  return ({ assetID }) => equalBytes(assetID, wanted)
}

type HasAsset = { readonly assetID: Uint8Array }

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
