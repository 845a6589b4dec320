import { existsSync } from 'node:fs'
import { formatID } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import { onlyAccountOf } from '../../inspect/key-text.ts'
import type {
  Receipt,
  RunOptions,
  SendOptions,
  TxOptions,
  WalletOptions,
} from '../../wallet/index.ts'
import { type CrossChainWallet, createCrossChainWallet } from '../../wallet/moves/index.ts'
import { memoryStore } from '../../wallet/store/index.ts'
import { waitOptions } from '../actions/spend/issue.ts'
import { pAndCClients } from '../chains/clients.ts'
import type { Result } from '../command.ts'
import { UsageError } from '../errors.ts'
import { readPolicy } from '../files/policy-file.ts'
import type { Invocation } from '../invocation.ts'
import { searchedKeys } from '../keys/addresses.ts'
import { accountOptions, noteSearches, searched } from '../keys/discover.ts'
import { hdChoice, keyTexts, requireKeys } from '../keys/own-keys.ts'
import { blockProgress } from '../terminal/block-progress.ts'
import { confirm, requireConfirmable } from '../terminal/confirm.ts'
import { clientWithProgress } from '../terminal/walk-progress.ts'
import { journalFolder, journalPath, openExistingJournal, openJournal } from './journal.ts'
import { parseOwners } from './payments.ts'

/** What a spending command works with. */
export type Spending = {
  /** It also completes the moves between chains that are in the journal. */
  readonly wallet: CrossChainWallet
  /** The addresses of the wallet. */
  readonly addresses: readonly Uint8Array[]
  readonly context: NetworkContext
  readonly run: SendOptions
  /** For calls that make payments. */
  readonly payment: Pick<RunOptions, 'key' | 'again'>
  readonly tx: Pick<TxOptions, 'memo' | 'changeTo'>
  readonly journal: string
}

/**
 * Opens a wallet of the user's keys that explains everything before it signs, and records it in the journal before
 * it issues.
 *
 * @param use - `spend` and `recover` create the journal if needed, and `spend` asks for confirmation; `resume` needs
 * one that exists, unless it is the default one; `plan` takes pending payments into account if there is a journal
 */
export async function openSpending(
  invocation: Invocation,
  use: 'spend' | 'recover' | 'resume' | 'plan' = 'spend',
): Promise<Spending> {
  const { values } = invocation
  await checkUsage(invocation)
  if (use === 'spend') requireConfirmable(invocation)
  const { timeoutMs } = waitOptions(invocation)
  const policy = await readPolicy(invocation)
  const client = await clientWithProgress(invocation)
  const context = await invocation.context()
  const { identity, ...holder } = await holderOf(invocation)
  const journal = journalPath(invocation, context, identity)
  const open = use === 'spend' || use === 'recover' ? openJournal : openExistingJournal
  const known = use === 'plan' && !existsSync(journal) ? undefined : await open(journal, invocation)
  const accept = values.list('accept') as readonly AcceptCode[]
  const change = values.text('change-to')
  const wallet = createCrossChainWallet({
    client,
    ...holder,
    // Without a journal there are no earlier payments.
    store: known ?? memoryStore(),
    quorum: await invocation.quorum(),
    accept,
    signing: { policy },
    onCatchUp: blockProgress(invocation),
    ...(await pAndCClients(invocation)),
  })
  const found = holder.account && (await searched(wallet, holder.account, invocation))
  noteSearches(found === undefined ? [] : [found], invocation)
  return {
    context,
    journal,
    addresses: found?.addresses.map(({ address }) => address) ?? holder.keys!.addresses,
    wallet,
    run: {
      wait: { timeoutMs },
      accept,
      confirm: confirmThenWait(invocation, (explanation: Explanation) =>
        confirm(invocation, explanation, 'Sign and send this?'),
      ),
      ...invocation.callOptions(),
    },
    payment: { key: values.text('idempotency-key'), again: values.has('again') },
    tx: {
      changeTo: change === undefined ? undefined : parseOwners(change),
      memo: values.text('memo'),
    },
  }
}

/** Reports wrong usage before any request, prompt or question. */
export async function checkUsage(invocation: Invocation): Promise<void> {
  await invocation.nodeURLs()
  waitOptions(invocation)
  if (!invocation.values.has('journal')) journalFolder(invocation.io.env)
  await requireKeys(invocation)
}

/** What a wallet spends from: one account, whose addresses it finds, or keys. */
type Holder = Pick<WalletOptions, 'account' | 'keys' | 'gapLimit' | 'wasUsed' | 'freshChange'> & {
  /** Names the default journal. */
  readonly identity: readonly Uint8Array[]
}

async function holderOf(invocation: Invocation): Promise<Holder> {
  const { values } = invocation
  const account = onlyAccountOf(await keyTexts(invocation), await hdChoice(invocation))
  invocation.atEnd(() => account?.wipe())
  const freshChange = values.has('fresh-change')
  if (freshChange && (account === undefined || values.has('change-to')))
    throw new UsageError(
      'BAD_VALUE',
      '--fresh-change needs one mnemonic without --count and --change-to',
    )
  if (account !== undefined)
    return {
      account,
      freshChange,
      identity: [account.watch.address({ change: 0, index: 0 })],
      ...(await accountOptions(invocation)),
    }
  const { keys, identity, searches } = await searchedKeys(invocation)
  noteSearches(searches, invocation)
  return { keys, identity }
}

/**
 * Returns a `confirm` option of a wallet that asks the user, then shows the elapsed seconds until the command ends. A
 * replacement is confirmed again.
 */
export function confirmThenWait<T>(
  invocation: Invocation,
  ask: (subject: T) => Promise<void>,
): (subject: T) => Promise<boolean> {
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = () => {
    clearInterval(timer)
    invocation.progress.end()
  }
  invocation.atEnd(stop)
  return async (subject) => {
    stop()
    await ask(subject)
    let seconds = 0
    const show = () => invocation.progress.elapsed(seconds++, 'waiting for acceptance')
    show()
    timer = setInterval(show, 1000)
    return true
  }
}

/** The result of a payment that was accepted. */
export function receiptResult(
  { txID, explanation }: Receipt,
  more: (txID: string) => object = () => ({}),
): Result {
  const id = formatID(txID)
  const repeated = explanation === undefined
  return {
    json: { txID: id, status: 'accepted', repeated, ...more(id), explanation },
    text: `accepted ${id}${repeated ? ', paid before with the same key' : ''}`,
  }
}
