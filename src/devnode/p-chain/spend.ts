import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { VerifyError } from '../../core/base/errors.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { outputOwners } from '../../core/chain/owners.ts'
import {
  stakeableLocktime,
  type TransferableInput,
  type TransferableOutput,
  unlockedInput,
  unlockedOutput,
} from '../../core/chain/p/transferables.ts'
import type { UTXO } from '../../core/chain/p/utxo.ts'
import type { SecpCredential } from '../../core/chain/secp256k1fx.ts'
import { encode } from '../../core/codec/codec.ts'
import { verifySpend as verifyTransfer } from '../ledger/fx-rules.ts'
import type { FxEnvironment } from '../ledger/ownership.ts'

/** The inputs, outputs and fee of a transaction. */
export type SpendArguments = {
  readonly inputs: readonly TransferableInput[]
  /** The UTXO that each input spends. */
  readonly utxos: readonly UTXO[]
  readonly credentials: readonly SecpCredential[]
  /** Exported outputs included. */
  readonly outputs: readonly TransferableOutput[]
  /** In nAVAX. */
  readonly fee: bigint
  readonly feeAssetID: Uint8Array
}

/**
 * Checks that the credentials allow the inputs to be spent and that the inputs cover the outputs and the fee,
 * separately for each stakeable lock. Follows `VerifySpendUTXOs` of `vms/platformvm/utxo/verifier.go`.
 */
export function verifySpendUTXOs(spend: SpendArguments, environment: FxEnvironment): void {
  const { inputs, utxos, credentials, outputs } = spend
  if (inputs.length !== credentials.length)
    throw new VerifyError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `wrong number of credentials: ${inputs.length} inputs != ${credentials.length} credentials`,
      'credentials',
    )
  const consumed = new OwnerSums()
  const produced = new OwnerSums()
  const unlockedConsumed = new OwnerSums()
  const unlockedProduced = new OwnerSums()
  unlockedProduced.add(spend.feeAssetID, '', spend.fee)
  inputs.forEach((input, i) => {
    const path = `credentials[${i}]`
    const utxo = utxos[i]!
    const lock = verifySpentInput(input, utxo, credentials[i]!, environment, path)
    const { amount } = unlockedInput(input.input)
    if (environment.now >= lock) unlockedConsumed.add(utxo.assetID, '', amount)
    else consumed.add(utxo.assetID, lockName(lock, utxo.output), amount)
  })
  for (const { assetID, output } of outputs) {
    const lock = stakeableLocktime(output)
    const { amount } = unlockedOutput(output)
    if (lock === 0n) unlockedProduced.add(assetID, '', amount)
    else produced.add(assetID, lockName(lock, output), amount)
  }
  for (const { assetID, name, amount } of produced.list()) {
    const increase = amount - consumed.get(assetID, name)
    if (increase <= 0n) continue
    const unlocked = unlockedConsumed.get(assetID, '')
    const [lock, owner] = name.split(' ')
    if (increase > unlocked)
      throw new VerifyError(
        'INSUFFICIENT_LOCKED_FUNDS',
        `insufficient locked funds: ${owner} needs ${increase - unlocked} more ${cb58.encode(assetID)} for locktime ${lock}`,
      )
    unlockedConsumed.add(assetID, '', -increase)
  }
  for (const { assetID, amount } of unlockedProduced.list()) {
    const missing = amount - unlockedConsumed.get(assetID, '')
    if (missing > 0n)
      throw new VerifyError(
        'INSUFFICIENT_FUNDS',
        `insufficient unlocked funds: needs ${missing} more ${cb58.encode(assetID)}`,
      )
  }
}

/** Checks one input against the UTXO it spends; returns the UTXO's stakeable locktime, 0n if it has none. */
function verifySpentInput(
  { assetID, input }: TransferableInput,
  utxo: UTXO,
  credential: SecpCredential,
  environment: FxEnvironment,
  path: string,
): bigint {
  if (!equalBytes(assetID, utxo.assetID))
    throw new VerifyError(
      'ASSET_ID_MISMATCH',
      `input asset ID does not match UTXO asset ID: ${cb58.encode(assetID)} != ${cb58.encode(utxo.assetID)}`,
      path,
    )
  const lock = stakeableLocktime(utxo.output)
  if (environment.now < lock && input.type !== 'stakeable.LockIn')
    throw new VerifyError('LOCKED_NOT_MARKED', 'locked funds not marked as locked', path)
  if (input.type === 'stakeable.LockIn' && input.locktime !== lock)
    throw new VerifyError(
      'LOCKTIME_MISMATCH',
      `input locktime does not match UTXO locktime: ${input.locktime} != ${lock}`,
      path,
    )
  try {
    verifyTransfer(unlockedInput(input), credential, unlockedOutput(utxo.output), environment, path)
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error
    throw new VerifyError(error.code, `failed to verify transfer: ${error.reason}`, path)
  }
  return lock
}

/** Locked amounts are summed up per locktime and owners, which the node identifies by a hash. */
function lockName(lock: bigint, output: UTXO['output']): string {
  return `${lock} ${cb58.encode(sha256(encode(outputOwners, unlockedOutput(output))))}`
}

/** Amounts by asset and name; an overflow is an error, as in the node. */
class OwnerSums {
  private readonly sums = new Map<string, { assetID: Uint8Array; name: string; amount: bigint }>()

  add(assetID: Uint8Array, name: string, amount: bigint): void {
    const key = `${hex.encode(assetID)} ${name}`
    const entry = this.sums.get(key) ?? { assetID, name, amount: 0n }
    entry.amount += amount
    if (entry.amount > MAX_U64) throw new VerifyError('AMOUNT_OVERFLOW', 'overflow')
    this.sums.set(key, entry)
  }

  get(assetID: Uint8Array, name: string): bigint {
    return this.sums.get(`${hex.encode(assetID)} ${name}`)?.amount ?? 0n
  }

  list(): { readonly assetID: Uint8Array; readonly name: string; readonly amount: bigint }[] {
    return [...this.sums.values()]
  }
}
