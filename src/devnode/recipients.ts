import {
  bigintFrom,
  kinds,
  list,
  located,
  type Members,
  optional,
  type Place,
  text,
  u32,
  u64,
} from '../core/base/argument.ts'
import { compareBytes } from '../core/base/bytes/compare.ts'
import { parseAddress } from '../core/base/encoding/address.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { parseID } from '../core/base/encoding/ids.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import { idBytes } from './control/arguments.ts'
import { address, xChainAddress } from './settings.ts'
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

/** Describes the members of {@link Recipient}. */
export const recipientMembers: Members<Recipient> = {
  address: kinds<Recipient['address']>({ string: address, bytes: address, list: list(address) }),
  amount: bigintFrom(0n),
  asset: optional(kinds<string | Uint8Array>({ string: text, bytes: idBytes })),
  locktime: optional(u64),
  threshold: optional(u32),
}

/** Aliases of genesis assets, by asset ID in hex. */
export type AssetAliases = ReadonlyMap<string, string>

/** Converts the addresses and the asset of the recipient at a place to bytes. `chain` is the chain of address texts. */
export function grantOf(
  recipient: Recipient,
  { call, path }: Place,
  context: NetworkContext,
  aliases: AssetAliases,
  chain: 'X' | 'P' = 'X',
): Grant {
  const { address, amount, asset, locktime = 0n, threshold = 1 } = recipient
  const { hrp } = context
  const at = (name: string): Place => ({ call, path: path === '' ? name : `${path}.${name}` })
  const toBytes = (item: string | Uint8Array, name: string): Uint8Array =>
    located(at(name), () =>
      typeof item === 'string' && chain === 'P'
        ? parseAddress(item, { chain, hrp }).address
        : xChainAddress(item, hrp),
    )
  const addresses = Array.isArray(address)
    ? address.map((item, i) => toBytes(item, `address[${i}]`)).sort(compareBytes)
    : [toBytes(address as string | Uint8Array, 'address')]
  const assetID =
    asset === undefined
      ? context.assetID
      : located(at('asset'), () => assetIDByAlias(asset, aliases))
  return { assetID, amount, owners: { locktime, threshold, addresses } }
}

function assetIDByAlias(asset: string | Uint8Array, aliases: AssetAliases): Uint8Array {
  if (typeof asset !== 'string') return asset
  for (const [key, alias] of aliases) if (alias === asset) return hex.decode(key)
  return parseID(asset)
}
