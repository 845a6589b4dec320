import {
  argument,
  bytesOf,
  type Check,
  integerFrom,
  list,
  object,
  optional,
  text,
  u64,
} from '../../base/argument.ts'
import { compareBytes } from '../../base/bytes/compare.ts'
import { ADDRESS_SIZE } from '../../base/encoding/address.ts'
import { MAX_DENOMINATION } from '../../base/encoding/amount.ts'
import { hex } from '../../base/encoding/hex.ts'
import { ZERO_ID } from '../../base/encoding/ids.ts'
import { CodecError } from '../../base/errors.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { decode, encode, encodeBare, MAX_GENESIS_SIZE, struct } from '../../codec/codec.ts'
import { type Codec, type Union, union } from '../../codec/io.ts'
import { customNetwork, type NetworkContext, networkIDNumber } from '../networks.ts'
import type { OutputOwners } from '../owners.ts'
import { asciiID, FX_NAMES, type Output, output } from './fx.ts'
import { txID } from './ids.ts'
import { sortedBy } from './order.ts'
import { type CreateAssetTx, createAssetTx, type SignedTx } from './tx.ts'

/** An asset of the genesis. */
export type GenesisAsset = {
  readonly alias: string
  readonly tx: CreateAssetTx
}

/** Initial state of the X-Chain. The first asset pays the fees. */
export type Genesis = { readonly assets: readonly GenesisAsset[] }

const genesisAsset: Codec<GenesisAsset> = (io, v) => ({
  alias: io.text(v.alias),
  tx: io.struct(v.tx, createAssetTx),
})

/** Codec of genesis data. */
export const genesis: Codec<Genesis> = (io, v) => ({ assets: io.list(v.assets, genesisAsset) })

/**
 * Decodes the genesis data of an X-Chain.
 *
 * @throws CodecError
 */
export function decodeGenesis(bytes: Uint8Array): Genesis {
  return decode(genesis, bytes, MAX_GENESIS_SIZE)
}

/**
 * Encodes the genesis data of an X-Chain.
 *
 * @throws CodecError
 */
export function encodeGenesis(value: Genesis): Uint8Array {
  return encode(genesis, value)
}

/** Returns the transaction of a genesis asset. Its ID is the asset ID. */
export function genesisTx(asset: GenesisAsset): SignedTx {
  const { tx } = argument('genesisTx', asset, struct(genesisAsset))
  return { unsignedTx: tx, credentials: [] }
}

/** An asset to include in a genesis, with its initial holders. */
export type GenesisDefinition = {
  readonly alias: string
  readonly name: string
  readonly symbol: string
  /** Number of decimals, 0 to 32. */
  readonly denomination: number
  /** @defaultValue empty */
  readonly memo?: Uint8Array | undefined
  /** Initial amounts, in the smallest unit of the asset, and their owners. */
  readonly holders: readonly { readonly amount: bigint; readonly address: Uint8Array }[]
  /**
   * Groups of addresses that may mint more; one signature of a group suffices.
   *
   * @defaultValue none
   */
  readonly minters?: readonly (readonly Uint8Array[])[] | undefined
}

type Holder = GenesisDefinition['holders'][number]

const addressBytes: Check<Uint8Array> = bytesOf(ADDRESS_SIZE)

const genesisDefinitions: Check<readonly GenesisDefinition[]> = list(
  object<GenesisDefinition>({
    alias: text,
    name: text,
    symbol: text,
    denomination: integerFrom(0, MAX_DENOMINATION),
    memo: optional(bytesOf()),
    holders: list(
      object<Holder>({
        amount: u64,
        address: addressBytes,
      }),
    ),
    minters: optional(list(list(addressBytes))),
  }),
)

/** Builds genesis data as the node does: assets sorted by alias, with one initial state whose outputs are sorted. */
export function buildGenesis(
  networkID: number,
  definitions: readonly GenesisDefinition[],
): Genesis {
  argument('buildGenesis', networkID, networkIDNumber, 'networkID')
  const assets = argument('buildGenesis', definitions, genesisDefinitions, 'definitions').map(
    (definition) => ({ alias: definition.alias, tx: genesisAssetTx(networkID, definition) }),
  )
  return { assets: sortedBy(assets, ({ alias }) => new TextEncoder().encode(alias)) }
}

function genesisAssetTx(networkID: number, definition: GenesisDefinition): CreateAssetTx {
  const { name, symbol, denomination, memo, holders, minters = [] } = definition
  const outputs: Output[] = [
    ...holders.map(({ amount, address }) => ({
      type: 'secp256k1fx.TransferOutput' as const,
      amount,
      ...anyOf([address]),
    })),
    ...minters.map((group) => ({ type: 'secp256k1fx.MintOutput' as const, ...anyOf(group) })),
  ]
  const sorted = sortedBy(outputs, (item) => encodeBare(output, item))
  return {
    type: 'CreateAssetTx',
    networkID,
    // The chain ID is derived from the genesis, so it cannot be part of it.
    blockchainID: new Uint8Array(32),
    outputs: [],
    inputs: [],
    memo: memo ?? new Uint8Array(0),
    name,
    symbol,
    denomination,
    initialStates: sorted.length === 0 ? [] : [{ fxIndex: 0, outputs: sorted }],
  }
}

function anyOf(addresses: readonly Uint8Array[]): OutputOwners {
  return { locktime: 0n, threshold: 1, addresses: [...addresses].sort(compareBytes) }
}

/**
 * The P-Chain transaction that creates a chain, reduced to the fields used in a genesis: no subnet, inputs or
 * authorization. Its ID is the chain ID.
 */
export type CreateChainTx = {
  readonly type: 'CreateChainTx'
  readonly networkID: number
  readonly chainName: string
  readonly vmID: Uint8Array
  readonly fxIDs: readonly Uint8Array[]
  readonly genesisData: Uint8Array
}

const id: Codec<Uint8Array> = (io, v) => io.id(v)
const NO_BYTES = /* @__PURE__ */ new Uint8Array(0)
/** Type ID of secp256k1fx's Input on the P-Chain. */
const P_INPUT = 10

const createChainTx: Codec<CreateChainTx> = (io, v) => {
  const networkID = io.u32(v.networkID)
  io.id(ZERO_ID) // blockchain ID
  io.list([], id) // outputs
  io.list([], id) // inputs
  io.blob(NO_BYTES) // memo
  io.id(ZERO_ID) // subnet ID
  const chainName = io.text(v.chainName)
  const vmID = io.id(v.vmID)
  const fxIDs = io.list(v.fxIDs, id)
  const genesisData = io.blob(v.genesisData)
  io.u32(P_INPUT) // subnet authorization without signatures
  io.list([], id)
  return { type: 'CreateChainTx', networkID, chainName, vmID, fxIDs, genesisData }
}

/** Codec of such a transaction with its empty list of credentials. */
export const createChain: Codec<CreateChainTx> = (io, v) => {
  const tx = io.typed(v, createChainTxs)
  io.list([], id) // credentials
  return tx
}

const createChainTxs: Union<CreateChainTx> = /* @__PURE__ */ union<CreateChainTx>(16, {
  CreateChainTx: [15, createChainTx],
})

/** The transaction that creates the X-Chain of a network with its genesis data. */
export function createXChainTx(networkID: number, genesisData: Uint8Array): CreateChainTx {
  return {
    type: 'CreateChainTx',
    networkID,
    chainName: 'X-Chain',
    vmID: asciiID('avm'),
    fxIDs: FX_NAMES.map(asciiID),
    genesisData,
  }
}

/** Computes the ID of the X-Chain of a network from its genesis data. */
export function xChainID(networkID: number, genesisData: Uint8Array): Uint8Array {
  return sha256(encode(createChain, createXChainTx(networkID, genesisData)))
}

/**
 * Returns the genesis that avalanchego uses for every network without a genesis of its own. For network 12345 it is
 * that of `networks.local`.
 */
export function localGenesis(networkID: number): Genesis {
  const memo = hex.decode('b3d82b1367d362de99ab59a658165aff520cbd4d'.repeat(2))
  return buildGenesis(networkID, [
    {
      alias: 'AVAX',
      name: 'Avalanche',
      symbol: 'AVAX',
      denomination: 9,
      memo,
      holders: [
        {
          amount: 10_000_000_000_000_000n,
          address: hex.decode('e0cfe8cae22827d032805ded484e393ce51cbedb'),
        },
        {
          amount: 300_000_000_000_000_000n,
          address: hex.decode('3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'),
        },
      ],
    },
  ])
}

/** Returns the context of a network with the given genesis. It does not include the C-Chain. */
export function networkOfGenesis(networkID: number, value: Genesis): NetworkContext {
  const [feeAsset] = argument('networkOfGenesis', value, struct(genesis)).assets
  if (feeAsset === undefined)
    throw new CodecError('CODEC_BAD_VALUE', 'genesis has no assets', 0, 'assets')
  return customNetwork({
    networkID,
    chainID: xChainID(networkID, encodeGenesis(value)),
    assetID: txID(genesisTx(feeAsset)),
  })
}
