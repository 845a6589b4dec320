import type { AssetAmount } from '../chain/amounts.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { hex } from '../encoding/hex.ts'
import { GroupSums, isOursAlone, ownersKeys } from '../sign/owner-sums.ts'
import type { Ownership } from '../sign/ownership.ts'

/** The output that an input spends. */
export type SpentAmount = AssetAmount & {
  /** Unix seconds before which it can be staked only; absent if never locked. */
  readonly stakeableLocktime?: bigint | undefined
  /** The owners of the spent UTXO; undefined if they are not certain. */
  readonly owners?: OutputOwners | undefined
}

/** An output to attribute. */
type OwnedOutput = AssetAmount & {
  readonly addresses: readonly Uint8Array[]
  readonly threshold: number
  readonly locktime: bigint
  readonly stakeableLocktime: bigint
  /** Whether the address is an account of the C-Chain. */
  readonly isAccount?: true | undefined
}

/** The ownership of an output, by the rules of the X-Chain. */
export type Attribution = {
  readonly ownership: Ownership
  /** Number of owners that are ours. */
  readonly ourOwners: number
  /** Whether its owners get no more that is locked until this time for staking than they spend. */
  readonly keepsLock: boolean
  /** The most signatures that spending our UTXOs of the asset takes. */
  readonly guard: number
}

/**
 * Decides who gets each output. `ours` are our addresses; without them no address is ours, and all owners of spent
 * UTXOs count as a vault.
 */
export function attribute(
  spends: readonly SpentAmount[],
  outputs: readonly OwnedOutput[],
  ours: readonly Uint8Array[] | undefined,
  accounts: readonly Uint8Array[],
): Attribution[] {
  const own = ours && new Set(ours.map(hex.encode))
  const ownAccounts = new Set(accounts.map(hex.encode))
  const isOneOurs = ({ addresses }: OutputOwners) =>
    own === undefined || addresses.some((address) => own.has(hex.encode(address)))
  const keyOf = ownersKeys()
  const spent = new GroupSums()
  const made = new GroupSums()
  const vaults = new Set<string>()
  const guards = new Map<string, number>()
  for (const { owners, assetID, amount, stakeableLocktime = 0n } of spends) {
    if (owners === undefined || !isOneOurs(owners)) continue
    const key = keyOf(owners)
    vaults.add(key)
    spent.add(key, assetID, amount)
    spent.add(lockKey(key, stakeableLocktime), assetID, amount)
    const asset = hex.encode(assetID)
    guards.set(asset, Math.max(guards.get(asset) ?? 0, owners.threshold))
  }
  const ofOwners = outputs.filter(({ isAccount }) => !isAccount)
  for (const output of ofOwners) {
    const key = keyOf(output)
    made.add(key, output.assetID, output.amount)
    made.add(lockKey(key, output.stakeableLocktime), output.assetID, output.amount)
  }
  const isCovered = (key: string, asset: string) =>
    (made.of(key).get(asset) ?? 0n) <= (spent.of(key).get(asset) ?? 0n)

  return outputs.map((output) => {
    const { addresses, threshold, assetID, isAccount, stakeableLocktime } = output
    const known = isAccount ? ownAccounts : own
    const ourOwners = addresses.filter((address) => known?.has(hex.encode(address))).length
    const key = keyOf(output)
    const asset = hex.encode(assetID)
    // An attacker can add a UTXO of its own: owners that gain are paid, not repaid.
    const isVault = !isAccount && threshold > 0 && vaults.has(key) && isCovered(key, asset)
    return {
      ownership: isOursAlone(output, ourOwners) ? 'ours' : isVault ? 'vault' : 'payment',
      ourOwners,
      keepsLock: isCovered(lockKey(key, stakeableLocktime), asset),
      guard: guards.get(asset) ?? 0,
    }
  })
}

function lockKey(key: string, stakeableLocktime: bigint): string {
  return `${key} locked until ${stakeableLocktime}`
}
