import type { IDArgument, OutputArgument, OwnersArgument } from '../build/arguments.ts'
import type { BuildOptions } from '../build/assemble.ts'
import { buildCreateAsset, type CreateAssetOptions } from '../build/create-asset.ts'
import type { Draft } from '../build/draft.ts'
import { buildExport, type ExportOptions } from '../build/export.ts'
import type { CoinSource } from '../build/funds.ts'
import {
  type BurnPropertyArgument,
  buildOperations,
  type MintArgument,
  type MintNFTArgument,
  type MintPropertyArgument,
  type OperationArgument,
  type TransferNFTArgument,
} from '../build/operations.ts'
import { buildSendAll } from '../build/send-all.ts'
import { buildTransfer } from '../build/transfer.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { ChoiceOptions } from '../coins/need.ts'
import type { UTXOSet } from '../coins/utxo-set.ts'

/** What a wallet builds from: the network, and its coins at this moment. */
export type View = {
  readonly context: NetworkContext
  readonly coins: UTXOSet
  readonly owners: readonly Uint8Array[]
  /** Unix seconds. */
  readonly now: bigint
  readonly changeTo?: Uint8Array
  /** Coins of a transaction that this one replaces: sharing one, only one of the two can win. */
  readonly pinned?: readonly UTXOID[]
}

/** Which coins to spend. */
export type Choose = Omit<ChoiceOptions, 'owners' | 'now' | 'sourceChain'>

/** What every single transaction takes. */
export type TxOptions = Omit<BuildOptions, 'context' | 'funds'> & {
  readonly choose?: Choose
}

/** One payment, or several in one transaction. */
export type TransferCall = TxOptions &
  (OutputArgument | { readonly outputs: readonly OutputArgument[] })

/** Everything of an asset to one owner, in one transaction. */
export type SendAllCall = Omit<TxOptions, 'burn' | 'choose'> &
  OwnersArgument & { readonly assetID?: IDArgument }

/** One output for another chain, or several. */
export type ExportCall = TxOptions &
  Pick<ExportOptions, 'toChain' | 'allowStuck'> &
  (OutputArgument | { readonly outputs: readonly OutputArgument[] })

/** An asset to create. */
export type CreateAssetCall = TxOptions & Omit<CreateAssetOptions, keyof BuildOptions>

/** Any number of operations in one transaction. */
export type OperateCall = TxOptions & { readonly operations: readonly OperationArgument[] }

/** More of a fungible asset. */
export type MintCall = TxOptions & MintArgument

/** NFTs to mint. */
export type MintNFTCall = TxOptions & MintNFTArgument

/** An NFT to hand on. */
export type TransferNFTCall = TxOptions & TransferNFTArgument

/** A property to mint. */
export type MintPropertyCall = TxOptions & MintPropertyArgument

/** A property to destroy. */
export type BurnPropertyCall = TxOptions & BurnPropertyArgument

/** How to draft something from what there is when it is asked. */
export type Recipe = (view: View) => Draft

/** A payment to any number of owners. */
export function transferRecipe(call: TransferCall): Recipe {
  return (view) => buildTransfer({ ...common(view, call), outputs: outputsOf(call) })
}

/** Everything of one asset, less the fee where it is the native one. */
export function sendAllRecipe(call: SendAllCall): Recipe {
  return (view) => {
    const { coins, owners, now } = view
    return buildSendAll({ ...call, ...common(view, call), funds: { coins, owners, now } })
  }
}

/** Outputs for another chain. */
export function exportRecipe(call: ExportCall): Recipe {
  return (view) => {
    const { toChain, allowStuck = false } = call
    return buildExport({ ...common(view, call), outputs: outputsOf(call), toChain, allowStuck })
  }
}

/** A new asset, whose ID will be that of the transaction. */
export function createAssetRecipe(call: CreateAssetCall): Recipe {
  return (view) => buildCreateAsset({ ...call, ...common(view, call) })
}

/** Operations on mint rights, NFTs and properties. */
export function operateRecipe(call: OperateCall): Recipe {
  return (view) => buildOperations({ ...common(view, call), operations: call.operations })
}

function outputsOf(
  call: OutputArgument | { readonly outputs: readonly OutputArgument[] },
): readonly OutputArgument[] {
  return 'outputs' in call ? call.outputs : [call]
}

function common(
  { context, coins, owners, now, changeTo, pinned = [] }: View,
  call: TxOptions,
): Omit<BuildOptions, 'funds'> & { readonly funds: CoinSource } {
  const { choose, memo, burn, maxFee, maxSize } = call
  const change = call.changeTo ?? changeTo
  return {
    context,
    funds: { coins, owners, now, ...choose, pinned: [...(choose?.pinned ?? []), ...pinned] },
    ...(change === undefined ? {} : { changeTo: change }),
    ...(memo === undefined ? {} : { memo }),
    ...(burn === undefined ? {} : { burn }),
    ...(maxFee === undefined ? {} : { maxFee }),
    ...(maxSize === undefined ? {} : { maxSize }),
  }
}
