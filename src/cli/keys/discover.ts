import type { HDAccount, HDPosition, WatchAccount } from '../../core/crypto/hd/index.ts'
import { usedByDataAPI } from '../../wallet/discovery/index.ts'
import {
  createWallet,
  type Wallet,
  type WalletAddress,
  type WalletOptions,
} from '../../wallet/index.ts'
import { createCrossChainWallet } from '../../wallet/moves/index.ts'
import { pAndCClients } from '../chains/clients.ts'
import { configuredIndex } from '../connections/data-api.ts'
import type { Invocation } from '../invocation.ts'
import { journalSnapshot } from '../spending/journal.ts'
import { counted } from '../terminal/print.ts'
import { withProgress } from '../terminal/walk-progress.ts'

/** What a wallet found of an account. */
export type Search = {
  readonly account: WatchAccount
  /** All addresses that were checked: the receiving ones first, then those for change. */
  readonly addresses: readonly WalletAddress[]
  /** What counts as use besides what the journal knows: UTXOs, or what the data API lists, too. */
  readonly evidence: 'utxos' | 'history'
}

/** Options of a wallet of an account that every command shares. */
export async function accountOptions(
  invocation: Invocation,
): Promise<Pick<WalletOptions, 'gapLimit' | 'wasUsed'>> {
  const index = await configuredIndex(invocation)
  if (index === undefined) return { gapLimit: gapLimit(invocation) }
  const context = await invocation.xContext()
  const { signal } = invocation.io
  return {
    gapLimit: gapLimit(invocation),
    wasUsed: usedByDataAPI({ data: index.data, context, signal }),
  }
}

function gapLimit({ values }: Invocation): number | undefined {
  return values.integer('gap-limit', 1, 10_000)
}

/** A wallet of an account for a command that signs nothing: on the P- and C-Chain, too, if the command names them. */
export async function accountWallet(
  account: WatchAccount,
  invocation: Invocation,
  more: Pick<WalletOptions, 'freshChange'> = {},
): Promise<Wallet> {
  const isOther = ['P', 'C', 'all'].includes(await invocation.chain())
  const reached = isOther ? await invocation.forChain('X') : await invocation.client()
  const client = withProgress(reached, invocation)
  const context = await invocation.contextOf(reached)
  const identity = [account.address({ change: 0, index: 0 })]
  const options: WalletOptions = {
    client,
    account,
    quorum: await invocation.quorum(),
    store: await journalSnapshot(invocation, context, identity),
    ...(await accountOptions(invocation)),
    ...more,
  }
  return isOther
    ? createCrossChainWallet({ ...options, ...(await pAndCClients(invocation)) })
    : createWallet(options)
}

/** Lets a wallet find the used addresses of its account. */
export async function searched(
  wallet: Wallet,
  account: HDAccount | WatchAccount,
  invocation: Invocation,
): Promise<Search> {
  const addresses = await invocation.during('searching addresses', wallet.addresses)
  const evidence = (await configuredIndex(invocation)) === undefined ? 'utxos' : 'history'
  return { account: 'watch' in account ? account.watch : account, addresses, evidence }
}

/** Searches an account with a wallet of its own. */
export async function search(account: WatchAccount, invocation: Invocation): Promise<Search> {
  return searched(await accountWallet(account, invocation), account, invocation)
}

/** The used addresses. */
export function usedIn({ addresses }: Search): readonly WalletAddress[] {
  return addresses.filter(({ isUsed }) => isUsed)
}

/** The position of an address in its account. */
export function positionOf({ branch, index }: WalletAddress): HDPosition {
  return { change: branch === 'change' ? 1 : 0, index: index! }
}

/** The position after the last used one of a branch. */
export function nextIn(found: Search, branch: 'receive' | 'change'): HDPosition {
  const last = usedIn(found).findLast((one) => one.branch === branch)
  return { change: branch === 'change' ? 1 : 0, index: (last?.index ?? -1) + 1 }
}

/** One line per search: how many addresses were checked, and what the search cannot find. */
export function searchText(searches: readonly Search[]): string[] {
  return searches.map((found) => {
    const count = `checked ${counted(found.addresses.length, 'address', 'addresses')}, ${usedIn(found).length} used`
    return found.evidence === 'history'
      ? `${count} according to the data API or the journal`
      : `${count}; addresses whose UTXOs are all spent count as unused unless the journal knows them (--gap-limit searches further)`
  })
}

/** Prints what the searches checked, for commands that do not print it with their result. */
export function noteSearches(searches: readonly Search[], invocation: Invocation): void {
  for (const line of searchText(searches)) invocation.note(line)
}

/** The searches for `--json`, as the member `searched`. */
export function searchJSON(searches: readonly Search[]): { searched?: object[] } {
  if (searches.length === 0) return {}
  const all = searches.map((found) => ({
    extendedPublicKey: found.account.extendedPublicKey,
    checked: found.addresses.length,
    used: usedIn(found).map(({ path }) => ({ path })),
    next: {
      receive: found.account.path(nextIn(found, 'receive')),
      change: found.account.path(nextIn(found, 'change')),
    },
    evidence: found.evidence,
  }))
  return { searched: all }
}
