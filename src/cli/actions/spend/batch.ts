import type { NetworkContext } from '../../../core/chain/networks.ts'
import { BatchError, type BatchOptions, type BatchResult } from '../../../wallet/index.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { describePlan, describeResult } from '../../spending/batch-text.ts'
import { type BatchParser, batchCall, preview } from '../../spending/calls.ts'
import { planConfirmation } from '../../spending/confirm-plan.ts'
import { checkOwners, findAsset, requireXAddresses } from '../../spending/payments.ts'
import { openSpending, type Spending } from '../../spending/spending.ts'
import { counted } from '../../terminal/print.ts'

/** Sends everything to one address. */
export const parseSweep: BatchParser = (invocation) => {
  const to = invocation.values.args[0]!
  checkTarget(to)
  const clearSign = invocation.values.has('clear-sign')
  return async (context) => ({
    method: 'sweep',
    call: { assets: await findAssets(invocation, context), to, clearSign },
  })
}

function checkTarget(to: string | undefined): void {
  if (to === undefined) return
  requireXAddresses([to])
  checkOwners(to)
}

/** Combines UTXOs. */
export const parseConsolidate: BatchParser = (invocation) => {
  const to = invocation.values.text('to')
  checkTarget(to)
  return async (context) => ({
    method: 'consolidate',
    call: { assets: await findAssets(invocation, context), to },
  })
}

/** Imports everything that another chain exported. */
export const parseImport: BatchParser = (invocation) => {
  const sourceChain = invocation.values.required('source-chain', 'for example --source-chain P')
  const to = invocation.values.text('to')
  checkTarget(to)
  return async (context) => ({
    method: 'import',
    call: { assets: await findAssets(invocation, context), sourceChain, to },
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
  const running = runMethod(batchCall(batch, tx), {
    ...run,
    inFlight,
    confirmPlan: planConfirmation(spending, invocation),
    onProgress: ({ accepted, transactions, utxoCount }) =>
      progress.show(accepted, transactions, `transactions accepted, ${counted(utxoCount, 'UTXO')}`),
  })
  const result = await running.catch(async (error: unknown) => {
    progress.end()
    if (error instanceof BatchError)
      invocation.print(await describeResult(error.result, spending.context, invocation))
    throw error
  })
  progress.end()
  return describeResult(result, spending.context, invocation)
}
