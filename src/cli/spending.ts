import type { NetworkContext } from '../chain/index.ts'
import { formatID, hex } from '../encoding/index.ts'
import { fileJournal } from '../journal/index.ts'
import { type AcceptCode, type Explanation, formatExplanation } from '../sign/index.ts'
import {
  createWallet,
  type Journal,
  type Receipt,
  type RunOptions,
  type TxOptions,
  type Wallet,
} from '../wallet/index.ts'
import {
  confirmOptions,
  expectedNetworkOption,
  keyOptions,
  nodeOptions,
  type Options,
  type Result,
} from './command.ts'
import { waitOptions } from './commands/issue.ts'
import { UsageError } from './errors.ts'
import type { Invocation } from './invocation.ts'
import { parseOwners } from './payments.ts'

/** For every command that signs and sends. */
export const spendOptions: Options = {
  memo: { value: 'TEXT', help: 'at most 256 bytes, which everybody can read' },
  'change-to': {
    value: 'OWNER',
    help: 'where change goes, an address or 2:ADDRESS,ADDRESS; to the first of yours unless told',
  },
  accept: {
    value: 'CODE',
    many: true,
    choices: ['BURN', 'HIGH_FEE'],
    help: 'sign although this was warned of',
  },
  wait: { value: 'SECONDS', help: 'how long to wait for acceptance; 60 unless told' },
  journal: { value: 'FILE', help: 'where to write transactions down before they are sent' },
  ...confirmOptions,
  ...keyOptions,
  ...nodeOptions,
  ...expectedNetworkOption,
}

/** For commands that make one transaction. */
export const onceOption: Options = {
  once: { value: 'NAME', help: 'with --journal: make the payment of this name only once' },
}

/** What a spending command works with. */
export type Spending = {
  readonly wallet: Wallet
  readonly context: NetworkContext
  readonly run: RunOptions
  readonly tx: Pick<TxOptions, 'memo' | 'changeTo'>
}

/** Opens a wallet of the user's keys that shows everything before it signs. */
export async function openSpending(
  invocation: Invocation,
  journalFor?: (name: string) => string,
): Promise<Spending> {
  const { values } = invocation
  if (!values.has('plan')) invocation.requireConfirmable()
  const client = await invocation.client()
  const context = await invocation.context()
  const keys = await invocation.keys()
  const journal = journalOf(invocation, journalFor?.(defaultName(context, keys.addresses[0]!)))
  const changeTo = values.text('change-to')
  const memo = values.text('memo')
  const key = values.text('once')
  if (key !== undefined && journal === undefined)
    throw new UsageError('MISSING_OPTION', 'expected --journal beside --once', {
      hint: 'the names of payments are kept in the journal',
    })
  return {
    context,
    wallet: createWallet({ client, keys, ...(journal === undefined ? {} : { journal }) }),
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

function journalOf(invocation: Invocation, fallback: string | undefined): Journal | undefined {
  const path = invocation.values.text('journal') ?? fallback
  if (path === undefined) return undefined
  const journal = fileJournal(path)
  invocation.atEnd(journal.close)
  return journal
}

/** One journal for each network and wallet, so that none settles what belongs to another. */
function defaultName(context: NetworkContext, address: Uint8Array): string {
  return `avmkit-${context.name}-${hex.encode(address).slice(0, 8)}.journal`
}

/** Asks, and from then on counts the seconds at a terminal. What is built anew is asked for again. */
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
  // Who is not asked is told at least.
  if (invocation.values.has('yes'))
    for (const { code, message } of explanation.warnings) invocation.warn(code, message)
  await invocation.confirm(formatExplanation(explanation), 'Sign and send this?')
  return true
}

/** What is said of a transaction that was accepted. */
export function receiptResult({ txID, explanation }: Receipt, more: object = {}): Result {
  const id = formatID(txID)
  const repeated = explanation === undefined
  return {
    json: { txID: id, status: 'accepted', repeated, ...more, explanation },
    text: `accepted ${id}${repeated ? ', made before under the same name' : ''}`,
  }
}
