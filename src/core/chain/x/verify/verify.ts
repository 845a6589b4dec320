import { argument, type Check, text } from '../../../base/argument.ts'
import { equalBytes } from '../../../base/bytes/compare.ts'
import { VerifyError } from '../../../base/errors.ts'
import { requireEncodable } from '../../../codec/codec.ts'
import type { AssetAmount } from '../../amounts.ts'
import { contextWith, type NetworkContext } from '../../networks.ts'
import { FX_NAMES, isCredential } from '../fx.ts'
import { utxoKey } from '../ids.ts'
import {
  compareInitialStates,
  compareInputs,
  compareOperations,
  compareStateOutputs,
  isSorted,
  isSortedUnique,
} from '../order.ts'
import { signersOf } from '../spends.ts'
import {
  type BaseFields,
  type CreateAssetTx,
  type OperationTx,
  type SignedTx,
  signedTx,
  type UnsignedTx,
} from '../tx.ts'
import { verifyCreateAssetText } from './verify-asset.ts'
import { verifyFlow } from './verify-flow.ts'
import { verifyOperation, verifyOutput, verifySlot } from './verify-fx.ts'

/** Maximum size of a memo in bytes. */
export const MAX_MEMO_SIZE = 256

/** Parameters of the chain that the stateless rules need. */
export type VerifyContext = Pick<
  NetworkContext,
  'networkID' | 'chainID' | 'assetID' | 'txFee' | 'createAssetTxFee'
>

const verifyContext: Check<VerifyContext> = /* @__PURE__ */ contextWith(
  'networkID',
  'chainID',
  'assetID',
  'txFee',
  'createAssetTxFee',
)

/**
 * Checks a transaction against all rules that need no state, in the order of avalanchego's SyntacticVerifier, and
 * throws on the first violation. Returns what the transaction burns beyond its fee, which the node allows.
 *
 * @throws VerifyError, or CodecError, ArgumentError if `tx` or `context` is incomplete
 *
 * @example
 * verifyTx(decodeTx(bytes), networks.fuji)
 */
export function verifyTx(tx: SignedTx, context: VerifyContext): AssetAmount[] {
  const checked = argument('verifyTx', context, verifyContext, 'context')
  // The rules rely on the types of all fields.
  requireEncodable(signedTx, tx)
  const burned = verifyUnsigned(tx.unsignedTx, checked)
  verifyCredentials(tx)
  return burned
}

/** Like `verifyTx` without credentials, for a transaction and a context whose fields have been checked. */
export function verifyUnsigned(tx: UnsignedTx, context: VerifyContext): AssetAmount[] {
  verifyKind(tx)
  verifyMetadata(tx, context)
  const burned = verifyFlow(context.assetID, feeFor(tx, context), tx)
  if (tx.type === 'CreateAssetTx') verifyInitialStates(tx)
  if (tx.type === 'OperationTx') verifyOperations(tx)
  return burned
}

/** Returns the minimum fee of a transaction, in nAVAX. */
export function feeOf(tx: UnsignedTx, fees: Fees): bigint {
  argument('feeOf', tx?.type, text, 'tx.type')
  return feeFor(tx, argument('feeOf', fees, feeContext, 'fees'))
}

/** The fees of a network. */
export type Fees = Pick<NetworkContext, 'txFee' | 'createAssetTxFee'>

const feeContext: Check<Fees> = /* @__PURE__ */ contextWith('txFee', 'createAssetTxFee')

/** Like `feeOf`, for values that have been checked. */
export function feeFor(tx: Pick<UnsignedTx, 'type'>, fees: Fees): bigint {
  return tx.type === 'CreateAssetTx' ? fees.createAssetTxFee : fees.txFee
}

/** Checks that are specific to the transaction type and come first. */
function verifyKind(tx: UnsignedTx): void {
  if (tx.type === 'CreateAssetTx') verifyCreateAssetText(tx)
  if (tx.type === 'OperationTx' && tx.operations.length === 0)
    throw new VerifyError('NO_OPERATIONS', 'an operationTx must have at least one operation')
  if (tx.type === 'ImportTx' && tx.importedInputs.length === 0)
    throw new VerifyError('NO_IMPORT_INPUTS', 'no import inputs')
  if (tx.type === 'ExportTx' && tx.exportedOutputs.length === 0)
    throw new VerifyError('NO_EXPORT_OUTPUTS', 'no export outputs')
}

function verifyMetadata(tx: BaseFields, context: VerifyContext): void {
  if (tx.networkID !== context.networkID)
    throw new VerifyError('WRONG_NETWORK_ID', 'tx has wrong network ID', 'networkID')
  if (!equalBytes(tx.blockchainID, context.chainID))
    throw new VerifyError('WRONG_CHAIN_ID', 'tx has wrong chain ID', 'blockchainID')
  if (tx.memo.length > MAX_MEMO_SIZE)
    throw new VerifyError(
      'MEMO_TOO_LARGE',
      `memo exceeds maximum length: ${tx.memo.length} > ${MAX_MEMO_SIZE}`,
      'memo',
    )
}

function verifyCredentials(tx: SignedTx): void {
  // No path is formatted for valid credentials.
  tx.credentials.forEach((slot, i) => {
    if (!isCredential(slot)) verifySlot(slot, `credentials[${i}]`)
  })
  const found = tx.credentials.length
  const expected = signersOf(tx.unsignedTx).length
  if (found !== expected)
    throw new VerifyError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `wrong number of credentials: ${found} != ${expected}`,
      'credentials',
    )
}

function verifyInitialStates(tx: CreateAssetTx): void {
  tx.initialStates.forEach((state, i) => {
    const path = `initialStates[${i}]`
    if (state.fxIndex >= FX_NAMES.length)
      throw new VerifyError('UNKNOWN_FX_INDEX', 'unknown feature extension', path)
    state.outputs.forEach((output, k) => {
      verifyOutput(output, `${path}.outputs[${k}]`)
    })
    if (!isSorted(state.outputs, compareStateOutputs))
      throw new VerifyError('INITIAL_STATE_OUTPUTS_NOT_SORTED', 'outputs not sorted', path)
  })
  if (!isSortedUnique(tx.initialStates, compareInitialStates))
    throw new VerifyError(
      'INITIAL_STATES_NOT_SORTED_UNIQUE',
      'initial states not sorted and unique',
      'initialStates',
    )
}

function verifyOperations(tx: OperationTx): void {
  const spent = new Set(tx.inputs.map(utxoKey))
  tx.operations.forEach((operation, i) => {
    const path = `operations[${i}]`
    if (!isSortedUnique(operation.inputIDs, compareInputs))
      throw new VerifyError('OP_UTXO_IDS_NOT_SORTED_UNIQUE', 'utxo IDs not sorted and unique', path)
    verifyOperation(operation, path)
    for (const key of operation.inputIDs.map(utxoKey)) {
      if (spent.has(key))
        throw new VerifyError('DOUBLE_SPEND', 'inputs attempt to double spend an input', path)
      spent.add(key)
    }
  })
  if (!isSortedUnique(tx.operations, compareOperations))
    throw new VerifyError(
      'OPERATIONS_NOT_SORTED_UNIQUE',
      'operations not sorted and unique',
      'operations',
    )
}
