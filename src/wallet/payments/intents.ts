import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatUTXOID } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { TransferableOutput, UTXOID } from '../../core/chain/x/transferables.ts'
import { describeShortfall, FundsError } from '../../core/coins/errors.ts'
import type { UTXOSet } from '../../core/coins/utxo-set.ts'
import {
  type OutputArgument,
  type OwnersArgument,
  toAssetID,
  toBytes,
  toID,
  toOtherChain,
  toOutputs,
  toOwners,
} from '../../core/draft/arguments.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import type { BuildOptions } from '../../core/draft/x/assemble.ts'
import { buildCreateAsset, initialStatesOf } from '../../core/draft/x/create-asset.ts'
import { buildExport } from '../../core/draft/x/export.ts'
import { type CoinSource, toBurned } from '../../core/draft/x/funds.ts'
import {
  buildOperations,
  type MintArgument,
  type MintNFTArgument,
  type OperationArgument,
  type OperationOf,
} from '../../core/draft/x/operations.ts'
import { buildSendAll, type SendAllOptions } from '../../core/draft/x/send-all.ts'
import { buildTransfer } from '../../core/draft/x/transfer.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import { canonicalText } from '../canonical.ts'
import { WalletError } from '../errors.ts'
import { assetText, recipientText } from '../recovery/made.ts'
import type {
  Choose,
  CreateAssetCall,
  ExportCall,
  OperateCall,
  SendAllCall,
  TransferCall,
  TxOptions,
} from './calls.ts'
import { type Content, outputText } from './content.ts'

/** What a wallet builds from: the network, and its UTXOs at this moment. */
export type WalletView = {
  readonly context: NetworkContext
  readonly utxos: UTXOSet
  /** UTXOs that servers disagree about; they are not in `utxos`. */
  readonly disputed: readonly LeftBehind[]
  readonly owners: readonly Uint8Array[]
  /** Unix seconds. */
  readonly now: bigint
  /** Default: the first owner. */
  readonly changeTo?: Uint8Array | undefined
  /** UTXOs that the draft must spend, so that it conflicts with an earlier attempt. */
  readonly pinned?: readonly UTXOID[] | undefined
}

/** A wallet call as data: the content of its payments, and how to draft them from the current UTXOs. */
export type Intent = {
  readonly contents: (context: NetworkContext) => readonly Content[]
  readonly draft: (view: WalletView) => Draft
  /** The asset of which everything is spent, which all servers are asked for. Default: none. */
  readonly whole?: ((context: NetworkContext) => Uint8Array) | undefined
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
      const assetID = toAssetID(call.assetID, context)
      const recipient = recipientText({ assetID, output: toOwners(call, context) })
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
    whole: (context) => toAssetID(call.assetID, context),
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
      const content = assetText({ name, symbol, denomination, initialStates })
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
  kind: Content['kind'],
  outputs: readonly TransferableOutput[],
  parts: readonly string[],
): Content[] {
  return outputs.map((output) => ({
    kind,
    parts: [outputText(output), ...parts],
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
