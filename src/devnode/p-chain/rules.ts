import { formatUTXOID } from '../../core/base/encoding/ids.ts'
import { VerifyError } from '../../core/base/errors.ts'
import { type NetworkContext, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { feeOf, type GasWeights } from '../../core/chain/p/gas.ts'
import type { TransferableInput } from '../../core/chain/p/transferables.ts'
import { inputsOf, outputsOf, type SignedTx } from '../../core/chain/p/tx.ts'
import { decodeUTXO, type UTXO } from '../../core/chain/p/utxo.ts'
import { verifyTx } from '../../core/chain/p/verify.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import type { FxEnvironment } from '../ledger/ownership.ts'
import { decodeShared } from '../ledger/shared-memory.ts'
import { type StateView, verifySameSubnet } from '../x-chain/semantic.ts'
import { verifySpendUTXOs } from './spend.ts'

/** A read-only view of the P-Chain as the rules see it. IDs are 32 bytes. */
export type PStateView = Pick<StateView, 'subnetOf' | 'isNoChain'> & {
  /** Returns the bytes of an unspent UTXO. */
  readonly utxo: (id: Uint8Array) => Uint8Array | undefined
  /** Returns the bytes that another chain exported to this one in shared memory. */
  readonly atomic: (sourceChainID: Uint8Array, key: Uint8Array) => Uint8Array | undefined
  readonly weights: GasWeights
  /** Gas price in nAVAX. */
  readonly price: bigint
}

/**
 * Checks a transaction against the state of the P-Chain, in the node's order. Follows
 * `vms/platformvm/txs/executor/standard_tx_executor.go`.
 */
export function verifyPTx(
  tx: SignedTx,
  state: PStateView,
  context: NetworkContext,
  environment: FxEnvironment,
): void {
  const { unsignedTx, credentials } = tx
  verifyTx(tx, context)
  if (unsignedTx.type === 'ImportTx')
    verifySameSubnet(unsignedTx.sourceChain, state, P_CHAIN_ID, 'sourceChain')
  if (unsignedTx.type === 'ExportTx')
    verifySameSubnet(unsignedTx.destinationChain, state, P_CHAIN_ID, 'destinationChain')
  const verify = (): void =>
    verifySpendUTXOs(
      {
        inputs: inputsOf(unsignedTx),
        utxos: spentUTXOs(tx, state),
        credentials,
        outputs: outputsOf(unsignedTx),
        fee: feeOf(unsignedTx, { weights: state.weights, price: state.price }),
        feeAssetID: context.assetID,
      },
      environment,
    )
  try {
    verify()
  } catch (error) {
    if (!(error instanceof VerifyError) || unsignedTx.type !== 'ExportTx') throw error
    throw new VerifyError(error.code, `failed verifySpend: ${error.reason}`, error.path)
  }
}

function spentUTXOs({ unsignedTx }: SignedTx, state: PStateView): UTXO[] {
  if (unsignedTx.type !== 'ImportTx')
    return unsignedTx.inputs.map((input, i) =>
      localUTXO(
        input,
        state,
        i,
        (name) => `failed to read consumed UTXO ${name} due to: not found`,
      ),
    )
  // As in the node, all imported UTXOs are read before the others.
  const stored = unsignedTx.importedInputs.map(({ txID, outputIndex }, i) => {
    const bytes = state.atomic(unsignedTx.sourceChain, utxoID(txID, outputIndex))
    if (bytes === undefined)
      throw new VerifyError(
        'ATOMIC_UTXO_NOT_FOUND',
        'failed to get shared memory: not found',
        `importedInputs[${i}]`,
      )
    return bytes
  })
  const local = unsignedTx.inputs.map((input, i) =>
    localUTXO(input, state, i, (name) => `failed to get UTXO ${name}: not found`),
  )
  return [
    ...local,
    ...stored.map((bytes, i) => decodeShared(decodeUTXO, bytes, `importedInputs[${i}]`)),
  ]
}

function localUTXO(
  input: TransferableInput,
  state: PStateView,
  i: number,
  reason: (name: string) => string,
): UTXO {
  const bytes = state.utxo(utxoID(input.txID, input.outputIndex))
  if (bytes === undefined)
    throw new VerifyError('UTXO_NOT_FOUND', reason(formatUTXOID(input)), `inputs[${i}]`)
  return decodeUTXO(bytes)
}
