import { formatAmount } from '../../core/base/encoding/amount.ts'
import * as cChain from '../../core/c-chain.ts'
import * as pChain from '../../core/p-chain.ts'
import { agreedBaseFee, agreedFees } from '../../node/view/other-reads.ts'
import { pAndCViews } from '../chains/clients.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'

/** An unsigned transaction of a chain whose fee changes. */
export type PricedTx =
  | { readonly chain: 'P'; readonly unsignedTx: pChain.UnsignedTx }
  | { readonly chain: 'C'; readonly unsignedTx: cChain.UnsignedTx }

/** The fee that a chain asks now, in nAVAX, and whether a transaction pays it. */
export type CurrentFee = { readonly required: bigint; readonly suffices: boolean }

/** Compares the fee that a transaction pays with what its chain asks now. */
export async function currentFee(
  tx: PricedTx,
  paid: bigint,
  invocation: Invocation,
): Promise<CurrentFee> {
  const views = await pAndCViews(invocation)
  const call = invocation.callOptions()
  const required =
    tx.chain === 'P'
      ? pChain.feeOf(tx.unsignedTx, await agreedFees(views.P, call))
      : cChain.feeOf(tx.unsignedTx, await agreedBaseFee(views.C, call))
  return { required, suffices: paid >= required }
}

/** One line on the fee, for people. */
export function currentFeeText(
  { required, suffices }: CurrentFee,
  chain: string,
  paid: bigint,
): string {
  const asked = `the ${chain}-Chain asks ${formatAmount(required)} AVAX now`
  return suffices
    ? `the fee of ${formatAmount(paid)} AVAX still suffices: ${asked}`
    : `the fee of ${formatAmount(paid)} AVAX no longer suffices: ${asked}. Wait until it falls, or make a new request`
}

/** How many times the current price a request pays, in percent: prices may rise until it is signed and issued. */
export function feeMargin({ values }: Invocation): bigint {
  const text = values.text('fee-margin') ?? '2'
  const match = /^([0-9]{1,3})(?:\.([0-9]{1,2}))?$/.exec(text)
  const percent = match === null ? 0n : BigInt(match[1]! + (match[2] ?? '').padEnd(2, '0'))
  if (percent >= 100n && percent <= 10_000n) return percent
  throw new UsageError('BAD_VALUE', '--fee-margin must be a number from 1 to 100, such as 1.5')
}

/** A price with the margin that the creator of a request chooses, rounded up. */
export function withMargin(price: bigint, invocation: Invocation): bigint {
  return (price * feeMargin(invocation) + 99n) / 100n
}
