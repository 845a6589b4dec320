import {
  type AddressArgument,
  type ChangeArgument,
  type OwnersArgument,
  toAddress,
  toID,
  toOwners,
  toPeer,
} from '../build/arguments.ts'
import { type ImportOptions, planImport } from '../build/import.ts'
import type { LeftBehind, Plan } from '../build/plan.ts'
import { planSweep, type SweepOptions } from '../build/sweep.ts'
import { equalBytes } from '../bytes/compare.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { formatAddress } from '../encoding/address.ts'
import type { BatchJob, Scope } from './batch.ts'
import type { BatchPreview, BatchProgress } from './batch-result.ts'
import { WalletError } from './errors.ts'
import type { View } from './recipes.ts'

/** What every batch takes beside what it moves. */
export type BatchOptions = {
  /** Transactions under way at the same time; 4 unless told. */
  readonly inFlight?: number
  readonly onProgress?: (progress: BatchProgress) => void
  /**
   * Asked before anything is signed, and again should it take more transactions than this was told of: those
   * of the preview, or of its `total` where that was looked at.
   */
  readonly confirmPlan?: (preview: BatchPreview) => boolean | Promise<boolean>
}

/** @inline */
type Shared = Pick<SweepOptions, 'assets' | 'withoutAssets' | 'memo' | 'maxFee' | 'maxSize'>

/** Everything to one owner, in as many transactions as it takes. */
export type SweepCall = OwnersArgument &
  Shared &
  Pick<SweepOptions, 'clearSign' | 'dustLine' | 'changeTo'> & {
    /** Only coins of these addresses of the wallet. */
    readonly from?: readonly AddressArgument[]
  }

/** Many coins into few, at one address of the wallet. */
export type ConsolidateCall = Shared &
  Pick<SweepOptions, 'clearSign' | 'dustLine'> & {
    /** Which address of the wallet; the one for change unless told. */
    readonly to?: AddressArgument
  }

/** Everything that waits from another chain. */
export type ImportCall = Shared &
  Pick<ImportOptions, 'fromChain' | 'utxos' | 'feeFrom' | 'changeTo'> &
  Omit<OwnersArgument, 'to'> & {
    /** The wallet's change address unless told. */
    readonly to?: OwnersArgument['to']
  }

/** A sweep: what already belongs to the target stays there. */
export function sweepJob(call: SweepCall): BatchJob {
  return {
    source: {},
    repeats: false,
    plan: (view, scope) => {
      const { context } = view
      const from = call.from?.map((address) => toAddress(address, context)) ?? view.owners
      const target = soleOwner(call, context)
      const owners = from.filter((owner) => target === undefined || !equalBytes(owner, target))
      const plan = planSweep({ ...call, ...planOptions(view, call, scope), owners })
      return owners.length < from.length ? withArrived(plan, view, from) : plan
    },
  }
}

/** Tells coins that are at the target already, which is one of `from`, from those of others. */
function withArrived(plan: Plan, { coins, now }: View, from: readonly Uint8Array[]): Plan {
  const balances = coins.balances({ owners: from, now })
  const leftBehind = plan.leftBehind.flatMap((one): LeftBehind[] => {
    if (one.reason !== 'otherOwners') return [one]
    const balance = balances.find(({ assetID }) => equalBytes(assetID, one.assetID))
    const amount = balance?.otherOwners ?? 0n
    const arrived: LeftBehind = { ...one, reason: 'arrived', amount: one.amount - amount }
    return [arrived, { ...one, amount }].filter((part) => part.amount > 0n)
  })
  return { ...plan, leftBehind }
}

/** A consolidation: goes on until no transaction would make coins fewer. */
export function consolidateJob(call: ConsolidateCall): BatchJob {
  return {
    source: {},
    isUseful: ({ unsignedTx }) => unsignedTx.inputs.length > unsignedTx.outputs.length,
    repeats: true,
    plan: (view, scope) => {
      const to = ownAddress(call.to ?? homeOf(view), view)
      return planSweep({ ...call, ...planOptions(view, call, scope), to, changeTo: to })
    },
  }
}

/** An import of everything that waits. */
export function importJob(call: ImportCall, context: NetworkContext): BatchJob {
  const { chainID } = toPeer(call.fromChain, context)
  return {
    source: { sourceChain: chainID },
    repeats: false,
    plan: (view, scope) => {
      const to = call.to ?? homeOf(view)
      return planImport({ ...call, ...planOptions(view, call, scope), to })
    },
  }
}

/** Where coins of the wallet go if nothing else is said. */
function homeOf({ changeTo, owners }: View): Uint8Array {
  return changeTo ?? owners[0]!
}

/** Everything there is goes to it, so it must not be somebody else's. */
function ownAddress(argument: AddressArgument, { context, owners }: View): Uint8Array {
  const address = toAddress(argument, context)
  if (owners.some((owner) => equalBytes(owner, address))) return address
  const { chainAlias: chain, hrp } = context
  throw new WalletError(
    'NOT_OUR_ADDRESS',
    `expected an address of the wallet, found ${formatAddress({ chain, hrp, address })}`,
    { hint: 'name one that is in `to`, or sweep to send everything to somebody else' },
  )
}

function planOptions(
  { context, coins, owners, now, changeTo }: View,
  call: Shared & { readonly changeTo?: ChangeArgument },
  scope: Scope,
): Scope & Omit<View, 'pinned' | 'changeTo'> & { readonly changeTo?: ChangeArgument } {
  const without = [...(call.withoutAssets ?? []).map(toID), ...scope.withoutAssets]
  const change = call.changeTo ?? changeTo
  // A group of assets is a part of those asked for, so it may stand for them.
  const assets = scope.assets ?? call.assets?.map(toID)
  return {
    context,
    coins,
    owners,
    now,
    withoutAssets: without,
    excluded: scope.excluded,
    ...(assets === undefined ? {} : { assets }),
    ...(change === undefined ? {} : { changeTo: change }),
  }
}

/** The address that gets everything without a lock, if it is one alone. */
function soleOwner(to: OwnersArgument, context: NetworkContext): Uint8Array | undefined {
  const { locktime, addresses } = toOwners(to, context)
  return locktime === 0n && addresses.length === 1 ? addresses[0] : undefined
}
