import { argument, bigintFrom, type Check, text } from '../../base/argument.ts'
import { VerifyError } from '../../base/errors.ts'
import { MAX_U64 } from '../../base/integers.ts'
import { withFieldErrors } from '../../codec/codec.ts'
import { transferableInputSize, transferableOutputSize } from '../x/size.ts'
import { type UnsignedTx, unsignedTx } from './tx.ts'

/** Limit of a signed transaction in the pools of nodes before Helicon, in bytes. */
export const MAX_TX_SIZE = 40_960

const INTRINSIC_GAS = 10_000
const SIGNATURE_GAS = 1000

/** 1 nAVAX is 10^9 wei. */
export const WEI_PER_NAVAX = 1_000_000_000n

/**
 * 25 nAVAX per unit of gas in wei, the minimum base fee before the Etna upgrade; it has been lower since. Fees are
 * compared with it if the current base fee is not known.
 */
export const REFERENCE_BASE_FEE: bigint = 25n * WEI_PER_NAVAX

const natural: Check<bigint> = bigintFrom(0n)

/** Version, type ID, network, chain, the other chain, and two counts. */
const EMPTY_TX_SIZE = 2 + 4 + 4 + 32 + 32 + 4 + 4
const EVM_OUTPUT_SIZE = 20 + 8 + 32
const EVM_INPUT_SIZE = EVM_OUTPUT_SIZE + 8

/** Bytes of an unsigned transaction, codec version included. */
export function unsignedSize(tx: UnsignedTx): number {
  // Without `type`, the transaction would be measured as an export.
  argument('unsignedSize', tx?.type, text, 'tx.type')
  return withFieldErrors(unsignedTx, tx, () => sizeOf(tx))
}

function sizeOf(tx: UnsignedTx): number {
  let size = EMPTY_TX_SIZE
  if (tx.type === 'ImportTx') {
    size += EVM_OUTPUT_SIZE * tx.outputs.length
    for (const input of tx.importedInputs) size += transferableInputSize(input)
  } else {
    size += EVM_INPUT_SIZE * tx.inputs.length
    for (const output of tx.exportedOutputs) size += transferableOutputSize(output)
  }
  return size
}

/** Bytes of the transaction once it has all its signatures. */
export function signedSize(tx: UnsignedTx): number {
  const unsigned = unsignedSize(tx)
  const credentials = tx.type === 'ImportTx' ? tx.importedInputs.length : tx.inputs.length
  return unsigned + 4 + 8 * credentials + 65 * signatureCount(tx)
}

function signatureCount(tx: UnsignedTx): number {
  if (tx.type === 'ExportTx') return tx.inputs.length
  let count = 0
  for (const { input } of tx.importedInputs) count += input.signatureIndices.length
  return count
}

/**
 * The gas of an atomic transaction: 10,000, plus 1 for each unsigned byte, plus 1000 for each signature. It is known
 * before signing.
 *
 * @example
 * cChain.gasOf(draft.unsignedTx)
 */
export function gasOf(tx: UnsignedTx): bigint {
  const gas = () => INTRINSIC_GAS + unsignedSize(tx) + SIGNATURE_GAS * signatureCount(tx)
  return BigInt(withFieldErrors(unsignedTx, tx, gas))
}

/**
 * The least that an atomic transaction must burn, in nAVAX: gas × base fee, rounded up to a whole nAVAX.
 *
 * @param baseFeeWei - wei per unit of gas, as `eth_baseFee` reports it, plus the margin of the caller
 * @throws VerifyError `AMOUNT_OVERFLOW` above 2^64 − 1, as in the node.
 */
export function feeOf(tx: UnsignedTx, baseFeeWei: bigint): bigint {
  return feeOfGas(gasOf(tx), baseFeeWei)
}

/**
 * The fee of an amount of gas in nAVAX, rounded up.
 *
 * @throws VerifyError `AMOUNT_OVERFLOW` above 2^64 − 1, as in the node.
 */
export function feeOfGas(gas: bigint, baseFeeWei: bigint): bigint {
  argument('feeOfGas', gas, natural, 'gas')
  argument('feeOfGas', baseFeeWei, natural, 'baseFeeWei')
  const fee = (gas * baseFeeWei + WEI_PER_NAVAX - 1n) / WEI_PER_NAVAX
  if (fee > MAX_U64) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  return fee
}
