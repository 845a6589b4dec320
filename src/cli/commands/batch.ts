import type { NetworkContext } from '../../chain/index.ts'
import type { BatchOptions, BatchPreview, BatchResult } from '../../wallet/index.ts'
import { describePlan, describeResult, lookOver, warningText } from '../batch-text.ts'
import type { Command, Options, Result } from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { parseAsset } from '../payments.ts'
import { counted, paintExplanation, paintFor } from '../print.ts'
import { openSpending, type Spending, spendOptions } from '../spending.ts'

const batchOptions: Options = {
  plan: { help: 'print what would be done, and do nothing' },
  asset: { value: 'ID', many: true, help: 'only this asset; repeat it for more' },
  'in-flight': {
    value: 'NUMBER',
    help: 'transactions that may be pending at the same time; default 4',
  },
  ...spendOptions,
}

/** Everything goes to one place, the change of fees too. */
const { 'change-to': _changeTo, ...consolidateOptions } = batchOptions

const details =
  'Every transaction is recorded in the journal before it is issued. After an interruption of any kind, run the\nsame command again: it resumes what is pending and moves the rest.'

/** Everything to one address. */
export const sweep: Command = {
  name: 'sweep',
  summary: 'send everything to one address, in as many transactions as it takes',
  details,
  arguments: [{ name: 'ADDRESS', help: 'the new owner' }],
  options: {
    'clear-sign': { help: 'keep transactions small enough for hardware wallets' },
    ...batchOptions,
  },
  example: 'sweep X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t --key-file old.key --plan',
  run: (invocation) =>
    runBatch(invocation, ({ wallet, context, tx }) => {
      const call = {
        ...tx,
        ...assetsOf(invocation, context),
        to: invocation.values.args[0]!,
        clearSign: invocation.values.has('clear-sign'),
      }
      return {
        preview: () => wallet.prepare.sweep(call),
        run: (options) => wallet.sweep(call, options),
      }
    }),
}

/** Many UTXOs into few. */
export const consolidate: Command = {
  name: 'consolidate',
  summary: 'combine many small UTXOs into few',
  details,
  arguments: [],
  options: {
    to: { value: 'ADDRESS', help: 'which of your addresses; default: the first' },
    ...consolidateOptions,
  },
  example: 'consolidate --key-file my.key',
  run: (invocation) =>
    runBatch(invocation, ({ wallet, context, tx: { memo } }) => {
      const to = invocation.values.text('to')
      const call = {
        ...assetsOf(invocation, context),
        ...(memo === undefined ? {} : { memo }),
        ...(to === undefined ? {} : { to }),
      }
      return {
        preview: () => wallet.prepare.consolidate(call),
        run: (options) => wallet.consolidate(call, options),
      }
    }),
}

/** What another chain exported to the user. */
export const importFrom: Command = {
  name: 'import',
  summary: 'import everything that another chain exported to your addresses',
  details,
  arguments: [],
  options: {
    'source-chain': { value: 'CHAIN', help: 'P, C or the ID of a chain' },
    to: { value: 'ADDRESS', help: 'who gets it; default: your first address' },
    ...batchOptions,
  },
  example: 'import --source-chain P --key-file my.key',
  run: (invocation) => {
    const sourceChain = invocation.values.required('source-chain', 'for example --source-chain P')
    return runBatch(invocation, ({ wallet, context, tx }) => {
      const to = invocation.values.text('to')
      const call = {
        ...tx,
        ...assetsOf(invocation, context),
        sourceChain,
        ...(to === undefined ? {} : { to }),
      }
      return {
        preview: () => wallet.prepare.import(call),
        run: (options) => wallet.import(call, options),
      }
    })
  },
}

function assetsOf(
  { values }: Invocation,
  context: NetworkContext,
): { readonly assets?: readonly Uint8Array[] } {
  const assets = values.list('asset').map((text) => parseAsset(text, context))
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
  const { values, progress, io, paint } = invocation
  const planOnly = values.has('plan')
  const inFlight = values.integer('in-flight', 1, 64)
  const spending = await openSpending(invocation, planOnly ? 'plan' : 'spend')
  const batch = make(spending)
  if (planOnly) {
    const { json, text } = await describePlan(await batch.preview(), spending, invocation, paint)
    return { json, text: paintExplanation(text, paint) }
  }
  const { confirm: _each, ...run } = spending.run
  const result = await batch.run({
    ...run,
    ...(inFlight === undefined ? {} : { inFlight }),
    // One question for the whole plan: a thousand of them would be answered without being read.
    confirmPlan: async (preview) => {
      if (preview.transactions === 0) return true
      progress.end()
      if (values.has('yes')) {
        // Without a question, warnings are at least printed.
        const { warnings } = lookOver(preview.drafts(), spending, invocation)
        for (const warning of warnings) invocation.warn(warning.code, warningText(warning))
        return true
      }
      const shown = paintFor(io.stderr, io.env)
      const { text } = await describePlan(preview, spending, invocation, shown)
      await invocation.confirmText(text, 'Sign and send all of this?')
      return true
    },
    onProgress: ({ accepted, transactions, coins }) =>
      progress.show(accepted, transactions, `transactions accepted, ${counted(coins, 'coin')}`),
  })
  progress.end()
  return describeResult(result, spending.context, invocation)
}
