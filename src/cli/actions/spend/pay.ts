import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { type CallParser, spend } from '../../spending/calls.ts'
import {
  assetOf,
  checkPayments,
  locktimeOf,
  parseOwners,
  parsePayments,
  paymentOutputs,
  requireXAddresses,
} from '../../spending/payments.ts'

/** Payments on the same chain. */
export const parseSend: CallParser = (invocation) => {
  const payments = parsePayments(invocation.values.args)
  requireXAddresses(payments.map(({ to }) => to))
  checkPayments(payments)
  const all = payments.find(({ amount }) => amount === 'all')
  if (all !== undefined && payments.length > 1)
    throw new UsageError('BAD_VALUE', 'the amount all must be the only payment')
  return async (context) => {
    if (all === undefined)
      return { method: 'transfer', call: { outputs: await paymentOutputs(payments, invocation) } }
    const { assetID } = await assetOf(invocation.values.text('asset'), invocation, context)
    const to = { ...parseOwners(all.to), locktime: locktimeOf(invocation) }
    return { method: 'sendAll', call: { assetID, ...to } }
  }
}

/** Exports to another chain. */
export const parseExport: CallParser = (invocation) => {
  const payments = parsePayments(invocation.values.args)
  const destinationChain = invocation.values.required(
    'destination-chain',
    'for example --destination-chain P',
  )
  checkPayments(payments)
  return async () => ({
    method: 'export',
    call: { destinationChain, outputs: await paymentOutputs(payments, invocation) },
  })
}

export function send(invocation: Invocation): Promise<Result> {
  return spend(invocation, parseSend)
}

export function exportTo(invocation: Invocation): Promise<Result> {
  return spend(invocation, parseExport)
}
