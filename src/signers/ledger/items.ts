import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatAmount } from '../../core/base/encoding/amount.ts'
import { encodeBech32 } from '../../core/base/encoding/bech32.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import type { OutputOwners } from '../../core/chain/owners.ts'
import {
  type Input,
  type Output,
  unlockedInput,
  unlockedOutput,
} from '../../core/chain/p/transferables.ts'
import type { TransferOutput } from '../../core/chain/secp256k1fx.ts'
import { LedgerError } from './errors.ts'

// The items of a review that several types of transactions have.

/** An item of the review on the device. Long texts are split into several pages there, depending on the model. */
export type LedgerScreen = { readonly title: string; readonly text: string }

/** Whether the device hides the outputs of an address. */
export type IsChange = (address: Uint8Array) => boolean

type Owners = Pick<OutputOwners, 'threshold' | 'addresses'>

/** The app keeps one bit per output. */
const MAX_OUTPUTS = 64
/** The app counts items with one byte. */
const MAX_ITEMS = 255
const MAX_MEMO_SIZE = 256
/** First day after the calendar of the app, 2369-01-01, in Unix seconds. */
const CALENDAR_END = 145_732n * 86_400n

/** An item. */
export function item(title: string, text: string): LedgerScreen {
  return { title, text }
}

/** The app sums up amounts of all assets as if they were AVAX. */
export function fee(
  title: string,
  inputs: readonly bigint[],
  outputs: readonly { readonly amount: bigint }[],
): LedgerScreen {
  const spent = inputs.reduce((sum, amount) => sum + amount, 0n)
  const created = outputs.reduce((sum, { amount }) => sum + amount, 0n)
  if (spent > MAX_U64 || created > spent)
    throw unsupported('the app cannot compute the fee of these amounts')
  return item(title, formatAmount(spent - created))
}

/** The amount of an input, also of one that is locked for staking. */
export function amountOf({ input }: { readonly input: Input }): bigint {
  return unlockedInput(input).amount
}

/** An output without its lock for staking. */
export function transferOf({ output }: { readonly output: Output }): TransferOutput {
  return unlockedOutput(output)
}

/** Refuses more outputs than the app can show. */
export function requireCount(
  outputs: readonly unknown[],
  path: string,
  limit: number = MAX_OUTPUTS,
): void {
  if (outputs.length > limit)
    throw unsupported(`${outputs.length} items, the app allows ${limit}`, path)
}

/** Refuses more items than the app can count. */
export function requireCountable(items: readonly LedgerScreen[]): readonly LedgerScreen[] {
  requireCount(items, 'review', MAX_ITEMS)
  return items
}

/** Refuses owners of whom more must sign than there are. */
export function requireThreshold({ threshold, addresses }: Owners): void {
  if (threshold > addresses.length)
    throw unsupported(`the app refuses a threshold of ${threshold} for ${addresses.length} owners`)
}

/** Refuses a memo that the app does. */
export function requireMemo(memo: Uint8Array): void {
  if (memo.length > MAX_MEMO_SIZE)
    throw unsupported(`the app refuses a memo of ${memo.length} bytes`, 'memo')
}

/** The outputs that the device shows. A single one is always shown, except with `force`. */
export function visible<O extends TransferOutput>(
  outputs: readonly O[],
  isChange: IsChange,
  force = false,
): readonly O[] {
  if (outputs.length <= 1 && !force) return outputs
  return outputs.filter(({ addresses }) => addresses.length !== 1 || !isChange(addresses[0]!))
}

/** The items of an output. */
export function transferItems(title: string, output: TransferOutput, hrp: string): LedgerScreen[] {
  return [
    item(title, `${formatAmount(output.amount)} AVAX to `),
    ...output.addresses.map((address) => item('Address', encodeBech32(hrp, address))),
  ]
}

/** The items of outputs that may be locked for staking, of those that the device shows. */
export function stakeableItems(
  title: string,
  listed: readonly { readonly output: Output }[],
  hrp: string,
  isChange: IsChange,
  force = false,
): LedgerScreen[] {
  const outputs = listed.map(({ output }) => ({
    ...unlockedOutput(output),
    lock: output.type === 'stakeable.LockOut' && output,
  }))
  return visible(outputs, isChange, force).flatMap((output) => {
    const { lock, amount } = output
    const items = transferItems(title, output, hrp)
    if (!lock) return items
    const until = `${formatAmount(amount)} AVAX until ${dateText(lock.locktime)}`
    return [...items, item('Funds locked', until)]
  })
}

/** A time as the app shows it. */
export function dateText(seconds: bigint): string {
  if (seconds >= CALENDAR_END) throw unsupported('a time is beyond the calendar of the app')
  const date = new Date(Number(seconds) * 1000).toISOString()
  return `${date.slice(0, 10)} ${date.slice(11, 19)} UTC`
}

/** Whether an address is in a list. */
export function oneOfAddresses(addresses: readonly Uint8Array[]): IsChange {
  return (address) => addresses.some((own) => equalBytes(own, address))
}

/** Why the app cannot show a transaction. */
export function unsupported(problem: string, path?: string): LedgerError {
  const message = path === undefined ? problem : `${problem} (in ${path})`
  return new LedgerError('LEDGER_UNSUPPORTED', message, { path })
}
