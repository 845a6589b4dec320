import { parseAddress } from '../../core/base/encoding/address.ts'
import { parseAmount } from '../../core/base/encoding/amount.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { type OutputArgument, toAssetID } from '../../core/draft/arguments.ts'
import { groupPayouts } from '../../wallet/batches/payout-funds.ts'
import type { PayoutsPlan } from '../../wallet/index.ts'
import { feeText } from '../../wallet/payments/details-text.ts'
import { CliError } from '../errors.ts'
import { type CSVRow, invalidLine, parseCSV } from '../files/csv.ts'
import { fileText } from '../files/input.ts'
import type { Invocation } from '../invocation.ts'
import type { Paint } from '../terminal/paint.ts'
import { counted, details, table } from '../terminal/print.ts'
import { lookUpAssets } from './lookup.ts'
import { assetOf, parseOwners } from './payments.ts'

/** One payment of a file. */
export type FilePayout = {
  /** Line of the file. */
  readonly line: number
  /** Idempotency key. */
  readonly key: string
  readonly output: OutputArgument & { readonly assetID: Uint8Array }
  readonly memo: string
}

/** Payments that share a transaction, and so a memo. */
export type PayoutBatch = { readonly memo: string; readonly payouts: readonly FilePayout[] }

/** Number of invalid lines that an error lists. */
const MAX_LISTED_ERRORS = 20

/** Default number of payments per transaction. */
const DEFAULT_BATCH = 100

const COLUMNS = { required: ['key', 'address', 'amount'], optional: ['asset', 'memo'] }

/** Reads the rows of a file, which needs no node. */
export async function readPayoutRows(invocation: Invocation): Promise<readonly CSVRow[]> {
  const rows = parseCSV(await fileText(invocation), COLUMNS)
  if (rows.length === 0) throw invalidLine(1, 'the file contains no payments')
  return rows
}

/** Checks all payments of a file before the first is made. The node supplies the decimals of assets. */
export async function payoutsOf(
  rows: readonly CSVRow[],
  invocation: Invocation,
  context: NetworkContext,
): Promise<FilePayout[]> {
  const lines = new Map<string, number>()
  const assets = new Map<string, Awaited<ReturnType<typeof assetOf>>>()
  const payouts: FilePayout[] = []
  const lineErrors: CliError[] = []
  for (const { line, cells, excess } of rows) {
    const { key = '', asset = '' } = cells
    try {
      if (excess > 0) throw invalidLine(line, `${counted(excess, 'cell')} too many`)
      for (const name of COLUMNS.required)
        if (cells[name] === '') throw invalidLine(line, `the ${name} is empty`)
      if (lines.has(key))
        throw invalidLine(line, `the key is already used on line ${lines.get(key)}`)
      lines.set(key, line)
      const found = assets.get(asset) ?? (await assetOf(asset || undefined, invocation, context))
      assets.set(asset, found)
      const output = outputOf(cells, found, context)
      if (output.amount === 0n) throw invalidLine(line, 'the amount is 0')
      payouts.push({ line, key, memo: cells.memo ?? '', output })
    } catch (cause) {
      if (!(cause instanceof AvmError)) throw cause
      const isLineError = cause instanceof CliError && cause.code === 'CSV_INVALID'
      lineErrors.push(isLineError ? cause : invalidLine(line, cause.message, cause))
    }
  }
  if (lineErrors.length > 0) throw combinedError(lineErrors)
  return payouts
}

/** Reads and checks all payments of a file. */
export async function readPayoutFile(
  invocation: Invocation,
  context: NetworkContext,
): Promise<FilePayout[]> {
  return payoutsOf(await readPayoutRows(invocation), invocation, context)
}

/** One error for all invalid lines of a file. */
function combinedError(lineErrors: readonly CliError[]): CliError {
  const [first] = lineErrors
  if (lineErrors.length === 1) return first!
  const shown = lineErrors.slice(0, MAX_LISTED_ERRORS).map(({ message }) => message)
  return new CliError('CSV_INVALID', `${lineErrors.length} invalid lines: ${shown.join('; ')}`, {
    hint: first!.hint,
    cause: first,
  })
}

function outputOf(
  { address = '', amount = '' }: CSVRow['cells'],
  { assetID, denomination }: Awaited<ReturnType<typeof assetOf>>,
  { chainAlias, hrp }: NetworkContext,
): FilePayout['output'] {
  const owners = parseOwners(address)
  for (const text of [owners.to].flat()) parseAddress(text as string, { chain: chainAlias, hrp })
  return { ...owners, assetID, amount: parseAmount(amount, denomination) }
}

/** Number of payments per transaction. */
export function batchSize({ values }: Invocation): number {
  return values.integer('batch', 1, 250) ?? DEFAULT_BATCH
}

/** Payments of a file by transaction. */
export function batchesOf(payouts: readonly FilePayout[], size: number): PayoutBatch[] {
  const items = payouts.map((payout) => ({ ...payout.output, memo: payout.memo, payout }))
  return groupPayouts(items, size).map((group) => ({
    memo: group[0]!.memo,
    payouts: group.map(({ payout }) => payout),
  }))
}

/** Totals of payments, for confirmation. */
export async function describePayouts(
  { payments: payouts, transactions, fee }: PayoutsPlan,
  context: NetworkContext,
  invocation: Invocation,
  paint: Paint,
): Promise<string> {
  const totals = new Map<string, { count: number; sum: bigint }>()
  for (const { assetID, amount } of payouts) {
    const id = formatID(toAssetID(assetID, context))
    const total = totals.get(id) ?? { count: 0, sum: 0n }
    totals.set(id, { count: total.count + 1, sum: total.sum + amount })
  }
  const chain = await invocation.view()
  const known = await lookUpAssets(chain, [...totals.keys()], context, invocation.callOptions())
  const rows = [...totals].map(([id, { count, sum }]) => {
    const asset = known.find(id)
    return [asset.format(sum), asset.label, String(count)]
  })
  const columns = [
    { title: 'total', right: true },
    { title: 'asset' },
    { title: 'payments', right: true },
  ] as const
  const head = details(
    [
      ['payments', payouts.length],
      ['transactions', transactions],
      ['fees', feeText(fee, context)],
    ],
    paint,
  )
  const title = `payout on ${context.name} (network ${context.networkID}): ${counted(payouts.length, 'payment')}`
  return `${paint.bold(title)}\n${head}\n\n${table(columns, rows, paint)}`
}
