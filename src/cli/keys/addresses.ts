import { formatAddress, parseAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { WatchAccount } from '../../core/crypto/hd/index.ts'
import type { ChangeArgument } from '../../core/draft/arguments.ts'
import type { AddressPath } from '../../core/sign/signer.ts'
import { type OwnKeys, onlyAccountOf, ownKeysOf } from '../../inspect/key-text.ts'
import { createWallet, type Wallet } from '../../wallet/index.ts'
import type { NamedAccount } from '../connections/accounts.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { journalSnapshot } from '../spending/journal.ts'
import {
  accountWallet,
  nextIn,
  positionOf,
  type Search,
  search,
  searched,
  usedIn,
} from './discover.ts'
import { hasKeys, hdChoice, keyTexts } from './own-keys.ts'

/** Addresses, and the searches that found some of them. */
export type Owners = {
  readonly owners: readonly Uint8Array[]
  readonly searches: readonly Search[]
  /** Names the journal of the user's keys; empty for addresses and xpubs that were given. */
  readonly identity: readonly Uint8Array[]
  /** Number of addresses and xpubs that were given; 0 for the user's keys. */
  readonly sources: number
}

/** The owners of a command: addresses and xpubs from its arguments, or else the addresses of the user's keys. */
export async function commandOwners(
  texts: readonly string[],
  invocation: Invocation,
  context: NetworkContext,
): Promise<Owners> {
  if (texts.length > 0) return parseOwnerTexts(texts, invocation, context)
  const watched = await watchedOwners(invocation, context)
  if (watched.length > 0) return parseOwnerTexts(watched, invocation, context)
  const { keys, searches, identity } = await configuredKeys(invocation)
  return { owners: keys.addresses, searches, identity, sources: 0 }
}

/** A wallet that reads, and all its addresses. */
export type Reading = {
  readonly wallet: Wallet
  readonly addresses: readonly Uint8Array[]
  readonly searches: readonly Search[]
}

/** Opens a wallet of the owners of a command, which signs nothing. */
export async function openReading(
  texts: readonly string[],
  invocation: Invocation,
  context: NetworkContext,
): Promise<Reading> {
  const account = await onlyAccount(texts, invocation)
  if (account !== undefined) {
    const wallet = await accountWallet(account, invocation)
    const found = await searched(wallet, account, invocation)
    return { wallet, addresses: found.addresses.map(({ address }) => address), searches: [found] }
  }
  const found = await commandOwners(texts, invocation, context)
  const addresses = withUnused(found)
  const wallet = createWallet({
    client: await invocation.client(),
    addresses,
    quorum: await invocation.quorum(),
    store: await journalSnapshot(invocation, context, found.identity),
  })
  return { wallet, addresses, searches: found.searches }
}

/** The only account whose addresses a command concerns: that of an xpub, or of a mnemonic; undefined for other owners. */
export async function onlyAccount(
  texts: readonly string[],
  invocation: Invocation,
): Promise<WatchAccount | undefined> {
  const given = texts.length > 0 ? texts : ((await watchedAccount(invocation))?.owners ?? [])
  const [first] = given
  if (first !== undefined)
    return given.length === 1 && isXpub(first) ? new WatchAccount(first) : undefined
  return (await hasKeys(invocation)) ? ownAccount(invocation) : undefined
}

/** The account of the user's only mnemonic; undefined for other keys. Asks for keys if none are configured. */
export async function ownAccount(invocation: Invocation): Promise<WatchAccount | undefined> {
  const account = onlyAccountOf(await keyTexts(invocation), await hdChoice(invocation))
  account?.wipe()
  return account?.watch
}

/** The owners of the named account if its keys are elsewhere, as addresses of a chain and network; otherwise none. */
export async function watchedOwners(
  invocation: Invocation,
  context: NetworkContext,
): Promise<readonly string[]> {
  const named = await watchedAccount(invocation)
  return named === undefined ? [] : ownersOn(named, context)
}

/** The named account, if its keys are elsewhere. */
async function watchedAccount(invocation: Invocation): Promise<NamedAccount | undefined> {
  const named = await invocation.account()
  return named !== undefined && named.keyFiles.length === 0 ? named : undefined
}

/** The owners of an account as texts of a chain and network; xpubs belong to all. */
function ownersOn({ owners }: NamedAccount, { chainAlias, hrp }: NetworkContext): string[] {
  return owners.map((text) => {
    if (isXpub(text)) return text
    return formatAddress({ chain: chainAlias, hrp, address: parseAddress(text).address })
  })
}

/**
 * Who pays for a request, on a chain that is known later: `--from`, or the named account.
 *
 * @throws UsageError `MISSING_OPTION`
 */
export async function payersOn(
  invocation: Invocation,
): Promise<(context: NetworkContext) => readonly string[]> {
  const from = invocation.values.list('from')
  const named = await invocation.account()
  if (from.length > 0 && named !== undefined)
    throw new UsageError('BAD_VALUE', '--from and --account exclude each other')
  if (from.length > 0) return () => from
  if (named !== undefined) return (context) => ownersOn(named, context)
  throw new UsageError('MISSING_OPTION', 'the option --from is required', {
    hint: 'repeat it for every address or xpub whose UTXOs may be spent, or pass --account NAME',
  })
}

/** The user's keys, and the searches for those of mnemonics. */
export type SearchedKeys = OwnKeys & { readonly searches: readonly Search[] }

/** The user's keys; a mnemonic yields all its used addresses unless `--count` is given. */
export async function searchedKeys(invocation: Invocation): Promise<SearchedKeys> {
  const searches: Search[] = []
  const findUsed = async (account: WatchAccount) => {
    const found = await search(account, invocation)
    searches.push(found)
    return usedIn(found).map(positionOf)
  }
  const own = await ownKeysOf(await keyTexts(invocation), await hdChoice(invocation), findUsed)
  return { ...own, searches }
}

/** The user's keys for a command that also takes addresses: it does not prompt for a key. */
export async function configuredKeys(invocation: Invocation): Promise<SearchedKeys> {
  if (await hasKeys(invocation)) return searchedKeys(invocation)
  throw new UsageError('MISSING_ARGUMENT', 'no address and no key is given', {
    hint: 'pass an address, an xpub or --key-file FILE, or set AVMKIT_KEY',
  })
}

export function isXpub(text: string): boolean {
  return text.startsWith('xpub')
}

/** Parses addresses, and searches the accounts of xpubs. */
export async function parseOwnerTexts(
  texts: readonly string[],
  invocation: Invocation,
  { chainAlias, hrp }: NetworkContext,
): Promise<Owners> {
  const owners: Uint8Array[] = []
  const searches: Search[] = []
  for (const text of texts) {
    if (!isXpub(text)) {
      owners.push(parseAddress(text, { chain: chainAlias, hrp }).address)
      continue
    }
    const found = await search(new WatchAccount(text), invocation)
    searches.push(found)
    const used = usedIn(found)
    const shown = used.length === 0 ? found.addresses.slice(0, 1) : used
    owners.push(...shown.map(({ address }) => address))
  }
  return { owners, searches, identity: [], sources: texts.length }
}

/** Paths of the addresses that the searches checked. A request keeps only the paths of addresses that occur in it. */
export function pathsIn(searches: readonly Search[]): AddressPath[] {
  return searches.flatMap(({ addresses }) =>
    addresses.map(({ address, path }) => ({ address, path: path! })),
  )
}

/**
 * The owners and all addresses that the searches checked. A search counts an address whose UTXOs are all spent as
 * unused, but blocks still contain its transactions.
 */
export function withUnused({
  owners,
  searches,
}: Pick<Owners, 'owners' | 'searches'>): readonly Uint8Array[] {
  const checked = pathsIn(searches).map(({ address }) => address)
  return [...new Map([...owners, ...checked].map((each) => [hex.encode(each), each])).values()]
}

/** By default, the change of one account goes to its first unused change address. */
export function defaultChange({ searches, sources }: Owners): ChangeArgument | undefined {
  const [first] = searches
  return sources === 1 && first !== undefined
    ? { to: first.account.address(nextIn(first, 'change')) }
    : undefined
}
