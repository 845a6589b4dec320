import { bigintFrom, type Check, list, object, optional, text } from '../core/base/argument.ts'
import { equalBytes } from '../core/base/bytes/compare.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import {
  customNetwork,
  type NetworkContext,
  networkContext,
  networks,
} from '../core/chain/networks.ts'
import { ContextError, RpcError } from './errors.ts'
import type { avmMethods, TxFees } from './methods/avm.ts'
import type { infoMethods } from './methods/info.ts'
import type { BoundTable } from './methods/method.ts'
import type { NetworkArgument } from './network.ts'

/** Options of `context`. */
export type ContextOptions = {
  /**
   * In nAVAX; higher fees are rejected.
   *
   * @defaultValue ten times those of the main network
   */
  readonly maxFees?: { readonly [fee in keyof TxFees]?: bigint | undefined } | undefined
  /**
   * The node must belong to one of these networks, or of `networks`. If the list is empty, any node is believed.
   *
   * @defaultValue those of `networks`, or a network with another ID
   */
  readonly known?: readonly NetworkContext[] | undefined
  /**
   * Alias or ID of the asset that pays fees.
   *
   * @defaultValue `AVAX`
   */
  readonly nativeAsset?: string | undefined
}

/** Describes `ContextOptions`. */
export const contextOptions: Check<ContextOptions> = object<ContextOptions>({
  maxFees: optional(
    object<NonNullable<ContextOptions['maxFees']>>({
      txFee: optional(bigintFrom(0n)),
      createAssetTxFee: optional(bigintFrom(0n)),
    }),
  ),
  known: optional(list(networkContext)),
  nativeAsset: optional(text),
})

const MAX_FEES: TxFees = { txFee: 10_000_000n, createAssetTxFee: 100_000_000n }

/** Calls of the client that `context` uses. */
export type ContextCalls = {
  readonly chain: string
  readonly avm: Pick<BoundTable<typeof avmMethods>, 'getAssetDescription' | 'getTxFee'>
  readonly info: Pick<
    BoundTable<typeof infoMethods>,
    'getNetworkID' | 'getBlockchainID' | 'getTxFee'
  >
}

/**
 * Reads the parameters of a network in parallel, and checks them.
 *
 * @param expected - the network that the client is for, if it has one
 */
export async function readContext(
  calls: ContextCalls,
  options: ContextOptions,
  expected?: NetworkArgument,
): Promise<NetworkContext> {
  const { avm, info, chain } = calls
  const idOf = (alias: string) => info.getBlockchainID({ alias })
  const [networkID, xChainID, chainID, cChainID, asset, fees] = await Promise.all([
    info.getNetworkID(),
    idOf('X'),
    chain === 'X' ? undefined : idOf(chain),
    idOf('C').catch(undefinedIfNoAlias),
    avm.getAssetDescription({ assetID: options.nativeAsset ?? 'AVAX' }),
    readFees(calls),
  ])
  checkFees(fees, options.maxFees)
  // The node formats addresses with the first alias of the chain, whatever alias was requested.
  const isX = chainID === undefined || equalBytes(chainID, xChainID)
  const known = knownAs(networkID, xChainID, knownTo(options, expected))
  if (known === undefined && (options.known ?? []).length > 0)
    throw new ContextError(
      'CONTEXT_MISMATCH',
      'networkID',
      options.known!.map((one) => one.networkID).join(' or '),
      String(networkID),
    )
  if (known !== undefined) {
    requireSameID('chainID', known.chainID, xChainID)
    requireSameID('chains.C', known.chains.C, cChainID)
    if (isX) requireSameID('assetID', known.assetID, asset.assetID)
  }
  return customNetwork({
    networkID,
    name: known?.name,
    hrp: known?.hrp,
    chainID: chainID ?? xChainID,
    assetID: asset.assetID,
    chainAlias: isX ? 'X' : chain,
    txFee: fees.txFee,
    createAssetTxFee: fees.createAssetTxFee,
    chains: {
      ...(isX ? {} : { X: xChainID }),
      ...(cChainID === undefined ? {} : { C: cChainID }),
    },
  })
}

/** The networks to which a node may belong if it has the ID of one. */
function knownTo({ known }: ContextOptions, expected?: NetworkArgument): NetworkContext[] {
  const given = [...(known ?? []), ...(typeof expected === 'object' ? [expected] : [])]
  return known?.length === 0 ? given : [...given, ...Object.values(networks)]
}

/**
 * The known network that a node claims to belong to: several can have the same network ID, and the ID of the X-Chain
 * tells them apart. If none has that ID, the result is the one from which the node differs.
 */
function knownAs(
  networkID: number,
  xChainID: Uint8Array,
  all: readonly NetworkContext[],
): NetworkContext | undefined {
  const candidates = all.filter((network) => network.networkID === networkID)
  return candidates.find(({ chainID }) => equalBytes(chainID, xChainID)) ?? candidates[0]
}

/** The error of `Aliaser.Lookup` in avalanchego's `ids`, for the alias `C`; older nodes write no colon. */
const NO_C_CHAIN = /^there is no ID with alias:? C$/

/** Networks without a C-Chain do not have the alias `C`. Other errors, such as those of a proxy, do not show that. */
function undefinedIfNoAlias(error: unknown): undefined {
  if (!(error instanceof RpcError) || !NO_C_CHAIN.test(error.nodeMessage)) throw error
}

async function readFees({ avm, info }: ContextCalls): Promise<TxFees> {
  try {
    return await avm.getTxFee()
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'RPC_METHOD_NOT_FOUND') throw error
    return info.getTxFee()
  }
}

function checkFees(fees: TxFees, maxFees: ContextOptions['maxFees']): void {
  for (const name of ['txFee', 'createAssetTxFee'] as const) {
    const max = maxFees?.[name] ?? MAX_FEES[name]
    if (fees[name] > max)
      throw new ContextError('FEE_ABOVE_MAX', name, `at most ${max}`, String(fees[name]))
  }
}

/** If the IDs of a known network differ, the node belongs to another network or is dishonest. */
function requireSameID(
  field: string,
  expected: Uint8Array | undefined,
  found: Uint8Array | undefined,
) {
  if (expected !== undefined && found !== undefined && !equalBytes(expected, found))
    throw new ContextError('CONTEXT_MISMATCH', field, formatID(expected), formatID(found))
}
