import { formatAmount, MAX_DENOMINATION } from '../../core/base/encoding/amount.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID, parseID } from '../../core/base/encoding/ids.ts'
import type { ChainAlias, UnsignedTxOf } from '../../core/chain/chain-types.ts'
import { type NetworkContext, paysAVAX } from '../../core/chain/networks.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { SignedTx, UnsignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { AssetDetails } from '../../core/sign/explain/explanation.ts'
import { collectProofs } from '../../core/sign/proofs/collect.ts'
import type { SigningRequest } from '../../core/sign/request/signing-request.ts'
import { symbolText } from '../../core/sign/text.ts'
import type { CallOptions } from '../../node/index.ts'
import type { ChainView } from '../../node/view/view.ts'
import { parentReader, undefinedIfUnknown } from '../chains/clients.ts'
import type { Invocation } from '../invocation.ts'

/** Number of requests that are sent at the same time. */
const MAX_CONCURRENT = 8

/** Maps items, a few at a time; the results are in the order of the items. */
async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += MAX_CONCURRENT)
    results.push(...(await Promise.all(items.slice(at, at + MAX_CONCURRENT).map(work))))
  return results
}

/** The UTXOs that a transaction spends. Those whose creating transaction the node does not have are missing. */
export async function spentUTXOs(
  chain: ChainView,
  unsignedTx: UnsignedTx,
  call: CallOptions,
): Promise<UTXO[]> {
  const spent = consumedUTXOs(unsignedTx)
  const ids = new Map(spent.map(({ txID }) => [hex.encode(txID), txID]))
  const txs = await mapConcurrently([...ids.values()], (txID) =>
    chain.findTx(txID, call).catch(undefinedIfUnknown),
  )
  const wanted = new Set(spent.map(utxoKey))
  return txs
    .filter((tx): tx is SignedTx => tx !== undefined)
    .flatMap((tx) => createdUTXOs(tx))
    .filter((utxo) => wanted.has(utxoKey(utxo)))
}

/** Details of an asset from the transaction that created it. */
export type KnownAsset = AssetDetails & {
  readonly name: string
  /** The symbol for output: escaped, and different from that of the native asset. */
  readonly label: string
}

/** An asset as it is printed. Amounts of an unknown asset are in its smallest unit. */
export type PrintedAsset = {
  readonly asset: KnownAsset | undefined
  readonly denomination: number
  /** Symbol, or the ID of an unknown asset. */
  readonly label: string
  readonly format: (amount: bigint) => string
}

/** Details of assets by ID. */
export class KnownAssets {
  private readonly assets: ReadonlyMap<string, KnownAsset>

  constructor(assets: ReadonlyMap<string, KnownAsset>) {
    this.assets = assets
  }

  /** All assets whose creating transaction the node has. */
  entries(): (readonly [assetID: string, KnownAsset])[] {
    return [...this.assets]
  }

  find(assetID: string): PrintedAsset {
    const asset = this.assets.get(assetID)
    const denomination = asset?.denomination ?? 0
    return {
      asset,
      denomination,
      label: asset?.label ?? assetID,
      format: (amount) => formatAmount(amount, denomination),
    }
  }
}

/**
 * Reads the names, symbols and decimals of assets from the transactions that created them. The hash of such a
 * transaction is the asset ID, so a node can withhold these details but not falsify them.
 */
export async function lookUpAssets(
  chain: ChainView,
  assetIDs: readonly string[],
  context: NetworkContext,
  call: CallOptions,
): Promise<KnownAssets> {
  const avax = paysAVAX(context) ? formatID(context.assetID) : undefined
  const others = [...new Set(assetIDs)].filter((id) => id !== avax)
  const txs = await mapConcurrently(others, async (assetID) => {
    const tx = await chain.findTx(parseID(assetID), call).catch(undefinedIfUnknown)
    return [assetID, tx?.unsignedTx] as const
  })
  const assets = new Map<string, KnownAsset>()
  if (avax !== undefined)
    assets.set(avax, { name: 'Avalanche', symbol: 'AVAX', denomination: 9, label: 'AVAX' })
  for (const [assetID, tx] of txs) {
    if (tx?.type !== 'CreateAssetTx' || tx.denomination > MAX_DENOMINATION) continue
    const { name, symbol, denomination } = tx
    const shown = symbolText(symbol)
    const label = shown.toUpperCase() === 'AVAX' ? `${shown} of ${assetID}` : shown
    assets.set(assetID, { name, symbol, denomination, label })
  }
  return new KnownAssets(assets)
}

/** The transactions that prove what a request spends. Those that the node does not have are missing. */
export async function proofsOf(
  { chain, utxos, context }: SigningRequest<ChainAlias>,
  unsignedTx: UnsignedTxOf<ChainAlias>,
  invocation: Invocation,
): Promise<Uint8Array[]> {
  return collectProofs({ chain, unsignedTx, utxos, context }, await parentReader(invocation))
}
