import {
  argument,
  bytesOf,
  type Check,
  capability,
  integerFrom,
  invalid,
  list,
  located,
  type Members,
  memberOf,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { compareBytes, equalBytes } from '../../core/base/bytes/compare.ts'
import { ADDRESS_SIZE, parseAddress, writeAddress } from '../../core/base/encoding/address.ts'
import { hrpOf, networkIDNumber } from '../../core/chain/networks.ts'
import { haveSameOwners, type OutputOwners } from '../../core/chain/owners.ts'
import { WatchAccount } from '../../core/crypto/hd/account.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'
import { digestOfParts } from '../../core/sign/digest.ts'
import { PolicyError } from './errors.ts'
import { expectedHRP, name, readFile } from './read-file.ts'

const FORMAT = 'avmkit-vault'

/** Limit of the members of a vault. */
const MAX_MEMBERS = 64

/** Limit of addresses per member, because each is derived when the policy is read, which takes about 1 ms. */
const MAX_INDICES = 1_000

/** Owners who sign together: `threshold` of `members`. */
export type Vault = {
  readonly name: string
  readonly networkID: number
  /** Number of signatures required. */
  readonly threshold: number
  /** Addresses such as `X-avax1…`, or `xpub…` of accounts, of which each index gives another address. */
  readonly members: readonly string[]
  /**
   * With an `xpub…` among the members: how many indices the vault has, each on the receiving and on the change side.
   *
   * @defaultValue 1
   */
  readonly indices?: number | undefined
}

/** A vault as part of a policy, which has the network. */
export type RegisteredVault = Omit<Vault, 'networkID'> & {
  /** Stated so that a changed registration is noticed; optional. */
  readonly checksum?: string | undefined
}

/** Members of a vault in a file. */
export const vaultMembers: Members<RegisteredVault> = {
  name,
  threshold: integerFrom(1, MAX_MEMBERS),
  members: list(text),
  indices: optional(integerFrom(1, MAX_INDICES)),
  checksum: optional(text),
}

/** A vault whose members are read. */
export type OpenVault = Vault & {
  readonly checksum: string
  /** The owners at a position; the same at all positions if no member is an `xpub…`. */
  readonly owners: (position: HDPosition) => OutputOwners
  /** All owners that outputs of the vault can have. */
  readonly allOwners: readonly (OutputOwners & { readonly position: HDPosition })[]
}

/**
 * Reads the members of a vault.
 *
 * @throws ArgumentError; PolicyError `FILE_CHECKSUM`
 */
export function openVault(
  given: RegisteredVault,
  networkID: number,
  at: { readonly call: string; readonly path: string },
): OpenVault {
  const { threshold, members, indices, checksum: stated } = given
  const place = { ...at, path: at.path === '' ? 'members' : `${at.path}.members` }
  if (members.length === 0 || members.length > MAX_MEMBERS || threshold > members.length)
    throw invalid(members.length, place, `${threshold} to ${MAX_MEMBERS} members`)
  const readers = members.map((member, i) =>
    located({ ...place, path: `${place.path}[${i}]` }, () => readMember(member, networkID)),
  )
  const isDerived = members.some((member) => member.startsWith('xpub'))
  if (!isDerived && indices !== undefined && indices !== 1)
    throw invalid(indices, at, 'no indices: the members are addresses')
  const vault = { name: given.name, networkID, threshold, members, indices: indices ?? 1 }
  const checksum = vaultChecksum(vault)
  if (stated !== undefined && stated !== checksum)
    throw new PolicyError(
      'FILE_CHECKSUM',
      `the vault "${given.name}" has the checksum ${checksum}, the file states another`,
      { path: at.path, hint: 'compare the members with the other co-signers' },
    )
  const owners = (position: HDPosition): OutputOwners => {
    const addresses = readers.map((read) => read(position)).sort(compareBytes)
    if (addresses.some((each, i) => i > 0 && equalBytes(each, addresses[i - 1]!)))
      throw invalid(members.length, place, 'members without duplicates')
    return { threshold, locktime: 0n, addresses }
  }
  const positions = (isDerived ? [0, 1] : [0]).flatMap((change) =>
    Array.from({ length: vault.indices }, (_, index) => ({ change, index }) as HDPosition),
  )
  return {
    ...vault,
    checksum,
    owners,
    allOwners: positions.map((position) => ({ ...owners(position), position })),
  }
}

type MemberReader = (position: HDPosition) => Uint8Array

function readMember(member: string, networkID: number): MemberReader {
  if (member.startsWith('xpub')) {
    const account = new WatchAccount(member)
    return (position) => account.address(position)
  }
  const { address } = parseAddress(member, expectedHRP(networkID))
  return () => address
}

/** Covers everything except the name, so that co-signers can name their vault differently. */
function vaultChecksum({ networkID, threshold, members, indices }: Vault): string {
  const hrp = hrpOf(networkID)
  const names = members.map((member) =>
    member.startsWith('xpub') ? member : writeAddress('X', hrp, parseAddress(member).address),
  )
  const parts = [FORMAT, `${networkID}`, `${threshold}`, `${indices}`, ...names.toSorted()]
  return digestOfParts(parts.map((part) => new TextEncoder().encode(part)))
}

const fileMembers: Members<RegisteredVault & Pick<Vault, 'networkID'>> = {
  ...vaultMembers,
  networkID: networkIDNumber,
}

/**
 * Reads the registration of a vault that a co-signer has exported. Compare `checksum` with the co-signers by another
 * way than that of the file.
 *
 * @throws PolicyError, ArgumentError
 */
export function parseVault(text: string): OpenVault {
  const { networkID, ...given } = readFile(text, FORMAT, fileMembers)
  if (given.checksum === undefined)
    throw new PolicyError('FILE_MALFORMED', 'the registration has no checksum', {
      path: 'checksum',
    })
  return openVault(given, networkID, { call: 'parseVault', path: '' })
}

const vaultArgument: Check<RegisteredVault & Pick<Vault, 'networkID'>> = object(fileMembers)

/**
 * Formats the registration of a vault for co-signers, with its checksum.
 *
 * @throws ArgumentError
 */
export function formatVault(given: Vault & { readonly checksum?: string | undefined }): string {
  const { networkID, ...vault } = argument('formatVault', plain(given), vaultArgument)
  const open = openVault(vault, networkID, { call: 'formatVault', path: '' })
  const { name: title, threshold, members, checksum } = open
  const file = { format: FORMAT, version: 1, name: title, networkID, threshold, members }
  return `${JSON.stringify({ ...file, ...indicesOf(open), checksum }, undefined, 2)}\n`
}

/** The members of a vault without what opening it adds. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('owners' in value)) return value
  const { owners: _owners, allOwners: _all, ...vault } = value as OpenVault
  return vault
}

/** The number of indices as files have it: only if a member has several addresses. */
export function indicesOf({ members, indices }: Vault): { readonly indices?: number | undefined } {
  return members.some((member) => member.startsWith('xpub')) ? { indices } : {}
}

/**
 * Where in a vault some owners are.
 *
 * @returns the position, or undefined if the owners are not the vault's
 */
export function positionInVault(
  givenVault: OpenVault,
  givenOwners: Pick<OutputOwners, 'threshold' | 'addresses'>,
): HDPosition | undefined {
  const { allOwners } = argument('positionInVault', givenVault, openVaultArgument, 'vault')
  const { threshold, addresses } = argument(
    'positionInVault',
    givenOwners,
    ownersArgument,
    'owners',
  )
  const owners = { locktime: 0n, threshold, addresses: addresses.toSorted(compareBytes) }
  return allOwners.find((each) => haveSameOwners(each, owners))?.position
}

const openVaultArgument: Check<OpenVault> = (value, at) => {
  const vault = capability<OpenVault>('a vault of a policy', 'owners')(value, at)
  if (!Array.isArray(vault.allOwners)) throw invalid(value, at, 'a vault of a policy')
  return vault
}

const ownersArgument: Check<Pick<OutputOwners, 'threshold' | 'addresses'>> = (value, at) => {
  const { threshold, addresses } = (value ?? {}) as OutputOwners
  return {
    threshold: integerFrom(0)(threshold, memberOf(at, 'threshold')),
    addresses: list(bytesOf(ADDRESS_SIZE))(addresses, memberOf(at, 'addresses')),
  }
}
