import type { OutputArgument, OwnersArgument } from '../build/index.ts'
import { equalBytes } from '../bytes/compare.ts'
import type { NetworkContext } from '../chain/index.ts'
import { formatID, parseAmount, parseID } from '../encoding/index.ts'
import { CliError, UsageError } from './errors.ts'
import type { Invocation } from './invocation.ts'
import { assetFacts } from './lookup.ts'
import { parseFuture } from './time.ts'

/** Whom to pay, and how much as it was written. */
export type Payment = { readonly to: string; readonly amount: string }

/** Reads `ADDRESS=AMOUNT …`, or `ADDRESS AMOUNT` for a single payment. */
export function parsePayments(words: readonly string[]): Payment[] {
  const [first, second] = words
  if (words.length === 2 && !first!.includes('=') && !second!.includes('='))
    return [{ to: first!, amount: second! }]
  return words.map((word) => {
    const [to, amount, more] = word.split('=')
    if (!to || !amount || more !== undefined)
      throw new UsageError('BAD_VALUE', 'expected payments as ADDRESS=AMOUNT', {
        hint: 'for example X-fuji1…=1.5, or a single payment as X-fuji1… 1.5',
      })
    return { to, amount }
  })
}

/**
 * Reads who is paid: an address, or `2:ADDRESS,ADDRESS,ADDRESS` for several of whom two must sign to spend it.
 */
export function parseOwners(text: string): OwnersArgument {
  const match = /^([0-9]{1,4}):(.+)$/.exec(text)
  if (match !== null) return { threshold: Number(match[1]), to: match[2]!.split(',') }
  return { to: text.includes(',') ? text.split(',') : text }
}

/** Reads the ID of an asset, or AVAX for the native one. */
export function parseAsset(text: string, context: NetworkContext): Uint8Array {
  return text === 'AVAX' ? context.assetID : parseID(text)
}

/**
 * An asset and how many decimals it has. They are read from the transaction that created the asset: with decimals
 * that a node makes up, an amount that was typed would become another one.
 */
export async function assetOf(
  text: string | undefined,
  invocation: Invocation,
  context: NetworkContext,
): Promise<{ readonly assetID: Uint8Array; readonly denomination: number }> {
  const assetID = text === undefined ? context.assetID : parseAsset(text, context)
  if (equalBytes(assetID, context.assetID)) return { assetID, denomination: 9 }
  const id = formatID(assetID)
  const client = await invocation.client()
  const facts = (await assetFacts(client, [id], context, invocation.callOptions()))[id]
  if (facts === undefined)
    throw new CliError('ASSET_UNKNOWN', `the node does not know the asset ${id}`, {
      hint: 'without its creation nobody knows its decimals; check --asset and --url',
    })
  return { assetID, denomination: facts.denomination }
}

/** Payments as outputs of one asset. */
export async function outputsOf(
  payments: readonly Payment[],
  invocation: Invocation,
): Promise<OutputArgument[]> {
  const context = await invocation.context()
  const { assetID, denomination } = await assetOf(
    invocation.values.text('asset'),
    invocation,
    context,
  )
  const lock = lockOf(invocation)
  return payments.map(({ to, amount }) => ({
    ...parseOwners(to),
    assetID,
    amount: parseAmount(amount, denomination),
    ...lock,
  }))
}

/** When what is paid can be spent, as an output's property; empty where it is not locked. */
export function lockOf(invocation: Invocation): { readonly locktime?: bigint } {
  const text = invocation.values.text('locked-until')
  return text === undefined ? {} : { locktime: parseFuture(text, invocation.now()) }
}
