import { type Members, optional } from '../base/argument.ts'
import { compareBytes, equalBytes } from '../base/bytes/compare.ts'
import { hex } from '../base/encoding/hex.ts'
import { formatUTXOID, utxoIDs } from '../base/encoding/ids.ts'
import { VerifyError } from '../base/errors.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import type { TransferOutput } from '../chain/secp256k1fx.ts'
import { utxoKey } from '../chain/x/ids.ts'
import { compareInputs } from '../chain/x/order.ts'
import type { UTXOID } from '../chain/x/transferables.ts'
import { requireAnyUTXOs, type UTXO } from '../chain/x/utxo.ts'
import { verifyAssetID, verifyOutput } from '../chain/x/verify/verify-fx.ts'
import type { Codec } from '../codec/io.ts'
import { describeShortfall, FundsError, notSpendable, type Shortfall } from './errors.ts'
import { isSet, utxosArgument } from './set-argument.ts'
import type { UTXOSet } from './utxo-set.ts'
import { type Viewpoint, viewpointMembers } from './viewpoint.ts'

/** A UTXO of any chain, as far as selection needs it. */
export type ChainUTXO = UTXOID & { readonly assetID: Uint8Array }

/** The output of a UTXO without its stakeable lock, and that lock in Unix seconds; 0n for none. */
export type LockableOutput = {
  readonly output: TransferOutput
  readonly stakeableLocktime: bigint
}

/** A UTXO that can be spent now, and who signs for it. */
export type Coin<U extends ChainUTXO> = {
  readonly utxo: U
  readonly amount: bigint
  /** As many as the threshold, the first owners that can sign. */
  readonly signatureIndices: readonly number[]
}

/** UTXOs, who can sign for them, and the time. */
export type ListedUTXOs<U extends ChainUTXO> = Viewpoint & {
  /**
   * A set, or a list in any order; repetitions are ignored. A set cannot decode UTXOs with stakeable locks: pass a list
   * to spend them, or to have them reported as locked.
   */
  readonly utxos: UTXOSet | readonly U[]
  /**
   * UTXOs that are not spent.
   *
   * @defaultValue none
   */
  readonly excluded?: readonly UTXOID[] | undefined
  /**
   * The only UTXOs that may be spent.
   *
   * @defaultValue all
   */
  readonly only?: readonly UTXOID[] | undefined
}

/** Description of the members of `ListedUTXOs`. */
/* @__NO_SIDE_EFFECTS__ */
export function listedMembers<U extends ChainUTXO>(): Members<ListedUTXOs<U>> {
  return {
    utxos: utxosArgument<U>(),
    ...viewpointMembers,
    excluded: optional(utxoIDs),
    only: optional(utxoIDs),
  }
}

/**
 * Why a UTXO cannot be spent now. `opaque`: its output or asset ID breaks a rule of the chain.
 *
 * @inline
 */
type Reason = 'locked' | 'shortOfSigners' | 'reserved' | 'otherOwners' | 'opaque'

type Unusable<U extends ChainUTXO> = {
  readonly utxo: U
  readonly reason: Reason
  readonly amount: bigint
  /** Unix seconds; 0n if it is not locked. */
  readonly until: bigint
}

/** The transfer outputs of a set or list, and what only a set knows about them. */
type Origin<U extends ChainUTXO> = {
  readonly utxos: readonly U[]
  readonly isReserved: (utxo: U) => boolean
  /** Number of UTXOs of an asset that could not be decoded. */
  readonly undecodable: (assetID: Uint8Array) => number
}

function ofList<U extends ChainUTXO>(utxos: readonly U[], codec: Codec<U>): Origin<U> {
  requireAnyUTXOs(utxos, codec)
  return { utxos, isReserved: () => false, undecodable: () => 0 }
}

function ofSet<U extends ChainUTXO>(
  set: UTXOSet,
  view: Viewpoint,
  sourceChain: Uint8Array | undefined,
): Origin<U> {
  const { store } = set.holdings({ sourceChain })
  const utxos: readonly ChainUTXO[] = set.ofType('secp256k1fx.TransferOutput', { sourceChain })
  return {
    // Transfer outputs are the same on every chain.
    utxos: utxos as readonly U[],
    isReserved: (utxo) => store.isReserved(store.find(utxo), view.now),
    undecodable: (assetID) => {
      const balances = set.balances({ ...view, sourceChain })
      return balances.find((each) => equalBytes(each.assetID, assetID))?.opaque ?? 0
    },
  }
}

/** UTXOs sorted into those that can be spent now and those that cannot, with the reason. */
export class Coins<U extends ChainUTXO> {
  /** Largest first; equal amounts in the order of inputs. */
  readonly spendable: readonly Coin<U>[]
  private readonly unusable: readonly Unusable<U>[]
  /** Those that the caller excludes. Another draft usually spends them, so a shortfall counts them as reserved. */
  private readonly excluded: readonly Unusable<U>[]
  /** Keys of those that `excluded` or `only` prevents from being spent. */
  private readonly skipped: ReadonlySet<string>
  private readonly origin: Origin<U>

  /**
   * @param sourceChain - of a set, the chain that exported the UTXOs
   * @throws CodecError if a UTXO cannot be encoded
   */
  constructor(
    { utxos, excluded: excludedIDs, only, owners, now }: ListedUTXOs<U>,
    codec: Codec<U>,
    outputOf: (utxo: U) => LockableOutput,
    sourceChain?: Uint8Array,
  ) {
    this.origin = isSet(utxos) ? ofSet(utxos, { owners, now }, sourceChain) : ofList(utxos, codec)
    const ours = new Set(owners.map(hex.encode))
    const spendable: Coin<U>[] = []
    const unusable: Unusable<U>[] = []
    const excluded: Unusable<U>[] = []
    const seen = new Set<string>()
    const skipped = new Set(excludedIDs?.map(utxoKey))
    const onlyKeys = only && new Set(only.map(utxoKey))
    for (const utxo of this.origin.utxos) {
      const key = utxoKey(utxo)
      if (seen.has(key)) continue
      seen.add(key)
      const isExcluded = skipped.has(key)
      if (onlyKeys?.has(key) === false) {
        skipped.add(key)
        continue
      }
      const lockable = outputOf(utxo)
      const { amount } = lockable.output
      const until = lockOf(lockable)
      const signersOrReason = usableSigners(utxo.assetID, lockable, ours, now)
      const reason = Array.isArray(signersOrReason) ? 'reserved' : signersOrReason
      if (isExcluded) excluded.push({ utxo, reason, amount, until })
      else if (!Array.isArray(signersOrReason) || this.origin.isReserved(utxo))
        unusable.push({ utxo, reason, amount, until })
      else spendable.push({ utxo, amount, signatureIndices: signersOrReason })
    }
    this.spendable = spendable.sort(
      (a, b) =>
        (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1) || compareInputs(a.utxo, b.utxo),
    )
    this.unusable = unusable
    this.excluded = excluded
    this.skipped = skipped
  }

  /** The spendable UTXOs of one asset, largest first. */
  of(assetID: Uint8Array): Coin<U>[] {
    return this.spendable.filter(({ utxo }) => equalBytes(utxo.assetID, assetID))
  }

  /**
   * The UTXOs with these IDs.
   *
   * @throws FundsError `UTXO_NOT_FOUND`, or `UTXO_NOT_SPENDABLE` for one that cannot be spent or is excluded
   */
  named(ids: readonly UTXOID[]): Coin<U>[] {
    const byKey = new Map(this.spendable.map((coin) => [utxoKey(coin.utxo), coin]))
    return ids.map((id) => {
      const key = utxoKey(id)
      const coin = byKey.get(key)
      if (coin !== undefined) return coin
      if (this.skipped.has(key)) throw notSpendable(id, 'is excluded')
      const unusable = this.unusable.find(({ utxo }) => utxoKey(utxo) === key)
      if (unusable !== undefined) throw unspendable(unusable)
      throw new FundsError('UTXO_NOT_FOUND', `missing UTXO ${formatUTXOID(id)}`)
    })
  }

  /**
   * The largest UTXOs of an asset that, together with `pinned` ones, cover an amount.
   *
   * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS`
   */
  cover(assetID: Uint8Array, amount: bigint, pinned: readonly Coin<U>[]): Coin<U>[] {
    const taken = new Set(pinned)
    const isOfAsset = ({ utxo }: Coin<U>) => equalBytes(utxo.assetID, assetID)
    let sum = pinned.filter(isOfAsset).reduce((total, coin) => total + coin.amount, 0n)
    const selected: Coin<U>[] = []
    for (const coin of this.of(assetID)) {
      if (sum >= amount) break
      if (taken.has(coin)) continue
      selected.push(coin)
      sum += coin.amount
    }
    if (sum < amount) throw this.insufficient(assetID, amount, false)
    return selected
  }

  /** UTXOs that cannot be spent now, with the reason. */
  unspendable(): (AssetAmount & { readonly reason: Reason; readonly until: bigint })[] {
    return this.unusable.map(({ utxo: { assetID }, reason, amount, until }) => ({
      assetID,
      reason,
      amount,
      until,
    }))
  }

  /**
   * Throws unless every UTXO that the caller does not exclude can be spent.
   *
   * @throws FundsError `UTXO_NOT_SPENDABLE` for the first that cannot.
   */
  requireAll(): void {
    const [first] = this.unusable
    if (first !== undefined) throw unspendable(first)
  }

  /** The error for an amount that the spendable UTXOs cannot cover; `isAVAX` decides how amounts are printed. */
  insufficient(assetID: Uint8Array, needed: bigint, isAVAX: boolean): FundsError {
    const sums = { locked: 0n, shortOfSigners: 0n, reserved: 0n, otherOwners: 0n }
    let opaque = this.origin.undecodable(assetID)
    const unlocks: bigint[] = []
    for (const { utxo, reason, amount, until } of [...this.unusable, ...this.excluded]) {
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
    const text = describeShortfall(shortfall, isAVAX)
    return new FundsError('BUILDER_INSUFFICIENT_FUNDS', `insufficient funds: ${text}`, [shortfall])
  }
}

function unspendable({ utxo, reason, until }: Unusable<ChainUTXO>): FundsError {
  const words: { readonly [Key in Reason]: string } = {
    locked: `is locked until ${until}`,
    shortOfSigners: 'has too few of these owners to sign',
    reserved: 'is reserved',
    otherOwners: 'belongs to other owners',
    opaque: 'has an output or asset ID that the chain does not allow',
  }
  return notSpendable(utxo, words[reason])
}

/**
 * Outputs of other types cannot be spent as an amount. They are replaced by this one, which breaks a rule of the chain
 * and therefore counts as `opaque`.
 */
const INVALID_OUTPUT: TransferOutput = {
  type: 'secp256k1fx.TransferOutput',
  amount: 0n,
  locktime: 0n,
  threshold: 0,
  addresses: [],
}

/** The output of a UTXO in the form of the X-Chain, which has no stakeable locks. */
export function transferOutputOf({ output }: UTXO): LockableOutput {
  return {
    output: output.type === 'secp256k1fx.TransferOutput' ? output : INVALID_OUTPUT,
    stakeableLocktime: 0n,
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
export function sortedAsInputs<U extends ChainUTXO>(coins: readonly Coin<U>[]): Coin<U>[] {
  return [...coins].sort((a, b) => compareInputs(a.utxo, b.utxo))
}

/** Sums per asset, in the order of asset IDs. */
export function sumsOf<U extends ChainUTXO>(coins: readonly Coin<U>[]): AssetAmount[] {
  const sums = new AssetSums()
  for (const { utxo, amount } of coins) sums.add(utxo.assetID, amount)
  return sums.list().sort((a, b) => compareBytes(a.assetID, b.assetID))
}

/** Splits UTXOs into chunks, each as long as `fits` allows but with at least one UTXO. The order stays. */
export function chunksOf<U extends ChainUTXO>(
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
