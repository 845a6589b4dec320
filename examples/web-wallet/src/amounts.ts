import { formatAmount, formatID, type NetworkContext } from 'avmkit'
import type { WalletBalance } from 'avmkit/wallet'

/** How the amounts of an asset are written. */
export type Unit = {
  readonly symbol: string
  /** Number of decimals; 0 if they are not known. */
  readonly denomination: number
  /** The ID if the symbol does not identify the asset: anybody can choose any symbol. */
  readonly assetID?: string | undefined
}

/** The unit of an asset of the wallet. */
export function unitOf(balance: WalletBalance, context: NetworkContext): Unit {
  const assetID = formatID(balance.assetID)
  if (assetID === formatID(context.assetID)) return { symbol: 'AVAX', denomination: 9 }
  const { symbol, denomination } = balance
  return symbol === undefined || denomination === undefined
    ? { symbol: 'units', denomination: 0, assetID }
    : { symbol, denomination, assetID }
}

/** An amount of AVAX. */
export function avax(amount: bigint): string {
  return `${grouped(formatAmount(amount))} AVAX`
}

/** An amount with its symbol. */
export function amountText(amount: bigint, { symbol, denomination }: Unit): string {
  return `${grouped(formatAmount(amount, denomination))} ${symbol}`
}

/** A gain or loss, with its sign in words for those who do not see it. */
export function signedText(amount: bigint, unit: Unit): string {
  return amount < 0n ? `−${amountText(-amount, unit)}` : `+${amountText(amount, unit)}`
}

/** Narrow spaces between thousands: they are no part of a number that is copied into another program's field. */
function grouped(number: string): string {
  const [whole, fraction] = number.split('.') as [string, string?]
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f')
  return fraction === undefined ? groups : `${groups}.${fraction}`
}

/** A time in the user's own notation. */
export function timeText(unixSeconds: bigint): string {
  return new Date(Number(unixSeconds) * 1000).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
  })
}
