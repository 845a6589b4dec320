import { existsSync } from 'node:fs'
import type { NetworkContext } from '../chain/index.ts'
import { formatID } from '../encoding/index.ts'
import type { AcceptCode, Explanation } from '../sign/index.ts'
import type { Receipt, RunOptions, TxOptions } from '../wallet/index.ts'
import { type CrossChainWallet, createCrossChainWallet } from '../wallet/moves/index.ts'
import {
  confirmOptions,
  expectedNetworkOption,
  keyOptions,
  nodeOptions,
  type Options,
  type Result,
} from './command.ts'
import { waitOptions } from './commands/issue.ts'
import type { Invocation } from './invocation.ts'
import {
  journalFolder,
  journalOption,
  journalPath,
  openExistingJournal,
  openJournal,
} from './journal.ts'
import { otherChains } from './other-chains.ts'
import { parseOwners } from './payments.ts'

/** For every command that issues transactions of the user's keys. */
export const issuingOptions: Options = {
  wait: { value: 'SECONDS', help: 'how long to wait for acceptance; default 60' },
  ...journalOption,
  ...keyOptions,
  ...nodeOptions,
  ...expectedNetworkOption,
}

/** For every command that signs and issues. */
export const spendOptions: Options = {
  memo: { value: 'TEXT', help: 'at most 256 bytes, which everybody can read' },
  'change-to': {
    value: 'OWNER',
    help: 'where change goes: an address or 2:ADDRESS,ADDRESS; default: your first address',
  },
  accept: {
    value: 'CODE',
    many: true,
    choices: ['BURN', 'HIGH_FEE', 'OPEN_OUTPUT', 'UNKNOWN_CHAIN', 'STUCK_EXPORT'],
    help: 'sign despite this danger',
  },
  ...confirmOptions,
  ...issuingOptions,
}

/** For commands that make one transaction. */
export const keyOption: Options = {
  key: {
    value: 'KEY',
    help: 'idempotency key: a payment with the same key is made only once per journal',
  },
}

/** What a spending command works with. */
export type Spending = {
  /** It also completes moves between chains that the journal has. */
  readonly wallet: CrossChainWallet
  readonly context: NetworkContext
  readonly run: RunOptions
  readonly tx: Pick<TxOptions, 'memo' | 'changeTo'>
  readonly journal: string
}

/**
 * Opens a wallet of the user's keys that explains everything before it signs, and records it in the journal before
 * it issues.
 *
 * @param use - `spend` creates the journal if needed; `resume` needs one that exists, unless it is the default one;
 * `plan` takes pending payments into account if there is a journal
 */
export async function openSpending(
  invocation: Invocation,
  use: 'spend' | 'resume' | 'plan' = 'spend',
): Promise<Spending> {
  const { values, io } = invocation
  if (use === 'spend') invocation.requireConfirmable()
  const client = await invocation.client()
  // Before anything is asked.
  if (!values.has('journal')) journalFolder(io.env)
  const context = await invocation.context()
  const keys = await invocation.keys()
  const journal = journalPath(invocation, context, keys.addresses)
  const open = use === 'spend' ? openJournal : openExistingJournal
  const store = use === 'plan' && !existsSync(journal) ? undefined : await open(journal, invocation)
  const changeTo = values.text('change-to')
  const memo = values.text('memo')
  const key = values.text('key')
  return {
    context,
    journal,
    wallet: createCrossChainWallet({ client, keys, store, ...(await otherChains(invocation)) }),
    run: {
      wait: waitOptions(invocation),
      accept: values.list('accept') as readonly AcceptCode[],
      confirm: confirmThenWait(invocation),
      ...(key === undefined ? {} : { key }),
      ...invocation.callOptions(),
    },
    tx: {
      ...(changeTo === undefined ? {} : { changeTo: parseOwners(changeTo) }),
      ...(memo === undefined ? {} : { memo }),
    },
  }
}

/** Asks for confirmation, then counts the seconds on a terminal. A replacement is confirmed again. */
function confirmThenWait(invocation: Invocation): (explanation: Explanation) => Promise<boolean> {
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = () => {
    clearInterval(timer)
    invocation.progress.end()
  }
  invocation.atEnd(stop)
  return async (explanation) => {
    stop()
    const agreed = await confirmed(explanation, invocation)
    let seconds = 0
    const show = () =>
      invocation.progress.show(seconds++, undefined, 'seconds waited for acceptance')
    show()
    timer = setInterval(show, 1000)
    return agreed
  }
}

async function confirmed(explanation: Explanation, invocation: Invocation): Promise<boolean> {
  await invocation.confirm(explanation, 'Sign and send this?')
  return true
}

/** The result of a payment that was accepted. */
export function receiptResult({ txID, explanation }: Receipt, more: object = {}): Result {
  const id = formatID(txID)
  const repeated = explanation === undefined
  return {
    json: { txID: id, status: 'accepted', repeated, ...more, explanation },
    text: `accepted ${id}${repeated ? ', paid before with the same key' : ''}`,
  }
}
