import {
  consumedUTXOs,
  createdUTXOs,
  type NetworkContext,
  type SignedTx,
  type UnsignedTx,
  type UTXO,
  utxoKey,
} from '../chain/index.ts'
import { formatID, hex } from '../encoding/index.ts'
import type { NodeClient } from '../rpc/index.ts'
import { type AssetFacts, collectProofs, type ProofSubject } from '../sign/index.ts'
import { symbolText } from '../sign/text.ts'
import type { Invocation } from './invocation.ts'
import { parentReader, unknown } from './other-chains.ts'

/** How many questions are asked at the same time. */
const AT_ONCE = 8

type Call = { readonly signal?: AbortSignal }

/** Does the same to all, a few at a time; the results keep the order. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  return results
}

/** The UTXOs that a transaction spends, as far as the node knows the transactions that made them. */
export async function spentUTXOs(
  client: NodeClient,
  unsignedTx: UnsignedTx,
  call: Call,
): Promise<UTXO[]> {
  const spent = consumedUTXOs(unsignedTx)
  const ids = new Map(spent.map(({ txID }) => [hex.encode(txID), txID]))
  const txs = await each([...ids.values()], (txID) =>
    client.avm.getTx({ txID }, call).catch(unknown),
  )
  const wanted = new Set(spent.map(utxoKey))
  return txs
    .filter((tx): tx is SignedTx => tx !== undefined)
    .flatMap((tx) => createdUTXOs(tx))
    .filter((utxo) => wanted.has(utxoKey(utxo)))
}

/** What the transaction that created an asset says of it. */
export type KnownAsset = AssetFacts & {
  readonly name: string
  /** The symbol as it is shown: nothing hidden in it, and not mistaken for that of the native asset. */
  readonly label: string
}

/**
 * What the makers of assets called them, by the text of the ID. The facts are read from each CreateAssetTx, whose
 * hash is the asset's ID: a node can hide them but not change them.
 */
export async function assetFacts(
  client: NodeClient,
  assetIDs: readonly string[],
  context: NetworkContext,
  call: Call,
): Promise<{ readonly [assetID: string]: KnownAsset }> {
  const native = formatID(context.assetID)
  const asked = [...new Set(assetIDs)].filter((id) => id !== native)
  const found = await each(asked, async (assetID) => {
    const tx = await client.avm.getTx({ txID: assetID }, call).catch(unknown)
    return [assetID, tx?.unsignedTx] as const
  })
  const facts: { [assetID: string]: KnownAsset } = {
    [native]: { name: 'Avalanche', symbol: 'AVAX', denomination: 9, label: 'AVAX' },
  }
  for (const [assetID, tx] of found) {
    if (tx?.type !== 'CreateAssetTx' || tx.denomination > MAX_DENOMINATION) continue
    const { name, symbol, denomination } = tx
    const shown = symbolText(symbol)
    const label = shown.toUpperCase() === 'AVAX' ? `${shown} of ${assetID}` : shown
    facts[assetID] = { name, symbol, denomination, label }
  }
  return facts
}

/** The node allows no more decimals. */
const MAX_DENOMINATION = 32

/** Returns the transactions that prove what a draft spends, as far as the node knows them. */
export async function proofsOf(draft: ProofSubject, invocation: Invocation): Promise<Uint8Array[]> {
  const client = await invocation.client()
  const call = invocation.callOptions()
  return collectProofs(
    draft,
    (txID) => client.avm.getTx({ txID }, call).catch(unknown),
    await parentReader(invocation),
  )
}
