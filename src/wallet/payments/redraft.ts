import { equalBytes } from '../../core/base/bytes/compare.ts'
import { AssetSums } from '../../core/chain/amounts.ts'
import { haveSameOwners } from '../../core/chain/owners.ts'
import type { TransferableOutput, UTXOID } from '../../core/chain/x/transferables.ts'
import type { ImportTx, SignedTx, UnsignedTx } from '../../core/chain/x/tx.ts'
import type { ChangeArgument, OwnersArgument } from '../../core/draft/arguments.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { buildImport } from '../../core/draft/x/import.ts'
import { buildTransfer } from '../../core/draft/x/transfer.ts'
import type { Intent, WalletView } from './intents.ts'

/**
 * Drafts a transaction of a batch again: to the same owners, from those of its UTXOs that are listed now, and with the
 * current fee. Nothing but the transaction is needed, so that another process can do it.
 *
 * @param maxFee - as for builders
 */
export function redraftIntent({ unsignedTx }: SignedTx, maxFee: bigint | undefined): Intent {
  return {
    contents: () => [],
    draft: (view) =>
      unsignedTx.type === 'ImportTx'
        ? importAgain(unsignedTx, view, maxFee)
        : sendAgain(unsignedTx, unsignedTx.outputs, view, maxFee),
  }
}

/**
 * Spends the listed inputs to the owners that the transaction paid. Whatever is left of AVAX is change, unless the
 * transaction paid AVAX to the target as well.
 *
 * @param paid - outputs of the transaction; without any, everything returns to the wallet
 */
function sendAgain(
  { inputs, memo }: UnsignedTx,
  paid: readonly TransferableOutput[],
  { context, utxos, owners, now, changeTo, pinned = [] }: WalletView,
  maxFee: bigint | undefined,
): Draft {
  const listed: UTXOID[] = []
  const sums = new AssetSums([{ assetID: context.assetID, amount: -context.txFee }])
  for (const id of inputs) {
    const utxo = utxos.get(id)
    if (utxo?.output.type !== 'secp256k1fx.TransferOutput') continue
    listed.push(id)
    sums.add(utxo.assetID, utxo.output.amount)
  }
  const native = paid.find(({ assetID }) => equalBytes(assetID, context.assetID))
  const target = paid.find((output) => output !== native) ?? native
  const change = target && changeBeside(target, paid)
  const paysNative = native !== undefined && native !== change
  const outputs = sums.list().filter(({ assetID, amount }) => {
    const isNative = equalBytes(assetID, context.assetID)
    return amount > 0n && (!isNative || paysNative)
  })
  return buildTransfer({
    context,
    funds: { utxos, owners, now, pinned: [...listed, ...pinned] },
    outputs: target ? outputs.map((output) => ({ ...output, ...ownersArgumentOf(target) })) : [],
    changeTo: change ? changeArgumentOf(change) : changeTo,
    memo,
    maxFee,
  })
}

/**
 * Imports what is listed. If nothing is, or if the target and the change are not known, the UTXOs of the wallet that were
 * to pay the fee return to it.
 */
function importAgain(tx: ImportTx, view: WalletView, maxFee: bigint | undefined): Draft {
  const { context, utxos, owners, now, changeTo } = view
  const { sourceChain, importedInputs, outputs, memo } = tx
  const listed = importedInputs.filter((id) => utxos.get(id, { sourceChain }) !== undefined)
  const isNative = ({ assetID }: { readonly assetID: Uint8Array }) =>
    equalBytes(assetID, context.assetID)
  const imported = importedInputs.filter(isNative).reduce((sum, one) => sum + one.input.amount, 0n)
  // Present if UTXOs of the wallet paid the whole fee. A change of the same amount looks the same; a dishonest server can
  // list a UTXO that leads to it.
  const [whole, other] = outputs.filter((one) => isNative(one) && one.output.amount === imported)
  if (listed.length === 0 || other !== undefined) return sendAgain(tx, [], view, maxFee)
  const target = outputs.find((one) => !isNative(one)) ?? whole ?? outputs[0]
  const change = target && changeBeside(target, outputs)
  return buildImport({
    context,
    funds: { utxos, owners, now },
    sourceChain,
    utxos: listed,
    ...(target ? ownersArgumentOf(target) : { to: changeTo ?? owners[0]! }),
    feeFrom: whole ? 'local' : 'either',
    changeTo: change ? changeArgumentOf(change) : changeTo,
    memo,
    maxFee,
  })
}

/** The change of a transaction of a batch: the output whose owners or locktime differ from those of the target. */
function changeBeside(
  target: TransferableOutput,
  outputs: readonly TransferableOutput[],
): TransferableOutput | undefined {
  return outputs.find(
    ({ output }) =>
      output.locktime !== target.output.locktime || !haveSameOwners(output, target.output),
  )
}

/** Change is never locked. */
function changeArgumentOf({ output }: TransferableOutput): ChangeArgument {
  const { addresses: to, threshold } = output
  return { to, threshold }
}

function ownersArgumentOf({ output }: TransferableOutput): OwnersArgument {
  const { addresses: to, threshold, locktime } = output
  return { to, threshold, locktime }
}
