import { argument, type Check } from '../../base/argument.ts'
import { compareBytes, equalBytes } from '../../base/bytes/compare.ts'
import { VerifyError } from '../../base/errors.ts'
import { encodeBare, requireEncodable } from '../../codec/codec.ts'
import { contextWith, type NetworkContext, P_CHAIN_ID } from '../networks.ts'
import { type Compare, compareInputs, isSorted, isSortedUnique } from '../x/order.ts'
import { MAX_MEMO_SIZE } from '../x/verify/verify.ts'
import { prefixed, verifyAssetID, verifyInput, verifyOutput } from '../x/verify/verify-fx.ts'
import {
  type Input,
  type Output,
  output as outputCodec,
  type TransferableInput,
  type TransferableOutput,
  unlockedInput,
  unlockedOutput,
} from './transferables.ts'
import { type SignedTx, signedTx, type UnsignedTx } from './tx.ts'

/** The network details that the stateless rules need; part of every `NetworkContext`. */
export type VerifyContext = Pick<NetworkContext, 'networkID'>

const verifyContext: Check<VerifyContext> = /* @__PURE__ */ contextWith('networkID')

/** The order of outputs and exported outputs: by asset, then by encoded output with its type ID. */
export const compareOutputs: Compare<TransferableOutput> = (a, b) =>
  compareBytes(a.assetID, b.assetID) ||
  compareBytes(encodeBare(outputCodec, a.output), encodeBare(outputCodec, b.output))

/**
 * Checks a transaction against every rule of the P-Chain that needs no state, in the node's order, and
 * the rule that its memo is empty. Follows `SyntacticVerify` of `vms/platformvm/txs` and
 * `VerifyMemoFieldLength` of `vms/components/avax`. Credentials, sums and fees need the UTXOs that are
 * spent and are not checked here.
 *
 * @throws VerifyError with the code of the first rule that is broken.
 * @example
 * pChain.verifyTx(pChain.decodeTx(bytes), networks.fuji)
 */
export function verifyTx(tx: SignedTx, context: VerifyContext): void {
  const checked = argument('verifyTx', context, verifyContext, 'context')
  // The rules rely on the types of all fields.
  requireEncodable(signedTx, tx)
  verifyUnsigned(tx.unsignedTx, checked)
}

/** Like `verifyTx`, for values that have been checked. */
export function verifyUnsigned(tx: UnsignedTx, context: VerifyContext): void {
  if (tx.type === 'ImportTx' && tx.importedInputs.length === 0)
    throw new VerifyError('NO_IMPORT_INPUTS', 'tx has no imported inputs')
  if (tx.type === 'ExportTx' && tx.exportedOutputs.length === 0)
    throw new VerifyError('NO_EXPORT_OUTPUTS', 'no export outputs')
  verifyMetadata(tx, context)
  verifyOutputs(tx.outputs, 'outputs')
  verifyInputs(tx.inputs, 'inputs')
  verifyOutputOrder(tx.outputs, 'outputs')
  verifyInputOrder(tx.inputs, 'inputs')
  if (tx.type === 'ImportTx') {
    verifyInputs(tx.importedInputs, 'importedInputs')
    verifyInputOrder(tx.importedInputs, 'importedInputs')
  }
  if (tx.type === 'ExportTx') {
    verifyOutputs(tx.exportedOutputs, 'exportedOutputs', true)
    verifyOutputOrder(tx.exportedOutputs, 'exportedOutputs')
  }
  if (tx.memo.length > 0)
    throw new VerifyError('MEMO_TOO_LARGE', memoTooLong(tx.memo.length, 0), 'memo')
}

function verifyMetadata(tx: UnsignedTx, { networkID }: VerifyContext): void {
  const fail = (code: 'WRONG_NETWORK_ID' | 'WRONG_CHAIN_ID' | 'MEMO_TOO_LARGE', reason: string) =>
    new VerifyError(code, `metadata failed verification: ${reason}`)
  if (tx.networkID !== networkID) throw fail('WRONG_NETWORK_ID', 'tx has wrong network ID')
  if (!equalBytes(tx.blockchainID, P_CHAIN_ID))
    throw fail('WRONG_CHAIN_ID', 'tx has wrong chain ID')
  if (tx.memo.length > MAX_MEMO_SIZE)
    throw fail('MEMO_TOO_LARGE', memoTooLong(tx.memo.length, MAX_MEMO_SIZE))
}

function memoTooLong(size: number, max: number): string {
  return `memo exceeds maximum length: ${size} > ${max}`
}

function verifyOutputs(
  list: readonly TransferableOutput[],
  path: string,
  exported: boolean = false,
): void {
  list.forEach(({ assetID, output }, i) => {
    prefixed('output failed verification: ', `${path}[${i}]`, () => {
      verifyAssetID(assetID, '')
      verifyLock(output)
      verifyOutput(unlockedOutput(output), '')
    })
    if (exported && output.type === 'stakeable.LockOut')
      throw new VerifyError('LOCKED_EXPORT', 'wrong locktime reported', `${path}[${i}]`)
  })
}

function verifyInputs(list: readonly TransferableInput[], path: string): void {
  list.forEach(({ assetID, input }, i) => {
    prefixed('input failed verification: ', `${path}[${i}]`, () => {
      verifyAssetID(assetID, '')
      verifyLock(input)
      verifyInput(unlockedInput(input), '')
    })
  })
}

function verifyLock(value: Output | Input): void {
  const locked = value.type === 'stakeable.LockOut' || value.type === 'stakeable.LockIn'
  if (locked && value.locktime === 0n) throw new VerifyError('INVALID_LOCKTIME', 'invalid locktime')
}

function verifyOutputOrder(list: readonly TransferableOutput[], path: string): void {
  if (!isSorted(list, compareOutputs))
    throw new VerifyError('OUTPUTS_NOT_SORTED', 'outputs not sorted', path)
}

function verifyInputOrder(list: readonly TransferableInput[], path: string): void {
  if (!isSortedUnique(list, compareInputs))
    throw new VerifyError('INPUTS_NOT_SORTED_UNIQUE', 'inputs not sorted and unique', path)
}
