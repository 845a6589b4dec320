import { argument, text } from '../../base/argument.ts'
import { type Codec, type Union, union } from '../../codec/io.ts'
import {
  type SecpCredential,
  secpCredential,
  type TransferInput,
  type TransferOutput,
  transferInput,
  transferOutput,
} from '../secp256k1fx.ts'

/** Type IDs of the P-Chain run from 0 to 39; 0 to 4 and 29 to 32 are blocks. */
export const REGISTERED_TYPES = 40

/** An amount that can be staked, but not transferred, before its locktime. */
export type LockOut = {
  readonly type: 'stakeable.LockOut'
  /** Unix seconds; independent of the locktime of the output inside. */
  readonly locktime: bigint
  readonly output: TransferOutput
}

/** Spends a LockOut whose locktime has not passed. */
export type LockIn = {
  readonly type: 'stakeable.LockIn'
  /** Unix seconds; must equal the locktime of the output that is spent. */
  readonly locktime: bigint
  readonly input: TransferInput
}

/** Everything a UTXO of the P-Chain can hold. */
export type Output = TransferOutput | LockOut

/** Everything that can spend a UTXO of the P-Chain. */
export type Input = TransferInput | LockIn

/** An output of a P-Chain transaction. */
export type TransferableOutput = { readonly assetID: Uint8Array; readonly output: Output }

/** An input of a P-Chain transaction. */
export type TransferableInput = {
  readonly txID: Uint8Array
  readonly outputIndex: number
  readonly assetID: Uint8Array
  readonly input: Input
}

// Only plain transfers can be locked: a lock inside a lock does not decode.
const lockedOutputs: Union<TransferOutput> = /* @__PURE__ */ union<TransferOutput>(
  REGISTERED_TYPES,
  { 'secp256k1fx.TransferOutput': [7, transferOutput] },
)

const lockedInputs: Union<TransferInput> = /* @__PURE__ */ union<TransferInput>(REGISTERED_TYPES, {
  'secp256k1fx.TransferInput': [5, transferInput],
})

const lockOut: Codec<LockOut> = (io, v) => ({
  type: 'stakeable.LockOut',
  locktime: io.u64(v.locktime),
  output: io.typed(v.output, lockedOutputs),
})

const lockIn: Codec<LockIn> = (io, v) => ({
  type: 'stakeable.LockIn',
  locktime: io.u64(v.locktime),
  input: io.typed(v.input, lockedInputs),
})

/** Types allowed in an output. */
export const outputs: Union<Output> = /* @__PURE__ */ union<Output>(REGISTERED_TYPES, {
  'secp256k1fx.TransferOutput': [7, transferOutput],
  'stakeable.LockOut': [22, lockOut],
})

const inputs: Union<Input> = /* @__PURE__ */ union<Input>(REGISTERED_TYPES, {
  'secp256k1fx.TransferInput': [5, transferInput],
  'stakeable.LockIn': [21, lockIn],
})

const credentials: Union<SecpCredential> = /* @__PURE__ */ union<SecpCredential>(REGISTERED_TYPES, {
  'secp256k1fx.Credential': [9, secpCredential],
})

/** Codec of Output. */
export const output: Codec<Output> = (io, v) => io.typed(v, outputs)

/** Codec of SecpCredential. */
export const credential: Codec<SecpCredential> = (io, v) => io.typed(v, credentials)

/** Codec of TransferableOutput. */
export const transferableOutput: Codec<TransferableOutput> = (io, v) => ({
  assetID: io.id(v.assetID),
  output: io.typed(v.output, outputs),
})

/** Codec of TransferableInput. */
export const transferableInput: Codec<TransferableInput> = (io, v) => ({
  txID: io.id(v.txID),
  outputIndex: io.u32(v.outputIndex),
  assetID: io.id(v.assetID),
  input: io.typed(v.input, inputs),
})

/** The transfer output, without its stakeable lock if it has one. */
export function unlockedOutput(value: Output): TransferOutput {
  return value.type === 'stakeable.LockOut' ? value.output : value
}

/** The transfer input, without its stakeable lock if it has one. */
export function unlockedInput(value: Input): TransferInput {
  return value.type === 'stakeable.LockIn' ? value.input : value
}

/** Unix seconds until which an output can only be staked; 0n if it has no stakeable lock. */
export function stakeableLocktime(value: Output): bigint {
  argument('stakeableLocktime', value?.type, text, 'type')
  return value.type === 'stakeable.LockOut' ? value.locktime : 0n
}
