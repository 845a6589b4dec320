import { networks } from '../../src/core/chain/networks.ts'
import { nameOf, type OnChain } from './cluster.ts'
import type { Random } from './random.ts'
import { START } from './virtual-time.ts'

export const UNIT: bigint = networks.local.txFee

/** More than any UTXO has at the start: such a payment spends several. */
const LARGE = 60n * UNIT

/** What several keys pay, also in different stores. */
const EQUAL = { to: recipient(99, 0), amount: 5000n }

/** Later than any run ends. */
const LOCKED_UNTIL = BigInt(START / 1000) + 86_400n

/** Assets besides AVAX: payments transfer gold, and one of them sends all silver. */
export type Assets = { readonly gold: Uint8Array; readonly silver: Uint8Array }

/** A payment that callers ask for. */
export type Payment = {
  readonly key: string
  /** Its own, so that the chain shows how often it was made; or that of other keys with equal content. */
  readonly to: Uint8Array
  /** Undefined for the whole balance of the asset. */
  readonly amount: bigint | undefined
  /** Another amount, if a caller asks for it under the same key. Either is paid, never both. */
  readonly otherAmount: bigint | undefined
  readonly assetID: Uint8Array | undefined
  readonly locktime: bigint
  /** Whether somebody tries to cancel it. */
  readonly cancels: boolean
  /** Whether callers ask for it again after it was canceled. */
  readonly renews: boolean
  /** The payments that are made with it in one transaction, itself included. */
  readonly batch: readonly string[]
}

/**
 * Draws the payments of an account.
 *
 * @param account - number of the account
 * @param isRestored - whether its store is replaced by an older copy, which does not know the content of keys
 */
export function randomPayments(
  random: Random,
  account: number,
  { gold, silver }: Assets,
  isRestored: boolean,
): Payment[] {
  const count = 1 + random.below(5)
  const keyOf = (i: number) => `payment ${account}/${i}`
  // Payments below this number are made together.
  const together = random.chance(0.3) ? random.below(count) : 0
  const payments = Array.from({ length: count }, (_, i): Payment => {
    const isBatch = together > 1 && i < together
    const isEqual = !isBatch && random.chance(0.2)
    const isSingle = !isBatch && !isEqual
    const small = 1000n * BigInt(account + 1) + BigInt(i)
    const isGold = isSingle && random.chance(0.2)
    const isLarge = !isGold && random.chance(0.2)
    const amount = isEqual ? EQUAL.amount : isLarge ? LARGE + small : small
    return {
      key: keyOf(i),
      to: isEqual ? EQUAL.to : recipient(100 + account, i),
      amount,
      otherAmount: isSingle && !isRestored && random.chance(0.15) ? amount + 500n : undefined,
      assetID: isGold ? gold : undefined,
      locktime: isSingle && random.chance(0.2) ? LOCKED_UNTIL : 0n,
      cancels: isSingle && random.chance(0.25),
      renews: random.chance(0.5),
      batch: isBatch ? Array.from({ length: together }, (_one, at) => keyOf(at)) : [keyOf(i)],
    }
  })
  if (account > 0 || random.chance(0.6)) return payments
  const key = `all of ${account}`
  const all = { key, to: recipient(98, 0), amount: undefined, otherAmount: undefined }
  return [
    ...payments,
    {
      ...all,
      assetID: silver,
      locktime: 0n,
      cancels: random.chance(0.2),
      renews: true,
      batch: [key],
    },
  ]
}

export function isLarge({ amount }: Payment): boolean {
  return amount !== undefined && amount > UNIT
}

/** Whether a transaction has an output to an address. */
export function paysTo({ tx }: OnChain, to: Uint8Array): boolean {
  return amountsTo(tx, to).length > 0
}

/** Whether a transaction pays one of the amounts that a payment may have. */
export function makes(
  { tx }: OnChain,
  { to, amount, otherAmount }: Pick<Payment, 'to' | 'amount' | 'otherAmount'>,
): boolean {
  return amountsTo(tx, to).some(
    (paid) => amount === undefined || paid === amount || paid === otherAmount,
  )
}

function amountsTo({ unsignedTx }: OnChain['tx'], to: Uint8Array): bigint[] {
  const name = nameOf(to)
  return unsignedTx.outputs.flatMap(({ output }) =>
    output.addresses.some((address) => nameOf(address) === name) ? [output.amount] : [],
  )
}

function recipient(first: number, rest: number): Uint8Array {
  return new Uint8Array(20).fill(rest).fill(first, 0, 1)
}
