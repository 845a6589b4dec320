import {
  argument,
  type Check,
  integerFrom,
  list,
  type Members,
  object,
  optional,
  text,
  u32,
} from '../../base/argument.ts'
import { type Output, output } from '../../chain/x/fx.ts'
import { sortedBy } from '../../chain/x/order.ts'
import type { InitialState } from '../../chain/x/transferables.ts'
import { encodeBare } from '../../codec/codec.ts'
import { type OwnersArgument, toAmount, toBytes, toOwners } from '../arguments.ts'
import { amount, memo, owners, ownersMembers } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import { assemble, type BuildOptions, buildMembers } from './assemble.ts'

/** A group of NFTs that its owners may mint. */
export type NFTGroup = OwnersArgument & {
  /** Number of the group, from 0 to 2^32 − 1, which distinguishes the NFTs of an asset. */
  readonly groupID: number
}

/** An NFT created together with its asset. */
export type InitialNFT = NFTGroup & {
  /** At most 1024 bytes; text is encoded as UTF-8. */
  readonly payload: Uint8Array | string
}

/** Properties and initial outputs of an asset. At least one of the lists must have an entry. */
export type CreateAssetOptions = BuildOptions & {
  /** 1 to 128 ASCII letters, digits and spaces, without leading or trailing space. */
  readonly name: string
  /** 1 to 4 upper-case letters. */
  readonly symbol: string
  /**
   * Number of decimals, 0 to 32.
   *
   * @defaultValue 0
   */
  readonly denomination?: number | undefined
  /** Initial amounts in the asset's smallest unit. Without `minters`, this is the final supply. */
  readonly holders?: readonly (OwnersArgument & { readonly amount: bigint })[] | undefined
  /** Owners who may mint more, any number of times. */
  readonly minters?: readonly OwnersArgument[] | undefined
  /** Owners who may mint NFTs of a group, once per entry. */
  readonly nftMinters?: readonly NFTGroup[] | undefined
  /** NFTs that exist from the start. */
  readonly nfts?: readonly InitialNFT[] | undefined
  /** Owners who may mint properties, any number of times. */
  readonly propertyMinters?: readonly OwnersArgument[] | undefined
  /** Owners of properties that exist from the start. */
  readonly properties?: readonly OwnersArgument[] | undefined
}

/** Number of a group of NFTs. */
export const groupID: Check<number> = u32

const ownersLists: Check<readonly OwnersArgument[] | undefined> = optional(list(owners))

/** Members that describe an asset and its initial outputs. */
export const assetMembers: Members<Omit<CreateAssetOptions, keyof BuildOptions>> = {
  name: text,
  symbol: text,
  denomination: optional(integerFrom(0, 255)),
  holders: optional(
    list(
      object<OwnersArgument & { readonly amount: bigint }>({
        ...ownersMembers,
        amount,
      }),
    ),
  ),
  minters: ownersLists,
  nftMinters: optional(list(object<NFTGroup>({ ...ownersMembers, groupID }))),
  nfts: optional(list(object<InitialNFT>({ ...ownersMembers, groupID, payload: memo }))),
  propertyMinters: ownersLists,
  properties: ownersLists,
}

const createOptions: Check<CreateAssetOptions> = object<CreateAssetOptions>({
  ...buildMembers,
  ...assetMembers,
})

/**
 * Builds a draft that creates an asset. The asset ID is the ID of the signed transaction.
 *
 * @throws BuildError, ArgumentError, FundsError, VerifyError
 *
 * @example
 * buildCreateAsset({ context, funds, name: 'Team Rocket', symbol: 'TR', holders: [{ to, amount: 500n }] })
 */
export function buildCreateAsset(given: CreateAssetOptions): Draft {
  const options = argument('buildCreateAsset', given, createOptions)
  const { name, symbol, denomination = 0 } = options
  const initialStates = initialStatesOf(options)
  return assemble(options, {
    outputs: [],
    complete: (base) => ({
      type: 'CreateAssetTx',
      ...base,
      name,
      symbol,
      denomination,
      initialStates,
    }),
  })
}

/** Returns the initial outputs of an asset, sorted as the chain requires. */
export function initialStatesOf(
  options: Omit<CreateAssetOptions, 'funds' | 'name' | 'symbol'>,
): InitialState[] {
  const { context } = options
  const { holders = [], minters = [], nftMinters = [], nfts = [] } = options
  const { propertyMinters = [], properties = [] } = options
  const outputs: Output[][] = [
    [
      ...minters.map((owners) => ({
        type: 'secp256k1fx.MintOutput' as const,
        ...toOwners(owners, context),
      })),
      ...holders.map((holder) => ({
        type: 'secp256k1fx.TransferOutput' as const,
        amount: toAmount(holder.amount),
        ...toOwners(holder, context),
      })),
    ],
    [
      ...nftMinters.map((group) => ({
        type: 'nftfx.MintOutput' as const,
        groupID: group.groupID,
        ...toOwners(group, context),
      })),
      ...nfts.map((nft) => ({
        type: 'nftfx.TransferOutput' as const,
        groupID: nft.groupID,
        payload: toBytes(nft.payload),
        ...toOwners(nft, context),
      })),
    ],
    [
      ...propertyMinters.map((owners) => ({
        type: 'propertyfx.MintOutput' as const,
        ...toOwners(owners, context),
      })),
      ...properties.map((owners) => ({
        type: 'propertyfx.OwnedOutput' as const,
        ...toOwners(owners, context),
      })),
    ],
  ]
  return outputs
    .map((list, fxIndex) => ({ fxIndex, outputs: sortedBy(list, (o) => encodeBare(output, o)) }))
    .filter((state) => state.outputs.length > 0)
}
