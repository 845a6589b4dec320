import {
  boolean,
  type Check,
  list,
  type Members,
  object,
  optional,
} from '../../core/base/argument.ts'
import { id } from '../../core/base/encoding/ids.ts'
import { type ChoiceOptions, choiceMembers } from '../../core/coins/need.ts'
import type { IDArgument, OutputArgument, OwnersArgument } from '../../core/draft/arguments.ts'
import { chain, outputMembers, outputs, ownersMembers } from '../../core/draft/descriptions.ts'
import { type BuildOptions, commonMembers, spendAllMembers } from '../../core/draft/x/assemble.ts'
import { assetMembers, type CreateAssetOptions } from '../../core/draft/x/create-asset.ts'
import type { ExportOptions } from '../../core/draft/x/export.ts'
import {
  type BurnPropertyArgument,
  type MintArgument,
  type MintNFTArgument,
  type MintPropertyArgument,
  type OperationArgument,
  operationArgument,
  operationMembers,
  type TransferNFTArgument,
} from '../../core/draft/x/operations.ts'

/** Which UTXOs to spend. */
export type Choose = Omit<ChoiceOptions, 'owners' | 'now' | 'sourceChain'>

/** Options of every single transaction. */
export type TxOptions = Omit<BuildOptions, 'context' | 'funds'> & {
  /**
   * Which UTXOs to spend.
   *
   * @defaultValue any of the wallet
   */
  readonly choose?: Choose | undefined
}

const { context: _, ...plainMembers } = spendAllMembers

const { excluded, only, pinned, strategy, order, consolidate } = choiceMembers

const txMembers: Members<TxOptions> = {
  ...plainMembers,
  burn: commonMembers.burn,
  choose: optional(object<Choose>({ excluded, only, pinned, strategy, order, consolidate })),
}

/** Options of the transactions of a list of payments. */
export type PayoutTxOptions = Pick<TxOptions, 'changeTo' | 'maxFee' | 'maxSize' | 'choose'>

/** Description of `PayoutTxOptions`. */
export const payoutTxMembers: Members<PayoutTxOptions> = {
  changeTo: txMembers.changeTo,
  maxFee: txMembers.maxFee,
  maxSize: txMembers.maxSize,
  choose: txMembers.choose,
}

/** @inline */
type Several = { readonly outputs: readonly OutputArgument[] }

/** One payment, or several in one transaction. */
export type TransferCall = TxOptions & (OutputArgument | Several)

/** A call with the members of one output, or with a list of outputs. */
function oneOrSeveral<A, B>(one: Check<A>, several: Check<B>): Check<A | B> {
  return (value, at) => {
    const has = (name: string) => typeof value === 'object' && Object.hasOwn(value ?? {}, name)
    return !has('outputs') && (has('to') || has('amount')) ? one(value, at) : several(value, at)
  }
}

/** Description of `TransferCall`. */
export const transferCall: Check<TransferCall> = /* @__PURE__ */ oneOrSeveral(
  object<TxOptions & OutputArgument>({ ...txMembers, ...outputMembers }),
  object<TxOptions & Several>({ ...txMembers, outputs }),
)

/** The whole balance of an asset to one owner, in one transaction, once no pending payment reserves UTXOs of it. */
export type SendAllCall = Omit<TxOptions, 'burn' | 'choose'> &
  OwnersArgument & {
    readonly assetID?: IDArgument | undefined
    /**
     * Which UTXOs to spend.
     *
     * @defaultValue all of the wallet
     */
    readonly choose?: Pick<Choose, 'excluded' | 'only'> | undefined
  }

/** Description of `SendAllCall`. */
export const sendAllCall: Check<SendAllCall> = object<SendAllCall>({
  ...plainMembers,
  ...ownersMembers,
  assetID: optional(id),
  choose: optional(object({ excluded, only })),
})

/** One output for another chain, or several. */
export type ExportCall = TxOptions &
  Pick<ExportOptions, 'destinationChain' | 'allowStuck'> &
  (OutputArgument | Several)

type Exported = TxOptions & Pick<ExportOptions, 'destinationChain' | 'allowStuck'>

const exportMembers: Members<Exported> = {
  ...txMembers,
  destinationChain: chain,
  allowStuck: optional(boolean),
}

/** Description of `ExportCall`. */
export const exportCall: Check<ExportCall> = /* @__PURE__ */ oneOrSeveral(
  object<Exported & OutputArgument>({ ...exportMembers, ...outputMembers }),
  object<Exported & Several>({ ...exportMembers, outputs }),
)

/** An asset to create. */
export type CreateAssetCall = TxOptions & Omit<CreateAssetOptions, keyof BuildOptions>

/** Description of `CreateAssetCall`. */
export const createAssetCall: Check<CreateAssetCall> = object<CreateAssetCall>({
  ...txMembers,
  ...assetMembers,
})

/** Any number of operations in one transaction. */
export type OperateCall = TxOptions & { readonly operations: readonly OperationArgument[] }

/** More of a fungible asset. */
export type MintCall = TxOptions & MintArgument

/** NFTs to mint. */
export type MintNFTCall = TxOptions & MintNFTArgument

/** An NFT to transfer. */
export type TransferNFTCall = TxOptions & TransferNFTArgument

/** A property to mint. */
export type MintPropertyCall = TxOptions & MintPropertyArgument

/** A property to burn. */
export type BurnPropertyCall = TxOptions & BurnPropertyArgument

/** Description of `OperateCall`. */
export const operateCall: Check<OperateCall> = object<OperateCall>({
  ...txMembers,
  operations: list(operationArgument),
})

/** Description of `MintCall`. */
export const mintCall: Check<MintCall> = object<MintCall>({
  ...txMembers,
  ...operationMembers.mint,
})

/** Description of `MintNFTCall`. */
export const mintNFTCall: Check<MintNFTCall> = object<MintNFTCall>({
  ...txMembers,
  ...operationMembers.mintNFT,
})

/** Description of `TransferNFTCall`. */
export const transferNFTCall: Check<TransferNFTCall> = object<TransferNFTCall>({
  ...txMembers,
  ...operationMembers.transferNFT,
})

/** Description of `MintPropertyCall`. */
export const mintPropertyCall: Check<MintPropertyCall> = object<MintPropertyCall>({
  ...txMembers,
  ...operationMembers.mintProperty,
})

/** Description of `BurnPropertyCall`. */
export const burnPropertyCall: Check<BurnPropertyCall> = object<BurnPropertyCall>({
  ...txMembers,
  ...operationMembers.burnProperty,
})
