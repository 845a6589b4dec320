import type { NetworkContext } from '../../../core/chain/networks.ts'
import type { BatchOptions, BatchResult } from '../../../wallet/index.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { describePlan, describeResult } from '../../spending/batch-text.ts'
import { type BatchParser, batchCall, preview } from '../../spending/calls.ts'
import { planConfirmation } from '../../spending/confirm-plan.ts'
import { findAsset } from '../../spending/payments.ts'
import { openSpending, type Spending } from '../../spending/spending.ts'
import { counted } from '../../terminal/print.ts'

/** Sends everything to one address. */
export const parseSweep: BatchParser = (invocation) => async (context) => ({
  method: 'sweep',
  call: {
    assets: await findAssets(invocation, context),
    to: invocation.values.args[0]!,
    clearSign: invocation.values.has('clear-sign'),
  },
})

/** Combines UTXOs. */
export const parseConsolidate: BatchParser = (invocation) => async (context) => ({
  method: 'consolidate',
  call: { assets: await findAssets(invocation, context), to: invocation.values.text('to') },
})

/** Imports everything that another chain exported. */
export const parseImport: BatchParser = (invocation) => {
  const sourceChain = invocation.values.required('source-chain', 'for example --source-chain P')
  return async (context) => ({
    method: 'import',
    call: {
      assets: await findAssets(invocation, context),
      sourceChain,
      to: invocation.values.text('to'),
    },
  })
}

export const sweep = (invocation: Invocation): Promise<Result> =>
  runBatchCommand(invocation, parseSweep)
export const consolidate = (invocation: Invocation): Promise<Result> =>
  runBatchCommand(invocation, parseConsolidate)
export const importFrom = (invocation: Invocation): Promise<Result> =>
  runBatchCommand(invocation, parseImport)

async function findAssets(
  invocation: Invocation,
  context: NetworkContext,
): Promise<readonly Uint8Array[] | undefined> {
  const assets: Uint8Array[] = []
  for (const text of invocation.values.list('asset'))
    assets.push(await findAsset(text, invocation, context))
  return assets.length === 0 ? undefined : assets
}

async function runBatchCommand(invocation: Invocation, parse: BatchParser): Promise<Result> {
  const { values, progress, paint } = invocation
  const planOnly = values.has('plan')
  const inFlight = values.integer('in-flight', 1, 64)
  const callFor = parse(invocation)
  const spending = await openSpending(invocation, planOnly ? 'plan' : 'spend')
  const { wallet, tx } = spending
  const batch = await callFor(spending.context)
  if (planOnly) return describePlan(await preview(wallet, batch, tx), spending, invocation, paint)
  const runMethod = wallet[batch.method] as (
    call: object,
    options: Spending['run'] & BatchOptions,
  ) => Promise<BatchResult>
  const { confirm: _confirm, ...run } = spending.run
  const result = await runMethod(batchCall(batch, tx), {
    ...run,
    inFlight,
    confirmPlan: planConfirmation(spending, invocation),
    onProgress: ({ accepted, transactions, utxoCount }) =>
      progress.show(accepted, transactions, `transactions accepted, ${counted(utxoCount, 'UTXO')}`),
  })
  progress.end()
  return describeResult(result, spending.context, invocation)
}
