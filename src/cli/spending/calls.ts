import type { NetworkContext } from '../../core/chain/networks.ts'
import type { CallOptions } from '../../node/index.ts'
import type { BatchPreview, Prepared, Receipt, RunOptions, Wallet } from '../../wallet/index.ts'
import type { Result } from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { explanationText } from '../terminal/explanation-text.ts'
import { openSpending, receiptResult } from './spending.ts'

/** Methods of a wallet that make one transaction. */
export type SingleMethod =
  | 'transfer'
  | 'sendAll'
  | 'export'
  | 'createAsset'
  | 'mint'
  | 'mintNFT'
  | 'transferNFT'
  | 'mintProperty'
  | 'burnProperty'

/** A transaction that a command requests. It does not depend on who pays and signs. */
export type WalletCall = {
  [Method in SingleMethod]: {
    readonly method: Method
    readonly call: Parameters<Wallet[Method]>[0]
  }
}[SingleMethod] & {
  /** Members of the result beside the transaction ID. */
  readonly more?: (txID: string) => object
}

/** Parses the arguments of a command immediately; the returned function reads the rest from the node. */
export type CallParser = (
  invocation: Invocation,
) => (context: NetworkContext) => Promise<WalletCall>

/** Methods of a wallet that make as many transactions as necessary. */
export type BatchMethod = 'sweep' | 'consolidate' | 'import'

/** A batch that a command requests. */
export type WalletBatch = {
  [Method in BatchMethod]: {
    readonly method: Method
    readonly call: NonNullable<Parameters<Wallet[Method]>[0]>
  }
}[BatchMethod]

/** Parses the arguments of a command that makes a batch. */
export type BatchParser = (
  invocation: Invocation,
) => (context: NetworkContext) => Promise<WalletBatch>

type SingleCall<R, O> = (call: object, options: O) => Promise<R>

/** Drafts the transaction of a call. */
export function prepare(
  wallet: Wallet,
  { method, call }: WalletCall,
  tx: object,
  options: CallOptions,
): Promise<Prepared> {
  const draft = wallet.prepare[method] as SingleCall<Prepared, typeof options>
  return draft({ ...tx, ...call }, options)
}

type TxArguments = { readonly changeTo?: unknown; readonly memo?: unknown }

/** The argument of a batch. A consolidation has no change. */
export function batchCall({ method, call }: WalletBatch, tx: TxArguments): object {
  const { changeTo, ...rest } = tx
  return method === 'consolidate' ? { ...rest, ...call } : { changeTo, ...rest, ...call }
}

/** Plans what a batch would do. */
export function preview(
  wallet: Wallet,
  batch: WalletBatch,
  tx: TxArguments,
): Promise<BatchPreview> {
  const plan = wallet.prepare[batch.method] as (call: object) => Promise<BatchPreview>
  return plan(batchCall(batch, tx))
}

/** Runs a command that makes one transaction with the user's keys. */
export async function spend(invocation: Invocation, parse: CallParser): Promise<Result> {
  const callFor = parse(invocation)
  const planOnly = invocation.values.has('plan')
  const use = planOnly ? 'plan' : 'spend'
  const { wallet, context, run, payment, tx } = await openSpending(invocation, use)
  const walletCall = await callFor(context)
  if (planOnly) {
    const { explanation } = await prepare(wallet, walletCall, tx, invocation.callOptions())
    const known = payment.key === undefined ? [] : await wallet.payments([payment.key])
    const repeated = known.some(({ status }) => status === 'accepted')
    const text = explanationText(explanation, invocation.paint)
    const note = 'a payment with this key was made before: nothing would be sent'
    return { json: { explanation, repeated }, text: repeated ? `${text}\n\n${note}` : text }
  }
  const { method, call, more } = walletCall
  const pay = wallet[method] as SingleCall<Receipt, RunOptions>
  const receipt = await pay({ ...tx, ...call }, { ...run, ...payment })
  return receiptResult(receipt, more)
}
