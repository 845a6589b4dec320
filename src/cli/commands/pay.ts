import type { Command, Options } from '../command.ts'
import { UsageError } from '../errors.ts'
import { assetOf, lockOf, outputsOf, parseOwners, parsePayments } from '../payments.ts'
import { keyOption, openSpending, receiptResult, spendOptions } from '../spending.ts'

const paymentOptions: Options = {
  asset: { value: 'ID', help: 'what to pay; AVAX unless told' },
  'locked-until': { value: 'TIME', help: 'when it can be spent; unix seconds or a date' },
  ...keyOption,
  ...spendOptions,
}

const paymentArgument = {
  name: 'PAYMENT',
  help: 'ADDRESS=AMOUNT, any number of them; or ADDRESS AMOUNT for one',
  many: true,
} as const

/** Pays people on the same chain. */
export const send: Command = {
  name: 'send',
  summary: 'pay somebody, or several in one transaction; the amount may be all',
  details:
    'Several owners are written 2:ADDRESS,ADDRESS,ADDRESS, the number being how many of them must sign.',
  arguments: [paymentArgument],
  options: paymentOptions,
  example: 'send X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t 1.5 --key-file my.key',
  run: async (invocation) => {
    const payments = parsePayments(invocation.values.args)
    const all = payments.find(({ amount }) => amount === 'all')
    if (all !== undefined && payments.length > 1)
      throw new UsageError('BAD_VALUE', 'expected one payment where it is of everything')
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

/** Moves assets to another chain. */
export const exportTo: Command = {
  name: 'export',
  summary: 'move assets to another chain of the network, where they must be imported',
  arguments: [paymentArgument],
  options: {
    'to-chain': { value: 'CHAIN', help: 'P or C, or the ID of a chain' },
    ...paymentOptions,
  },
  example: 'export P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t=2 --to-chain P --key-file my.key',
  run: async (invocation) => {
    const payments = parsePayments(invocation.values.args)
    const toChain = invocation.values.required('to-chain', 'for example --to-chain P')
    const { wallet, run, tx } = await openSpending(invocation)
    const outputs = await outputsOf(payments, invocation)
    return receiptResult(await wallet.export({ ...tx, toChain, outputs }, run))
  },
}
