import type { WatchAccount } from '../crypto/hd.ts'
import { type Discovery, discoverAccount } from '../discovery/index.ts'
import type { Invocation } from './invocation.ts'
import { type OwnKeys, ownKeysOf } from './key-text.ts'
import { counted } from './print.ts'

/** Searches an account with progress. */
export async function discover(
  account: WatchAccount,
  invocation: Invocation,
  sourceChains: readonly string[] = [],
): Promise<Discovery> {
  // Balances of the P- and C-Chain are asked for the addresses that the account uses on X.
  const isOther = ['P', 'C', 'all'].includes(await invocation.chain())
  const client = isOther ? await invocation.forChain('X') : await invocation.client()
  const found = await discoverAccount(account, {
    client,
    context: await client.context(invocation.callOptions()),
    gapLimit: invocation.values.integer('gap-limit', 1, 10_000),
    sourceChains,
    signal: invocation.io.signal,
    onProgress: ({ checked }) => invocation.progress.show(checked, undefined, 'addresses checked'),
  })
  invocation.progress.end()
  return found
}

/**
 * The user's keys; a mnemonic yields all its used addresses unless `--count` is given.
 *
 * @param sourceChains - chains whose exports count as use, too
 */
export async function discoveredKeys(
  invocation: Invocation,
  sourceChains: readonly string[] = [],
): Promise<OwnKeys> {
  const search = (account: WatchAccount) => discover(account, invocation, sourceChains)
  return ownKeysOf(await invocation.keyTextsOrPrompt(), invocation.hdChoice(), search)
}

/** What was searched, in one line, with what the search cannot see; empty if nothing was searched. */
export function discoveryText(discoveries: readonly Discovery[]): string[] {
  return discoveries.map(
    ({ checked, addresses }) =>
      `checked ${counted(checked, 'address', 'addresses')}, ${addresses.length} with UTXOs; addresses whose UTXOs are all spent count as unused (--gap-limit searches further)`,
  )
}

/** The same for programs, as the member `searched`. */
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
