import type { Command, Options } from '../command.ts'
import {
  ACCEPTABLE,
  againOption,
  confirmOptions,
  expectedNetworkOption,
  nodeOptions,
  onceOptions,
  planOption,
  spendOptions,
  waitOption,
} from '../options.ts'

/** What is paid. */
export const paymentContent: Options = {
  asset: { value: 'ASSET', help: 'asset ID, or symbol of one of your assets; default AVAX' },
  'locked-until': { value: 'TIME', help: 'lock the outputs until this Unix time or date' },
}

const paymentOptions: Options = {
  ...planOption,
  ...paymentContent,
  ...onceOptions,
  ...spendOptions,
}

/** One payment or more. */
export const paymentArgument = {
  name: 'PAYMENT',
  help: 'ADDRESS=AMOUNT, one or more; or ADDRESS AMOUNT for one payment',
  many: true,
} as const

const send: Command = {
  name: 'send',
  summary: 'send a payment to one or more addresses in one transaction; an amount can be all',
  details:
    'For an output with several owners, write 2:ADDRESS,ADDRESS,ADDRESS=AMOUNT; 2 is the number of required signatures.\nPayments of one command share its --idempotency-key.',
  arguments: [paymentArgument],
  options: paymentOptions,
  example: 'send X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t 1.5 --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/pay.ts')).send(invocation),
}

const exportTo: Command = {
  name: 'export',
  summary: 'export assets to another chain of the network, which must import them',
  arguments: [paymentArgument],
  options: {
    'destination-chain': { value: 'CHAIN', suggestions: ['P', 'C'], help: 'P, C or a chain ID' },
    ...paymentOptions,
  },
  example:
    'export P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t=2 --destination-chain P --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/pay.ts')).exportTo(invocation),
}

/** What a batch moves. */
export const batchContent: Options = {
  asset: {
    value: 'ASSET',
    many: true,
    help: 'only this asset, by ID or unambiguous symbol; repeat for more',
  },
}

export const clearSignOption: Options = {
  'clear-sign': { help: 'limit transactions to a size that hardware wallets can display' },
}

const batchOptions: Options = {
  ...planOption,
  ...batchContent,
  'in-flight': { value: 'NUMBER', help: 'maximum number of pending transactions; default 4' },
  ...spendOptions,
}

/** The result and the change have the same owner here. */
const { 'change-to': _changeTo, 'fresh-change': _freshChange, ...consolidateOptions } = batchOptions

const RESUMABLE =
  'Every transaction is recorded in the journal before it is issued. After an interruption, run the same command again:\nit resumes pending transactions and moves the rest.'

const sweep: Command = {
  name: 'sweep',
  summary: 'send everything to one address, in as many transactions as necessary',
  details: RESUMABLE,
  arguments: [{ name: 'ADDRESS', help: 'recipient' }],
  options: {
    ...clearSignOption,
    ...batchOptions,
  },
  example: 'sweep X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t --key-file old.key --plan',
  run: async (invocation) => (await import('../actions/spend/batch.ts')).sweep(invocation),
}

const consolidate: Command = {
  name: 'consolidate',
  summary: 'combine many small UTXOs into few',
  details: RESUMABLE,
  arguments: [],
  options: {
    to: { value: 'ADDRESS', help: 'one of your addresses; default: the first' },
    ...consolidateOptions,
  },
  example: 'consolidate --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/batch.ts')).consolidate(invocation),
}

const importFrom: Command = {
  name: 'import',
  summary: 'import everything that another chain exported to your addresses',
  details: RESUMABLE,
  arguments: [],
  options: {
    'source-chain': { value: 'CHAIN', suggestions: ['P', 'C'], help: 'P, C or a chain ID' },
    to: { value: 'ADDRESS', help: 'recipient; default: your first address' },
    ...batchOptions,
  },
  example: 'import --source-chain P --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/batch.ts')).importFrom(invocation),
}

/** A file of payments. */
export const payoutArgument = {
  name: 'FILE',
  help: 'CSV with the columns key, address, amount and optionally asset and memo; default: standard input',
  piped: true,
} as const

export const batchSizeOption: Options = {
  batch: {
    value: 'NUMBER',
    help: 'maximum number of payments per transaction, up to 250; default 100',
  },
}

const { memo: _memo, ...payoutSpending } = spendOptions

const payout: Command = {
  name: 'payout',
  summary: 'make all payments of a CSV file, each once per key',
  details:
    'The first line names the columns: key,address,amount,asset,memo. A payment with a key that was paid before is\nskipped; if its row was changed since, the command fails. Payments with the same memo share transactions. If the\nfunds do not suffice for all payments and fees, nothing is paid, unless --partial is given. After an\ninterruption, run the same command again.',
  arguments: [payoutArgument],
  options: {
    ...planOption,
    partial: {
      help: 'if the funds do not suffice for all, pay the first lines of the file and say where it stopped',
    },
    ...batchSizeOption,
    ...againOption,
    ...payoutSpending,
  },
  example: 'payout withdrawals.csv --key-file my.key --plan',
  run: async (invocation) => (await import('../actions/spend/payout.ts')).payout(invocation),
}

const issue: Command = {
  name: 'issue',
  summary: 'issue a signed transaction and wait until it is accepted',
  details: 'Issuing the same transaction again never pays twice.',
  arguments: [
    { name: 'TX', help: 'signed transaction or its file; default: standard input', piped: true },
  ],
  options: {
    accept: { value: 'CODE', many: true, choices: ACCEPTABLE, help: 'issue despite this danger' },
    ...confirmOptions,
    ...waitOption,
    ...nodeOptions,
    ...expectedNetworkOption,
  },
  example: 'request finish payout.json | avmkit issue --yes',
  run: async (invocation) => (await import('../actions/spend/issue.ts')).issue(invocation),
}

/** Payments and batches. */
export const spendCommands: readonly Command[] = [
  send,
  payout,
  sweep,
  consolidate,
  exportTo,
  importFrom,
]

/** Issuing what was signed elsewhere. */
export const issueCommands: readonly Command[] = [issue]
