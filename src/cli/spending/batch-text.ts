import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import { explainDraft } from '../../core/sign/explain/explain.ts'
import { ownersText } from '../../core/sign/explain/explain-text.ts'
import type { ExplainedOwners } from '../../core/sign/explain/explanation.ts'
import type { Warning } from '../../core/sign/warnings.ts'
import { addressText } from '../../inspect/texts.ts'
import type { BatchPreview, BatchResult, Resumed, UnspendableAsset } from '../../wallet/index.ts'
import { feeText } from '../../wallet/payments/details-text.ts'
import type { Result } from '../command.ts'
import type { Invocation } from '../invocation.ts'
import type { Paint } from '../terminal/paint.ts'
import { counted, details, idRows, table, timeText } from '../terminal/print.ts'
import { lookUpAssets } from './lookup.ts'
import type { Spending } from './spending.ts'

/** A warning, and how many transactions of a plan it applies to. */
type PlanWarning = Warning & { readonly transactions: number }

/** Owners and warnings of all drafts of a plan. */
type Overview = {
  /** The user's addresses whose UTXOs are spent. */
  readonly from: readonly string[]
  readonly to: readonly Target[]
  readonly change: readonly Target[]
  readonly warnings: readonly PlanWarning[]
}

type Target = { readonly owners: ExplainedOwners; readonly ours: boolean }

/** Collects the recipients, the owners of change and the warnings of all drafts. */
export function overviewOf(
  drafts: Iterable<Draft>,
  { addresses, context }: Spending,
  invocation: Invocation,
): Overview {
  const now = invocation.now()
  const owners = new Set<string>()
  const to = new Map<string, Target>()
  const change = new Map<string, Target>()
  const warned = new Map<string, PlanWarning>()
  for (const draft of drafts) {
    for (const { output } of draft.utxos)
      for (const address of output.addresses) owners.add(hex.encode(address))
    const { pays, returns, warnings } = explainDraft(draft, { ours: addresses, now })
    for (const output of [...pays, ...returns]) {
      const targets = output.change ? change : to
      const ours = output.ownership !== 'payment'
      targets.set(ownersText(output.owners), { owners: output.owners, ours })
    }
    for (const code of new Set(warnings.map((warning) => warning.code))) {
      const known = warned.get(code)
      const first = known ?? warnings.find((warning) => warning.code === code)!
      warned.set(code, { ...first, transactions: (known?.transactions ?? 0) + 1 })
    }
  }
  return {
    from: addresses
      .filter((address) => owners.has(hex.encode(address)))
      .map((address) => addressText(address, context)),
    to: [...to.values()],
    change: [...change.values()],
    warnings: [...warned.values()],
  }
}

/** The message of a warning. */
export function warningText({ message, transactions }: PlanWarning): string {
  return transactions === 1 ? message : `${message} (in ${transactions} transactions)`
}

function targetText(targets: readonly Target[]): string | undefined {
  if (targets.length === 0) return undefined
  return targets
    .map(({ owners, ours }) => `${ownersText(owners)}${ours ? ' (yours)' : ''}`)
    .join('; ')
}

/** Describes a plan before anything is signed. */
export async function describePlan(
  plan: BatchPreview,
  spending: Spending,
  invocation: Invocation,
  paint: Paint,
): Promise<Result> {
  const { context } = spending
  const { name, networkID, chainAlias } = context
  const { transactions, utxoCount, fee, moved } = plan.total()
  const { from, to, change, warnings } = overviewOf(plan.drafts(), spending, invocation)
  const assets = await describeAssets({ ...plan, moved }, context, invocation, paint)
  const later = transactions - plan.transactions
  const laterText = `, ${later} of which ${later === 1 ? 'spends' : 'spend'} outputs of the first ${plan.transactions}`
  const head = details(
    [
      ['from', from.length > 1 ? `${from.length} of your addresses` : from[0]],
      ['to', targetText(to)],
      ['change to', targetText(change)],
      ['transactions', `${transactions}${later === 0 ? '' : laterText}`],
      ['UTXOs', utxoCount],
      ['fees', feeText(fee, context)],
    ],
    paint,
  )
  const title = `plan on ${name} (network ${networkID}), ${chainAlias}-Chain`
  const lines = warnings.map((warning) =>
    paint.yellow(`WARNING ${warning.code}  ${warningText(warning)}`),
  )
  const body = [
    `${paint.bold(title)}\n${head}`,
    ...assets.texts,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
  ]
  return {
    json: {
      network: { name, networkID },
      from,
      to: to.map(({ owners, ours }) => ({ ...owners, ours })),
      change: change.map(({ owners, ours }) => ({ ...owners, ours })),
      transactions,
      utxoCount,
      fee,
      ...assets.json,
      warnings,
    },
    text: body.join('\n\n'),
  }
}

/** Describes the result of a batch. */
export async function describeResult(
  result: BatchResult,
  context: NetworkContext,
  invocation: Invocation,
): Promise<Result> {
  const { txIDs, utxoCount, resumed } = result
  const { paint } = invocation
  const assets = await describeAssets(result, context, invocation, paint)
  const ids = txIDs.map(formatID)
  const head = details(
    [
      ['accepted', ids.length === 0 ? 'nothing to do' : counted(ids.length, 'transaction')],
      ...idRows(ids),
      ['UTXOs', utxoCount],
      ['resumed', resumedText(resumed)],
    ],
    paint,
  )
  return {
    json: {
      txIDs: ids,
      utxoCount,
      ...assets.json,
      resumed: resumed.map(({ keys, txID, status }) => ({ keys, txID: formatID(txID), status })),
    },
    text: [head, ...assets.texts].join('\n\n'),
  }
}

/** How the transactions that an earlier run left pending ended; undefined if there were none. */
function resumedText(resumed: readonly Resumed[]): string | undefined {
  if (resumed.length === 0) return undefined
  const counts = new Map<string, number>()
  for (const { status } of resumed) counts.set(status, (counts.get(status) ?? 0) + 1)
  const parts = [...counts].map(([status, count]) => `${count} ${status}`)
  return `${parts.join(', ')} (pending since an earlier run)`
}

/** The amounts that a batch moves, and those that it does not move with the reason. */
async function describeAssets(
  {
    moved,
    unspendable,
    leftBehind,
  }: {
    readonly moved: readonly AssetAmount[]
    readonly unspendable: readonly UnspendableAsset[]
    readonly leftBehind: readonly LeftBehind[]
  },
  context: NetworkContext,
  invocation: Invocation,
  paint: Paint,
): Promise<{ readonly json: object; readonly texts: readonly string[] }> {
  const ids = [...moved, ...unspendable, ...leftBehind].map(({ assetID }) => formatID(assetID))
  const chain = await invocation.view()
  const known = await lookUpAssets(chain, ids, context, invocation.callOptions())
  const amountText = ({ assetID, amount }: AssetAmount) => {
    const asset = known.find(formatID(assetID))
    return [asset.format(amount), asset.label]
  }
  const columns = [{ title: 'amount', right: true }, { title: 'asset' }] as const
  const movedRows = moved.map(amountText)
  const notMovedRows = [
    ...unspendable.map((asset) => [...amountText(asset), `can never be spent: ${asset.code}`]),
    ...leftBehind.map((asset) => [...amountText(asset), reasonText(asset)]),
  ]
  const notMovedColumns = [...columns, { title: 'not moved because' }]
  return {
    json: {
      moved: moved.map(({ assetID, amount }) => ({ assetID: formatID(assetID), amount })),
      unspendable: unspendable.map((asset) => ({ ...asset, assetID: formatID(asset.assetID) })),
      leftBehind: leftBehind.map((asset) => ({ ...asset, assetID: formatID(asset.assetID) })),
    },
    texts: [
      ...(movedRows.length === 0 ? [] : [table(columns, movedRows, paint)]),
      ...(notMovedRows.length === 0 ? [] : [table(notMovedColumns, notMovedRows, paint)]),
    ],
  }
}

const LEFT_BEHIND_REASONS: { readonly [Reason in LeftBehind['reason']]: string } = {
  dust: 'worth less than its fee',
  fee: 'no AVAX for its fee',
  locked: 'locked',
  shortOfSigners: 'needs other signers',
  reserved: 'reserved by a pending transaction',
  arrived: 'already at the recipient',
  otherAsset: 'of another asset',
  otherOwners: 'belongs to other owners',
  otherOutputs: 'not an amount: mint right, NFT or property',
  opaque: 'cannot be decoded',
  disputed: 'servers disagree whether it exists',
}

function reasonText({ reason, count, until, listedBy, missingFrom }: LeftBehind): string {
  if (listedBy !== undefined && missingFrom !== undefined)
    return `${LEFT_BEHIND_REASONS[reason]} (listed by ${listedBy.join(', ')}, not by ${missingFrom.join(', ')})`
  const many = count === undefined ? '' : ` (${counted(count, 'UTXO')})`
  return `${LEFT_BEHIND_REASONS[reason]}${until === undefined ? '' : ` until ${timeText(until)}`}${many}`
}
