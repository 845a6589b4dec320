import { formatAmount } from '../../core/base/encoding/amount.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { WalletBalance } from './balances.ts'

/**
 * Balances as text: one line for each asset, with what cannot be spent now in parentheses. Amounts of assets whose
 * denomination is not known are in their smallest unit.
 *
 * @example
 * console.log(formatBalances(await wallet.balances())) // 98.5 AVAX (1 locked until 2026-12-01)
 */
export function formatBalances(balances: readonly WalletBalance[]): string {
  return balances.map(lineOf).join('\n')
}

function lineOf(balance: WalletBalance): string {
  const { assetID, symbol, denomination, waiting = [] } = balance
  const text = (amount: bigint) =>
    denomination === undefined ? String(amount) : formatAmount(amount, denomination)
  const parts: [amount: bigint, what: string][] = [
    [balance.locked, `locked until ${dateOf(balance.lastUnlock)}`],
    [balance.reserved, 'reserved'],
    [balance.shortOfSigners, 'needs other signers'],
    [balance.disputed ?? 0n, 'disputed'],
    ...waiting.map(({ chain, from, amount }): [bigint, string] => [
      amount,
      from === undefined ? `on ${chain}` : `from ${from}, to be imported on ${chain}`,
    ]),
  ]
  const rest = parts
    .filter(([amount]) => amount > 0n)
    .map(([amount, what]) => `${text(amount)} ${what}`)
  const line = `${text(balance.spendable)} ${symbol ?? formatID(assetID)}`
  return rest.length === 0 ? line : `${line} (${rest.join(', ')})`
}

/** The day of a time in Unix seconds, which may be beyond the range of dates. */
function dateOf(seconds = 0n): string {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? `time ${seconds}` : date.toISOString().slice(0, 10)
}
