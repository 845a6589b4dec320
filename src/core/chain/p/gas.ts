import {
  argument,
  bigintFrom,
  type Check,
  integerFrom,
  kinds,
  object,
  text,
} from '../../base/argument.ts'
import { VerifyError } from '../../base/errors.ts'
import { MAX_U64 } from '../../base/integers.ts'
import { withFieldErrors } from '../../codec/codec.ts'
import type { Input, Output } from './transferables.ts'
import { type UnsignedTx, unsignedTx } from './tx.ts'

/** An amount of each resource that a transaction uses. */
export type Dimensions = {
  /** Bytes of the signed transaction. */
  readonly bandwidth: bigint
  /** Reads from the database, one per input. */
  readonly dbRead: bigint
  /** Writes to the database, one per input and output. */
  readonly dbWrite: bigint
  /** Microseconds of computation: 200 for each signature. */
  readonly compute: bigint
}

/** Gas per unit of each resource. Numbers are allowed because the JSON of `platform.getFeeConfig` has them. */
export type GasWeights = { readonly [Name in keyof Dimensions]: bigint | number }

/** The details that a fee is computed from. */
export type FeeParameters = {
  readonly weights: GasWeights
  /** nAVAX per unit of gas, as `platform.getFeeState` reports it, plus the margin of the caller. */
  readonly price: bigint
}

const weight: Check<bigint | number> = kinds<bigint | number>({
  bigint: bigintFrom(0n),
  number: integerFrom(0),
})

const gasWeights: Check<GasWeights> = object<GasWeights>({
  bandwidth: weight,
  dbRead: weight,
  dbWrite: weight,
  compute: weight,
})

/** Describes what a fee is computed from. */
export const feeParameters: Check<FeeParameters> = object<FeeParameters>({
  weights: gasWeights,
  price: bigintFrom(0n),
})

/** The weights of Mainnet, Fuji and the local network. */
export const DEFAULT_GAS_WEIGHTS: Dimensions = {
  bandwidth: 1n,
  dbRead: 1000n,
  dbWrite: 1000n,
  compute: 4n,
}

// Bytes of the parts of a signed transaction, as in `vms/platformvm/txs/fee/complexity.go`.
const BASE_TX_SIZE = 58
const ATOMIC_TX_SIZE = 94
const OUTPUT_SIZE = 60
const INPUT_SIZE = 92
const OWNER_SIZE = 20
/** An index of 4 bytes and a signature of 65. */
const SIGNER_SIZE = 69
/** A locktime and the type ID of the locked input or output. */
const LOCK_SIZE = 12
const SIGNATURE_COMPUTE = 200

/**
 * The resources that a transaction uses. They depend only on the size of the memo and the numbers of inputs, signature
 * indices, outputs and owners, so they are known before signing.
 */
export function complexityOf(tx: UnsignedTx): Dimensions {
  // Without `type`, the transaction would be measured as an import or export.
  argument('complexityOf', tx?.type, text, 'tx.type')
  return withFieldErrors(unsignedTx, tx, () => measure(tx))
}

function measure(tx: UnsignedTx): Dimensions {
  let bandwidth = (tx.type === 'BaseTx' ? BASE_TX_SIZE : ATOMIC_TX_SIZE) + tx.memo.length
  let signers = 0
  let inputs = tx.inputs.length
  let outputs = tx.outputs.length
  const addInput = (input: Input): void => {
    const locked = input.type === 'stakeable.LockIn'
    if (locked) bandwidth += LOCK_SIZE
    signers += (locked ? input.input : input).signatureIndices.length
  }
  const addOutput = (output: Output): void => {
    const locked = output.type === 'stakeable.LockOut'
    if (locked) bandwidth += LOCK_SIZE
    bandwidth += OWNER_SIZE * (locked ? output.output : output).addresses.length
  }
  for (const { input } of tx.inputs) addInput(input)
  for (const { output } of tx.outputs) addOutput(output)
  if (tx.type === 'ImportTx') {
    inputs += tx.importedInputs.length
    for (const { input } of tx.importedInputs) addInput(input)
  }
  if (tx.type === 'ExportTx') {
    outputs += tx.exportedOutputs.length
    for (const { output } of tx.exportedOutputs) addOutput(output)
  }
  bandwidth += INPUT_SIZE * inputs + SIGNER_SIZE * signers + OUTPUT_SIZE * outputs
  return {
    bandwidth: BigInt(bandwidth),
    dbRead: BigInt(inputs),
    dbWrite: BigInt(inputs + outputs),
    compute: BigInt(SIGNATURE_COMPUTE * signers),
  }
}

/**
 * The gas of a transaction: the weighted sum of the resources it uses.
 *
 * @throws VerifyError `AMOUNT_OVERFLOW` above 2^64 − 1, as in the node.
 * @example
 * pChain.gasOf(draft.unsignedTx, pChain.DEFAULT_GAS_WEIGHTS)
 */
export function gasOf(tx: UnsignedTx, weights: GasWeights): bigint {
  return weigh(complexityOf(tx), argument('gasOf', weights, gasWeights, 'weights'))
}

/** Bytes of the transaction once it has all its signatures. */
export function signedSize(tx: UnsignedTx): number {
  return Number(complexityOf(tx).bandwidth)
}

function weigh({ bandwidth, dbRead, dbWrite, compute }: Dimensions, weights: GasWeights): bigint {
  return fitting(
    bandwidth * BigInt(weights.bandwidth) +
      dbRead * BigInt(weights.dbRead) +
      dbWrite * BigInt(weights.dbWrite) +
      compute * BigInt(weights.compute),
  )
}

/**
 * The fee of a transaction in nAVAX: gas × price, exactly.
 *
 * @throws VerifyError `AMOUNT_OVERFLOW` above 2^64 − 1, as in the node.
 */
export function feeOf(tx: UnsignedTx, fees: FeeParameters): bigint {
  const { weights, price } = argument('feeOf', fees, feeParameters, 'fees')
  return fitting(weigh(complexityOf(tx), weights) * price)
}

function fitting(value: bigint): bigint {
  if (value > MAX_U64) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
  return value
}
