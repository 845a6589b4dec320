import { statSync } from 'node:fs'
import { checkedHex } from '../../../core/base/encoding/checked-hex.ts'
import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../../core/base/encoding/ids.ts'
import type { CancelResult, WalletPayment } from '../../../wallet/index.ts'
import {
  type Attempt,
  type FileStore,
  type PaymentRecord,
  StoreError,
} from '../../../wallet/store/index.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { ownKeys } from '../../keys/own-keys.ts'
import { innermostReason } from '../../report.ts'
import { journalPath, openExistingJournal } from '../../spending/journal.ts'
import { detailsJSON, type JournalView, journalView } from '../../spending/journal-text.ts'
import { checkUsage, openSpending } from '../../spending/spending.ts'
import { requireConfirmable } from '../../terminal/confirm.ts'
import type { Paint } from '../../terminal/paint.ts'
import { counted, details, table, timeText } from '../../terminal/print.ts'

export async function listPayments(invocation: Invocation): Promise<Result> {
  const { path, store } = await openForReading(invocation)
  const wanted = invocation.values.list('status')
  const view = store && (await journalView(invocation, store))
  const payments: WalletPayment[] = []
  if (store !== undefined && view !== undefined)
    for await (const record of store.list())
      if (wanted.length === 0 || wanted.includes(record.status)) payments.push(view.payment(record))
  return {
    json: { journal: path, payments: payments.map(paymentJSON) },
    text: payments.length === 0 ? 'no payments' : paymentTable(payments, view!, invocation.paint),
  }
}

export async function show(invocation: Invocation): Promise<Result> {
  const [key] = invocation.values.args as [string]
  const { path, store } = await openForReading(invocation)
  const [record] = (await store?.payments([key])) ?? []
  if (store === undefined || record === undefined || record.status === 'unknown')
    throw new StoreError('KEY_UNKNOWN', 'the journal has no payment with this key', {
      keys: [key],
      path,
    })
  const attempts: Attempt[] = []
  for await (const attempt of store.attempts(key)) attempts.push(attempt)
  const view = await journalView(invocation, store)
  const payment = view.payment(record)
  return {
    json: { journal: path, ...paymentJSON(payment), attempts: attempts.map(attemptJSON) },
    text: paymentText(payment, view, attempts, invocation.paint),
  }
}

export async function resume(invocation: Invocation): Promise<Result> {
  const { wallet, run, journal } = await openSpending(invocation, 'resume')
  const height = invocation.values.integer('from-height', 0, Number.MAX_SAFE_INTEGER)
  const fromHeight = height === undefined ? undefined : BigInt(height)
  const resumed = await invocation.during('waiting for acceptance', () =>
    wallet.resume({ ...run, fromHeight }),
  )
  const reasons = resumed.map(({ error }) =>
    error === undefined ? undefined : innermostReason(error),
  )
  const rows = resumed.flatMap(({ keys, status, txID }, i) =>
    keys.map((key) => ({ key, status, txID, reason: reasons[i] })),
  )
  return {
    json: {
      journal,
      resumed: resumed.map(({ keys, status, txID }, i) => ({
        keys,
        status,
        txID: formatID(txID),
        reason: reasons[i],
      })),
    },
    text: rows.length === 0 ? 'nothing is pending' : statusTable(rows, invocation.paint),
    failed: resumed.some(({ status }) => status === 'pending'),
  }
}

export async function cancel(invocation: Invocation): Promise<Result> {
  const [key] = invocation.values.args as [string]
  await checkUsage(invocation)
  requireConfirmable(invocation)
  const { wallet, run, journal } = await openSpending(invocation, 'resume')
  const canceled = await wallet.cancel(key, run)
  const { status, txID } = canceled
  return {
    json: { journal, key, status, txID: formatID(txID) },
    text: cancelText(canceled),
    failed: status === 'accepted',
  }
}

export async function compact(invocation: Invocation): Promise<Result> {
  const { path, store } = await openForReading(invocation)
  const before = store === undefined ? 0 : statSync(path).size
  await store?.compact()
  const after = store === undefined ? 0 : statSync(path).size
  return {
    json: { journal: path, before, after },
    text: `${path}: ${counted(before, 'byte')} before, ${counted(after, 'byte')} now`,
  }
}

/** The journal that the user named, or the default one, which may not exist yet. */
async function openForReading(
  invocation: Invocation,
): Promise<{ readonly path: string; readonly store: FileStore | undefined }> {
  const named = invocation.values.text('journal')
  const path = named ?? (await defaultJournal(invocation))
  return { path, store: await openExistingJournal(path, invocation) }
}

async function defaultJournal(invocation: Invocation): Promise<string> {
  const network = (await invocation.namedNetwork())?.context ?? (await invocation.context())
  return journalPath(invocation, network, (await ownKeys(invocation)).identity)
}

type StatusRow = Pick<PaymentRecord, 'key' | 'status' | 'txID'> & {
  readonly reason?: string | undefined
}

function statusTable(rows: readonly StatusRow[], paint: Paint): string {
  const hasReasons = rows.some(({ reason }) => reason !== undefined)
  const columns = [{ title: 'status' }, { title: 'transaction' }, { title: 'key' }]
  const cells = rows.map(({ key, status, txID, reason }) => [
    status,
    txID === undefined ? '' : formatID(txID),
    key,
    ...(hasReasons ? [reason ?? ''] : []),
  ])
  return table(hasReasons ? [...columns, { title: 'reason' }] : columns, cells, paint)
}

function paymentTable(payments: readonly WalletPayment[], view: JournalView, paint: Paint): string {
  const columns = ['status', 'claimed', 'ended', 'payment', 'transaction', 'key']
  return table(
    columns.map((title) => ({ title })),
    payments.map((payment) => [
      payment.status,
      recordedTime(payment.claimedAt),
      payment.status === 'pending' ? '' : recordedTime(payment.endedAt),
      view.text(payment),
      payment.txID === undefined ? '' : formatID(payment.txID),
      payment.key,
    ]),
    paint,
  )
}

/** A time; earlier versions recorded none. */
function recordedTime(time: bigint | undefined): string {
  return time === undefined ? 'not recorded' : timeText(time)
}

function paymentJSON(payment: WalletPayment): object {
  const { key, status, txID, digest, generated = false, claimedAt, endedAt, details } = payment
  return {
    key,
    status,
    content: detailsJSON(details),
    claimedAt: claimedAt ?? null,
    endedAt: endedAt ?? null,
    txID: txID && formatID(txID),
    digest: digest && hex.encode(digest),
    generated,
  }
}

function attemptJSON({ kind, txID, keys, inputs, fromHeight, bytes }: Attempt): object {
  return {
    kind,
    txID: formatID(txID),
    keys,
    inputs: inputs.map(formatUTXOID),
    fromHeight,
    tx: checkedHex.encode(bytes),
  }
}

/** What the transaction of a record is, by the status of the payment. */
const TX_NAMES: { readonly [Status in PaymentRecord['status']]: string } = {
  unknown: 'transaction',
  pending: 'transaction',
  accepted: 'accepted as',
  rejected: 'inputs spent by',
  canceled: 'canceled by',
}

function paymentText(
  payment: WalletPayment,
  view: JournalView,
  attempts: readonly Attempt[],
  paint: Paint,
): string {
  const { key, status, txID, digest, claimedAt, endedAt } = payment
  const head = details(
    [
      ['key', key],
      ['status', status],
      ['payment', view.text(payment)],
      ['claimed', recordedTime(claimedAt)],
      ['ended', status === 'pending' ? undefined : recordedTime(endedAt)],
      [TX_NAMES[status], txID && formatID(txID)],
      ['content digest', digest && hex.encode(digest)],
    ],
    paint,
  )
  if (attempts.length === 0) return head
  const columns = [
    { title: 'pending transaction' },
    { title: 'kind' },
    { title: 'payments', right: true },
    { title: 'inputs', right: true },
  ] as const
  const rows = attempts.map((attempt) => [
    formatID(attempt.txID),
    attempt.kind,
    String(attempt.kind === 'payment' ? attempt.keys.length : 0),
    String(attempt.inputs.length),
  ])
  return `${head}\n\n${table(columns, rows, paint)}`
}

function cancelText({ status, txID }: CancelResult): string {
  const id = formatID(txID)
  switch (status) {
    case 'canceled':
      return `canceled by ${id}`
    case 'accepted':
      return `not canceled: the payment was accepted as ${id}`
  }
}
