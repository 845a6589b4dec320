import type { Command, Options } from '../command.ts'
import { UsageError } from '../errors.ts'
import { assetOf, lockOf, outputsOf, parseOwners, parsePayments } from '../payments.ts'
import { keyOption, openSpending, receiptResult, spendOptions } from '../spending.ts'

const paymentOptions: Options = {
  asset: { value: 'ID', help: 'the asset to pay; default AVAX' },
  'locked-until': { value: 'TIME', help: 'lock the outputs until then: unix seconds or a date' },
  ...keyOption,
  ...spendOptions,
}

const paymentArgument = {
  name: 'PAYMENT',
  help: 'ADDRESS=AMOUNT, one or more; or ADDRESS AMOUNT for one payment',
  many: true,
} as const

/** Payments on the same chain. */
export const send: Command = {
  name: 'send',
  summary: 'send a payment to one or more addresses in one transaction; the amount may be all',
  details:
    'An output with several owners is written 2:ADDRESS,ADDRESS,ADDRESS=AMOUNT; the number is how many must sign.\nPayments of one command share its --key.',
  arguments: [paymentArgument],
  options: paymentOptions,
  example: 'send X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t 1.5 --key-file my.key',
  run: async (invocation) => {
    const payments = parsePayments(invocation.values.args)
    const all = payments.find(({ amount }) => amount === 'all')
    if (all !== undefined && payments.length > 1)
      throw new UsageError('BAD_VALUE', 'the amount all needs to be the only payment')
    const { wallet, context, run, tx } = await openSpending(invocation)
    if (all === undefined) {
      const outputs = await outputsOf(payments, invocation)
      return receiptResult(await wallet.transfer({ ...tx, outputs }, run))
    }
    const { assetID } = await assetOf(invocation.values.text('asset'), invocation, context)
    const to = { ...parseOwners(all.to), ...lockOf(invocation) }
    return receiptResult(await wallet.sendAll({ ...tx, assetID, ...to }, run))
  },
}

/** Exports to another chain. */
export const exportTo: Command = {
  name: 'export',
  summary: 'export assets to another chain of the network, which must import them',
  arguments: [paymentArgument],
  options: {
    'destination-chain': { value: 'CHAIN', help: 'P, C or the ID of a chain' },
    ...paymentOptions,
  },
  example:
    'export P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t=2 --destination-chain P --key-file my.key',
  run: async (invocation) => {
    const payments = parsePayments(invocation.values.args)
    const destinationChain = invocation.values.required(
      'destination-chain',
      'for example --destination-chain P',
    )
    const { wallet, run, tx } = await openSpending(invocation)
    const outputs = await outputsOf(payments, invocation)
    return receiptResult(await wallet.export({ ...tx, destinationChain, outputs }, run))
  },
}
