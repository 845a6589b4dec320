import {
  argument,
  bigintFrom,
  bytesOf,
  type Check,
  invalid,
  type Members,
  object,
  optional,
  record,
  text,
  u32,
} from '../base/argument.ts'
import { equalBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'
import { ID_SIZE } from '../base/encoding/ids.ts'
import { VerifyError } from '../base/errors.ts'

/** Parameters of a network's X-Chain that rules and builders need. */
export type NetworkContext = {
  /** Name as in the node: `mainnet`, `fuji`, `local` or `network-<networkID>`. */
  readonly name: string
  readonly networkID: number
  /** Human-readable part of its addresses. */
  readonly hrp: string
  /** Alias of the X-Chain in addresses. */
  readonly chainAlias: string
  /** ID of the X-Chain. */
  readonly chainID: Uint8Array
  /** ID of AVAX, or of the asset that pays the fees of another chain that runs the AVM. */
  readonly assetID: Uint8Array
  /** Fee of all transactions except CreateAssetTx, in nAVAX. */
  readonly txFee: bigint
  /** Fee of a CreateAssetTx, in nAVAX. */
  readonly createAssetTxFee: bigint
  /** IDs of the other chains of the primary network, by alias. */
  readonly chains: { readonly [alias: string]: Uint8Array }
}

/** The ID of a network. */
export const networkIDNumber: Check<number> = u32

const idBytes: Check<Uint8Array> = bytesOf(ID_SIZE)
const fee: Check<bigint> = bigintFrom(0n)

/** Explanations show it: a control character could pass for another line. */
const label: Check<string> = (value, at) => {
  const shown = text(value, at)
  if (!/^[\x20-\x7e]{0,128}$/.test(shown)) throw invalid(value, at, 'printable ASCII characters')
  return shown
}

const contextMembers: Members<NetworkContext> = {
  name: label,
  networkID: networkIDNumber,
  hrp: label,
  chainAlias: label,
  chainID: idBytes,
  assetID: idBytes,
  txFee: fee,
  createAssetTxFee: fee,
  chains: record(idBytes),
}

/** Describes a complete network context. */
export const networkContext: Check<NetworkContext> = object<NetworkContext>(contextMembers)

/** Describes a context of which a call needs only some members. The others may be there, or absent. */
/* @__NO_SIDE_EFFECTS__ */
export function contextWith<Name extends keyof NetworkContext>(
  ...names: readonly Name[]
): Check<PartOfContext<Name>> {
  const members = Object.entries<Check<unknown>>(contextMembers).map(([name, check]) => [
    name,
    (names as readonly string[]).includes(name) ? check : optional(check),
  ])
  return object<PartOfContext<Name>>(Object.fromEntries(members) as Members<PartOfContext<Name>>)
}

/** A context of which only some members are required. */
type PartOfContext<Name extends keyof NetworkContext> = Pick<NetworkContext, Name> & {
  readonly [name in keyof NetworkContext]?: NetworkContext[name] | undefined
}

/** Names of networks by network ID, as in the node. */
const NETWORK_NAMES: { readonly [networkID: number]: string } = {
  1: 'mainnet',
  2: 'cascade',
  3: 'denali',
  4: 'everest',
  5: 'fuji',
  10: 'testing',
  12345: 'local',
}

/** ID of the P-Chain on every network. The subnet ID of the primary network is the same. */
export const P_CHAIN_ID: Uint8Array = /* @__PURE__ */ new Uint8Array(32)

function context(
  name: string,
  networkID: number,
  chainID: string,
  cChainID: string,
  assetID: string,
  createAssetTxFee: bigint,
): NetworkContext {
  return {
    name,
    networkID,
    hrp: hrpOf(networkID),
    chainAlias: 'X',
    chainID: hex.decode(chainID),
    assetID: hex.decode(assetID),
    txFee: 1_000_000n,
    createAssetTxFee,
    chains: { P: P_CHAIN_ID, C: hex.decode(cChainID) },
  }
}

/**
 * Networks with fixed IDs. `local` is avalanchego's local network; its IDs are those of the genesis in current
 * releases.
 */
export const networks: {
  readonly mainnet: NetworkContext
  readonly fuji: NetworkContext
  readonly local: NetworkContext
} = {
  mainnet: /* @__PURE__ */ context(
    'mainnet',
    1,
    'ed5f38341e436e5d46e2bb00b45d62ae97d1b050c64bc634ae10626739e35c4b',
    '0427d4b22a2a78bcddd456742caf91b56badbff985ee19aef14573e7343fd652',
    '21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff',
    10_000_000n,
  ),
  fuji: /* @__PURE__ */ context(
    'fuji',
    5,
    'ab68eb1ee142a05cfe768c36e11f0b596db5a3c6c77aabe665dad9e638ca94f7',
    '7fc93d85c6d62c5b2ac0b519c87010ea5294012d1e407030d6acd0021cac10d5',
    '3d9bdac0ed1d761330cf680efdeb1a42159eb387d6d2950c96f7d28f61bbe2aa',
    10_000_000n,
  ),
  local: /* @__PURE__ */ context(
    'local',
    12345,
    'd891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf',
    'ee488204088eaba3d3c0c5e26d7a2892677f8d6181ef31848708b4e55ead7667',
    'dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db',
    1_000_000n,
  ),
}

/** Returns the node's name of a network, such as `fuji` or `network-1337`. */
export function networkName(networkID: number): string {
  argument('networkName', networkID, networkIDNumber, 'networkID')
  return NETWORK_NAMES[networkID] ?? `network-${networkID}`
}

/** Returns the human-readable part of a network's addresses. Networks without a name use `custom`. */
export function hrpOf(networkID: number): string {
  argument('hrpOf', networkID, networkIDNumber, 'networkID')
  const name = NETWORK_NAMES[networkID]
  return name === undefined ? 'custom' : name === 'mainnet' ? 'avax' : name
}

/** The built-in details of a network, which do not depend on a node or file. */
export function knownNetwork(networkID: number): NetworkContext | undefined {
  return Object.values(networks).find((network) => network.networkID === networkID)
}

/** Parameters of a custom network. Alias and fees default to those of `local`, name and HRP to those of the ID. */
export type CustomNetwork = Pick<NetworkContext, 'networkID' | 'chainID' | 'assetID'> & {
  readonly [name in keyof NetworkContext]?: NetworkContext[name] | undefined
}

const customOptions: Check<CustomNetwork> = /* @__PURE__ */ contextWith(
  'networkID',
  'chainID',
  'assetID',
)

/** Returns the context of a network that is not built in. The C-Chain is included only if `chains` contains it. */
export function customNetwork(options: CustomNetwork): NetworkContext {
  const { networkID, chainID, assetID, ...given } = argument(
    'customNetwork',
    options,
    customOptions,
  )
  return {
    name: given.name ?? networkName(networkID),
    networkID,
    hrp: given.hrp ?? hrpOf(networkID),
    chainAlias: given.chainAlias ?? 'X',
    chainID,
    assetID,
    txFee: given.txFee ?? 1_000_000n,
    createAssetTxFee: given.createAssetTxFee ?? 1_000_000n,
    chains: { P: P_CHAIN_ID, ...given.chains },
  }
}

/** Whether fees are paid in AVAX: on the chains of the primary network. Other chains that run the AVM have another asset. */
export function paysAVAX({ chainAlias }: Pick<NetworkContext, 'chainAlias'>): boolean {
  return /^[XPC]$/.test(chainAlias)
}

/** The alias of another chain of the primary network; undefined if the context does not name it. */
export function aliasOf(
  chainID: Uint8Array,
  { chains }: Pick<NetworkContext, 'chains'>,
): string | undefined {
  return Object.entries(chains).find(([, id]) => equalBytes(id, chainID))?.[0]
}

/**
 * The context of the P- or C-Chain of the same network: with this chain's ID and alias, and the X-Chain in `chains`.
 * Functions that read builder arguments then expect addresses of this chain, and refuse the chain itself as source or
 * destination.
 *
 * @throws VerifyError `UNKNOWN_CHAIN` if the context does not know its C-Chain.
 */
export function contextOn(chain: 'P' | 'C', context: NetworkContext): NetworkContext {
  const { P = P_CHAIN_ID, C, ...others } = context.chains
  if (chain === 'C' && C === undefined)
    throw new VerifyError('UNKNOWN_CHAIN', 'the context does not name the C-Chain in chains')
  return {
    ...context,
    chainAlias: chain,
    chainID: chain === 'P' ? P : C!,
    chains: {
      ...others,
      [context.chainAlias]: context.chainID,
      ...(chain === 'P' ? C && { C } : { P }),
    },
  }
}
