import { statSync } from 'node:fs'
import { checkedHex, formatID, formatUTXOName, hex } from '../../encoding/index.ts'
import { type Attempt, type FileStore, type PaymentRecord, StoreError } from '../../store/index.ts'
import type { Canceled } from '../../wallet/index.ts'
import { type Command, confirmOptions, keyOptions, nodeOptions, type Options } from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { journalOption, journalPath, openExistingJournal } from '../journal.ts'
import { counted, facts, type Paint, table } from '../print.ts'
import { reasonOf } from '../report.ts'
import { issuingOptions, openSpending } from '../spending.ts'

/** For commands that read a journal: only the default one needs keys, and a network that is not built in a node. */
const readOptions: Options = {
  ...journalOption,
  network: {
    value: 'NETWORK',
    help: 'whose default journal: mainnet, fuji, local or a network ID; default: that of the node',
  },
  ...keyOptions,
  ...nodeOptions,
}

const keyArgument = { name: 'KEY', help: 'the idempotency key; journal list prints it' } as const

const list: Command = {
  name: 'journal list',
  summary: 'list payments and how they stand: accepted, pending, rejected or canceled',
  details:
    'Payments without --key have a generated key and are forgotten once they have ended. Needs no node, and with\n--journal no keys.',
  arguments: [],
  options: {
    status: {
      value: 'STATUS',
      many: true,
      choices: ['accepted', 'pending', 'rejected', 'canceled'],
      help: 'only payments with this status; repeat it for more',
    },
    ...readOptions,
  },
  example: 'journal list --status pending --network fuji --key-file my.key',
  run: async (invocation) => {
    const { path, store } = await openForReading(invocation)
    const wanted = invocation.values.list('status')
    const records: PaymentRecord[] = []
    if (store !== undefined)
      for await (const record of store.list())
        if (wanted.length === 0 || wanted.includes(record.status)) records.push(record)
    return {
      json: { journal: path, payments: records.map(recordJSON) },
      text: records.length === 0 ? 'no payments' : statusTable(records, invocation.paint),
    }
  },
}

const show: Command = {
  name: 'journal show',
  summary: 'show one payment with its pending transactions',
  details: 'With --json, the signed transactions are included, for avmkit explain or avmkit issue.',
  arguments: [keyArgument],
  options: readOptions,
  example: "journal show 'rent 05' --network fuji --key-file my.key",
  run: async (invocation) => {
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
    return {
      json: { journal: path, ...recordJSON(record), attempts: attempts.map(attemptJSON) },
      text: recordText(record, attempts, invocation.paint),
    }
  },
}

const resume: Command = {
  name: 'journal resume',
  summary: 'bring pending payments to their end: issue their transactions again and wait',
  details:
    'Issues what was signed before, so it asks for no confirmation and never pays twice. Ends with 1 if a payment is\nstill pending.',
  arguments: [],
  options: {
    'from-height': {
      value: 'HEIGHT',
      help: 'for a lost or restored journal: read blocks again from here, and list transactions of your keys that it does not know',
    },
    ...issuingOptions,
  },
  example: 'journal resume --key-file my.key',
  run: async (invocation) => {
    const { wallet, run, journal } = await openSpending(invocation, 'resume')
    const height = invocation.values.integer('from-height', 0, Number.MAX_SAFE_INTEGER)
    const fromHeight = height === undefined ? undefined : BigInt(height)
    const resumed = await invocation.during('seconds waited for acceptance', () =>
      wallet.resume({ ...run, fromHeight }),
    )
    const unrecorded =
      fromHeight === undefined ? [] : await wallet.unrecorded({ ...run, fromHeight })
    const reasons = resumed.map(({ error }) => (error === undefined ? undefined : reasonOf(error)))
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
          ...(reasons[i] === undefined ? {} : { reason: reasons[i] }),
        })),
        ...(fromHeight === undefined
          ? {}
          : {
              unrecorded: unrecorded.map(({ txID, height: at }) => ({
                txID: formatID(txID),
                height: at,
              })),
            }),
      },
      text: [
        rows.length === 0 ? 'nothing is pending' : statusTable(rows, invocation.paint),
        ...unrecorded.map(
          ({ txID, height: at }) => `not in the journal: ${formatID(txID)} at ${at}`,
        ),
      ].join('\n'),
      failed: resumed.some(({ status }) => status === 'pending'),
    }
  },
}

const cancel: Command = {
  name: 'journal cancel',
  summary: 'cancel a pending payment by spending one of its inputs back to yourself',
  details:
    'Costs a fee. Ends when the chain has accepted one of both: with 0 if the payment can no longer be accepted, with\n1 if it was faster. Other payments of the same transaction are rejected with it and can be made again.',
  arguments: [keyArgument],
  options: { ...confirmOptions, ...issuingOptions },
  example: "journal cancel 'rent 05' --key-file my.key",
  run: async (invocation) => {
    const [key] = invocation.values.args as [string]
    invocation.requireConfirmable()
    const { wallet, run, journal } = await openSpending(invocation, 'resume')
    const canceled = await wallet.cancel(key, run)
    const { status, txID } = canceled
    return {
      json: { journal, key, status, txID: formatID(txID) },
      text: cancelText(canceled),
      failed: status === 'accepted',
    }
  },
}

const compact: Command = {
  name: 'journal compact',
  summary: 'rewrite a journal without what is no longer needed',
  details: 'A large journal does this by itself. Every payment with a key is kept.',
  arguments: [],
  options: readOptions,
  example: 'journal compact --network fuji --key-file my.key',
  run: async (invocation) => {
    const { path, store } = await openForReading(invocation)
    const before = store === undefined ? 0 : statSync(path).size
    await store?.compact()
    const after = store === undefined ? 0 : statSync(path).size
    return {
      json: { journal: path, before, after },
      text: `${path}: ${counted(before, 'byte')} before, ${counted(after, 'byte')} now`,
    }
  },
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
  return journalPath(invocation, network, (await invocation.keys()).addresses)
}

type Row = Pick<PaymentRecord, 'key' | 'status' | 'txID'> & { readonly reason?: string | undefined }

function statusTable(rows: readonly Row[], paint: Paint): string {
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

function recordJSON({ key, status, txID, digest, generated = false }: PaymentRecord): object {
  return {
    key,
    status,
    ...(txID === undefined ? {} : { txID: formatID(txID) }),
    ...(digest === undefined ? {} : { digest: hex.encode(digest) }),
    generated,
  }
}

function attemptJSON({ kind, txID, keys, inputs, fromHeight, bytes }: Attempt): object {
  return {
    kind,
    txID: formatID(txID),
    keys,
    inputs: inputs.map(formatUTXOName),
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

function recordText(
  { key, status, txID, digest }: PaymentRecord,
  attempts: readonly Attempt[],
  paint: Paint,
): string {
  const head = facts(
    [
      ['key', key],
      ['status', status],
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

function cancelText({ status, txID }: Canceled): string {
  const id = formatID(txID)
  switch (status) {
    case 'canceled':
      return `canceled by ${id}`
    case 'rejected':
      return `rejected: transaction ${id} spent an input of the payment`
    case 'accepted':
      return `not canceled: the payment was accepted as ${id}`
  }
}

/** Reading and finishing what spending commands have recorded. */
export const journalCommands: readonly Command[] = [list, show, resume, cancel, compact]
