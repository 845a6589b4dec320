import type { WatchAccount } from '../crypto/hd.ts'
import {
  type Discovery,
  type DiscoveryOptions,
  discoverAccount,
  usedByDataAPI,
} from '../discovery/index.ts'
import { configuredIndex } from './data-api.ts'
import type { Invocation } from './invocation.ts'
import { type OwnKeys, ownKeysOf } from './key-text.ts'
import { counted } from './print.ts'

/** Where to search for used addresses. */
export type SearchPlace = Pick<DiscoveryOptions, 'client' | 'context' | 'wasUsed'>

/**
 * Searches an account with progress.
 *
 * @param where - default: the chain of the command, or the X-Chain if that is the P- or C-Chain
 */
export async function discover(
  account: WatchAccount,
  invocation: Invocation,
  where?: SearchPlace,
): Promise<Discovery> {
  const found = await discoverAccount(account, {
    ...(where ?? (await defaultPlace(invocation))),
    gapLimit: invocation.values.integer('gap-limit', 1, 10_000),
    // Exports that the command can import count as use, too.
    sourceChains: invocation.values.list('source-chain'),
    signal: invocation.io.signal,
    onProgress: ({ checked }) => invocation.progress.show(checked, undefined, 'addresses checked'),
  })
  invocation.progress.end()
  return found
}

async function defaultPlace(invocation: Invocation): Promise<SearchPlace> {
  // On the P- and C-Chain the balances are those of the addresses that the account uses on the X-Chain.
  const isOther = ['P', 'C', 'all'].includes(await invocation.chain())
  const client = isOther ? await invocation.forChain('X') : await invocation.client()
  const context = await client.context(invocation.callOptions())
  const index = await configuredIndex(invocation)
  const wasUsed = index && usedByDataAPI({ ...index, context, signal: invocation.io.signal })
  return { client, context, wasUsed }
}

/** The user's keys; a mnemonic yields all its used addresses unless `--count` is given. */
export async function discoveredKeys(invocation: Invocation): Promise<OwnKeys> {
  const search = (account: WatchAccount) => discover(account, invocation)
  return ownKeysOf(await invocation.keyTextsOrPrompt(), invocation.hdChoice(), search)
}

/** One line per search: how many addresses were checked, and what the search cannot find. */
export function discoveryText(discoveries: readonly Discovery[]): string[] {
  return discoveries.map(({ checked, addresses, evidence }) => {
    const count = `checked ${counted(checked, 'address', 'addresses')}`
    return evidence === 'history'
      ? `${count}, ${addresses.length} used according to the data API`
      : `${count}, ${addresses.length} with UTXOs; addresses whose UTXOs are all spent count as unused (--gap-limit searches further)`
  })
}

/** The searches for `--json`, as the member `searched`. */
export function discoveryJSON(discoveries: readonly Discovery[]): { searched?: object[] } {
  if (discoveries.length === 0) return {}
  const searched = discoveries.map(({ account, checked, addresses, next, evidence }) => ({
    extendedPublicKey: account.extendedPublicKey,
    checked,
    used: addresses.map(({ path, utxos }) => ({ path, utxos })),
    next: { receive: account.path(next.receive), change: account.path(next.change) },
    evidence,
  }))
  return { searched }
}
