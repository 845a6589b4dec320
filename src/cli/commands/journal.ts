import type { Command, Options } from '../command.ts'
import {
  chainOptions,
  confirmOptions,
  issuingOptions,
  journalOption,
  keyOptions,
  networkOption,
} from '../options.ts'

/** The default journal depends on the keys and the network; a network that is not built in needs a node. */
const readOptions: Options = {
  ...journalOption,
  network: {
    ...networkOption.network!,
    help: 'network of the default journal; default: that of the node',
  },
  ...keyOptions,
  ...chainOptions,
}

const keyArgument = { name: 'KEY', help: 'idempotency key, as journal list prints it' } as const

const listPayments: Command = {
  name: 'journal list',
  summary: 'list payments and their status: accepted, pending, rejected or canceled',
  details:
    'Payments without --idempotency-key have a generated key and are removed once they are accepted, unless\nthe policy has sums over time. Needs no node, and with --journal no keys.',
  arguments: [],
  options: {
    status: {
      value: 'STATUS',
      many: true,
      choices: ['accepted', 'pending', 'rejected', 'canceled'],
      help: 'show only payments with this status; repeat for more',
    },
    ...readOptions,
  },
  example: 'journal list --status pending --network fuji --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/journal.ts')).listPayments(invocation),
}

const show: Command = {
  name: 'journal show',
  summary: 'show one payment and its pending transactions',
  details: 'With --json, the signed transactions are included, for avmkit explain or avmkit issue.',
  arguments: [keyArgument],
  options: readOptions,
  example: "journal show 'rent 05' --network fuji --key-file my.key",
  run: async (invocation) => (await import('../actions/spend/journal.ts')).show(invocation),
}

const resume: Command = {
  name: 'journal resume',
  summary: 'issue pending transactions again and wait until they are decided',
  details:
    'Issues only what was signed before, so it asks for no confirmation and never pays twice. The exit code is 1 if a\npayment is still pending.',
  arguments: [],
  options: {
    'from-height': {
      value: 'HEIGHT',
      help: 'for a restored journal: search blocks from here for what became of pending transactions',
    },
    ...issuingOptions,
  },
  example: 'journal resume --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/journal.ts')).resume(invocation),
}

const recover: Command = {
  name: 'journal recover',
  summary:
    'list transactions of your keys that a lost, restored or long unused journal does not know',
  details:
    'Reads all blocks from a height on. Later commands do not read them again: compare the list with your own records\nbefore you pay. A transaction that was signed and is in no block may still be accepted, unless --fence spends all\nyour UTXOs first. Creates the journal if there is none.',
  arguments: [],
  options: {
    'from-height': {
      value: 'HEIGHT',
      help: 'first block to read, below all payments that the journal may not know',
    },
    fence: {
      help: 'first send all UTXOs to your first address, for a fee, so that nothing signed before can be accepted later',
    },
    ...confirmOptions,
    ...issuingOptions,
  },
  example: 'journal recover --from-height 1 --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/recover.ts')).recover(invocation),
}

const cancel: Command = {
  name: 'journal cancel',
  summary: 'cancel a pending payment by spending one of its inputs back to yourself',
  details:
    'Costs a fee. Waits until the chain accepts one of the two transactions. The exit code is 0 if the payment can no\nlonger be accepted, 1 if it was accepted first. Other payments in the same transaction are rejected, too.',
  arguments: [keyArgument],
  options: { ...confirmOptions, ...issuingOptions },
  example: "journal cancel 'rent 05' --key-file my.key",
  run: async (invocation) => (await import('../actions/spend/journal.ts')).cancel(invocation),
}

const compact: Command = {
  name: 'journal compact',
  summary: 'rewrite a journal without records that are no longer needed',
  details: 'A large journal is compacted automatically. Payments with a key are never removed.',
  arguments: [],
  options: readOptions,
  example: 'journal compact --network fuji --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/journal.ts')).compact(invocation),
}

/** Reading and finishing recorded payments. */
export const journalCommands: readonly Command[] = [
  listPayments,
  show,
  resume,
  recover,
  cancel,
  compact,
]
