import type { Custody } from '../../custody/index.ts'
import type { Command } from '../command.ts'
import { custodyKeyOptions, custodyOptions, databaseOptions } from '../options.ts'

const init: Command = {
  name: 'custody init',
  summary: 'create or upgrade the tables of a custody system',
  details: 'Several processes may run it at the same time. It refuses tables of a newer version.',
  arguments: [],
  options: custodyOptions,
  example: 'custody init --database postgres://custody@localhost/custody',
  run: async (invocation) => (await import('../actions/custody.ts')).init(invocation),
}

const watch: Command = {
  name: 'custody watch',
  summary: 'register deposit addresses',
  details:
    'A file is CSV: an address per line, optionally followed by a comma and your reference for it, which replaces\n--reference. A reference that contains commas needs quotes.',
  arguments: [{ name: 'ADDRESS', help: 'address to watch', optional: true, many: true }],
  options: {
    file: { value: 'FILE', help: 'addresses to watch, one per line; - for standard input' },
    xpub: { value: 'XPUB', help: 'watch the addresses of an account' },
    'gap-limit': {
      value: 'NUMBER',
      help: 'with --xpub: unused addresses to watch after the last one paid; default 20',
    },
    reference: { value: 'TEXT', help: 'your reference for the addresses, such as a user ID' },
    fresh: { help: 'the addresses are new: do not look for earlier outputs; not with --xpub' },
    ...custodyOptions,
  },
  example: 'custody watch X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --reference user-17',
  run: async (invocation) => (await import('../actions/custody.ts')).watch(invocation),
}

const deposits: Command = {
  name: 'custody deposits',
  summary: 'list deposits in the order of their cursors',
  arguments: [],
  options: {
    after: { value: 'CURSOR', help: 'only deposits after this cursor; default 0' },
    limit: { value: 'NUMBER', help: 'maximum number of rows; default 1000' },
    ...custodyOptions,
  },
  example: 'custody deposits --after 41 --json',
  run: async (invocation) => (await import('../actions/custody.ts')).deposits(invocation),
}

const pay: Command = {
  name: 'custody pay',
  summary: 'queue payouts from a CSV file: key, address, amount, asset',
  details:
    'Amounts are in units of the asset; without an asset it is AVAX. If a line is invalid, its number is reported and\nnothing of the file is queued. The same key with the same content is queued once.',
  arguments: [{ name: 'FILE', help: 'the CSV file; - for standard input' }],
  options: custodyOptions,
  example: 'custody pay withdrawals.csv',
  run: async (invocation) => (await import('../actions/custody.ts')).pay(invocation),
}

const payouts: Command = {
  name: 'custody payouts',
  summary: 'list payouts and their status',
  arguments: [{ name: 'KEY', help: 'only these payouts', optional: true, many: true }],
  options: {
    status: {
      value: 'STATUS',
      choices: ['queued', 'pending', 'paid', 'failed', 'canceled'],
      help: 'only payouts with this status',
    },
    limit: { value: 'NUMBER', help: 'maximum number of rows; default 1000' },
    ...custodyOptions,
  },
  example: 'custody payouts --status pending',
  run: async (invocation) => (await import('../actions/custody.ts')).payouts(invocation),
}

const sweep: Command = {
  name: 'custody sweep',
  summary: 'apply the sweep rules until no rule requires a transaction',
  details: 'Workers with the same rules do this by themselves.',
  arguments: [],
  options: custodyKeyOptions,
  example:
    'custody sweep --rules sweeps.json --key-file deposits.key --hot X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => (await import('../actions/custody.ts')).sweep(invocation),
}

const refill: Command = {
  name: 'custody refill',
  summary: 'write a signing request for cold keys, if the hot wallet has too little',
  details:
    'Applies the rules of the type refill. While a request is open, no second one is made, and the same one is written again.\nFurther requests, for other assets, are written to FILE.2 and so on. A worker must be running.',
  arguments: [],
  options: {
    out: { value: 'FILE', short: 'o', help: 'file for the request' },
    'until-paid': { help: 'end when the refill is in a block' },
    hot: { value: 'ADDRESS', many: true, help: 'an address of the hot wallet' },
    rules: { value: 'FILE', help: 'sweep rules as JSON, amounts in the smallest unit as strings' },
    ...custodyOptions,
  },
  example:
    'custody refill --rules sweeps.json --hot X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --out refill.json',
  run: async (invocation) => (await import('../actions/custody-refill.ts')).refill(invocation),
}

const reconcile: Command = {
  name: 'custody reconcile',
  summary: 'list payments without a claim, and record which payouts they made',
  details:
    'After an older backup was restored, payments that its workers had made later are found in blocks, and payouts with the\nsame content are held. A file has your decisions as CSV: a transaction ID, then a comma and the key of the payout that it\nmade. A line without a key says that the rest of the transaction made no payout. To pay a payout that was not made, release it.',
  arguments: [{ name: 'FILE', help: 'decisions; - for standard input', optional: true }],
  options: {
    since: { value: 'HEIGHT', help: 'list only payments of blocks from this height on; default 0' },
    ...custodyOptions,
  },
  example: 'custody reconcile --since 1200',
  run: async (invocation) => (await import('../actions/custody.ts')).reconcile(invocation),
}

const fence: Command = {
  name: 'custody fence',
  summary:
    'spend all UTXOs of the hot wallet back to it, so that lost transactions cannot be accepted',
  details:
    'Payouts wait until it is complete. A worker must be running. After an interruption, run it again.',
  arguments: [],
  options: custodyKeyOptions,
  example: 'custody fence --key-file hot.key',
  run: async (invocation) => (await import('../actions/custody.ts')).fence(invocation),
}

const limits: Command = {
  name: 'custody limits',
  summary: 'list the limits of payouts, set or remove some',
  details:
    'A file is a JSON list of rules, amounts in the smallest unit as strings; see docs/custody.md. A rule replaces the one\nwith the same name. Payouts that a limit stops wait, and are listed with its name.',
  arguments: [],
  options: {
    set: { value: 'FILE', help: 'add or replace these rules; - for standard input' },
    remove: { value: 'NAME', many: true, help: 'remove this rule; repeat for more' },
    ...custodyOptions,
  },
  example: 'custody limits --set limits.json',
  run: async (invocation) => (await import('../actions/custody-limits.ts')).limits(invocation),
}

const audit: Command = {
  name: 'custody audit',
  summary: 'compare deposits, payouts and fees with their transactions and UTXOs at the node',
  arguments: [],
  options: {
    'to-height': { value: 'HEIGHT', help: 'last block to count; default: the latest' },
    whole: {
      help: 'request all transactions again, also those that an earlier audit has confirmed',
    },
    ...custodyOptions,
  },
  example: 'custody audit --json',
  run: async (invocation) => (await import('../actions/custody.ts')).audit(invocation),
}

const work: Command = {
  name: 'custody work',
  summary: 'run one worker until Ctrl-C; any number of processes work together',
  arguments: [],
  options: {
    'metrics-port': { value: 'NUMBER', help: 'serve /metrics and /health on loopback' },
    asset: {
      value: 'ID',
      many: true,
      help: 'accept deposits of this asset; repeat for more; AVAX is always accepted',
    },
    verbose: { help: 'print every event' },
    ...custodyKeyOptions,
  },
  example: 'custody work --key-file hot.key --rules sweeps.json --metrics-port 9464',
  run: async (invocation) => (await import('../actions/custody.ts')).work(invocation),
}

const status: Command = {
  name: 'custody status',
  summary: 'show the queue, the balances and the sync height',
  arguments: [],
  options: custodyOptions,
  example: 'custody status',
  run: async (invocation) => (await import('../actions/custody.ts')).status(invocation),
}

const serve: Command = {
  name: 'custody serve',
  summary: 'serve the operations over HTTP until Ctrl-C',
  details:
    'Requests need tokens, see custody tokens. Routes are listed at /docs and /openapi.json. Keys and --rules are needed\nonly for sweeps. The file of --webhooks is a JSON list of objects with name, url, secrets and optionally topics.',
  arguments: [],
  options: {
    listen: {
      value: 'ADDRESS',
      help: 'address to listen on; default 127.0.0.1. Others need --tls-cert, or a proxy that encrypts',
    },
    port: { value: 'NUMBER', help: 'port to listen on; default 8080' },
    'tls-cert': { value: 'FILE', help: 'certificate chain as PEM' },
    'tls-key': { value: 'FILE', help: 'private key of the certificate as PEM' },
    webhooks: { value: 'FILE', help: 'receivers of webhooks as JSON' },
    ...custodyKeyOptions,
  },
  example: 'custody serve --port 8080 --webhooks webhooks.json',
  run: async (invocation) => (await import('../actions/custody-service.ts')).serve(invocation),
}

const tokens: Command = {
  name: 'custody tokens',
  summary: 'add, list or remove tokens of custody serve',
  details:
    'add NAME prints a new token, which is shown only once: the database has its hash. Events name NAME as actor.\nlist shows all tokens. remove ID ends a token within a second.',
  arguments: [
    { name: 'ACTION', help: 'what to do', choices: ['add', 'list', 'remove'] },
    { name: 'NAME', help: 'add: identity of the holder; remove: ID of the token', optional: true },
  ],
  options: {
    role: {
      value: 'ROLE',
      many: true,
      choices: ['reader', 'requester', 'operator', 'approver'],
      help: 'add: what the token may do; repeat for more',
    },
    days: { value: 'NUMBER', help: 'add: days until it expires; default 90' },
    ...databaseOptions,
  },
  example: 'custody tokens add withdrawals --role requester --days 30',
  run: async (invocation) => (await import('../actions/custody-service.ts')).tokens(invocation),
}

const webhooks: Command = {
  name: 'custody webhooks',
  summary: 'show the state of webhooks, and send failed messages again',
  details:
    'list shows how far each receiver is. dead lists messages that were given up. replay NAME sends its dead messages\nagain, and those that wait for another attempt at once: all, or those of --event.',
  arguments: [
    { name: 'ACTION', help: 'what to do', choices: ['list', 'dead', 'replay'] },
    { name: 'NAME', help: 'replay: name of the receiver', optional: true },
  ],
  options: {
    event: { value: 'CURSOR', many: true, help: 'replay: only this event; repeat for more' },
    ...databaseOptions,
  },
  example: 'custody webhooks replay books',
  run: async (invocation) => (await import('../actions/custody-service.ts')).webhooks(invocation),
}

/** A command that changes payouts; `done` is the verb of its output. */
function changeCommand(
  name: string,
  summary: string,
  done: string,
  work: (custody: Custody, keys: readonly string[], reason?: string) => Promise<void>,
): Command {
  return {
    name: `custody ${name}`,
    summary,
    arguments: [{ name: 'KEY', help: 'idempotency keys of payouts', many: true }],
    options: {
      reason: { value: 'TEXT', help: 'why; part of the events of the payouts' },
      ...custodyOptions,
    },
    example: `custody ${name} withdrawal-17`,
    run: async (invocation) =>
      (await import('../actions/custody.ts')).change(invocation, done, work),
  }
}

/** Deposits, payouts and sweeps of many users on PostgreSQL. */
export const custodyCommands: readonly Command[] = [
  init,
  watch,
  deposits,
  pay,
  payouts,
  changeCommand('hold', 'put queued payouts on hold', 'held', (custody, keys, reason) =>
    custody.hold(keys, reason ?? 'held by an operator'),
  ),
  changeCommand('release', 'release payouts from hold', 'released', (custody, keys, reason) =>
    custody.release(keys, reason),
  ),
  changeCommand(
    'cancel',
    'cancel payouts; for pending ones the chain decides',
    'canceling',
    (custody, keys, reason) => custody.cancel(keys, reason),
  ),
  changeCommand(
    'approve',
    'approve payouts that others have requested, as your database role',
    'approved',
    (custody, keys, reason) => custody.approve(keys, reason),
  ),
  changeCommand('deny', 'deny payouts, and hold them', 'denied', (custody, keys, reason) =>
    custody.deny(keys, reason),
  ),
  limits,
  sweep,
  refill,
  reconcile,
  fence,
  audit,
  work,
  serve,
  tokens,
  webhooks,
  status,
]
