import { formatAddress, parseAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { WatchAccount } from '../../core/crypto/hd/index.ts'
import type { ChangeArgument } from '../../core/draft/arguments.ts'
import type { AddressPath } from '../../core/sign/signer.ts'
import type { OwnKeys } from '../../inspect/key-text.ts'
import { DEFAULT_GAP_LIMIT, type Discovery } from '../../wallet/discovery/index.ts'
import type { NamedAccount } from '../connections/accounts.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { discover, discoveredKeys, type SearchPlace } from './discover.ts'
import { hasKeys } from './own-keys.ts'

/** Addresses, and the searches that found some of them. */
export type Owners = {
  readonly owners: readonly Uint8Array[]
  readonly discoveries: readonly Discovery[]
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
  const { keys, discoveries } = await configuredKeys(invocation)
  return { owners: keys.addresses, discoveries, sources: 0 }
}

/** The owners of the named account if its keys are elsewhere, as addresses of a chain and network; otherwise none. */
export async function watchedOwners(
  invocation: Invocation,
  context: NetworkContext,
): Promise<readonly string[]> {
  const named = await invocation.account()
  return named === undefined || named.keyFiles.length > 0 ? [] : ownersOn(named, context)
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

/** The user's keys for a command that also takes addresses: it does not prompt for a key. */
export async function configuredKeys(invocation: Invocation): Promise<OwnKeys> {
  if (await hasKeys(invocation)) return discoveredKeys(invocation)
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
  where?: SearchPlace,
): Promise<Owners> {
  const owners: Uint8Array[] = []
  const discoveries: Discovery[] = []
  for (const text of texts) {
    if (!isXpub(text)) {
      owners.push(parseAddress(text, { chain: chainAlias, hrp }).address)
      continue
    }
    const account = new WatchAccount(text)
    const found = await discover(account, invocation, where)
    discoveries.push(found)
    const first = account.address({ change: 0, index: 0 })
    owners.push(...(found.addresses.length === 0 ? [first] : found.addresses.map((a) => a.address)))
  }
  return { owners, discoveries, sources: texts.length }
}

/** Paths of the addresses that the searches checked. A request keeps only the paths of addresses that occur in it. */
export function pathsIn(discoveries: readonly Discovery[], { values }: Invocation): AddressPath[] {
  const gapLimit = values.integer('gap-limit', 1, 10_000) ?? DEFAULT_GAP_LIMIT
  return discoveries.flatMap(({ account, next }) =>
    account.paths(
      [next.receive, next.change].flatMap(({ change, index }) =>
        Array.from({ length: index + gapLimit }, (_, i) => ({ change, index: i })),
      ),
    ),
  )
}

/**
 * The owners and all addresses that the searches checked. A search counts an address whose UTXOs are all spent as
 * unused, but blocks still contain its transactions.
 */
export function withUnused(
  { owners, discoveries }: Owners,
  invocation: Invocation,
): readonly Uint8Array[] {
  const checked = pathsIn(discoveries, invocation).map(({ address }) => address)
  return [...new Map([...owners, ...checked].map((each) => [hex.encode(each), each])).values()]
}

/** By default, the change of one account goes to its first unused change address. */
export function defaultChange({ discoveries, sources }: Owners): ChangeArgument | undefined {
  const [first] = discoveries
  return sources === 1 && first !== undefined
    ? { to: first.account.address(first.next.change) }
    : undefined
}
