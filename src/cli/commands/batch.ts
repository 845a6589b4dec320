import type { Draft, LeftBehind } from '../../build/index.ts'
import type { NetworkContext } from '../../chain/index.ts'
import type { AssetAmount } from '../../coins/index.ts'
import { formatAmount, formatID, formatUTXOName } from '../../encoding/index.ts'
import type { BatchOptions, BatchPreview, BatchResult, SetAside } from '../../wallet/index.ts'
import type { Command, Options, Result } from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { assetFacts } from '../lookup.ts'
import { facts, table, timeText } from '../print.ts'
import { openSpending, type Spending, spendOptions } from '../spending.ts'

const batchOptions: Options = {
  plan: { help: 'only say what would be done' },
  asset: { value: 'ID', many: true, help: 'only this asset; repeat it for more' },
  'in-flight': { value: 'NUMBER', help: 'transactions under way at the same time; 4 unless told' },
  ...spendOptions,
  journal: {
    value: 'FILE',
    help: 'where to write transactions down; avmkit-NETWORK-KEY.journal unless told',
  },
}

const details =
  'Every transaction is written to the journal before it is sent. After an interruption of any kind, run the\nsame command again: nothing is paid twice, and the rest is moved.'

/** Everything to one address. */
export const sweep: Command = {
  name: 'sweep',
  summary: 'send everything to one address, in as many transactions as it takes',
  details,
  arguments: [{ name: 'ADDRESS', help: 'who gets it' }],
  options: {
    'clear-sign': { help: 'keep transactions small enough for hardware wallets' },
    ...batchOptions,
  },
  example: 'sweep X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t --key-file old.key --plan',
  run: (invocation) =>
    runBatch(invocation, ({ wallet, tx }) => {
      const call = {
        ...tx,
        ...assetsOf(invocation),
        to: invocation.values.args[0]!,
        clearSign: invocation.values.has('clear-sign'),
      }
      return {
        preview: () => wallet.prepare.sweep(call),
        run: (options) => wallet.sweep(call, options),
      }
    }),
}

/** Many coins into few. */
export const consolidate: Command = {
  name: 'consolidate',
  summary: 'put many small coins together into few',
  details,
  arguments: [],
  options: {
    to: { value: 'ADDRESS', help: 'which of your addresses; the first unless told' },
    ...batchOptions,
  },
  example: 'consolidate --key-file my.key',
  run: (invocation) =>
    runBatch(invocation, ({ wallet, tx: { memo } }) => {
      const to = invocation.values.text('to')
      const call = {
        ...assetsOf(invocation),
        ...(memo === undefined ? {} : { memo }),
        ...(to === undefined ? {} : { to }),
      }
      return {
        preview: () => wallet.prepare.consolidate(call),
        run: (options) => wallet.consolidate(call, options),
      }
    }),
}

/** What waits from another chain. */
export const importFrom: Command = {
  name: 'import',
  summary: 'take in everything that another chain exported to your addresses',
  details,
  arguments: [],
  options: {
    'from-chain': { value: 'CHAIN', help: 'P or C, or the ID of a chain' },
    to: { value: 'ADDRESS', help: 'who gets it; the first of your addresses unless told' },
    ...batchOptions,
  },
  example: 'import --from-chain P --key-file my.key',
  run: (invocation) => {
    const fromChain = invocation.values.required('from-chain', 'for example --from-chain P')
    return runBatch(invocation, ({ wallet, tx }) => {
      const to = invocation.values.text('to')
      const call = {
        ...tx,
        ...assetsOf(invocation),
        fromChain,
        ...(to === undefined ? {} : { to }),
      }
      return {
        preview: () => wallet.prepare.import(call),
        run: (options) => wallet.import(call, options),
      }
    })
  },
}

function assetsOf({ values }: Invocation): { readonly assets?: readonly string[] } {
  const assets = values.list('asset')
  return assets.length === 0 ? {} : { assets }
}

type Batch = {
  readonly preview: () => Promise<BatchPreview>
  readonly run: (options: Spending['run'] & BatchOptions) => Promise<BatchResult>
}

async function runBatch(
  invocation: Invocation,
  make: (spending: Spending) => Batch,
): Promise<Result> {
  const { values, progress } = invocation
  const planOnly = values.has('plan')
  const spending = await openSpending(invocation, planOnly ? undefined : (name) => name)
  const batch = make(spending)
  if (planOnly) return describePlan(await batch.preview(), spending.context, invocation)
  const inFlight = values.integer('in-flight', 1, 64)
  const { confirm: _each, ...run } = spending.run
  const result = await batch.run({
    ...run,
    ...(inFlight === undefined ? {} : { inFlight }),
    // One question for the whole plan: a thousand of them would be answered without being read.
    confirmPlan: async (preview) => {
      if (values.has('yes') || preview.transactions === 0) return true
      const { text } = await describePlan(preview, spending.context, invocation)
      await invocation.confirm(text, 'Sign and send all of this?')
      return true
    },
    onProgress: ({ accepted, transactions, coins }) =>
      progress.show(accepted, transactions, `transactions accepted, ${coins} coins`),
  })
  progress.end()
  return describeResult(result, spending.context, invocation)
}

/** What all drafts of a plan bring to others or to one place, and what they cost. */
function sumUp(drafts: Iterable<Draft>): { coins: number; fee: bigint; moved: AssetAmount[] } {
  const moved = new Map<string, { assetID: Uint8Array; amount: bigint }>()
  let coins = 0
  let fee = 0n
  for (const draft of drafts) {
    coins += draft.utxos.length
    fee += draft.fee
    const add = (assetID: Uint8Array, amount: bigint) => {
      const id = formatID(assetID)
      moved.set(id, { assetID, amount: (moved.get(id)?.amount ?? 0n) + amount })
    }
    for (const { assetID, output } of draft.unsignedTx.outputs) add(assetID, output.amount)
    for (const { assetID, amount } of draft.change) add(assetID, -amount)
  }
  return { coins, fee, moved: [...moved.values()].filter(({ amount }) => amount > 0n) }
}

async function describePlan(
  plan: BatchPreview,
  context: NetworkContext,
  invocation: Invocation,
): Promise<Result> {
  const { coins, fee, moved } = sumUp(plan.drafts())
  const { transactions } = plan
  const parts = await describeParts({ ...plan, moved }, context, invocation)
  const head = facts(
    [
      ['transactions', transactions],
      ['coins', coins],
      ['fees', `${formatAmount(fee)} AVAX`],
    ],
    invocation.paint,
  )
  return {
    json: { transactions, coins, fee, ...parts.json },
    text: [head, ...parts.texts].join('\n\n'),
  }
}

async function describeResult(
  result: BatchResult,
  context: NetworkContext,
  invocation: Invocation,
): Promise<Result> {
  const { txIDs, coins, refused, settled } = result
  const parts = await describeParts(result, context, invocation)
  const head = facts(
    [
      ['accepted', txIDs.length === 0 ? 'nothing to do' : `${txIDs.length} transactions`],
      ['coins', coins],
      ['settled from before', settled.length === 0 ? undefined : settled.length],
      ['refused', refused.length === 0 ? undefined : `${refused.length} transactions`],
    ],
    invocation.paint,
  )
  const refusals = refused.map(({ error }) => `refused: ${error.code}: ${error.message}`)
  return {
    json: {
      txIDs: txIDs.map(formatID),
      coins,
      ...parts.json,
      refused: refused.map(({ txID, coins: spent, error }) => ({
        txID: formatID(txID),
        coins: spent.map(formatUTXOName),
        code: error.code,
      })),
      settled: settled.map(({ txID, status, key, keys }) => ({
        txID: formatID(txID),
        status,
        key,
        keys,
      })),
    },
    text: [head, ...parts.texts, ...refusals].join('\n\n'),
  }
}

async function describeParts(
  {
    moved,
    setAside,
    leftBehind,
  }: {
    readonly moved: readonly AssetAmount[]
    readonly setAside: readonly SetAside[]
    readonly leftBehind: readonly LeftBehind[]
  },
  context: NetworkContext,
  invocation: Invocation,
): Promise<{ readonly json: object; readonly texts: readonly string[] }> {
  const ids = [...moved, ...setAside, ...leftBehind].map(({ assetID }) => formatID(assetID))
  const client = await invocation.client()
  const known = await assetFacts(client, ids, context, invocation.callOptions())
  const amountText = ({ assetID, amount }: AssetAmount) => {
    const id = formatID(assetID)
    const { symbol, denomination = 0 } = known[id] ?? {}
    return [formatAmount(amount, Math.min(denomination, 32)), symbol ?? id]
  }
  const columns = [{ title: 'amount', right: true }, { title: 'asset' }] as const
  const movedRows = moved.map(amountText)
  const restRows = [
    ...setAside.map((one) => [...amountText(one), `can never be spent: ${one.code}`]),
    ...leftBehind.map((one) => [...amountText(one), reasonText(one)]),
  ]
  const restColumns = [...columns, { title: 'stays because' }]
  return {
    json: {
      moved: moved.map(({ assetID, amount }) => ({ assetID: formatID(assetID), amount })),
      setAside: setAside.map((one) => ({ ...one, assetID: formatID(one.assetID) })),
      leftBehind: leftBehind.map((one) => ({ ...one, assetID: formatID(one.assetID) })),
    },
    texts: [
      ...(movedRows.length === 0 ? [] : [table(columns, movedRows, invocation.paint)]),
      ...(restRows.length === 0 ? [] : [table(restColumns, restRows, invocation.paint)]),
    ],
  }
}

const REASONS: { readonly [Reason in LeftBehind['reason']]: string } = {
  dust: 'it brings less than it costs',
  fee: 'nobody pays its fee',
  locked: 'it is locked',
  shortOfSigners: 'others must sign too',
  reserved: 'another transaction spends it',
  arrived: 'it is there already',
  otherOwners: 'it belongs to others',
  otherOutputs: 'it is no amount: a mint right, an NFT or a property',
  opaque: 'it cannot be read',
}

function reasonText({ reason, count, until }: LeftBehind): string {
  const many = count === undefined ? '' : ` (${count} UTXOs)`
  return `${REASONS[reason]}${until === undefined ? '' : ` until ${timeText(until)}`}${many}`
}
