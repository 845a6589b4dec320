import { formatID, formatUTXOID, parseID } from '../../core/base/encoding/ids.ts'
import { escaped } from '../../core/sign/text.ts'
import type {
  Attribution,
  Audit,
  Custody,
  CustodyStatus,
  Deposit,
  Payout,
  PayoutStatus,
} from '../../custody/index.ts'
import type { Result } from '../command.ts'
import { explainRules, openNamedCustody, openSigningCustody } from '../connections/custody.ts'
import { type AmountPrinter, amountPrinter } from '../connections/custody-amounts.ts'
import { CliError, UsageError } from '../errors.ts'
import { invalidLine, parseCSV } from '../files/csv.ts'
import { readText } from '../files/files.ts'
import type { Invocation } from '../invocation.ts'
import { readPayoutFile } from '../spending/payouts.ts'
import { jsonLine } from '../terminal/plain.ts'
import { counted, details, table } from '../terminal/print.ts'

/** `custody init` */
export async function init(invocation: Invocation): Promise<Result> {
  const custody = await openNamedCustody(invocation)
  await custody.migrate()
  return { json: { ready: true }, text: 'the tables are ready' }
}

/** `custody watch` */
export async function watch(invocation: Invocation): Promise<Result> {
  const { values, io } = invocation
  const reference = values.text('reference')
  const file = values.text('file')
  const xpub = values.text('xpub')
  const listed = file === undefined ? [] : parseAddressCSV(await readText(file, io))
  const named = values.args.map((address) => ({ address, reference: '' }))
  const addresses = [...named, ...listed].map(({ address, reference: own }) => ({
    address,
    reference: own || reference,
  }))
  if (addresses.length === 0 && xpub === undefined)
    throw new UsageError('MISSING_ARGUMENT', 'expected addresses, --file or --xpub')
  if (xpub !== undefined && values.has('fresh'))
    throw new UsageError('BAD_VALUE', 'earlier outputs of an xpub are always looked for', {
      hint: 'omit --fresh, or watch addresses and the xpub with separate commands',
    })
  const custody = await openNamedCustody(invocation)
  const watched = await custody.watch(addresses, { fresh: values.has('fresh') })
  if (xpub !== undefined)
    await custody.watchXpub(xpub, {
      gap: values.integer('gap-limit', 1, 100_000) ?? 20,
      reference,
    })
  const subjects = [
    ...(addresses.length === 0 ? [] : [counted(watched, 'address', 'addresses')]),
    ...(xpub === undefined ? [] : ['the addresses of an xpub']),
  ]
  return { json: { watched, xpub }, text: `watching ${subjects.join(' and ')}` }
}

function parseAddressCSV(text: string): { readonly address: string; readonly reference: string }[] {
  const rows = parseCSV(text, { required: ['address'], optional: ['reference'] })
  return rows.map(({ line, cells: { address = '', reference = '' }, excess }) => {
    if (excess > 0)
      throw invalidLine(line, `${counted(excess, 'cell')} too many; use quotes for commas`)
    return { address, reference }
  })
}

/** `custody deposits` */
export async function deposits(invocation: Invocation): Promise<Result> {
  const { values, paint } = invocation
  const custody = await openNamedCustody(invocation)
  const list = await custody.deposits({
    after: BigInt(values.integer('after', 0, Number.MAX_SAFE_INTEGER) ?? 0),
    limit: values.integer('limit', 1, 100_000) ?? 1000,
  })
  const print = await amountPrinter(invocation, list)
  const columns = [
    { title: 'cursor', right: true as const },
    { title: 'height', right: true as const },
    { title: 'amount', right: true as const },
    { title: 'kind' },
    { title: 'address' },
    { title: 'reference' },
    { title: 'transaction' },
  ]
  const cells = list.map((deposit) => [
    String(deposit.cursor),
    deposit.height === undefined ? 'before' : String(deposit.height),
    print(deposit.amount, deposit.assetID),
    deposit.corrects === undefined ? deposit.kind : `${deposit.kind}, corrects ${deposit.corrects}`,
    deposit.address,
    deposit.reference ?? '',
    formatUTXOID(deposit),
  ])
  return {
    json: { deposits: list.map(depositJSON) },
    text: list.length === 0 ? 'no deposits' : table(columns, cells, paint),
  }
}

function depositJSON(deposit: Deposit): object {
  return {
    ...deposit,
    txID: formatID(deposit.txID),
    assetID: formatID(deposit.assetID),
    height: deposit.height ?? null,
    reference: deposit.reference ?? null,
    corrects: deposit.corrects ?? null,
  }
}

/** `custody pay` */
export async function pay(invocation: Invocation): Promise<Result> {
  const context = await invocation.context()
  const payouts = (await readPayoutFile(invocation, context)).map(({ key, memo, output }) => {
    const { to, amount, assetID, threshold, locktime } = output
    if (Array.isArray(to) || threshold !== undefined || locktime !== undefined)
      throw new CliError('CSV_INVALID', `${key}: custody pays single addresses`, {
        hint: 'nothing was queued',
      })
    return { key, to: to as string, amount, assetID, memo }
  })
  const custody = await openNamedCustody(invocation)
  const { added, known } = await custody.requestPayouts(payouts)
  return {
    json: { added, known },
    text: `queued ${counted(added, 'payout')}, ${known} were queued before`,
  }
}

/** `custody payouts` */
export async function payouts(invocation: Invocation): Promise<Result> {
  const { values, paint } = invocation
  const custody = await openNamedCustody(invocation)
  const status = values.text('status') as PayoutStatus | undefined
  const list = await custody.payouts({
    keys: values.args.length === 0 ? undefined : values.args,
    status,
    limit: values.integer('limit', 1, 1_000_000) ?? 1000,
  })
  const print = await amountPrinter(
    invocation,
    list.flatMap((payout) => [payout, ...(payout.missing === undefined ? [] : [payout.missing])]),
  )
  const columns = [
    { title: 'key' },
    { title: 'status' },
    { title: 'amount', right: true as const },
    { title: 'to' },
    { title: 'transaction' },
  ]
  const cells = list.map((payout) => [
    payout.key,
    payoutState(payout, print),
    print(payout.amount, payout.assetID),
    payout.to,
    payout.txID === undefined ? '' : formatID(payout.txID),
  ])
  return {
    json: { payouts: list.map(payoutJSON) },
    text: list.length === 0 ? 'no payouts' : table(columns, cells, paint),
  }
}

function payoutState({ held, note, limit, missing, status }: Payout, print: AmountPrinter): string {
  if (held) return `held: ${note ?? ''}`
  if (limit !== undefined) return `waits: ${note ?? limit.name}`
  if (missing === undefined) return status
  return `needs ${print(missing.amount, missing.assetID)}`
}

function payoutJSON({ txID, assetID, missing, limit, ...rest }: Payout): object {
  return {
    ...rest,
    limit: limit && { name: limit.name, until: limit.until?.toISOString() ?? null },
    txID: txID === undefined ? null : formatID(txID),
    assetID: formatID(assetID),
    missing: missing && { assetID: formatID(missing.assetID), amount: missing.amount },
    requestedAt: rest.requestedAt.toISOString(),
    pendingSince: rest.pendingSince?.toISOString() ?? null,
    endedAt: rest.endedAt?.toISOString() ?? null,
  }
}

/** `custody hold`, `custody release`, `custody cancel`, `custody approve`, `custody deny` */
export async function change(
  invocation: Invocation,
  done: string,
  work: (custody: Custody, keys: readonly string[], reason?: string) => Promise<void>,
): Promise<Result> {
  const { args: keys } = invocation.values
  await work(await openNamedCustody(invocation), keys, invocation.values.text('reason'))
  return { json: { keys }, text: `${done} ${counted(keys.length, 'payout')}` }
}

/** `custody sweep` */
export async function sweep(invocation: Invocation): Promise<Result> {
  invocation.values.required('rules', 'for example --rules sweeps.json')
  const custody = await openSigningCustody(invocation)
  const transactions = await custody.sweep().catch(explainRules)
  const requests = await custody.requests()
  return {
    json: { transactions, requests },
    text: `made ${counted(transactions, 'transaction')}, ${counted(requests.length, 'signing request')} for cold keys open`,
  }
}

/** `custody reconcile` */
export async function reconcile(invocation: Invocation): Promise<Result> {
  const { values, io, paint } = invocation
  const [file] = values.args
  const since = BigInt(values.integer('since', 0, Number.MAX_SAFE_INTEGER) ?? 0)
  const decisions = file === undefined ? [] : parseAttributions(await readText(file, io))
  const custody = await openNamedCustody(invocation)
  if (decisions.length > 0) await custody.attribute(decisions)
  const open = await custody.unknownPayments({ since })
  const print = await amountPrinter(invocation, open)
  const columns = [
    { title: 'height', right: true as const },
    { title: 'transaction' },
    { title: 'amount', right: true as const },
    { title: 'to' },
    { title: 'payouts with this content' },
  ]
  const cells = open.map((one) => [
    String(one.height),
    formatID(one.txID),
    print(one.amount, one.assetID),
    one.to,
    one.keys.join(' '),
  ])
  const done = decisions.length === 0 ? [] : [`recorded ${counted(decisions.length, 'decision')}`]
  const left = open.length === 0 ? 'no unknown payments' : table(columns, cells, paint)
  return {
    json: {
      decided: decisions.length,
      unknown: open.map((one) => ({
        ...one,
        txID: formatID(one.txID),
        assetID: formatID(one.assetID),
      })),
    },
    text: [...done, left].join('\n'),
  }
}

function parseAttributions(text: string): Attribution[] {
  const rows = parseCSV(text, { required: ['transaction'], optional: ['key'] })
  return rows.map(({ line, cells: { transaction = '', key = '' }, excess }) => {
    if (excess > 0) throw invalidLine(line, `${counted(excess, 'cell')} too many`)
    try {
      return { txID: parseID(transaction), ...(key !== '' && { key }) }
    } catch (error) {
      throw invalidLine(line, error instanceof Error ? error.message : String(error))
    }
  })
}

/** `custody fence` */
export async function fence(invocation: Invocation): Promise<Result> {
  const custody = await openSigningCustody(invocation)
  const transactions = await custody.fence({ signal: invocation.io.signal })
  return {
    json: { transactions },
    text: `the fence is complete: ${counted(transactions, 'transaction')}`,
  }
}

/** `custody audit` */
export async function audit(invocation: Invocation): Promise<Result> {
  const height = invocation.values.integer('to-height', 0, Number.MAX_SAFE_INTEGER)
  const custody = await openNamedCustody(invocation)
  const report = await custody.audit({
    height: height === undefined ? undefined : BigInt(height),
    whole: invocation.values.has('whole'),
  })
  return {
    json: auditJSON(report),
    text: auditText(report, invocation, await amountPrinter(invocation, report.assets)),
    failed: !report.balanced,
  }
}

function auditJSON({ assets, missing, extra, disputed, faults, ...rest }: Audit): object {
  const withTexts = (list: Audit['missing']) =>
    list.map((utxo) => ({ ...utxo, txID: formatID(utxo.txID), assetID: formatID(utxo.assetID) }))
  return {
    ...rest,
    assets: assets.map((asset) => ({ ...asset, assetID: formatID(asset.assetID) })),
    missing: withTexts(missing),
    extra: withTexts(extra),
    disputed: withTexts(disputed),
    faults: faults.map(({ txID, ...fault }) => ({ ...fault, txID: txID && formatID(txID) })),
  }
}

function auditText(report: Audit, { paint }: Invocation, print: AmountPrinter): string {
  const names = [
    'deposits',
    'refills',
    'payouts',
    'fees',
    'spentByOthers',
    'expected',
    'utxos',
    'node',
  ] as const
  const columns = [{ title: 'asset' }, ...names.map((title) => ({ title, right: true as const }))]
  const cells = report.assets.map((asset) => [
    formatID(asset.assetID),
    ...names.map((name) => print(asset[name], asset.assetID)),
  ])
  const differences = [
    ...report.missing.map((utxo) => `not in the tables: ${formatUTXOID(utxo)}`),
    ...report.extra.map((utxo) => `not at the node: ${formatUTXOID(utxo)}`),
    ...report.disputed.map(disputeText),
    ...report.faults.map(faultText),
  ]
  const verdict = `${report.balanced ? 'balanced' : 'NOT BALANCED'} at height ${report.height}`
  return [table(columns, cells, paint), ...differences, verdict].join('\n')
}

function faultText({ kind, key, txID, message }: Audit['faults'][number]): string {
  return [kind, key, txID && formatID(txID)].filter(Boolean).join(' ').concat(`: ${message}`)
}

function disputeText({ listedBy, missingFrom, ...utxo }: Audit['disputed'][number]): string {
  return `disputed: ${formatUTXOID(utxo)}, listed by ${listedBy.join(', ')}, not by ${missingFrom.join(', ')}`
}

/** `custody work` */
export async function work(invocation: Invocation): Promise<Result | undefined> {
  const { values, io } = invocation
  const port = values.integer('metrics-port', 0, 65_535)
  const custody = await openSigningCustody(invocation, {
    assets: values.list('asset'),
    log: ({ level, event, message, details }) => {
      if (level === 'debug' && !values.has('verbose')) return
      const text = values.has('json')
        ? jsonLine({ time: new Date().toISOString(), level, event, message, ...details })
        : escaped(`${level} ${event}: ${message}`)
      io.stderr.write(`${text}\n`)
    },
  })
  if (port !== undefined) {
    const { serveOperations } = await import('../../custody/index.ts')
    const { url, close } = await serveOperations(custody, { port })
    invocation.atEnd(close)
    io.stderr.write(`metrics at ${url}/metrics\n`)
  }
  await custody.work({ signal: io.signal }).catch(explainRules)
  return undefined
}

/** `custody status` */
export async function status(invocation: Invocation): Promise<Result> {
  const custody = await openNamedCustody(invocation)
  const found = await custody.status()
  const print = await amountPrinter(invocation, [...found.missing, ...found.reserves])
  return { json: statusJSON(found), text: statusText(found, invocation, print) }
}

function statusJSON(found: CustodyStatus): object {
  const withTexts = <T extends { readonly assetID: Uint8Array }>(list: readonly T[]) =>
    list.map((item) => ({ ...item, assetID: formatID(item.assetID) }))
  return {
    ...found,
    now: found.now.toISOString(),
    height: found.height ?? null,
    oldestQueued: found.oldestQueued?.toISOString() ?? null,
    pendingSince: found.pendingSince?.toISOString() ?? null,
    missing: withTexts(found.missing),
    reserves: withTexts(found.reserves),
  }
}

function statusText(found: CustodyStatus, { paint }: Invocation, print: AmountPrinter): string {
  const rows: [string, string][] = [
    ['healthy', found.healthy ? 'yes' : 'NO'],
    ...found.problems.map(({ code, message }): [string, string] => [
      'problem',
      `${code}: ${message}`,
    ]),
    ['height', `${found.height ?? 'none'} of ${found.nodeHeight ?? 'unknown'}`],
    ['lag', `${found.lag ?? 'unknown'} blocks`],
    ['leader', found.leader ?? 'none'],
    ['deposits', String(found.depositCursor)],
    ...Object.entries(found.payouts).map(([name, count]): [string, string] => [
      `payouts ${name}`,
      String(count),
    ]),
    ['oldest queued', found.oldestQueued?.toISOString() ?? 'none'],
    ['pending since', found.pendingSince?.toISOString() ?? 'none'],
    ['pending transactions', String(found.pendingTransactions)],
    ...found.missing.map(({ assetID, amount }): [string, string] => [
      'missing',
      print(amount, assetID),
    ]),
    ...found.reserves.map(
      ({ wallet, assetID, free, reserved, locked, utxos }): [string, string] => [
        `${wallet} wallet`,
        `${[
          `${print(free, assetID)} free`,
          `${print(reserved, assetID)} reserved`,
          `${print(locked, assetID)} locked`,
        ].join(', ')} in ${counted(utxos, 'UTXO')}`,
      ],
    ),
  ]
  return details(rows, paint)
}
