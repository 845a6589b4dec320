import type { NetworkContext } from '../chain/index.ts'
import { WatchAccount } from '../crypto/hd.ts'
import type { Discovery } from '../discovery/index.ts'
import { parseAddress } from '../encoding/index.ts'
import { discover, discoveredKeys } from './discover.ts'
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
): Promise<Owners> {
  const owners: Uint8Array[] = []
  const discoveries: Discovery[] = []
  for (const text of texts) {
    if (!text.startsWith('xpub')) {
      owners.push(parseAddress(text, { chain: chainAlias, hrp }).address)
      continue
    }
    const account = new WatchAccount(text)
    const found = await discover(account, invocation)
    discoveries.push(found)
    const first = account.address({ change: 0, index: 0 })
    owners.push(...(found.addresses.length === 0 ? [first] : found.addresses.map((a) => a.address)))
  }
  return { owners, discoveries }
}
