import { compareBytes, equalBytes } from '../base/bytes/compare.ts'
import { formatAmount } from '../base/encoding/amount.ts'
import { hex } from '../base/encoding/hex.ts'
import { VerifyError } from '../base/errors.ts'
import { requireBigint, requireList } from '../base/require.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import type { TransferOutput } from '../chain/secp256k1fx.ts'
import { utxoKey } from '../chain/x/ids.ts'
import { compareInputs } from '../chain/x/order.ts'
import type { UTXOID } from '../chain/x/transferables.ts'
import { requireAnyUTXOs } from '../chain/x/utxo.ts'
import { verifyAssetID, verifyOutput } from '../chain/x/verify/verify-fx.ts'
import type { Codec } from '../codec/io.ts'
import { describeShortfall, FundsError, notSpendable, type Shortfall } from '../coins/errors.ts'
import { checkViewpoint, type Viewpoint } from '../coins/viewpoint.ts'
import { requireOptions } from './arguments.ts'

/** A UTXO of any chain, as far as selection needs it. */
export type AnyUTXO = UTXOID & { readonly assetID: Uint8Array }

/** The output of a UTXO without its stakeable lock, and that lock in Unix seconds; 0n for none. */
export type LockableOutput = {
  readonly output: TransferOutput
  readonly stakeableLocktime: bigint
}

/** A UTXO that can be spent now, and who signs for it. */
export type Coin<U extends AnyUTXO> = {
  readonly utxo: U
  readonly amount: bigint
  /** As many as the threshold, the first owners that can sign. */
  readonly signatureIndices: readonly number[]
}

/** UTXOs, who can sign for them, and the time. */
export type ListedUTXOs<U extends AnyUTXO> = Viewpoint & {
  /** In any order; repetitions are ignored. */
  readonly utxos: readonly U[]
  /**
   * UTXOs that are reserved for other transactions.
   *
   * @defaultValue none
   */
  readonly reserved?: readonly UTXOID[] | undefined
}

/**
 * Why a UTXO cannot be spent now. `opaque`: its output or asset ID breaks a rule of the chain.
 *
 * @inline
 */
type Reason = 'locked' | 'shortOfSigners' | 'reserved' | 'otherOwners' | 'opaque'

type Unusable<U extends AnyUTXO> = {
  readonly utxo: U
  readonly reason: Reason
  readonly amount: bigint
  /** Unix seconds; 0n if it is not locked. */
  readonly until: bigint
}

/** Rejects calls from plain JavaScript without complete funds or another required option. */
export function requireFunds<
  T extends { readonly funds: ListedUTXOs<AnyUTXO>; readonly maxGas?: bigint | undefined },
>(builder: string, options: T, names: readonly (keyof T & string)[]): void {
  requireOptions(builder, options, ['funds', ...names])
  const { funds } = options
  requireOptions(builder, funds, ['utxos', 'owners', 'now'], 'funds.')
  if (funds.reserved !== undefined) requireList(funds.reserved, 'funds.reserved')
  if (options.maxGas !== undefined) requireBigint(options.maxGas, 'maxGas')
}

/** UTXOs sorted into those that can be spent now and those that cannot, with the reason. */
export class Coins<U extends AnyUTXO> {
  /** Largest first; equal amounts in the order of inputs. */
  readonly spendable: readonly Coin<U>[]
  private readonly unusable: readonly Unusable<U>[]

  constructor(
    { utxos, reserved, ...view }: ListedUTXOs<U>,
    codec: Codec<U>,
    outputOf: (utxo: U) => LockableOutput,
  ) {
    checkViewpoint(view)
    requireAnyUTXOs(utxos, codec)
    const ours = new Set(view.owners.map(hex.encode))
    const spendable: Coin<U>[] = []
    const unusable: Unusable<U>[] = []
    const seen = new Set<string>()
    const reservedKeys = new Set(reserved?.map(utxoKey))
    for (const utxo of utxos) {
      const key = utxoKey(utxo)
      if (seen.has(key)) continue
      seen.add(key)
      const lockable = outputOf(utxo)
      const { amount } = lockable.output
      const until = lockOf(lockable)
      const signersOrReason = usableSigners(utxo.assetID, lockable, ours, view.now)
      if (!Array.isArray(signersOrReason))
        unusable.push({ utxo, reason: signersOrReason, amount, until })
      else if (reservedKeys.has(key)) unusable.push({ utxo, reason: 'reserved', amount, until })
      else spendable.push({ utxo, amount, signatureIndices: signersOrReason })
    }
    this.spendable = spendable.sort(
      (a, b) =>
        (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1) || compareInputs(a.utxo, b.utxo),
    )
    this.unusable = unusable
  }

  /** The spendable UTXOs of one asset, largest first. */
  of(assetID: Uint8Array): Coin<U>[] {
    return this.spendable.filter(({ utxo }) => equalBytes(utxo.assetID, assetID))
  }

  /** UTXOs that cannot be spent now; `until` is their locktime in Unix seconds, 0n if not locked. */
  unspendable(): { readonly utxo: U; readonly reason: Reason; readonly until: bigint }[] {
    return this.unusable.map(({ utxo, reason, until }) => ({ utxo, reason, until }))
  }

  /**
   * Throws unless every UTXO can be spent.
   *
   * @throws FundsError `UTXO_NOT_SPENDABLE` for the first that cannot.
   */
  requireAll(): void {
    const [first] = this.unusable
    if (first === undefined) return
    const words: { readonly [Key in Reason]: string } = {
      locked: `is locked until ${first.until}`,
      shortOfSigners: 'has too few of these owners to sign',
      reserved: 'is reserved',
      otherOwners: 'belongs to other owners',
      opaque: 'has an output or asset ID that the chain does not allow',
    }
    throw notSpendable(first.utxo, words[first.reason])
  }

  /** The error for an amount that the spendable UTXOs cannot cover; `isAVAX` decides how amounts are printed. */
  insufficient(assetID: Uint8Array, needed: bigint, isAVAX: boolean): FundsError {
    const sums = { locked: 0n, shortOfSigners: 0n, reserved: 0n, otherOwners: 0n }
    let opaque = 0
    const unlocks: bigint[] = []
    for (const { utxo, reason, amount, until } of this.unusable) {
      if (!equalBytes(utxo.assetID, assetID)) continue
      if (reason === 'opaque') opaque++
      else sums[reason] += amount
      if (reason === 'locked') unlocks.push(until)
    }
    unlocks.sort((a, b) => (a < b ? -1 : 1))
    const shortfall: Shortfall = {
      assetID,
      needed,
      available: this.of(assetID).reduce((sum, { amount }) => sum + amount, 0n),
      didNotFit: 0n,
      ...sums,
      ...(unlocks.length > 0 && { nextUnlock: unlocks[0]!, lastUnlock: unlocks.at(-1)! }),
      opaque,
    }
    const text = isAVAX
      ? describeShortfall(shortfall, (amount) => `${formatAmount(amount)} AVAX`, '')
      : describeShortfall(shortfall)
    return new FundsError('BUILDER_INSUFFICIENT_FUNDS', `insufficient funds: ${text}`, [shortfall])
  }
}

/** Unix seconds until which an output cannot be transferred; 0n for never locked. */
function lockOf({ output, stakeableLocktime }: LockableOutput): bigint {
  return stakeableLocktime > output.locktime ? stakeableLocktime : output.locktime
}

/** The signature indices that spend an output now, or why it cannot be spent. */
function usableSigners(
  assetID: Uint8Array,
  lockable: LockableOutput,
  ours: ReadonlySet<string>,
  now: bigint,
): number[] | Reason {
  const { output } = lockable
  try {
    verifyAssetID(assetID, '')
    verifyOutput(output, '')
  } catch (error) {
    if (error instanceof VerifyError) return 'opaque'
    throw error
  }
  const signers = output.addresses.flatMap((address, i) =>
    ours.has(hex.encode(address)) ? [i] : [],
  )
  if (signers.length < output.threshold)
    return signers.length > 0 ? 'shortOfSigners' : 'otherOwners'
  if (lockOf(lockable) > now) return 'locked'
  return signers.slice(0, output.threshold)
}

/** UTXOs in the order that the chain requires of inputs. */
export function sortedAsInputs<U extends AnyUTXO>(coins: readonly Coin<U>[]): Coin<U>[] {
  return [...coins].sort((a, b) => compareInputs(a.utxo, b.utxo))
}

/** Sums per asset, in the order of asset IDs. */
export function sumsOf<U extends AnyUTXO>(coins: readonly Coin<U>[]): AssetAmount[] {
  const sums = new AssetSums()
  for (const { utxo, amount } of coins) sums.add(utxo.assetID, amount)
  return sums.list().sort((a, b) => compareBytes(a.assetID, b.assetID))
}

/** Splits UTXOs into chunks, each as long as `fits` allows but with at least one UTXO. The order stays. */
export function chunksOf<U extends AnyUTXO>(
  coins: readonly Coin<U>[],
  fits: (chunk: readonly Coin<U>[]) => boolean,
): Coin<U>[][] {
  const chunks: Coin<U>[][] = []
  let chunk: Coin<U>[] = []
  for (const coin of coins) {
    if (chunk.length > 0 && !fits([...chunk, coin])) {
      chunks.push(chunk)
      chunk = []
    }
    chunk.push(coin)
  }
  if (chunk.length > 0) chunks.push(chunk)
  return chunks
}

/**
 * Why a UTXO is not imported.
 *
 * `dust` it is worth no more than the fee of its own input; `fee` its import cannot be paid, or costs more than
 * `maxFee`; `otherAsset` the caller does not import this asset; `opaque` its output or asset ID breaks a rule of the
 * chain.
 */
export type LeftBehindReason = Reason | 'dust' | 'fee' | 'otherAsset'

/** Imports in as few transactions as their gas allows, and the UTXOs that are not imported. */
export type ImportPlan<Draft, U> = {
  readonly drafts: readonly Draft[]
  readonly leftBehind: readonly { readonly utxo: U; readonly reason: LeftBehindReason }[]
}
