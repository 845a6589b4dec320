import { hex } from '../base/encoding/hex.ts'
import type { OutputOwners } from '../chain/owners.ts'
import type { AnyUTXO, Chain, NewOutput, Spend } from './chain.ts'
import { GroupSums, isOursAlone, ownersKeys } from './owner-sums.ts'

/**
 * Who gets an output, decided by keys and proven owners alone, never by the request file:
 *
 * - `ours`: our keys can spend it without others, and others cannot spend it without us;
 * - `vault`: it has exactly the owners and threshold of spent UTXOs, and these owners get no more of the asset than
 *   they put in;
 * - `payment`: everything else.
 *
 * If the policy of the signer registers vaults, `vault` means exactly the owners of one of them, without a lock, and
 * everything else is a payment, even to our own keys: they are one of several signers of the vault.
 */
export type Ownership = 'ours' | 'vault' | 'payment'

/** Something that is spent. */
export type SpentOutput = {
  readonly spend: Spend
  /** The owners of the UTXO, or the account; undefined if unknown. */
  readonly owners: OutputOwners | undefined
  /** Whether the owners are proven, vouched for by the caller, or named by the transaction itself. */
  readonly isCertain: boolean
  /** Unix seconds; 0n for no stakeable lock. */
  readonly stakeableLocktime: bigint
}

/** An output and who gets it. */
export type AttributedOutput = NewOutput & {
  readonly ownership: Ownership
  /** How many of its owners are ours. */
  readonly ourOwners: number
  /** Whether its owners get no more of the asset under its stakeable lock than they spend under the same lock. */
  readonly keepsLock: boolean
}

/** Spent UTXOs with the same owners and threshold. */
export type InputGroup = {
  readonly owners: OutputOwners
  /** Whether one of our keys is an owner; true for all groups if our keys are unknown. */
  readonly isOurs: boolean
  /** Spent amounts, by the hex of the asset ID. */
  readonly spent: ReadonlyMap<string, bigint>
  /** The latest locktime of its UTXOs. */
  readonly locktime: bigint
}

/** Owners of the spent UTXOs and of the outputs. */
export type OwnershipView = {
  readonly outputs: readonly AttributedOutput[]
  /** Groups of the UTXOs whose owners are certain. */
  readonly groups: ReadonlyMap<string, InputGroup>
}

/** What is ours. */
export type Ours = {
  /** Our addresses. Without them no output to addresses is `ours`, and outputs to any group can be `vault`. */
  readonly addresses: readonly Uint8Array[] | undefined
  /** Our accounts on the chain, which own no UTXOs. */
  readonly accounts: readonly Uint8Array[]
  /** Registered vaults. If there are any, only they decide what is returned. */
  readonly vaults?: readonly OutputOwners[] | undefined
}

/**
 * What is spent, with the owners as far as they are known.
 *
 * @param certain - for each UTXO, whether its owners are proven or vouched for; undefined if all are
 */
export function spentOutputs(
  chain: Chain,
  spends: readonly Spend[],
  utxos: readonly (AnyUTXO | undefined)[],
  certain: readonly boolean[] | undefined,
): readonly SpentOutput[] {
  return spends.map((spend, i): SpentOutput => {
    const { account } = spend
    if (account !== undefined) {
      const owners = { threshold: 1, locktime: 0n, addresses: [account.address] }
      // The transaction itself names the account.
      return { spend, owners, isCertain: true, stakeableLocktime: 0n }
    }
    const utxo = utxos[i]
    const lockable = utxo && chain.outputOf(utxo)
    return {
      spend,
      owners: lockable?.output,
      isCertain: utxo !== undefined && certain?.[i] !== false,
      stakeableLocktime: lockable?.stakeableLocktime ?? 0n,
    }
  })
}

/** Decides who gets each output. `spent` are in the order of the credentials. */
export function viewOwnership(
  spent: readonly SpentOutput[],
  newOutputs: readonly NewOutput[],
  ours: Ours,
): OwnershipView {
  const ourAddresses = ours.addresses && new Set(ours.addresses.map(hex.encode))
  const ourAccounts = new Set(ours.accounts.map(hex.encode))
  const keyOf = ownersKeys()
  const certain = spent.filter(({ isCertain, spend }) => isCertain && spend.account === undefined)
  const { groups, sums } = inputGroups(certain, ourAddresses, keyOf)
  const operated = spent
    .filter(({ spend }) => spend.operation !== undefined)
    .map(({ owners, isCertain }) => (isCertain && owners ? keyOf(owners) : undefined))
  const soleGroup =
    groups.size === 1 && certain.length === spent.length ? [...groups.keys()][0] : undefined
  const received = receivedSums(newOutputs, keyOf)
  // An attacker can add a UTXO of its own, so that its output seems to be returned. Owners who receive more than they
  // spent are paid.
  const isCovered = (key: string, asset: string) =>
    (received.of(key).get(asset) ?? 0n) <= (sums.of(key).get(asset) ?? 0n)

  const isVault = ({ output, assetID, source, operation, isAccount }: NewOutput): boolean => {
    const key = keyOf(output)
    if (isAccount || !groups.get(key)?.isOurs || output.threshold === 0) return false
    switch (source) {
      case 'outputs':
      case 'exportedOutputs':
        return isCovered(key, hex.encode(assetID))
      case 'operations':
        return operated[operation!] === key
      case 'initialStates':
        return soleGroup === key
    }
  }
  const isRegistered = registeredOutputs(ours.vaults ?? [], keyOf)
  const outputs = newOutputs.map((item): AttributedOutput => {
    const { output, assetID, isAccount, stakeableLocktime } = item
    const ourNames = isAccount ? ourAccounts : ourAddresses
    const ourOwners =
      ourNames === undefined || isRegistered !== undefined
        ? 0
        : output.addresses.filter((address) => ourNames.has(hex.encode(address))).length
    const isReturned = isRegistered ?? isVault
    const ownership = isOursAlone(output, ourOwners)
      ? 'ours'
      : isReturned(item)
        ? 'vault'
        : 'payment'
    const keepsLock =
      stakeableLocktime === 0n ||
      isCovered(lockKey(keyOf(output), stakeableLocktime), hex.encode(assetID))
    return { ...item, ownership, ourOwners, keepsLock }
  })
  return { outputs, groups }
}

/**
 * Returns a function that says whether an output belongs to a registered vault; undefined if none is registered. A lock
 * makes an output something else than what was registered.
 */
function registeredOutputs(
  vaults: readonly OutputOwners[],
  keyOf: (owners: OutputOwners) => string,
): ((output: NewOutput) => boolean) | undefined {
  if (vaults.length === 0) return undefined
  const keys = new Set(vaults.map(keyOf))
  return ({ output, isAccount, stakeableLocktime }) =>
    !isAccount && output.locktime === 0n && stakeableLocktime === 0n && keys.has(keyOf(output))
}

/** Key of the amounts that owners have under one stakeable lock. */
function lockKey(key: string, stakeableLocktime: bigint): string {
  return `${key} locked until ${stakeableLocktime}`
}

/** How much of each asset each set of owners receives in transfer outputs, not counting newly minted amounts. */
function receivedSums(
  newOutputs: readonly NewOutput[],
  keyOf: (owners: OutputOwners) => string,
): GroupSums {
  const sums = new GroupSums()
  for (const { output, assetID, source, isAccount, stakeableLocktime } of newOutputs) {
    if (isAccount || (source !== 'outputs' && source !== 'exportedOutputs')) continue
    if (output.type !== 'secp256k1fx.TransferOutput') continue
    const key = keyOf(output)
    sums.add(key, assetID, output.amount)
    if (stakeableLocktime > 0n) sums.add(lockKey(key, stakeableLocktime), assetID, output.amount)
  }
  return sums
}

function inputGroups(
  certain: readonly SpentOutput[],
  ourAddresses: ReadonlySet<string> | undefined,
  keyOf: (owners: OutputOwners) => string,
): { readonly groups: Map<string, InputGroup>; readonly sums: GroupSums } {
  const sums = new GroupSums()
  const groups = new Map<string, InputGroup>()
  for (const { spend, owners, stakeableLocktime } of certain) {
    if (owners === undefined) continue
    const key = keyOf(owners)
    sums.add(key, spend.assetID, spend.amount ?? 0n)
    if (stakeableLocktime > 0n)
      sums.add(lockKey(key, stakeableLocktime), spend.assetID, spend.amount ?? 0n)
    const group = groups.get(key)
    if (group !== undefined && group.locktime >= owners.locktime) continue
    groups.set(key, {
      owners,
      isOurs:
        group?.isOurs ??
        (ourAddresses === undefined ||
          owners.addresses.some((address) => ourAddresses.has(hex.encode(address)))),
      spent: sums.of(key),
      locktime: owners.locktime,
    })
  }
  return { groups, sums }
}
