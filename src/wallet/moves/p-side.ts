import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import { type FeeParameters, feeOf } from '../../core/chain/p/gas.ts'
import { exportedUTXOs } from '../../core/chain/p/ids.ts'
import {
  type TransferableOutput,
  unlockedInput,
  unlockedOutput,
} from '../../core/chain/p/transferables.ts'
import { decodeTx, inputsOf, outputsOf, type UnsignedTx } from '../../core/chain/p/tx.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/p/utxo.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { FundsError } from '../../core/coins/errors.ts'
import type { ListedUTXOs } from '../../core/coins/listed.ts'
import type { IDArgument } from '../../core/draft/arguments.ts'
import { coinsOf } from '../../core/draft/p/coins.ts'
import type { Draft } from '../../core/draft/p/draft.ts'
import { buildExport, buildExportAll } from '../../core/draft/p/export.ts'
import { buildImport, planImport } from '../../core/draft/p/import.ts'
import { requireSigned } from '../../core/sign/job.ts'
import type { CallOptions } from '../../node/http.ts'
import type { PChainClient } from '../../node/p-chain-client.ts'
import { agreedFees } from '../../node/view/other-reads.ts'
import type { OtherView } from '../../node/view/other-view.ts'
import { listOwn } from '../accounts/list-own.ts'
import { conflictingInputs } from '../payments/conflicts.ts'
import type { Attempt } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import { isClaimed } from './decide.ts'
import { findPImport } from './foreign-imports.ts'
import {
  type ExportOrder,
  firstExport,
  importedIn,
  type LegDraft,
  listsAll,
  NO_HEIGHT,
  type Side,
  sumOf,
  transferable,
  transferablesIn,
} from './side.ts'
import type { LegSigning } from './signing.ts'

/** The P-Chain. Stakeable-locked UTXOs are not moved. */
export function pSide(
  state: WalletState,
  chain: OtherView<PChainClient>,
  signing: LegSigning,
): Side {
  const { own } = state
  const toLegDraft = (draft: Draft, { price }: FeeParameters, leftBehind = 0n): LegDraft => {
    const { unsignedTx, fee, burned, context } = draft
    return {
      price,
      fee: burned.reduce(
        (sum, { assetID, amount }) => (equalBytes(assetID, context.assetID) ? sum + amount : sum),
        fee,
      ),
      inputs: inputsOf(unsignedTx).map(({ txID, outputIndex }) => ({ txID, outputIndex })),
      exported: unsignedTx.type === 'ExportTx' ? amountsIn(unsignedTx.exportedOutputs) : [],
      leftBehind,
      arrives: paidBy(unsignedTx),
      explanation: signing.explain(draft, price),
      fromHeight: NO_HEIGHT,
      sign: async () => requireSigned(await signing.sign(draft)).bytes,
      release: () => {},
    }
  }
  const listUTXOs = (sourceChain: IDArgument | undefined, call: CallOptions) =>
    listOwn(
      own,
      (addresses) =>
        chain.utxos(
          (server, limits) => server.utxoPages({ addresses, sourceChain, ...limits }),
          encodeUTXO,
          call,
        ),
      ({ utxos }) => utxos.flatMap(({ output }) => unlockedOutput(output).addresses),
    )
  const readFees = (call: CallOptions) => agreedFees(chain, call)
  return {
    async draftExport(order, call, replaced) {
      const [context, fees, { utxos, disputed }] = await Promise.all([
        state.context(call),
        readFees(call),
        listUTXOs(undefined, call),
      ])
      const excluded = utxos.filter((utxo) => isClaimed(state.pending, utxo, replaced))
      const funds = {
        utxos: exportableUTXOs(order, utxos, replaced),
        excluded,
        owners: own.list,
        now: state.now(),
        pinned: conflictsWith(replaced, utxos),
      }
      const changeTo = own.account?.nextChange
      const draft = exportDraft(order, { context, fees, funds, changeTo })
      if (order.amounts !== 'all') return toLegDraft(draft, fees)
      const unknown = disputed
        .flatMap(({ utxo }) => transferable(utxo))
        .filter(({ assetID }) => equalBytes(assetID, context.assetID))
        .map(({ output }) => output)
      return toLegDraft(draft, fees, unspentBy(draft, funds) + sumOf(unknown))
    },
    async draftImport({ sourceChain, utxos, recipient, maxFee }, call) {
      const [context, fees] = await Promise.all([state.context(call), readFees(call)])
      const funds = { utxos, owners: own.list, now: state.now() }
      const options = { context, fees, funds, sourceChain, to: recipient, maxFee }
      return toLegDraft(buildImport(options), fees)
    },
    async planImports({ sourceChain, utxos, recipient: to, maxFee }, call) {
      const [context, fees] = await Promise.all([state.context(call), readFees(call)])
      const funds = { utxos, owners: own.list, now: state.now() }
      const { drafts, leftBehind } = planImport({ context, fees, funds, sourceChain, to, maxFee })
      return { drafts: Array.from(drafts(), (draft) => toLegDraft(draft, fees)), leftBehind }
    },
    exportedBy: (bytes) => exportedUTXOs(decodeTx(bytes)).flatMap(transferable),
    importedBy: (bytes) => importedIn(decodeTx(bytes)),
    paidBy: (bytes) => paidBy(decodeTx(bytes).unsignedTx),
    atomicUTXOs: async (sourceChain, call) => transferablesIn(await listUTXOs(sourceChain, call)),
    findImport: (utxos, recipient, call) => findPImport(state, chain, utxos, recipient, call),
    async priceAbove(bytes, call) {
      const { unsignedTx } = decodeTx(bytes)
      const { assetID } = await state.context(call)
      const fees = await readFees(call)
      return burnedOf(unsignedTx, assetID) < feeOf(unsignedTx, fees) ? fees.price : undefined
    },
    async spendsListed(bytes, call) {
      const { unsignedTx } = decodeTx(bytes)
      const sourceChain = unsignedTx.type === 'ImportTx' ? unsignedTx.sourceChain : undefined
      return listsAll(
        (await listUTXOs(sourceChain, call)).utxos,
        inputsOf(unsignedTx).map(({ input, ...id }) => ({
          ...id,
          amount: unlockedInput(input).amount,
        })),
      )
    },
    // The gas price can double within seconds. What the fee does not use of the reserve arrives as well.
    feeReserve: 2n,
  }
}

type Common = Pick<Parameters<typeof buildExport>[0], 'context' | 'fees' | 'funds' | 'changeTo'>

function exportDraft(order: ExportOrder, common: Common): Draft {
  const { amounts, owner: to, destinationChain, maxFee } = order
  if (amounts === 'all') {
    const { context, fees } = common
    const { pinned: _, ...funds } = common.funds
    return buildExportAll({ context, fees, funds, destinationChain, to, maxFee })
  }
  const outputs = amounts.map(({ assetID, amount }) => ({ assetID, amount, to }))
  return buildExport({ ...common, destinationChain, outputs, maxFee })
}

/** AVAX that could be spent and that a draft does not spend. */
function unspentBy({ utxos, context }: Draft, funds: ListedUTXOs<UTXO>): bigint {
  const spent = new Set(utxos.map(utxoKey))
  return coinsOf(funds)
    .of(context.assetID)
    .reduce((sum, { utxo, amount }) => (spent.has(utxoKey(utxo)) ? sum : sum + amount), 0n)
}

/**
 * UTXOs that an export may spend: all, but for a replacement of an export of `all` only the inputs of the first
 * attempt.
 */
function exportableUTXOs(
  { amounts }: ExportOrder,
  utxos: readonly UTXO[],
  replaced: readonly Attempt[],
): readonly UTXO[] {
  const first = firstExport(replaced)
  if (amounts !== 'all' || first === undefined) return utxos
  const spent = new Set(first.inputs.map(utxoKey))
  return utxos.filter((utxo) => spent.has(utxoKey(utxo)))
}

/**
 * UTXOs that a replacement must spend, so that it conflicts with every earlier attempt: at most one of them is
 * accepted.
 *
 * @throws FundsError `UTXO_NOT_FOUND` if all inputs of an earlier attempt are missing
 */
function conflictsWith(replaced: readonly Attempt[], utxos: readonly UTXO[]): UTXOID[] {
  const listed = new Set(utxos.map(utxoKey))
  const exports = replaced.filter(({ kind }) => kind === 'export')
  const inputs = conflictingInputs(exports, (id) => listed.has(utxoKey(id)))
  if (inputs !== undefined) return inputs
  throw new FundsError(
    'UTXO_NOT_FOUND',
    'no input of an earlier export of the move is listed by the node',
    [],
    { hint: 'the node is behind, or the export is accepted' },
  )
}

/** The amounts that an import pays to the recipient: imports of moves have no other outputs. */
function paidBy(tx: UnsignedTx): AssetAmount[] {
  return tx.type === 'ImportTx' ? amountsIn(tx.outputs) : []
}

function amountsIn(outputs: readonly TransferableOutput[]): AssetAmount[] {
  return outputs.map(({ assetID, output }) => ({ assetID, amount: unlockedOutput(output).amount }))
}

function burnedOf(tx: UnsignedTx, burnedID: Uint8Array): bigint {
  let sum = 0n
  for (const { assetID, input } of inputsOf(tx))
    if (equalBytes(assetID, burnedID)) sum += unlockedInput(input).amount
  for (const { assetID, output } of outputsOf(tx))
    if (equalBytes(assetID, burnedID)) sum -= unlockedOutput(output).amount
  return sum
}
