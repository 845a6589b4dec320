import { argument, boolean, type Check, object, optional } from '../../base/argument.ts'
import { formatID } from '../../base/encoding/ids.ts'
import { contextOn } from '../../chain/networks.ts'
import { gasOf } from '../../chain/p/gas.ts'
import { DEFAULT_PRICE_CONFIG } from '../../chain/p/price.ts'
import type { TransferableInput, TransferableOutput } from '../../chain/p/transferables.ts'
import type { BaseFields, ExportTx } from '../../chain/p/tx.ts'
import type { UTXO } from '../../chain/p/utxo.ts'
import { type Coin, type ListedUTXOs, listedMembers, sortedAsInputs } from '../../coins/listed.ts'
import {
  type IDArgument,
  type NamedChain,
  type OutputArgument,
  type OwnersArgument,
  toOtherChain,
  toOutputs,
  toOwners,
} from '../arguments.ts'
import { chain, outputs, ownersMembers } from '../descriptions.ts'
import { BuildError } from '../errors.ts'
import { assemble, emptyBase, gasOfInput, type SpendOptions, spendMembers } from './assemble.ts'
import { coinsOf, isAVAX, outputFor, sortedOutputs, toInput } from './coins.ts'
import { type CommonOptions, commonMembers, type Draft, finishDraft } from './draft.ts'

/** Options of an export from the P-Chain. */
export type ExportOptions = SpendOptions & {
  /** `X`, `C` or a chain's ID. */
  readonly destinationChain: IDArgument
  /** Addresses as text are those of the other chain: `X-fuji1…`, `C-fuji1…`; never `0x…`. */
  readonly outputs: readonly OutputArgument[]
  /**
   * Allows exporting assets other than AVAX to the C-Chain, which cannot import them: they are lost there.
   *
   * @defaultValue false
   */
  readonly allowStuck?: boolean | undefined
}

const exportOptions: Check<ExportOptions> = object<ExportOptions>({
  ...spendMembers,
  destinationChain: chain,
  outputs,
  allowStuck: optional(boolean),
})

/**
 * Drafts an export from the P-Chain. The fee comes on top of the outputs.
 *
 * @throws FundsError if the UTXOs do not cover outputs and fee; BuildError `STUCK_EXPORT` for assets that the
 * destination cannot import.
 * @example
 * pChain.buildExport({
 *   context,
 *   funds: { utxos, owners: keys.addresses, now },
 *   fees,
 *   destinationChain: 'X',
 *   outputs: [{ to: 'X-fuji1…', amount }],
 * })
 */
export function buildExport(given: ExportOptions): Draft {
  const options = argument('buildExport', given, exportOptions)
  const { context, allowStuck } = options
  const view = contextOn('P', context)
  const destination = toOtherChain(options.destinationChain, view)
  const at = { call: 'buildExport', path: 'outputs' }
  const exported = sortedOutputs(toOutputs(options.outputs, view, destination.alias, at))
  if (destination.alias === 'C' && !allowStuck) refuseStuck(exported, context.assetID)
  return assemble(options, { outputs: [], exported, complete: exportOf(destination, exported) })
}

/** Options of {@link buildExportAll}. */
export type ExportAllOptions = Omit<CommonOptions, 'changeTo'> &
  OwnersArgument & {
    /** UTXOs of the P-Chain. Those with a stakeable lock that has not passed are not spent. */
    readonly funds: ListedUTXOs<UTXO>
    /** `X`, `C` or a chain's ID. */
    readonly destinationChain: IDArgument
  }

const { changeTo: _, ...withoutChange } = commonMembers

const exportAllOptions: Check<ExportAllOptions> = object<ExportAllOptions>({
  ...withoutChange,
  ...ownersMembers,
  funds: object<ListedUTXOs<UTXO>>(/* @__PURE__ */ listedMembers<UTXO>()),
  destinationChain: chain,
})

/**
 * Drafts an export of all AVAX that can be transferred now, less the fee. UTXOs that are worth no more than the fee of
 * their own input are not spent. If one transaction cannot spend all others, it spends the largest, so that nobody can
 * prevent an export by sending many small UTXOs.
 */
export function buildExportAll(given: ExportAllOptions): Draft {
  const options = argument('buildExportAll', given, exportAllOptions)
  const { context, fees, funds, maxGas = DEFAULT_PRICE_CONFIG.maxCapacity } = options
  const { now } = funds
  const view = contextOn('P', context)
  const destination = toOtherChain(options.destinationChain, view)
  const owners = toOwners(options, view, destination.alias, { call: 'buildExportAll', path: '' })
  const txWith = (inputs: readonly TransferableInput[], amount: bigint): ExportTx =>
    exportOf(destination, [outputFor(owners, { assetID: context.assetID, amount })])({
      ...emptyBase(context),
      inputs,
    })
  const coins = coinsOf(funds)
  const selected: Coin<UTXO>[] = []
  // Gas does not depend on amounts.
  let gas = gasOf(txWith([], 1n), fees.weights)
  for (const coin of coins.of(context.assetID)) {
    const inputGas = gasOfInput(toInput(coin, now), fees.weights)
    if (coin.amount <= inputGas * fees.price || gas + inputGas > maxGas) continue
    selected.push(coin)
    gas += inputGas
  }
  const amount = selected.reduce((sum, coin) => sum + coin.amount, -gas * fees.price)
  if (amount <= 0n) throw coins.insufficient(context.assetID, gas * fees.price + 1n, true)
  const spent = sortedAsInputs(selected)
  const unsignedTx = txWith(
    spent.map((coin) => toInput(coin, now)),
    amount,
  )
  return finishDraft({ unsignedTx, utxos: spent.map(({ utxo }) => utxo), change: [] }, options)
}

function exportOf(destination: NamedChain, exportedOutputs: readonly TransferableOutput[]) {
  return (base: BaseFields): ExportTx => ({
    type: 'ExportTx',
    ...base,
    destinationChain: destination.chainID,
    exportedOutputs,
  })
}

function refuseStuck(outputs: readonly TransferableOutput[], avax: Uint8Array): void {
  const stuck = outputs.find(({ assetID }) => !isAVAX(assetID, { assetID: avax }))
  if (stuck !== undefined)
    throw new BuildError(
      'STUCK_EXPORT',
      `the C-Chain cannot import ${formatID(stuck.assetID)}: it imports only AVAX`,
      { hint: 'the asset would be lost; set allowStuck to build the export anyway' },
    )
}
