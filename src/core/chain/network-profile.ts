import {
  argument,
  type Check,
  invalid,
  list,
  located,
  object,
  optional,
  record,
  text,
} from '../base/argument.ts'
import { equalBytes } from '../base/bytes/compare.ts'
import { parseID } from '../base/encoding/ids.ts'
import { ArgumentError } from '../base/errors.ts'
import { MAX_U64 } from '../base/integers.ts'
import { parseJSON } from '../codec/json-text.ts'
import { hasRepeatedMembers } from '../codec/repeated-members.ts'
import {
  type NetworkContext,
  networkContext,
  networkIDNumber,
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

const profileFile: Check<ProfileFile> = /* @__PURE__ */ object<ProfileFile>({
  name: lowerCase,
  networkID: networkIDNumber,
  hrp: lowerCase,
  chainID: idText,
  assetID: idText,
  txFee: feeText,
  createAssetTxFee: feeText,
  chains: optional(record(idText)),
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
 * const client = createNodeClient({ url: publicURLs, context: { known: [context] } })
 */
export function parseNetworkProfile(file: string): NetworkProfile {
  const content = argument('parseNetworkProfile', file, text, 'file')
  if (content.length > MAX_FILE_SIZE || hasRepeatedMembers(content))
    throw new ArgumentError(
      'ENC_INVALID',
      'parseNetworkProfile: the file is larger than 64 KB or has a member twice',
    )
  const { chains, publicURLs, origin, ...rest } = argument(
    'parseNetworkProfile',
    parseJSON(content),
    profileFile,
  )
  if (Object.hasOwn(chains ?? {}, X_ALIAS) || Object.hasOwn(chains ?? {}, 'P'))
    throw new ArgumentError(
      'ENC_INVALID',
      'parseNetworkProfile: chains must not contain X or P, which have fixed places',
    )
  const context = argument(
    'parseNetworkProfile',
    { ...rest, chainAlias: X_ALIAS, chains: { P: P_CHAIN_ID, ...chains } },
    networkContext,
  )
  refuseBorrowedName(context)
  return { context, publicURLs: publicURLs ?? [] }
}

/** Signers read the name and the address prefix: those of a built-in network must not stand for another one. */
function refuseBorrowedName({ name, hrp, chainID }: NetworkContext): void {
  const borrowed = Object.values(networks).find(
    (network) =>
      (network.name === name || network.hrp === hrp) && !equalBytes(network.chainID, chainID),
  )
  if (borrowed !== undefined)
    throw new ArgumentError(
      'ENC_INVALID',
      `parseNetworkProfile: the name or the address prefix is that of ${borrowed.name}, but not the ID of the X-Chain`,
    )
}
