import { compareBytes } from '../core/base/bytes/compare.ts'
import { parseAddress } from '../core/base/encoding/address.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { parseID } from '../core/base/encoding/ids.ts'
import { requireFields } from '../core/base/require.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import { xChainAddress } from './settings.ts'
import type { Grant } from './x-chain/faucet.ts'

/** Owners and amount of a UTXO to create. */
export type Recipient = {
  /** `X-local1…` or 20 bytes. Of several addresses, `threshold` must sign. */
  readonly address: string | Uint8Array | readonly (string | Uint8Array)[]
  /** In the asset's smallest unit. */
  readonly amount: bigint
  /**
   * Asset ID as bytes or text, or alias of a genesis asset.
   *
   * @defaultValue AVAX
   */
  readonly asset?: string | Uint8Array | undefined
  /**
   * Unix time in seconds before which it cannot be spent.
   *
   * @defaultValue 0n
   */
  readonly locktime?: bigint | undefined
  /**
   * Number of signatures needed.
   *
   * @defaultValue 1
   */
  readonly threshold?: number | undefined
}

/** Aliases of genesis assets, by asset ID in hex. */
export type AssetAliases = ReadonlyMap<string, string>

/** Converts the addresses and the asset of a recipient to bytes. `chain` is the chain of address texts. */
export function grantOf(
  recipient: Recipient,
  context: NetworkContext,
  aliases: AssetAliases,
  chain: 'X' | 'P' = 'X',
): Grant {
  requireFields(recipient, 'recipient', ['address', 'amount'])
  const { address, amount, asset, locktime = 0n, threshold = 1 } = recipient
  const { hrp } = context
  const list = Array.isArray(address) ? address : [address as string | Uint8Array]
  const toBytes = (item: string | Uint8Array): Uint8Array =>
    typeof item === 'string' && chain === 'P'
      ? parseAddress(item, { chain, hrp }).address
      : xChainAddress(item, hrp)
  const addresses = list.map(toBytes).sort(compareBytes)
  const assetID = asset === undefined ? context.assetID : assetIDByAlias(asset, aliases)
  return { assetID, amount, owners: { locktime, threshold, addresses } }
}

function assetIDByAlias(asset: string | Uint8Array, aliases: AssetAliases): Uint8Array {
  if (typeof asset !== 'string') return asset
  for (const [key, alias] of aliases) if (alias === asset) return hex.decode(key)
  return parseID(asset)
}
