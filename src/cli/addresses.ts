import type { ChangeArgument } from '../build/index.ts'
import type { NetworkContext } from '../chain/index.ts'
import { WatchAccount } from '../crypto/hd.ts'
import { DEFAULT_GAP_LIMIT, type Discovery } from '../discovery/index.ts'
import { parseAddress } from '../encoding/index.ts'
import type { AddressPath } from '../sign/index.ts'
import { discover, discoveredKeys, type SearchPlace } from './discover.ts'
import { UsageError } from './errors.ts'
import type { Invocation } from './invocation.ts'

/** Addresses, and the searches that found some of them. */
export type Owners = {
  readonly owners: readonly Uint8Array[]
  readonly discoveries: readonly Discovery[]
}

/** The owners of a command: addresses and xpubs from its arguments, or else the addresses of the user's keys. */
export async function ownersOf(
  texts: readonly string[],
  invocation: Invocation,
  context: NetworkContext,
): Promise<Owners> {
  if (texts.length > 0) return parseOwnerTexts(texts, invocation, context)
  if (!(await invocation.hasKeys()))
    throw new UsageError('MISSING_ARGUMENT', 'no address and no key is given', {
      hint: 'pass an address, an xpub or --key-file FILE, or set AVMKIT_KEY',
    })
  const { keys, discoveries } = await discoveredKeys(invocation)
  return { owners: keys.addresses, discoveries }
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
    if (!text.startsWith('xpub')) {
      owners.push(parseAddress(text, { chain: chainAlias, hrp }).address)
      continue
    }
    const account = new WatchAccount(text)
    const found = await discover(account, invocation, where)
    discoveries.push(found)
    const first = account.address({ change: 0, index: 0 })
    owners.push(...(found.addresses.length === 0 ? [first] : found.addresses.map((a) => a.address)))
  }
  return { owners, discoveries }
}

/** Paths of the addresses that the searches checked; a request takes those of addresses that occur in it. */
export function pathsIn(discoveries: readonly Discovery[]): AddressPath[] {
  return discoveries.flatMap(({ account, next }) =>
    account.paths(
      [next.receive, next.change].flatMap(({ change, index }) =>
        Array.from({ length: index + DEFAULT_GAP_LIMIT }, (_, i) => ({ change, index: i })),
      ),
    ),
  )
}

/** By default, the change of one account goes to its first unused change address. */
export function defaultChange(
  from: readonly string[],
  [first]: readonly Discovery[],
): ChangeArgument | undefined {
  return from.length === 1 && first !== undefined
    ? { to: first.account.address(first.next.change) }
    : undefined
}
