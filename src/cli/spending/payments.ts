import { equalBytes } from '../../core/base/bytes/compare.ts'
import { parseAddress } from '../../core/base/encoding/address.ts'
import { MAX_DENOMINATION, parseAmount } from '../../core/base/encoding/amount.ts'
import { formatID, parseID } from '../../core/base/encoding/ids.ts'
import { type NetworkContext, paysAVAX } from '../../core/chain/networks.ts'
import type { OutputArgument, OwnersArgument } from '../../core/draft/arguments.ts'
import { listUTXOs } from '../chains/listing.ts'
import { CliError, UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { commandOwners, payersOn } from '../keys/addresses.ts'
import { parseFuture } from '../time.ts'
import { type KnownAssets, lookUpAssets } from './lookup.ts'

/** Recipient and amount as text. */
export type Payment = { readonly to: string; readonly amount: string }

/** Parses `ADDRESS=AMOUNT …`, or `ADDRESS AMOUNT` for a single payment. */
export function parsePayments(words: readonly string[]): Payment[] {
  const [first, second] = words
  if (words.length === 2 && !first!.includes('=') && !second!.includes('='))
    return [{ to: first!, amount: second! }]
  return words.map((word) => {
    const [to, amount, more] = word.split('=')
    if (!to || !amount || more !== undefined)
      throw new UsageError('BAD_VALUE', 'payments must be ADDRESS=AMOUNT', {
        hint: 'for example X-fuji1…=1.5, or a single payment as X-fuji1… 1.5',
      })
    return { to, amount }
  })
}

/** Parses owners: an address, or `2:ADDRESS,ADDRESS,ADDRESS` if two of three must sign. */
export function parseOwners(text: string): OwnersArgument {
  const match = /^([0-9]{1,4}):(.+)$/.exec(text)
  if (match !== null) return { threshold: Number(match[1]), to: match[2]!.split(',') }
  return { to: text.includes(',') ? text.split(',') : text }
}

/**
 * Parses an asset ID, or AVAX for the native asset.
 *
 * @throws UsageError `BAD_VALUE` for other symbols
 */
export function parseAsset(text: string, context: NetworkContext): Uint8Array {
  if (isAVAX(text, context)) return context.assetID
  if (isSymbol(text))
    throw new UsageError('BAD_VALUE', 'a symbol does not identify an asset here', {
      hint: 'anyone can create an asset with any symbol: pass its ID, which avmkit balance prints',
    })
  return parseID(text)
}

/** On other chains than those of the primary network, AVAX is a symbol like any other. */
function isAVAX(text: string, context: NetworkContext): boolean {
  return text.toUpperCase() === 'AVAX' && paysAVAX(context)
}

function isSymbol(text: string): boolean {
  return /^[A-Z]{1,4}$/.test(text)
}

/**
 * Finds an asset by ID, or by symbol if exactly one asset of the user has it.
 *
 * @param payers - whose assets are considered; default: those of `--from`, or of the user's keys
 * @throws CliError `ASSET_UNKNOWN` if no asset or several assets have the symbol
 */
export async function findAsset(
  text: string,
  invocation: Invocation,
  context: NetworkContext,
  payers?: readonly string[],
): Promise<Uint8Array> {
  if (!isSymbol(text) || isAVAX(text, context)) return parseAsset(text, context)
  const owned = await ownedAssets(
    payers ?? (await payersIn(invocation, context)),
    invocation,
    context,
  )
  const chain = await invocation.view()
  const known = await lookUpAssets(chain, owned, context, invocation.callOptions())
  return selectAsset(text, owned, known, context)
}

/** Who pays for the request that a command drafts; none for a command that uses the user's keys. */
async function payersIn(
  invocation: Invocation,
  context: NetworkContext,
): Promise<readonly string[]> {
  const isRequest = invocation.command.name.startsWith('request ')
  return isRequest ? (await payersOn(invocation))(context) : []
}

/** Like `findAsset`, among assets whose details are known. */
export function selectAsset(
  text: string,
  owned: readonly string[],
  known: KnownAssets,
  context: NetworkContext,
): Uint8Array {
  if (!isSymbol(text) || isAVAX(text, context)) return parseAsset(text, context)
  const matches = known
    .entries()
    .filter(([id, { symbol }]) => symbol === text && owned.includes(id))
  if (matches.length === 1) return parseID(matches[0]![0])
  const many = matches.length > 1
  throw new CliError(
    'ASSET_UNKNOWN',
    many
      ? `${matches.length} of your assets have this symbol`
      : 'none of your assets has this symbol',
    { hint: 'pass the asset ID, which avmkit balance prints' },
  )
}

/** IDs of the assets that the payer owns something of. */
async function ownedAssets(
  payers: readonly string[],
  invocation: Invocation,
  context: NetworkContext,
): Promise<string[]> {
  const client = await invocation.client()
  const { owners } = await commandOwners(payers, invocation, context)
  // An import moves what that chain exported.
  const walk = { owners, sourceChain: invocation.values.text('source-chain') }
  const { pages } = await listUTXOs(client, walk, context, invocation)
  const ids = new Set<string>()
  for await (const { utxos } of pages) for (const { assetID } of utxos) ids.add(formatID(assetID))
  return [...ids]
}

/**
 * An asset and its decimals, which are read from the transaction that created it: a node that reports false decimals
 * could change the amount of a payment.
 */
export async function assetOf(
  text: string | undefined,
  invocation: Invocation,
  context: NetworkContext,
  payers?: readonly string[],
): Promise<{ readonly assetID: Uint8Array; readonly denomination: number }> {
  const assetID =
    text === undefined ? context.assetID : await findAsset(text, invocation, context, payers)
  if (equalBytes(assetID, context.assetID) && paysAVAX(context)) return { assetID, denomination: 9 }
  const id = formatID(assetID)
  const chain = await invocation.view()
  const known = await lookUpAssets(chain, [id], context, invocation.callOptions())
  const { asset: details } = known.find(id)
  if (details === undefined)
    throw new CliError('ASSET_UNKNOWN', `the node does not know the asset ${id}`, {
      hint: 'its decimals are not known without the transaction that created it; check --asset and --url',
    })
  return { assetID, denomination: details.denomination }
}

/** Payments as outputs of one asset. */
export async function paymentOutputs(
  payments: readonly Payment[],
  invocation: Invocation,
): Promise<OutputArgument[]> {
  const context = await invocation.context()
  const asset = await assetOf(invocation.values.text('asset'), invocation, context)
  return outputsOf(payments, asset, locktimeOf(invocation))
}

/** Outputs with amounts in the unit of an asset. */
export function outputsOf(
  payments: readonly Payment[],
  { assetID, denomination }: { readonly assetID: Uint8Array; readonly denomination: number },
  locktime: bigint | undefined,
): OutputArgument[] {
  return payments.map(({ to, amount }) => ({
    ...parseOwners(to),
    assetID,
    amount: parseAmount(amount, denomination),
    locktime,
  }))
}

/**
 * Refuses addresses of other chains with advice, before anything else happens.
 *
 * @throws UsageError `BAD_VALUE`
 */
export function requireXAddresses(recipients: readonly string[]): void {
  for (const to of recipients) {
    if (/^0x[0-9a-f]{40}$/i.test(to))
      throw new UsageError('BAD_VALUE', 'the recipient is an EVM address of the C-Chain', {
        hint: `an EVM address belongs to the C-Chain: ${moveHint('C')}`,
      })
    const [, chain] = /^(?:[0-9]+:)?([PC])-/.exec(to) ?? []
    if (chain !== undefined)
      throw new UsageError('BAD_VALUE', `the recipient is an address of the ${chain}-Chain`, {
        hint: `a payment on the X-Chain needs an X- address: ${moveHint(chain)}`,
      })
  }
}

function moveHint(chain: string): string {
  return `avmkit move AMOUNT --from X --to ${chain} --recipient ADDRESS moves funds to the ${chain}-Chain`
}

/**
 * Checks recipients and amounts as far as possible without a node, which knows the network and the decimals.
 *
 * @throws ArgumentError
 */
export function checkPayments(payments: readonly Payment[]): void {
  for (const { to, amount } of payments) {
    checkOwners(to)
    const decimals = amount.split('.')[1]?.length ?? 0
    if (amount !== 'all') parseAmount(amount, Math.min(decimals, MAX_DENOMINATION))
  }
}

/** Checks the form of an address or of several owners. */
export function checkOwners(text: string): void {
  for (const address of [parseOwners(text).to].flat()) parseAddress(address as string)
}

/** The locktime of outputs, if the user set one. */
export function locktimeOf(invocation: Invocation): bigint | undefined {
  const text = invocation.values.text('locked-until')
  return text === undefined ? undefined : parseFuture(text, invocation.now())
}
