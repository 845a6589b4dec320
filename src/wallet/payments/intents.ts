import {
  bigintFrom,
  boolean,
  bytesOf,
  type Check,
  integerFrom,
  invalid,
  kinds,
  list,
  type Members,
  object,
  oneOf,
  optional,
  text,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatUTXOID, ID_SIZE } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import {
  type TransferableOutput,
  transferableOutput,
  type UTXOID,
} from '../../core/chain/x/transferables.ts'
import { encodeBare } from '../../core/codec/codec.ts'
import { describeShortfall, FundsError } from '../../core/coins/errors.ts'
import type { ChoiceOptions, Consolidation } from '../../core/coins/need.ts'
import type { UTXOSet } from '../../core/coins/utxo-set.ts'
import {
  type AmountArgument,
  type IDArgument,
  type OutputArgument,
  type OwnersArgument,
  toAssetID,
  toBytes,
  toID,
  toOtherChain,
  toOutputs,
  toOwners,
} from '../../core/draft/arguments.ts'
import { address, change, id, output } from '../../core/draft/descriptions.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { BuildOptions } from '../../core/draft/x/assemble.ts'
import {
  buildCreateAsset,
  type CreateAssetOptions,
  type InitialNFT,
  initialStatesOf,
  type NFTGroup,
} from '../../core/draft/x/create-asset.ts'
import { buildExport, type ExportOptions } from '../../core/draft/x/export.ts'
import { type CoinSource, toBurned } from '../../core/draft/x/funds.ts'
import {
  type BurnPropertyArgument,
  buildOperations,
  type MintArgument,
  type MintNFTArgument,
  type MintPropertyArgument,
  type OperationArgument,
  type TransferNFTArgument,
} from '../../core/draft/x/operations.ts'
import { buildSendAll, type SendAllOptions } from '../../core/draft/x/send-all.ts'
import { buildTransfer } from '../../core/draft/x/transfer.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import { canonicalText } from '../canonical.ts'
import { WalletError } from '../errors.ts'
import { utxoID } from '../utxo-id.ts'
import type { Content } from './payment-keys.ts'

/** What a wallet builds from: the network, and its UTXOs at this moment. */
export type WalletView = {
  readonly context: NetworkContext
  readonly utxos: UTXOSet
  readonly owners: readonly Uint8Array[]
  /** Unix seconds. */
  readonly now: bigint
  /** Default: the first owner. */
  readonly changeTo?: Uint8Array | undefined
  /** UTXOs that the draft must spend, so that it conflicts with an earlier attempt. */
  readonly pinned?: readonly UTXOID[] | undefined
}

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

const utxoIDs: Check<readonly UTXOID[] | undefined> = optional(list(utxoID))

const spendableMembers: Members<Pick<Choose, 'excluded' | 'only'>> = {
  excluded: utxoIDs,
  only: utxoIDs,
}

const choose: Check<Choose> = object<Choose>({
  ...spendableMembers,
  pinned: utxoIDs,
  strategy: optional(oneOf('fewest', 'smallest', 'given', 'exact', 'all')),
  order: utxoIDs,
  consolidate: optional(
    object<Consolidation>({
      maxInputs: optional(integerFrom(0)),
      maxSize: optional(integerFrom(0)),
    }),
  ),
})

const bytesOrText: Check<Uint8Array | string> = kinds<Uint8Array | string>({
  string: text,
  bytes: bytesOf(),
})

/** Members of all calls that make transactions. */
export const commonMembers: Members<Pick<TxOptions, 'memo' | 'maxFee' | 'maxSize'>> = {
  memo: optional(bytesOrText),
  maxFee: optional(bigintFrom(0n)),
  maxSize: optional(integerFrom(0)),
}

const txMembers: Members<TxOptions> = {
  ...commonMembers,
  changeTo: optional(change),
  burn: optional(list(object<AmountArgument>({ amount: bigintFrom(0n), assetID: optional(id) }))),
  choose: optional(choose),
}

/** Members of owners. */
export const ownersMembers: Members<OwnersArgument> = {
  to: kinds<OwnersArgument['to']>({ string: address, bytes: address, list: list(address) }),
  threshold: optional(integerFrom(0, 2 ** 32 - 1)),
  locktime: optional(bigintFrom(0n)),
}

const ownersList: Check<readonly OwnersArgument[] | undefined> = optional(
  list(object(ownersMembers)),
)

/** An alias or the ID of a chain. */
export const chain: Check<IDArgument> = kinds<IDArgument>({
  string: text,
  bytes: bytesOf(ID_SIZE),
})

/** One payment, or several in one transaction. */
export type TransferCall = TxOptions &
  (OutputArgument | { readonly outputs: readonly OutputArgument[] })

type Several = { readonly outputs: readonly OutputArgument[] }

/** A call with the members of one output, or with a list of outputs. */
function oneOrSeveral<A, B>(one: Check<A>, several: Check<B>): Check<A | B> {
  return (value, at) => {
    const has = (name: string) => typeof value === 'object' && Object.hasOwn(value ?? {}, name)
    return !has('outputs') && (has('to') || has('amount')) ? one(value, at) : several(value, at)
  }
}

const outputMembers: Members<OutputArgument> = {
  ...ownersMembers,
  amount: bigintFrom(0n),
  assetID: optional(id),
}

/** Description of `TransferCall`. */
export const transferCall: Check<TransferCall> = /* @__PURE__ */ oneOrSeveral(
  object<TxOptions & OutputArgument>({ ...txMembers, ...outputMembers }),
  object<TxOptions & Several>({ ...txMembers, outputs: list(output) }),
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
  ...commonMembers,
  ...ownersMembers,
  changeTo: optional(change),
  assetID: optional(id),
  choose: optional(object(spendableMembers)),
})

/** One output for another chain, or several. */
export type ExportCall = TxOptions &
  Pick<ExportOptions, 'destinationChain' | 'allowStuck'> &
  (OutputArgument | { readonly outputs: readonly OutputArgument[] })

type Exported = TxOptions & Pick<ExportOptions, 'destinationChain' | 'allowStuck'>

const exportMembers: Members<Exported> = {
  ...txMembers,
  destinationChain: chain,
  allowStuck: optional(boolean),
}

/** Description of `ExportCall`. */
export const exportCall: Check<ExportCall> = /* @__PURE__ */ oneOrSeveral(
  object<Exported & OutputArgument>({ ...exportMembers, ...outputMembers }),
  object<Exported & Several>({ ...exportMembers, outputs: list(output) }),
)

/** An asset to create. */
export type CreateAssetCall = TxOptions & Omit<CreateAssetOptions, keyof BuildOptions>

const u32: Check<number> = integerFrom(0, 2 ** 32 - 1)

const nftGroup: Members<NFTGroup> = { ...ownersMembers, groupID: u32 }

/** Description of `CreateAssetCall`. */
export const createAssetCall: Check<CreateAssetCall> = object<CreateAssetCall>({
  ...txMembers,
  name: text,
  symbol: text,
  denomination: optional(integerFrom(0)),
  holders: optional(
    list(
      object<OwnersArgument & { readonly amount: bigint }>({
        ...ownersMembers,
        amount: bigintFrom(0n),
      }),
    ),
  ),
  minters: ownersList,
  nftMinters: optional(list(object(nftGroup))),
  nfts: optional(list(object<InitialNFT>({ ...nftGroup, payload: bytesOrText }))),
  propertyMinters: ownersList,
  properties: ownersList,
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

const burnProperty: Members<BurnPropertyArgument> = { assetID: id, utxo: optional(utxoID) }
const mintProperty: Members<MintPropertyArgument> = { ...burnProperty, ...ownersMembers }
const mint: Members<MintArgument> = { ...mintProperty, amount: bigintFrom(0n) }
const transferNFT: Members<TransferNFTArgument> = { ...mintProperty, groupID: optional(u32) }
const mintNFT: Members<MintNFTArgument> = {
  ...burnProperty,
  recipients: list(object(ownersMembers)),
  payload: bytesOrText,
  groupID: optional(u32),
}

type OperationOf<T> = Extract<OperationArgument, { readonly type: T }>

const operations: { readonly [T in OperationArgument['type']]: Check<OperationOf<T>> } = {
  mint: object<OperationOf<'mint'>>({ type: oneOf('mint'), ...mint }),
  mintNFT: object<OperationOf<'mintNFT'>>({ type: oneOf('mintNFT'), ...mintNFT }),
  transferNFT: object<OperationOf<'transferNFT'>>({ type: oneOf('transferNFT'), ...transferNFT }),
  mintProperty: object<OperationOf<'mintProperty'>>({
    type: oneOf('mintProperty'),
    ...mintProperty,
  }),
  burnProperty: object<OperationOf<'burnProperty'>>({
    type: oneOf('burnProperty'),
    ...burnProperty,
  }),
}

const operationType: Check<OperationArgument['type']> = oneOf(
  ...(Object.keys(operations) as OperationArgument['type'][]),
)

const operation: Check<OperationArgument> = (value, at) => {
  if (typeof value !== 'object' || value === null) throw invalid(value, at, 'a plain object')
  const { type } = value as { readonly type?: unknown }
  return operations[operationType(type, { ...at, path: `${at.path}.type` })](value, at)
}

/** Description of `OperateCall`. */
export const operateCall: Check<OperateCall> = object<OperateCall>({
  ...txMembers,
  operations: list(operation),
})

/** Description of `MintCall`. */
export const mintCall: Check<MintCall> = object<MintCall>({
  ...txMembers,
  ...mint,
})
/** Description of `MintNFTCall`. */
export const mintNFTCall: Check<MintNFTCall> = object<MintNFTCall>({
  ...txMembers,
  ...mintNFT,
})
/** Description of `TransferNFTCall`. */
export const transferNFTCall: Check<TransferNFTCall> = object<TransferNFTCall>({
  ...txMembers,
  ...transferNFT,
})
/** Description of `MintPropertyCall`. */
export const mintPropertyCall: Check<MintPropertyCall> = object<MintPropertyCall>({
  ...txMembers,
  ...mintProperty,
})
/** Description of `BurnPropertyCall`. */
export const burnPropertyCall: Check<BurnPropertyCall> = object<BurnPropertyCall>({
  ...txMembers,
  ...burnProperty,
})

/** A wallet call as data: the content of its payments, and how to draft them from the current UTXOs. */
export type Intent = {
  readonly contents: (context: NetworkContext) => readonly Content[]
  readonly draft: (view: WalletView) => Draft
  /** Codes of dangers that the call accepts by an option of its own, such as `allowStuck`. */
  readonly accept?: readonly AcceptCode[] | undefined
}

/** A payment to any number of owners. */
export function transferIntent(call: TransferCall): Intent {
  const outputs = outputArguments(call)
  return {
    contents: (context) =>
      outputContents('transfer', toOutputs(outputs, context), otherParts(call, context)),
    draft: (view) => buildTransfer({ ...buildOptionsOf(view, call), outputs }),
  }
}

/** The whole balance of one asset, less the fee if it is the native one. */
export function sendAllIntent(call: SendAllCall): Intent {
  return {
    contents: (context) => {
      const { addresses, locktime, threshold } = toOwners(call, context)
      const assetID = hex.encode(toAssetID(call.assetID, context))
      const owners = addresses.map(hex.encode)
      const recipient = canonicalText({ assetID, owners, locktime, threshold })
      return [{ kind: 'sendAll', parts: [recipient, ...otherParts(call, context)] }]
    },
    draft: (view) => {
      const { to, threshold, locktime, assetID } = call
      const { burn: _, ...options } = buildOptionsOf(view, call)
      const whole = { ...options, to, threshold, locktime, assetID }
      const draft = buildSendAll(whole)
      requireNoneReserved(view.utxos, whole)
      return draft
    },
  }
}

/**
 * Rejects a set in which other transactions reserve UTXOs of the asset: what is left would not be the whole balance.
 *
 * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS`, for which drafting waits
 */
function requireNoneReserved(utxos: UTXOSet, { assetID, context, funds }: SendAllOptions): void {
  const { owners, now, excluded = [], only } = funds
  const id = toAssetID(assetID, context)
  const balance = utxos.balances({ owners, now }).find((one) => equalBytes(one.assetID, id))
  // The builder refuses reserved UTXOs of `only`.
  if (balance === undefined || balance.reserved === 0n || only !== undefined) return
  const excludedKeys = new Set(excluded.map(utxoKey))
  const reserved = utxos
    .ofType('secp256k1fx.TransferOutput')
    .filter((utxo) => equalBytes(utxo.assetID, id) && utxos.isReserved(utxo, now))
    .filter((utxo) => !excludedKeys.has(utxoKey(utxo)))
  const [first] = reserved
  if (first === undefined) return
  const { spendable: available } = balance
  const needed = reserved.reduce((sum, { output }) => sum + output.amount, available)
  const shortfall = { ...balance, needed, available, didNotFit: 0n }
  throw new FundsError(
    'BUILDER_INSUFFICIENT_FUNDS',
    `insufficient funds for the whole balance: ${describeShortfall(shortfall)}; ${reserved.length} UTXOs are reserved, first ${formatUTXOID(first)}`,
    [shortfall],
    { hint: 'resume or cancel the pending payments, or name the UTXOs in `choose.excluded`' },
  )
}

/** Outputs for another chain. */
export function exportIntent(call: ExportCall): Intent {
  const outputs = outputArguments(call)
  const { destinationChain, allowStuck } = call
  return {
    contents: (context) => {
      const { chainID, alias } = toOtherChain(destinationChain, context)
      const exported = toOutputs(outputs, context, alias)
      return outputContents('export', exported, [hex.encode(chainID), ...otherParts(call, context)])
    },
    draft: (view) =>
      buildExport({ ...buildOptionsOf(view, call), outputs, destinationChain, allowStuck }),
    accept: allowStuck ? ['STUCK_EXPORT'] : [],
  }
}

/** A new asset, whose ID will be that of the transaction. */
export function createAssetIntent(call: CreateAssetCall): Intent {
  const { choose: _, ...asset } = call
  return {
    contents: (context) => {
      const { name, symbol, denomination = 0 } = call
      const initialStates = initialStatesOf({ ...call, context })
      const content = canonicalText({ name, symbol, denomination, initialStates })
      return [{ kind: 'createAsset', parts: [content, ...otherParts(call, context)] }]
    },
    draft: (view) => buildCreateAsset({ ...asset, ...buildOptionsOf(view, call) }),
  }
}

/** Operations on minting rights, NFTs and properties. */
export function operateIntent(call: OperateCall): Intent {
  const { operations } = call
  return {
    contents: (context) => {
      const parts = operations.map((one) => canonicalText(resolvedOperation(one, context)))
      return [{ kind: 'operate', parts: [...parts, ...otherParts(call, context)] }]
    },
    draft: (view) => buildOperations({ ...buildOptionsOf(view, call), operations }),
  }
}

/** A single operation; the members of the call are those of the operation and of the transaction. */
export function operationIntent<T extends OperationArgument['type']>(
  type: T,
  call: TxOptions & Omit<OperationOf<T>, 'type'>,
): Intent {
  const { changeTo, memo, burn, maxFee, maxSize, choose, ...rest } = call
  const operations = [{ ...rest, type } as unknown as OperationArgument]
  return operateIntent({ changeTo, memo, burn, maxFee, maxSize, choose, operations })
}

/** An operation with IDs and addresses as bytes and with defaults: the same however it is written. */
function resolvedOperation(operation: OperationArgument, context: NetworkContext): object {
  const { type, assetID, utxo, amount, groupID, payload, recipients } = operation as Partial<
    MintArgument & MintNFTArgument
  > &
    OperationArgument
  return {
    type,
    assetID: toID(assetID),
    utxo: utxo && { txID: utxo.txID, outputIndex: utxo.outputIndex },
    amount,
    groupID,
    payload: toBytes(payload),
    to: Object.hasOwn(operation, 'to') ? toOwners(operation as OwnersArgument, context) : undefined,
    recipients: (recipients ?? []).map((one) => toOwners(one, context)),
  }
}

function outputArguments(
  call: OutputArgument | { readonly outputs: readonly OutputArgument[] },
): readonly OutputArgument[] {
  // Not `in`, which finds what someone has added to Object.prototype.
  const hasOutputs = (of: typeof call): of is { readonly outputs: readonly OutputArgument[] } =>
    Object.hasOwn(of, 'outputs')
  if (!hasOutputs(call)) {
    const { to, threshold, locktime, amount, assetID } = call
    return [{ to, threshold, locktime, amount, assetID }]
  }
  if (call.outputs.length === 0)
    throw new WalletError('NOTHING_TO_PAY', 'a payment needs at least one output', {
      hint: 'nothing was signed',
    })
  return call.outputs
}

/** One content for each output, so that a payment has the same digest whether it is made alone or with others. */
function outputContents(
  kind: string,
  outputs: readonly TransferableOutput[],
  parts: readonly string[],
): Content[] {
  return outputs.map((output) => ({
    kind,
    parts: [hex.encode(encodeBare(transferableOutput, output)), ...parts],
  }))
}

/** Parts of the content besides the outputs: burned amounts, and the memo, which may say whom to credit. */
function otherParts(
  { memo, burn }: Pick<TxOptions, 'memo' | 'burn'>,
  context: NetworkContext,
): string[] {
  const bytes = toBytes(memo)
  return [
    ...(bytes.length === 0 ? [] : [`memo ${hex.encode(bytes)}`]),
    ...toBurned(burn, context).map(
      ({ assetID, amount }) => `burn ${amount} ${hex.encode(assetID)}`,
    ),
  ]
}

function buildOptionsOf(
  { context, utxos, owners, now, changeTo, pinned = [] }: WalletView,
  call: TxOptions,
): Omit<BuildOptions, 'funds'> & { readonly funds: CoinSource } {
  const { memo, burn, maxFee, maxSize } = call
  const choose: Choose = call.choose ?? Object.create(null)
  const chosen = choose.pinned ?? []
  return {
    context,
    funds: { utxos, owners, now, ...choose, pinned: [...chosen, ...pinned] },
    changeTo: call.changeTo ?? changeTo,
    memo,
    burn,
    maxFee,
    maxSize,
  }
}
