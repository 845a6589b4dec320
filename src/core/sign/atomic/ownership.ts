import { hex } from '../../base/encoding/hex.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import { GroupSums, isOursAlone, ownersKeys } from '../owner-sums.ts'
import type { Ownership } from '../ownership.ts'

/** The amount that an input spends, and its owners. */
export type SpentAmount = AssetAmount & {
  /** Unix seconds before which it can be staked only; absent if never locked. */
  readonly stakeableLocktime?: bigint | undefined
  /** The owners of the spent UTXO; undefined if they are not certain. */
  readonly owners?: OutputOwners | undefined
}

/** An output whose ownership is to be decided. */
type OwnedOutput = AssetAmount & {
  readonly addresses: readonly Uint8Array[]
  readonly threshold: number
  readonly locktime: bigint
  readonly stakeableLocktime: bigint
  /** Whether the address is an account of the C-Chain. */
  readonly isAccount?: true | undefined
}

/** The ownership of an output, decided as on the X-Chain. */
export type Attribution = {
  readonly ownership: Ownership
  /** Number of owners that are ours. */
  readonly ourOwners: number
  /** Whether its owners get no more of the asset under this stakeable lock than they spend under the same lock. */
  readonly keepsLock: boolean
  /** The highest threshold of our spent UTXOs of the asset; 0 if there are none. */
  readonly spentThreshold: number
}

/**
 * Decides who gets each output. `ours` are our addresses; without them no output to addresses is `ours`, and outputs to
 * the owners of any spent UTXO can be `vault`. `accounts` are our accounts on the C-Chain.
 */
export function attribute(
  spends: readonly SpentAmount[],
  outputs: readonly OwnedOutput[],
  ours: readonly Uint8Array[] | undefined,
  accounts: readonly Uint8Array[],
): Attribution[] {
  const ourAddresses = ours && new Set(ours.map(hex.encode))
  const ourAccounts = new Set(accounts.map(hex.encode))
  const isOneOurs = ({ addresses }: OutputOwners) =>
    ourAddresses === undefined || addresses.some((address) => ourAddresses.has(hex.encode(address)))
  const keyOf = ownersKeys()
  const spent = new GroupSums()
  const received = new GroupSums()
  const vaults = new Set<string>()
  const thresholds = new Map<string, number>()
  for (const { owners, assetID, amount, stakeableLocktime = 0n } of spends) {
    if (owners === undefined || !isOneOurs(owners)) continue
    const key = keyOf(owners)
    vaults.add(key)
    spent.add(key, assetID, amount)
    spent.add(lockKey(key, stakeableLocktime), assetID, amount)
    const asset = hex.encode(assetID)
    thresholds.set(asset, Math.max(thresholds.get(asset) ?? 0, owners.threshold))
  }
  for (const output of outputs) {
    if (output.isAccount) continue
    const key = keyOf(output)
    received.add(key, output.assetID, output.amount)
    received.add(lockKey(key, output.stakeableLocktime), output.assetID, output.amount)
  }
  const isCovered = (key: string, asset: string) =>
    (received.of(key).get(asset) ?? 0n) <= (spent.of(key).get(asset) ?? 0n)

  return outputs.map((output) => {
    const { addresses, threshold, assetID, isAccount, stakeableLocktime } = output
    const ourNames = isAccount ? ourAccounts : ourAddresses
    const ourOwners = addresses.filter((address) => ourNames?.has(hex.encode(address))).length
    const key = keyOf(output)
    const asset = hex.encode(assetID)
    // An attacker can add a UTXO of its own, so that its output seems to be returned. Owners who receive more than
    // they spent are paid.
    const isVault = !isAccount && threshold > 0 && vaults.has(key) && isCovered(key, asset)
    return {
      ownership: isOursAlone(output, ourOwners) ? 'ours' : isVault ? 'vault' : 'payment',
      ourOwners,
      keepsLock: isCovered(lockKey(key, stakeableLocktime), asset),
      spentThreshold: thresholds.get(asset) ?? 0,
    }
  })
}

/** Key of the amounts that owners have under one stakeable lock. */
function lockKey(key: string, stakeableLocktime: bigint): string {
  return `${key} locked until ${stakeableLocktime}`
}
