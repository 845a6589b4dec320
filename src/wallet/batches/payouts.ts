import {
  boolean,
  type Check,
  fn,
  integerFrom,
  list,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { type OutputArgument, toAssetID, toBytes } from '../../core/draft/arguments.ts'
import { memo, outputMembers } from '../../core/draft/descriptions.ts'
import { WalletError } from '../errors.ts'
import { keyConflict } from '../machine/errors.ts'
import { type SendOptions, sendMembers } from '../options.ts'
import { type PayoutTxOptions, payoutTxMembers } from '../payments/calls.ts'
import type { Content } from '../payments/content.ts'
import { explainConflict } from '../payments/details-text.ts'
import type { Engine } from '../payments/engine.ts'
import { transferIntent } from '../payments/intents.ts'
import { claimedPayments } from '../payments/payment-keys.ts'
import { resumePayments } from '../payments/resuming.ts'
import type { WalletState } from '../wallet-state.ts'
import {
  affordable,
  costOf,
  groupPayouts,
  type PayoutItem,
  type Shortage,
  shortagesOf,
  shortageText,
} from './payout-funds.ts'

/** One payment of a list. */
export type Payout = OutputArgument & {
  /** Idempotency key: the payment is made at most once under it. */
  readonly key: string
  /** Payments with different memos are made by different transactions. */
  readonly memo?: Uint8Array | string | undefined
}

/** Any number of payments, in as few transactions as possible. */
export type PayoutsCall = PayoutTxOptions & {
  readonly payments: readonly Payout[]
  /**
   * Payments per transaction, from 1 to 250.
   *
   * @defaultValue 100
   */
  readonly size?: number | undefined
  /**
   * Whether the first payments are made, in their order, as far as the funds reach. Otherwise all of them or none.
   *
   * @defaultValue false
   */
  readonly partial?: boolean | undefined
}

/** What a call will pay, before anything is signed. */
export type PayoutsPlan = {
  /** Payments of the call that were made before. */
  readonly paidBefore: number
  /** Payments that will be made. */
  readonly payments: readonly Payout[]
  readonly transactions: number
  /** Sum of the fees, in nAVAX. */
  readonly fee: bigint
}

/** Options of `payouts`. */
export type PayoutsOptions = SendOptions & {
  /** As for payments: pay although an own transaction that the store does not know may have made a payment. */
  readonly again?: boolean | undefined
  /** Called once before anything is signed. Anything but `true` ends the call. */
  readonly confirmPlan?: ((plan: PayoutsPlan) => boolean | Promise<boolean>) | undefined
  /** Called with the number of payments that this call has made, and of those that it is to make. */
  readonly onProgress?: ((paid: number, of: number) => void) | undefined
}

/** What a call has paid. */
export type PayoutsResult = {
  /** The accepted transactions, in the order of acceptance. */
  readonly txIDs: readonly Uint8Array[]
  /** Payments that this call has made. */
  readonly paid: number
  /** Payments of the call that were made before. */
  readonly paidBefore: number
  readonly notPaid: number
  /** Index of the first payment that is not made; absent if all are. */
  readonly next?: number | undefined
}

/**
 * Payments that were not all made. `PAYOUT_SHORT`: the total exceeds the funds, and nothing was paid. `BATCH_UNFINISHED`: a
 * transaction failed after others were accepted; `cause` says why.
 */
export class PayoutsError extends WalletError {
  override readonly name = 'PayoutsError'
  /** What was paid. */
  readonly result: PayoutsResult
  /** For `PAYOUT_SHORT`: the assets of which there is not enough. */
  readonly shortages: readonly Shortage[]

  constructor(
    code: 'PAYOUT_SHORT' | 'BATCH_UNFINISHED',
    message: string,
    result: PayoutsResult,
    details: { readonly shortages?: readonly Shortage[]; readonly cause?: unknown; hint: string },
  ) {
    super(code, message, details)
    this.result = result
    this.shortages = details.shortages ?? []
  }
}

/** Description of `PayoutsCall`. */
export const payoutsCall: Check<PayoutsCall> = object<PayoutsCall>({
  ...payoutTxMembers,
  payments: list(object<Payout>({ ...outputMembers, key: text, memo: optional(memo) })),
  size: optional(integerFrom(1, 250)),
  partial: optional(boolean),
})

/** Description of `PayoutsOptions`. */
export const payoutsOptions: Check<PayoutsOptions> = object<PayoutsOptions>({
  ...sendMembers,
  again: optional(boolean),
  confirmPlan: optional(fn<NonNullable<PayoutsOptions['confirmPlan']>>()),
  onProgress: optional(fn<NonNullable<PayoutsOptions['onProgress']>>()),
})

const DEFAULT_SIZE = 100

/** A payment with its position in the call. */
type Item = PayoutItem & { readonly payout: Payout; readonly content: Content; readonly at: number }

/** What remains of a call. */
type Planned = {
  readonly context: NetworkContext
  readonly unpaid: readonly Item[]
  readonly groups: readonly (readonly Item[])[]
  readonly plan: PayoutsPlan
}

/** Plans payments without making them. */
export async function previewPayouts(state: WalletState, call: PayoutsCall): Promise<PayoutsPlan> {
  return (await planPayouts(state, call, {})).plan
}

/** Makes payments, after those that are pending. Those that were made before are left out. */
export async function makePayouts(
  state: WalletState,
  engine: Engine,
  call: PayoutsCall,
  { confirmPlan, onProgress, again, ...send }: PayoutsOptions,
): Promise<PayoutsResult> {
  const { payments: _, size: _size, partial: _partial, ...tx } = call
  const resumed = await resumePayments(state, engine, { ...send, maxFee: tx.maxFee })
  for (const { status, error } of resumed) if (status === 'pending') throw error
  const { unpaid, groups, plan } = await planPayouts(state, call, send)
  if (confirmPlan !== undefined && groups.length > 0 && (await confirmPlan(plan)) !== true)
    throw new WalletError('NOT_CONFIRMED', 'the payments were not confirmed')
  const done = new Set<Item>()
  const txIDs: Uint8Array[] = []
  for (const group of groups) {
    onProgress?.(done.size, plan.payments.length)
    try {
      const keys = group.map(({ payout }) => payout.key)
      txIDs.push((await engine.pay(groupIntent(group, tx), { ...send, again, keys })).txID)
    } catch (cause) {
      if (txIDs.length === 0) throw cause
      throw unfinishedError(resultOf(plan, unpaid, done, txIDs), cause)
    }
    for (const item of group) done.add(item)
  }
  return resultOf(plan, unpaid, done, txIDs)
}

/** @throws PayoutsError `PAYOUT_SHORT` */
async function planPayouts(
  state: WalletState,
  { payments, size = DEFAULT_SIZE, partial = false }: PayoutsCall,
  send: SendOptions,
): Promise<Planned> {
  const context = await state.openPayments(state.call(send))
  const items = payments.map((payout, at) => itemOf(payout, at, context))
  const made = await madeBefore(state, items, context)
  const unpaid = items.filter(({ payout }) => !made.has(payout.key))
  const whole = groupPayouts(unpaid, size)
  const funds = await fundsOf(state, send)
  const shortages = shortagesOf(costOf(whole, context), funds)
  const groups = shortages.length === 0 ? whole : affordable(unpaid, funds, size, context)
  const plan: PayoutsPlan = {
    paidBefore: items.length - unpaid.length,
    payments: groups.flat().map(({ payout }) => payout),
    transactions: groups.length,
    fee: context.txFee * BigInt(groups.length),
  }
  if (shortages.length > 0 && !partial)
    throw await shortError(state, shortages, resultOf(plan, unpaid, new Set(), []), context)
  return { context, unpaid, groups, plan }
}

function resultOf(
  { paidBefore }: PayoutsPlan,
  unpaid: readonly Item[],
  done: ReadonlySet<Item>,
  txIDs: readonly Uint8Array[],
): PayoutsResult {
  const next = unpaid.find((item) => !done.has(item))?.at
  const result = { txIDs, paid: done.size, paidBefore, notPaid: unpaid.length - done.size }
  return next === undefined ? result : { ...result, next }
}

function itemOf(payout: Payout, at: number, context: NetworkContext): Item {
  const { key: _, memo: given, ...output } = payout
  const [content] = transferIntent({ outputs: [output], memo: given }).contents(context)
  const assetID = toAssetID(payout.assetID, context)
  const memoText = hex.encode(toBytes(given))
  return { payout, at, content: content!, assetID, amount: payout.amount, memo: memoText }
}

/**
 * Keys of the payments that were made before.
 *
 * @throws StoreError `KEY_CONFLICT`
 */
async function madeBefore(
  state: WalletState,
  items: readonly Item[],
  context: NetworkContext,
): Promise<ReadonlySet<string>> {
  const keys = items.map(({ payout }) => payout.key)
  const contents = items.map(({ content }) => content)
  const claimed = claimedPayments({ keys }, contents, context)
  const records = await state.store.payments(keys)
  const conflicts = records.flatMap(({ key, digest, content: recorded }, i) => {
    const { digest: wanted, content: requested } = claimed[i]!
    const isOther = digest !== undefined && !equalBytes(digest, wanted)
    return isOther ? [{ key, recorded, requested }] : []
  })
  if (conflicts.length > 0) throw explainConflict(keyConflict(conflicts), context)
  return new Set(records.filter(({ status }) => status === 'accepted').map(({ key }) => key))
}

/** What can be spent now, per asset: without what is locked or reserved. */
async function fundsOf(state: WalletState, send: SendOptions): Promise<AssetAmount[]> {
  const { utxos, owners, now } = await state.view(state.call(send), 0)
  const balances = utxos.balances({ owners, now })
  return balances.map(({ assetID, spendable: amount }) => ({ assetID, amount }))
}

/** The transfer of one transaction. */
function groupIntent(group: readonly Item[], tx: PayoutTxOptions) {
  const outputs = group.map(({ payout: { key: _, memo: _memo, ...output } }) => output)
  return transferIntent({ ...tx, outputs, memo: group[0]!.payout.memo })
}

async function shortError(
  state: WalletState,
  shortages: readonly Shortage[],
  result: PayoutsResult,
  context: NetworkContext,
): Promise<PayoutsError> {
  const ids = shortages.map(({ assetID }) => assetID)
  const assets = await state.assets.described(ids, context, state.call({}))
  return new PayoutsError(
    'PAYOUT_SHORT',
    `${shortageText(shortages, assets)}: nothing was paid`,
    result,
    {
      shortages,
      hint: 'fees are included; partial pays the first ones, as far as the funds reach',
    },
  )
}

function unfinishedError(result: PayoutsResult, cause: unknown): PayoutsError {
  const { paid, paidBefore, notPaid } = result
  return new PayoutsError(
    'BATCH_UNFINISHED',
    `${paid + paidBefore} of ${paid + paidBefore + notPaid} payments are made: a transaction failed`,
    result,
    { cause, hint: 'call again with the same payments: nothing is paid twice' },
  )
}
