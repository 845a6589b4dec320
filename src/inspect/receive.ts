import { compareBytes, equalBytes } from '../core/base/bytes/compare.ts'
import { formatAddress, parseAddress } from '../core/base/encoding/address.ts'
import { hrpOf } from '../core/chain/networks.ts'
import { haveSameOwners, type OutputOwners } from '../core/chain/owners.ts'
import { WatchAccount } from '../core/crypto/hd/index.ts'
import type { HDPosition } from '../core/crypto/hd/path.ts'
import { type OpenVault, positionInVault } from '../signers/policy/vault.ts'
import { InspectError } from './errors.ts'

/** How many addresses of an account are searched for one that should be verified. */
const SEARCHED = 1_000

/** Indices of an account that can be shown: searches do not look further. */
const ACCOUNT_INDICES = 100_000

/** A recipient of payments: a key, an account or a vault. */
export type Payee = {
  /** How many indices it has, from 0. */
  readonly indices: number
  /** The owners at an index below `indices`. */
  readonly owners: (index: number) => OutputOwners
  /** Where some owners are; undefined if they are not the payee's. */
  readonly positionOf: (owners: OutputOwners) => HDPosition | undefined
}

/** The owners of a vault are those of its registration, whatever was received so far. */
export function vaultPayee(vault: OpenVault): Payee {
  return {
    indices: vault.indices ?? 1,
    owners: (index) => vault.owners({ change: 0, index }),
    positionOf: (owners) => positionInVault(vault, owners),
  }
}

/** The prefix of a vault's addresses. A network without a name may have any; its members tell it. */
export function vaultHRP({ members, networkID }: OpenVault): string {
  const member = members.find((each) => !each.startsWith('xpub'))
  return member === undefined ? hrpOf(networkID) : parseAddress(member).hrp
}

/**
 * The payee of public texts: an `xpub…`, or the addresses of private keys, of which each has the index of its line.
 *
 * @throws InspectError `NOT_RECOGNIZED` for several accounts, because an index would be ambiguous
 */
export function payeeOf(publicTexts: readonly string[]): Payee {
  const [first] = publicTexts
  const isAccount = (text: string) => text.startsWith('xpub')
  if (publicTexts.length === 1 && isAccount(first!)) return accountPayee(new WatchAccount(first!))
  if (publicTexts.some(isAccount))
    throw new InspectError('NOT_RECOGNIZED', 'an index is of one mnemonic or of private keys', {
      hint: 'use one mnemonic or extended public key at a time',
    })
  const all = publicTexts.map((text) => ownedBy(parseAddress(text).address))
  const positionOf = (owners: OutputOwners) => {
    const index = all.findIndex((each) => haveSameOwners(each, owners))
    return index === -1 ? undefined : { change: 0, index }
  }
  return { indices: all.length, owners: (index) => all[index]!, positionOf }
}

function accountPayee(account: WatchAccount): Payee {
  // Deriving an address takes milliseconds, and readers verify several.
  const derived = new Map<number, OutputOwners>()
  const owners = (index: number) => {
    const known = derived.get(index) ?? ownedBy(account.address({ change: 0, index }))
    derived.set(index, known)
    return known
  }
  const positionOf = (claimed: OutputOwners) => {
    if (claimed.addresses.length > 1) return undefined
    for (let index = 0; index < SEARCHED; index++)
      if (haveSameOwners(owners(index), claimed)) return { change: 0, index }
    return undefined
  }
  return { indices: ACCOUNT_INDICES, owners, positionOf }
}

function ownedBy(address: Uint8Array): OutputOwners {
  return { threshold: 1, locktime: 0n, addresses: [address] }
}

/**
 * Where to pay, as payments take it: an address, or `2:ADDRESS,ADDRESS` for several owners.
 *
 * @throws InspectError `NO_INDEX`
 */
export function payableText(
  { indices, owners }: Payee,
  index: number,
  { chain, hrp }: { readonly chain: string; readonly hrp: string },
): string {
  if (!Number.isInteger(index) || index < 0 || index >= indices)
    throw new InspectError('NO_INDEX', `there are addresses at the indices 0 to ${indices - 1}`)
  const { threshold, addresses } = owners(index)
  const texts = addresses.map((address) => formatAddress({ chain, hrp, address }))
  return texts.length === 1 ? texts[0]! : `${threshold}:${texts.join(',')}`
}

/**
 * Verifies that a text names owners of the payee, and returns where.
 *
 * @param hrp - the network on which it is paid, if it matters
 * @throws InspectError `NOT_RECOGNIZED`, `NOT_YOURS`; ArgumentError, for instance for an address of another network
 */
export function verifyPayable(
  { positionOf }: Payee,
  claimed: string,
  hrp: string | undefined,
): HDPosition {
  const position = positionOf(parsePayable(claimed.trim(), hrp))
  if (position !== undefined) return position
  throw new InspectError(
    'NOT_YOURS',
    `${claimed.trim()} is not an address of these keys or vault`,
    {
      hint: 'do not receive anything there',
    },
  )
}

function parsePayable(text: string, hrp: string | undefined): OutputOwners {
  const [, count, list = ''] = /^(?:([1-9][0-9]?):)?([^:]+)$/.exec(text) ?? []
  const parsed = list.split(',').map((each) => parseAddress(each.trim(), { hrp }))
  const [{ chain }] = parsed as [(typeof parsed)[number]]
  const addresses = parsed.map(({ address }) => address).sort(compareBytes)
  const threshold = Number(count ?? 1)
  if (
    (count === undefined && parsed.length > 1) ||
    threshold > parsed.length ||
    parsed.some((each) => each.chain !== chain) ||
    addresses.some((each, i) => i > 0 && equalBytes(each, addresses[i - 1]!))
  )
    throw new InspectError('NOT_RECOGNIZED', 'expected an address or owners as 2:ADDRESS,ADDRESS')
  return { threshold, locktime: 0n, addresses }
}
