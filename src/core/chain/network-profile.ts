import {
  argument,
  type Check,
  invalid,
  list,
  located,
  memberOf,
  object,
  optional,
  record,
  text,
} from '../base/argument.ts'
import { equalBytes } from '../base/bytes/compare.ts'
import { parseID } from '../base/encoding/ids.ts'
import { ArgumentError } from '../base/errors.ts'
import { printable } from '../base/hints.ts'
import { MAX_U64 } from '../base/integers.ts'
import { parseJSON } from '../codec/json-text.ts'
import { hasRepeatedMembers } from '../codec/repeated-members.ts'
import {
  hrpOf,
  type NetworkContext,
  networkContext,
  networkIDNumber,
  networkName,
  networks,
  P_CHAIN_ID,
} from './networks.ts'

/**
 * A network that is not built in, as a file describes it. A network is identified by its network ID *and* the ID of its
 * X-Chain: forks of Avalanche use the network IDs of Mainnet and Fuji for other networks.
 */
export type NetworkProfile = {
  readonly context: NetworkContext
  /** Base URLs of public nodes, for reading. */
  readonly publicURLs: readonly string[]
}

/** The members of a profile file. IDs are cb58, fees decimal texts in the smallest unit of the native asset. */
type ProfileFile = {
  readonly name: string
  readonly networkID: number
  readonly hrp: string
  readonly chainID: Uint8Array
  readonly assetID: Uint8Array
  readonly txFee: bigint
  readonly createAssetTxFee: bigint
  readonly chains?: { readonly [alias: string]: Uint8Array } | undefined
  readonly publicURLs?: readonly string[] | undefined
  /** Where the figures come from. */
  readonly origin?: string | undefined
}

/** The alias of the X-Chain in addresses; no network has another one. */
const X_ALIAS = 'X'

const idText: Check<Uint8Array> = (value, at) => located(at, () => parseID(text(value, at)))

const feeText: Check<bigint> = (value, at) => {
  const digits = text(value, at)
  const fee = /^(0|[1-9][0-9]{0,19})$/.test(digits) ? BigInt(digits) : MAX_U64 + 1n
  if (fee > MAX_U64) throw invalid(value, at, 'a decimal text of at most 64 bits')
  return fee
}

/** Names and address prefixes are compared and shown: upper case and look-alikes could pass for another network. */
const lowerCase: Check<string> = (value, at) => {
  const word = text(value, at)
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(word))
    throw invalid(value, at, '1 to 32 lower-case letters, digits and hyphens')
  return word
}

const serverURL: Check<string> = (value, at) => {
  const url = text(value, at)
  if (!/^https?:\/\/[!-~]{1,256}$/.test(url) || !URL.canParse(url))
    throw invalid(value, at, 'a URL that begins with http:// or https://')
  return url
}

/** Aliases are shown and compared: empty ones, look-alikes and other spellings could pass for another chain. */
const chainIDs: Check<NetworkContext['chains']> = (value, at) => {
  const chains = record(idText)(value, at)
  for (const alias of Object.keys(chains))
    if (!/^[A-Z][A-Za-z0-9]{0,31}$/.test(alias) || alias === X_ALIAS || alias === 'P')
      throw refused(
        memberOf(at, printable(alias)).path,
        'an alias must have 1 to 32 letters and digits, begin with an upper-case letter, and not be X or P',
      )
  return chains
}

const profileFile: Check<ProfileFile> = /* @__PURE__ */ object<ProfileFile>({
  name: lowerCase,
  networkID: networkIDNumber,
  hrp: lowerCase,
  chainID: idText,
  assetID: idText,
  txFee: feeText,
  createAssetTxFee: feeText,
  chains: optional(chainIDs),
  publicURLs: optional(list(serverURL)),
  origin: optional(text),
})

/** The largest file that is read, in characters. */
const MAX_FILE_SIZE = 65_536

/**
 * Parses the file of a network profile. Such files for Flare, Songbird, Coston and Coston2 are in the folder `networks`
 * of the package.
 *
 * @throws ArgumentError `ENC_BAD_JSON`, `ENC_INVALID`, `UNKNOWN_OPTION`
 * @example
 * const { context, publicURLs } = parseNetworkProfile(readFileSync('networks/flare.json', 'utf8'))
 * const client = createNodeClient({ url: publicURLs, network: context })
 */
export function parseNetworkProfile(file: string): NetworkProfile {
  const content = argument('parseNetworkProfile', file, text, 'file')
  if (content.length > MAX_FILE_SIZE) throw refused('', 'the file is larger than 64 KB')
  if (hasRepeatedMembers(content))
    throw refused('', 'the file has a member twice, or a backslash in the name of a member')
  const { chains, publicURLs, origin, ...rest } = argument(
    'parseNetworkProfile',
    // Editors on Windows write a byte order mark.
    parseJSON(content.replace(/^\ufeff/, '')),
    profileFile,
  )
  const context = argument(
    'parseNetworkProfile',
    { ...rest, chainAlias: X_ALIAS, chains: { P: P_CHAIN_ID, ...chains } },
    networkContext,
  )
  requireDistinctIDs(context)
  refuseReservedName(context)
  refuseBorrowedIdentity(context)
  return { context, publicURLs: publicURLs ?? [] }
}

/** An ID stands for one thing. The ID of the P-Chain is zero, so that no other ID can be. */
function requireDistinctIDs({ chainID, assetID, chains }: NetworkContext): void {
  const { P, ...others } = chains
  const ids: (readonly [path: string, id: Uint8Array])[] = [
    ['the zero ID of the P-Chain', P!],
    ['chainID', chainID],
    ['assetID', assetID],
    ...Object.entries(others).map(([alias, id]) => [`chains.${alias}`, id] as const),
  ]
  ids.forEach(([path, id], i) => {
    const same = ids.slice(0, i).find(([, earlier]) => equalBytes(earlier, id))
    if (same !== undefined) throw refused(path, `must differ from ${same[0]}`)
  })
}

/**
 * avalanchego names networks by their ID, in `utils/constants/network_ids.go`: such a name or prefix must belong to the
 * network ID of the profile. Networks without a name share the prefix `custom`.
 */
function refuseReservedName({ name, hrp, networkID }: NetworkContext): void {
  const isReserved = /^(cascade|denali|everest|testing|testnet|custom|network-.*)$/.test(name)
  if (isReserved && name !== networkName(networkID))
    throw refused('name', `${name} is reserved for other networks`)
  if (/^(cascade|denali|everest|testing)$/.test(hrp) && hrp !== hrpOf(networkID))
    throw refused('hrp', `${hrp} is reserved for another network`)
}

/**
 * Signers read the name and the address prefix: those of a built-in network must not stand for another one. A profile of
 * a chain of a built-in network must describe that network.
 */
function refuseBorrowedIdentity(context: NetworkContext): void {
  const { name, hrp, chainID } = context
  for (const network of Object.values(networks)) {
    const ids = [network.chainID, ...Object.values(network.chains)]
    if (ids.some((id) => equalBytes(id, chainID))) {
      const path = firstDifference(context, network)
      if (path !== undefined)
        throw refused(path, `must be that of ${network.name}, whose chain chainID names`)
    } else if (name === network.name || hrp === network.hrp)
      throw refused(
        name === network.name ? 'name' : 'hrp',
        `must not be that of ${network.name}, whose X-Chain has another ID`,
      )
  }
}

/** The first member in which a context differs from a built-in one; not all chains need to be there. */
function firstDifference(
  { chains, ...given }: NetworkContext,
  { chains: fixedChains, ...fixed }: NetworkContext,
): string | undefined {
  // Bytes, bigints and numbers have a text of their own.
  const differs = (a: unknown, b: unknown) => String(a) !== String(b)
  const alias = Object.keys(chains).find((name) => differs(chains[name], fixedChains[name]))
  const members = Object.keys(fixed) as (keyof typeof fixed)[]
  return (
    members.find((name) => differs(given[name], fixed[name])) ??
    (alias === undefined ? undefined : `chains.${alias}`)
  )
}

function refused(path: string, problem: string): ArgumentError {
  const place = path === '' ? '' : `${path}: `
  return new ArgumentError('ENC_INVALID', `parseNetworkProfile: ${place}${problem}`, { path })
}
