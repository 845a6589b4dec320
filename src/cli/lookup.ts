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
import { AvmError } from '../errors.ts'
import { AbortError, type NodeClient, RpcError } from '../rpc/index.ts'
import type { AssetFacts } from '../sign/index.ts'

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

/** What the makers of assets called them, by the text of the ID. */
export async function assetFacts(
  client: NodeClient,
  assetIDs: readonly string[],
  context: NetworkContext,
  call: Call,
): Promise<{ readonly [assetID: string]: AssetFacts & { readonly name: string } }> {
  const native = formatID(context.assetID)
  const asked = [...new Set(assetIDs)].filter((id) => id !== native)
  const found = await each(asked, async (assetID) => {
    const description = await client.avm.getAssetDescription({ assetID }, call).catch(unknown)
    return [assetID, description] as const
  })
  const facts: { [assetID: string]: AssetFacts & { readonly name: string } } = {
    [native]: { name: 'Avalanche', symbol: 'AVAX', denomination: 9 },
  }
  for (const [assetID, description] of found)
    if (description !== undefined) {
      const { name, symbol, denomination } = description
      facts[assetID] = { name, symbol, denomination }
    }
  return facts
}

/** What the node itself does not know stays unknown; all else is a failure. */
function unknown(error: unknown): undefined {
  if (error instanceof AbortError || !(error instanceof AvmError)) throw error
  if (!(error instanceof RpcError)) throw error
}
