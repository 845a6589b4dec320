import { equalBytes } from '../../bytes/compare.ts'
import {
  encodeUTXO,
  type NetworkContext,
  type UTXO,
  type UTXOPage,
  utxoToJSON,
} from '../../chain/index.ts'
import { UTXOSet } from '../../coins/index.ts'
import { checkedHex, formatAmount, formatID, formatUTXOName, hex } from '../../encoding/index.ts'
import { ownersOf } from '../addresses.ts'
import { chainBalances } from '../chain-balances.ts'
import {
  type Command,
  expectedNetworkOption,
  keyOptions,
  nodeOptions,
  type Options,
} from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { assetFacts } from '../lookup.ts'
import { parseAsset } from '../payments.ts'
import { table, timeText } from '../print.ts'
import { addressText } from '../texts.ts'

/** Bytes of a payload that have room in a table. */
const SHOWN_PAYLOAD = 16

const coinOptions: Options = {
  'source-chain': { value: 'CHAIN', help: 'what this chain exported to ours and waits for import' },
  ...keyOptions,
  ...nodeOptions,
  ...expectedNetworkOption,
}

const ownerArgument = {
  name: 'ADDRESS',
  help: 'whose; the addresses of your keys if none is named',
  optional: true,
  many: true,
} as const

type Walk = {
  readonly context: NetworkContext
  readonly owners: readonly Uint8Array[]
  readonly addresses: readonly string[]
  readonly pages: AsyncGenerator<UTXOPage, void, undefined>
  readonly source: { readonly sourceChain?: Uint8Array }
}

/** All UTXOs of the owners that were named, page by page and with progress. */
async function walk(invocation: Invocation): Promise<Walk> {
  const client = await invocation.client()
  const context = await invocation.context()
  const owners = await ownersOf(invocation.values.args, invocation, context)
  const addresses = owners.map((owner) => addressText(owner, context))
  const chain = invocation.values.text('source-chain')
  const pages = client.utxoPages({
    addresses,
    ...(chain === undefined ? {} : { sourceChain: chain }),
    ...invocation.callOptions(),
    onProgress: ({ utxos }) => invocation.progress.show(utxos, undefined, 'UTXOs read'),
  })
  const sourceID = chain === undefined ? undefined : context.chains[chain]
  return {
    context,
    owners,
    addresses,
    pages,
    source: sourceID === undefined ? {} : { sourceChain: sourceID },
  }
}

/** Sums per asset, by what can be done with them. */
export const balance: Command = {
  name: 'balance',
  summary: 'what addresses hold, and what of it can be spent',
  arguments: [ownerArgument],
  options: {
    ...coinOptions,
    chain: {
      value: 'CHAIN',
      help: 'X, P, C or all; or alias or ID of a chain with the X-Chain’s virtual machine; default X',
    },
  },
  example: 'balance X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => {
    const others = await chainBalances(invocation)
    if (others !== undefined) return others
    const { context, owners, addresses, pages, source } = await walk(invocation)
    const set = new UTXOSet()
    for await (const page of pages) set.add(page, source)
    invocation.progress.end()
    const balances = set.balances({ owners, now: invocation.now(), ...source })
    const facts = await assetFacts(
      await invocation.client(),
      balances.map(({ assetID }) => formatID(assetID)),
      context,
      invocation.callOptions(),
    )
    const assets = balances.map(({ assetID: bytes, ...rest }) => {
      const assetID = formatID(bytes)
      const { name, symbol, denomination } = facts[assetID] ?? {}
      return { assetID, name, symbol, denomination, ...rest }
    })
    const columns = [
      { title: 'asset' },
      { title: 'spendable', right: true },
      { title: 'coins', right: true },
      { title: 'locked', right: true },
      { title: 'other signers', right: true },
      { title: 'other outputs', right: true },
      { title: 'asset ID' },
    ] as const
    const rows = assets.map((asset) => {
      const amount = (units: bigint) => formatAmount(units, asset.denomination ?? 0)
      return [
        facts[asset.assetID]?.label ?? '?',
        amount(asset.spendable),
        String(asset.spendableCoins),
        amount(asset.locked),
        amount(asset.shortOfSigners),
        String(asset.otherOutputs),
        asset.assetID,
      ]
    })
    return {
      json: { addresses, assets, opaque: set.opaque(source).length },
      text: rows.length === 0 ? 'nothing' : table(columns, rows, invocation.paint),
    }
  },
}

/** One line for each UTXO. */
export const utxos: Command = {
  name: 'utxos',
  summary: 'list the UTXOs of addresses, those that cannot be read included',
  arguments: [ownerArgument],
  options: { asset: { value: 'ID', help: 'only this asset' }, ...coinOptions },
  example: 'utxos X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --json',
  run: async (invocation) => {
    const { context, addresses, pages } = await walk(invocation)
    const found: UTXO[] = []
    const opaque: { readonly raw: string; readonly code: string; readonly reason: string }[] = []
    const asset = invocation.values.text('asset')
    const wanted = asset === undefined ? undefined : parseAsset(asset, context)
    for await (const page of pages) {
      for (const utxo of page.utxos)
        if (wanted === undefined || equalBytes(utxo.assetID, wanted)) found.push(utxo)
      for (const { raw, reason } of page.opaque)
        opaque.push({
          raw: typeof raw === 'string' ? raw : checkedHex.encode(raw),
          code: reason.code,
          reason: reason.message,
        })
    }
    invocation.progress.end()
    const facts = await assetFacts(
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
    const rows = found.map((utxo) => rowOf(utxo, facts, context))
    const list = rows.length === 0 ? 'no UTXOs' : table(columns, rows, invocation.paint)
    const odd = opaque.map(({ code, reason }) => `cannot be read: ${code}: ${reason}`)
    return {
      json: {
        addresses,
        utxos: found.map((utxo) => ({
          name: formatUTXOName(utxo),
          type: utxo.output.type,
          utxo: utxoToJSON(utxo, context),
          bytes: checkedHex.encode(encodeUTXO(utxo)),
        })),
        opaque,
      },
      text: [list, ...odd].join('\n'),
    }
  },
}

function rowOf(
  utxo: UTXO,
  facts: Awaited<ReturnType<typeof assetFacts>>,
  context: NetworkContext,
): string[] {
  const { output } = utxo
  const assetID = formatID(utxo.assetID)
  const { label, denomination = 0 } = facts[assetID] ?? {}
  const addresses = output.addresses.map((address) => addressText(address, context))
  const owners =
    addresses.length === 1 && output.threshold === 1
      ? addresses[0]!
      : `${output.threshold} of ${addresses.join(', ') || 'nobody'}`
  return [
    formatUTXOName(utxo),
    'amount' in output
      ? formatAmount(output.amount, denomination)
      : output.type + groupText(output),
    label ?? assetID,
    owners + (output.locktime === 0n ? '' : `, locked until ${timeText(output.locktime)}`),
  ]
}

/** What tells one NFT from another; the whole payload is in the JSON. */
function groupText(output: UTXO['output']): string {
  const group = 'groupID' in output ? ` group ${output.groupID}` : ''
  if (!('payload' in output)) return group
  const cut = output.payload.length > SHOWN_PAYLOAD ? `…, ${output.payload.length} bytes` : ''
  return `${group}, payload 0x${hex.encode(output.payload.subarray(0, SHOWN_PAYLOAD))}${cut}`
}
