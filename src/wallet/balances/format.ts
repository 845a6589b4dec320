import {
  argument,
  bigintFrom,
  bytesOf,
  type Check,
  integerFrom,
  list,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { formatAmount } from '../../core/base/encoding/amount.ts'
import { formatID, ID_SIZE } from '../../core/base/encoding/ids.ts'
import type { WalletBalance } from './balances.ts'
import type { WaitingAmount } from './waiting.ts'

const amount = bigintFrom(0n)
const count = integerFrom(0)

const walletBalance: Check<WalletBalance> = object<WalletBalance>({
  assetID: bytesOf(ID_SIZE),
  spendable: amount,
  spendableUTXOs: count,
  locked: amount,
  nextUnlock: optional(amount),
  lastUnlock: optional(amount),
  shortOfSigners: amount,
  reserved: amount,
  otherOwners: amount,
  otherOutputs: count,
  opaque: count,
  disputed: optional(amount),
  symbol: optional(text),
  name: optional(text),
  denomination: optional(integerFrom(0, 32)),
  waiting: optional(list(object<WaitingAmount>({ chain: text, from: optional(text), amount }))),
})

/**
 * Balances as text: one line for each asset, with what cannot be spent now in parentheses. Amounts of assets whose
 * denomination is not known are in their smallest unit.
 *
 * @example
 * console.log(formatBalances(await wallet.balances())) // 98.5 AVAX (1 locked until 2026-12-01)
 */
export function formatBalances(balances: readonly WalletBalance[]): string {
  return argument('formatBalances', balances, list(walletBalance)).map(lineOf).join('\n')
}

function lineOf(balance: WalletBalance): string {
  const { assetID, symbol, denomination, waiting = [] } = balance
  const amountText = (value: bigint) =>
    denomination === undefined ? String(value) : formatAmount(value, denomination)
  const parts: [value: bigint, what: string][] = [
    [balance.locked, `locked until ${dateOf(balance.lastUnlock)}`],
    [balance.reserved, 'reserved'],
    [balance.shortOfSigners, 'needs other signers'],
    [balance.disputed ?? 0n, 'disputed'],
    ...waiting.map(({ chain, from, amount: value }): [bigint, string] => [
      value,
      from === undefined ? `on ${chain}` : `from ${from}, to be imported on ${chain}`,
    ]),
  ]
  const rest = parts
    .filter(([value]) => value > 0n)
    .map(([value, what]) => `${amountText(value)} ${what}`)
  const line = `${amountText(balance.spendable)} ${symbol ?? formatID(assetID)}`
  return rest.length === 0 ? line : `${line} (${rest.join(', ')})`
}

/** The day of a time in Unix seconds, which may be beyond the range of dates. */
function dateOf(seconds = 0n): string {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? `time ${seconds}` : date.toISOString().slice(0, 10)
}
