import {
  boolean,
  type Check,
  fn,
  integerFrom,
  list,
  type Members,
  object,
  oneOf,
  optional,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { utxoIDs } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import {
  type AddressArgument,
  type ChangeArgument,
  type OwnersArgument,
  toAddress,
  toID,
  toOtherChain,
  toOwners,
} from '../../core/draft/arguments.ts'
import { address, amount, assetIDs, chain, ownersMembers } from '../../core/draft/descriptions.ts'
import type { LeftBehind, Plan } from '../../core/draft/plan.ts'
import { spendAllMembers } from '../../core/draft/x/assemble.ts'
import { type ImportOptions, planImport } from '../../core/draft/x/import.ts'
import { wantedAssets } from '../../core/draft/x/pack-sweep.ts'
import { planSweep, type SweepOptions } from '../../core/draft/x/sweep.ts'
import { type SendOptions, sendMembers } from '../options.ts'
import type { WalletView } from '../payments/intents.ts'
import type { BatchJob } from './batch.ts'
import type { BatchPreview, BatchProgress } from './batch-result.ts'

/** Options of every batch. */
export type BatchOptions = {
  /**
   * Transactions that may be pending at the same time; from 1 to 1,024.
   *
   * @defaultValue 4
   */
  readonly inFlight?: number | undefined
  /** Called as transactions are planned and accepted. */
  readonly onProgress?: ((progress: BatchProgress) => void) | undefined
  /**
   * Called before anything is signed, and again if the fee of a transaction rises or if it takes more transactions than
   * were shown: those of the preview, or of its `total` if that was called. Without `confirm`, a transaction that is
   * drafted again, maybe one of an earlier batch, is shown as a plan of its own.
   */
  readonly confirmPlan?: ((preview: BatchPreview) => boolean | Promise<boolean>) | undefined
}

const MAX_IN_FLIGHT = 1_024

/** Description of `SendOptions & BatchOptions`. */
export const batchOptions: Check<SendOptions & BatchOptions> = object<SendOptions & BatchOptions>({
  ...sendMembers,
  inFlight: optional(integerFrom(1, MAX_IN_FLIGHT)),
  onProgress: optional(fn<NonNullable<BatchOptions['onProgress']>>()),
  confirmPlan: optional(fn<NonNullable<BatchOptions['confirmPlan']>>()),
})

/** @inline */
type Shared = Pick<SweepOptions, 'assets' | 'withoutAssets' | 'memo' | 'maxFee' | 'maxSize'>

const { changeTo, memo, maxFee, maxSize } = spendAllMembers

const sharedMembers: Members<Shared> = {
  memo,
  maxFee,
  maxSize,
  assets: assetIDs,
  withoutAssets: assetIDs,
}

const sizeMembers: Members<Pick<SweepOptions, 'clearSign' | 'dustThreshold'>> = {
  clearSign: optional(boolean),
  dustThreshold: optional(amount),
}

/** Sends everything to one owner, in as many transactions as needed. */
export type SweepCall = OwnersArgument &
  Shared &
  Pick<SweepOptions, 'clearSign' | 'dustThreshold' | 'changeTo'> & {
    /** Only UTXOs of these addresses of the wallet. */
    readonly from?: readonly AddressArgument[] | undefined
  }

/** Description of `SweepCall`. */
export const sweepCall: Check<SweepCall> = object<SweepCall>({
  ...ownersMembers,
  ...sharedMembers,
  ...sizeMembers,
  changeTo,
  from: optional(list(address)),
})

/** Merges many UTXOs into few, at one address of the wallet. */
export type ConsolidateCall = Shared &
  Pick<SweepOptions, 'clearSign' | 'dustThreshold'> & {
    /**
     * The address of the wallet that receives everything. Another address is the danger `FOREIGN_CHANGE`.
     *
     * @defaultValue the change address
     */
    readonly to?: AddressArgument | undefined
  }

/** Description of `ConsolidateCall`. */
export const consolidateCall: Check<ConsolidateCall> = object<ConsolidateCall>({
  ...sharedMembers,
  ...sizeMembers,
  to: optional(address),
})

/** Imports everything that another chain exported to the wallet. */
export type ImportCall = Shared &
  Pick<ImportOptions, 'sourceChain' | 'utxos' | 'feeFrom' | 'changeTo'> &
  Omit<OwnersArgument, 'to'> & {
    /** @defaultValue the wallet's change address */
    readonly to?: OwnersArgument['to'] | undefined
  }

/** Description of `ImportCall`. */
export const importCall: Check<ImportCall> = object<ImportCall>({
  ...ownersMembers,
  ...sharedMembers,
  to: optional(ownersMembers.to),
  sourceChain: chain,
  utxos: optional(utxoIDs),
  feeFrom: optional(oneOf('imported', 'local', 'either')),
  changeTo,
})

/**
 * A sweep. UTXOs that already belong to the target stay there. If there are fewer AVAX UTXOs than transactions, each of
 * which needs one for its fee, the other assets are swept first; until then the change of AVAX returns to the swept
 * addresses.
 */
export function sweepJob({ from: swept, ...call }: SweepCall): BatchJob {
  return {
    source: {},
    maxFee: call.maxFee,
    repeats: leavesUnpaid,
    plan: (view, without) => {
      const { context } = view
      const from = (swept ?? view.owners).map((one) => toAddress(one, context))
      const target = soleOwner(call, context)
      const owners = from.filter((owner) => target === undefined || !equalBytes(owner, target))
      const options = { ...call, ...planOptions({ ...view, owners }, call, without) }
      const all = planSweep(options)
      const plan = (leavesUnpaid(all) && planTokens(options)) || all
      return owners.length < from.length ? withArrived(plan, view, from) : plan
    },
  }
}

/**
 * Plans to sweep everything but AVAX, whose change returns to the swept addresses. Undefined if the sweep does not
 * include AVAX, or includes nothing else.
 */
function planTokens(options: SweepOptions): Plan | undefined {
  const { context, funds, withoutAssets = [] } = options
  if (!wantedAssets(options)(context.assetID)) return undefined
  const plan = planSweep({
    ...options,
    withoutAssets: [...withoutAssets, context.assetID],
    changeTo: funds.owners[0],
  })
  return plan.transactions > 0 ? plan : undefined
}

/** Whether a plan leaves UTXOs behind whose fee the change of its transactions may pay. */
function leavesUnpaid({ leftBehind }: Plan): boolean {
  return leftBehind.some(({ reason }) => reason === 'fee')
}

/**
 * Splits the UTXOs left behind as those of other owners: those of the target, which is one of `from`, become `arrived`.
 */
function withArrived(plan: Plan, { utxos, now }: WalletView, from: readonly Uint8Array[]): Plan {
  const balances = utxos.balances({ owners: from, now })
  const leftBehind = plan.leftBehind.flatMap((one): LeftBehind[] => {
    if (one.reason !== 'otherOwners') return [one]
    const balance = balances.find(({ assetID }) => equalBytes(assetID, one.assetID))
    const amount = balance?.otherOwners ?? 0n
    const arrived: LeftBehind = { ...one, reason: 'arrived', amount: one.amount - amount }
    return [arrived, { ...one, amount }].filter((part) => part.amount > 0n)
  })
  return { ...plan, leftBehind }
}

/**
 * Refuses an address that should be the wallet's and is not, unless that is accepted.
 *
 * @throws SignError `FOREIGN_CHANGE`
 */
export type RequireOwn = (address: Uint8Array) => void

/** A consolidation. Continues until no transaction would reduce the number of UTXOs. */
export function consolidateJob(
  call: ConsolidateCall,
  _: NetworkContext,
  requireOwn: RequireOwn,
): BatchJob {
  return {
    source: {},
    maxFee: call.maxFee,
    isUseful: ({ unsignedTx }) => unsignedTx.inputs.length > unsignedTx.outputs.length,
    repeats: ({ transactions }) => transactions > 1,
    plan: (view, without) => {
      const to = toAddress(call.to ?? changeAddressOf(view), view.context)
      requireOwn(to)
      return planSweep({ ...call, ...planOptions(view, call, without), to, changeTo: to })
    },
  }
}

/** An import of all atomic UTXOs. */
export function importJob(
  call: ImportCall,
  context: NetworkContext,
  requireOwn: RequireOwn,
): BatchJob {
  const { chainID } = toOtherChain(call.sourceChain, context)
  return {
    source: { sourceChain: chainID },
    maxFee: call.maxFee,
    repeats: leavesUnpaid,
    plan: (view, without) => {
      const to = call.to ?? changeAddressOf(view)
      if (call.to === undefined) requireOwn(changeAddressOf(view))
      return planImport({ ...call, ...planOptions(view, call, without), to })
    },
  }
}

/** The configured change address. Default: the first address. */
function changeAddressOf({ changeTo, owners }: WalletView): Uint8Array {
  return changeTo ?? owners[0]!
}

function planOptions(
  { context, utxos, owners, now, changeTo }: WalletView,
  call: Shared & { readonly changeTo?: ChangeArgument | undefined },
  without: readonly Uint8Array[],
): Pick<SweepOptions, 'context' | 'funds' | 'withoutAssets' | 'changeTo'> {
  return {
    context,
    funds: { utxos, owners, now },
    withoutAssets: [...(call.withoutAssets ?? []).map(toID), ...without],
    changeTo: call.changeTo ?? changeTo,
  }
}

/** The address that receives everything; undefined if there is a locktime or there are several owners. */
function soleOwner(to: OwnersArgument, context: NetworkContext): Uint8Array | undefined {
  const { locktime, addresses } = toOwners(to, context)
  return locktime === 0n && addresses.length === 1 ? addresses[0] : undefined
}
