import type { WatchAccount } from '../../core/crypto/hd/index.ts'
import { type OwnKeys, ownKeysOf } from '../../inspect/key-text.ts'
import type { NodeClient } from '../../node/index.ts'
import {
  type Discovery,
  type DiscoveryClient,
  type DiscoveryOptions,
  discoverAccount,
  usedByDataAPI,
} from '../../wallet/discovery/index.ts'
import { otherSearchClient, searchClient } from '../chains/agreed-clients.ts'
import { pAndCViews } from '../chains/clients.ts'
import { configuredIndex } from '../connections/data-api.ts'
import type { Invocation } from '../invocation.ts'
import { counted } from '../terminal/print.ts'
import { hdChoice, keyTexts } from './own-keys.ts'

/** Where to search for used addresses. */
export type SearchPlace = Pick<DiscoveryOptions, 'client' | 'context' | 'wasUsed'>

/**
 * Searches an account with progress.
 *
 * @param where - default: the chain of the command, or every chain if that is the P- or C-Chain
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
  const isOther = ['P', 'C', 'all'].includes(await invocation.chain())
  return isOther ? everyChain(invocation) : placeOf(await invocation.client(), invocation)
}

async function placeOf(client: NodeClient, invocation: Invocation): Promise<SearchPlace> {
  const context = await invocation.contextOf(client)
  const index = await configuredIndex(invocation)
  const wasUsed =
    index && usedByDataAPI({ data: index.data, context, signal: invocation.io.signal })
  return { client: await searchClient(client, context, invocation), context, wasUsed }
}

/** A search that counts UTXOs on the X- and P-Chain and exports to all three chains. */
export async function everyChain(invocation: Invocation): Promise<SearchPlace> {
  const { client: x, ...place } = await placeOf(await invocation.forChain('X'), invocation)
  const views = await pAndCViews(invocation)
  const chains: readonly [string, DiscoveryClient][] = [
    ['X', x],
    ['P', otherSearchClient('P', views)],
    ['C', otherSearchClient('C', views)],
  ]
  const client: DiscoveryClient = {
    async *utxoPages({ addresses: texts, sourceChain: requestedSource, signal }) {
      // The walk without a source chain already includes the exports of every chain.
      if (requestedSource !== undefined) return
      for (const [alias, { utxoPages }] of chains) {
        const addresses = texts.map((text) => text.replace(/^X-/, `${alias}-`))
        const others = chains.map(([other]) => other).filter((other) => other !== alias)
        for (const sourceChain of [undefined, ...others])
          yield* utxoPages({ addresses, sourceChain, signal })
      }
    },
  }
  return { client, ...place }
}

/**
 * The user's keys; a mnemonic yields all its used addresses unless `--count` is given.
 *
 * @param where - default: the chain of the command
 */
export async function discoveredKeys(
  invocation: Invocation,
  where?: (invocation: Invocation) => Promise<SearchPlace>,
): Promise<OwnKeys> {
  const search = async (account: WatchAccount) =>
    discover(account, invocation, await where?.(invocation))
  return ownKeysOf(await keyTexts(invocation), await hdChoice(invocation), search)
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

/** Prints what the searches checked, for commands that do not print it with their result. */
export function noteSearches(discoveries: readonly Discovery[], invocation: Invocation): void {
  for (const line of discoveryText(discoveries)) invocation.note(line)
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
