import { equalBytes } from '../../core/base/bytes/compare.ts'
import { parseAddress } from '../../core/base/encoding/address.ts'
import { parseHDPath, WatchAccount } from '../../core/crypto/hd/index.ts'
import type { AddressPath } from '../../core/sign/signer.ts'
import { accountsOf, positionsOf, type RequestOwners } from '../../inspect/key-text.ts'
import { readerWith } from '../../inspect/request-keys.ts'
import type { Invocation } from '../invocation.ts'
import { isXpub, parseOwnerTexts, searchedKeys, watchedOwners, withUnused } from './addresses.ts'
import { noteSearches } from './discover.ts'
import { hasKeys, hdChoice, keysForRequest, keyTexts, ownKeys } from './own-keys.ts'

/** What belongs to the user, for explanations. */
export type Ours = {
  readonly addresses: readonly Uint8Array[]
  readonly publicKeys: readonly Uint8Array[]
}

/** Number of addresses of each branch of an account that count if no node is asked. */
const FIRST_ADDRESSES = 20

/** Maximum number of paths of a request that are derived. */
const MAX_PATHS = 3000

/**
 * What belongs to the keys or the named account of the user, without a node: of an account the first addresses of both
 * branches, and those whose paths a request names.
 */
export async function oursOffline(
  invocation: Invocation,
  request?: RequestOwners,
): Promise<Ours | undefined> {
  const named = await invocation.account()
  if (named !== undefined && named.keyFiles.length === 0)
    return joined(named.owners.map((text) => oursOf(text, request?.paths ?? [])))
  if (!(await hasKeys(invocation))) return undefined
  const { keys } = await ownKeys(invocation)
  const accounts = accountsOf(await keyTexts(invocation), await hdChoice(invocation))
  for (const account of accounts) account.wipe()
  const first = accounts.map(({ watch }) => ({ addresses: firstOf(watch), publicKeys: [] }))
  const signing = request && readerWith(await keysForRequest(invocation, request))
  return joined([keys, ...first, ...(signing === undefined ? [] : [signing])])
}

/** The same with a node, which finds all used addresses. */
export async function oursOnline(
  invocation: Invocation,
  request?: RequestOwners,
): Promise<Ours | undefined> {
  const offline = await oursOffline(invocation, request)
  if (offline === undefined) return undefined
  const context = await invocation.xContext()
  const watched = await watchedOwners(invocation, context)
  const found =
    watched.length > 0
      ? { ...(await parseOwnerTexts(watched, invocation, context)), publicKeys: [] }
      : await searchedOurs(invocation)
  noteSearches(found.searches, invocation)
  return joined([offline, { addresses: withUnused(found), publicKeys: found.publicKeys }])
}

async function searchedOurs(invocation: Invocation) {
  const { keys, searches } = await searchedKeys(invocation)
  return { owners: keys.addresses, publicKeys: keys.publicKeys, searches }
}

function joined(all: readonly Ours[]): Ours {
  return {
    addresses: all.flatMap(({ addresses }) => addresses),
    publicKeys: all.flatMap(({ publicKeys }) => publicKeys),
  }
}

/** What an address or xpub owns. A path is only a claim of the request: its address is derived and compared. */
function oursOf(text: string, paths: readonly AddressPath[]): Ours {
  if (!isXpub(text)) return { addresses: [parseAddress(text).address], publicKeys: [] }
  const account = new WatchAccount(text)
  const named = paths.slice(0, MAX_PATHS).flatMap(({ address, path }) => {
    const { coinType = 9000, ...place } = parseHDPath(path)
    const isOurs =
      coinType === account.coinType &&
      place.account === account.account &&
      // A search would not find others.
      place.change <= 1 &&
      place.index < 10_000 &&
      equalBytes(account.address(place), address)
    return isOurs ? [address] : []
  })
  return {
    addresses: [...firstOf(account), ...named],
    publicKeys: [account.publicKey({ change: 0, index: 0 })],
  }
}

function firstOf(account: WatchAccount): Uint8Array[] {
  return [0, 1].flatMap((change) =>
    positionsOf(FIRST_ADDRESSES).map(({ index }) => account.address({ change, index })),
  )
}
