import { type Output, output } from '../chain/fx.ts'
import { sortedBy } from '../chain/order.ts'
import type { InitialState } from '../chain/transferables.ts'
import { encodeBare } from '../codec/codec.ts'
import { type OwnersArgument, toAmount, toBytes, toOwners } from './arguments.ts'
import { assemble, type BuildOptions } from './assemble.ts'
import type { Draft } from './draft.ts'

/** NFTs that can be minted, one family for each group. */
export type NFTFamily = OwnersArgument & {
  readonly groupID: number
}

/** An NFT that exists from the beginning. */
export type InitialNFT = NFTFamily & {
  /** At most 1024 bytes; text becomes UTF-8. */
  readonly payload: Uint8Array | string
}

/** What an asset is, and who holds what of it in the beginning. At least one of the lists has entries. */
export type CreateAssetOptions = BuildOptions & {
  /** 1 to 128 ASCII letters, digits and inner spaces. */
  readonly name: string
  /** 1 to 4 upper-case letters. */
  readonly symbol: string
  /** Decimals, 0 to 32. */
  readonly denomination?: number
  /** Who holds how much; without `minters` this is all there will ever be. */
  readonly holders?: readonly (OwnersArgument & { readonly amount: bigint })[]
  /** Who may mint more, any number of times. */
  readonly minters?: readonly OwnersArgument[]
  /** Who may mint NFTs of a group: each entry once. */
  readonly nftMinters?: readonly NFTFamily[]
  readonly nfts?: readonly InitialNFT[]
  /** Who may mint properties, any number of times. */
  readonly propertyMinters?: readonly OwnersArgument[]
  readonly properties?: readonly OwnersArgument[]
}

/**
 * Drafts the creation of an asset; its ID will be that of the signed transaction.
 *
 * @example
 * buildCreateAsset({ context, funds, name: 'Team Rocket', symbol: 'TR', holders: [{ to, amount: 500n }] })
 */
export function buildCreateAsset(options: CreateAssetOptions): Draft {
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

function initialStatesOf(options: CreateAssetOptions): InitialState[] {
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
      ...nftMinters.map((family) => ({
        type: 'nftfx.MintOutput' as const,
        groupID: family.groupID,
        ...toOwners(family, context),
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
