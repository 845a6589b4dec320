import {
  argument,
  bigintFrom,
  type Check,
  ignored,
  type Members,
  object,
  optional,
} from '../../base/argument.ts'
import { MAX_U64 } from '../../base/integers.ts'

/** Parameters of the gas price, as `platform.getFeeConfig` returns them. */
export type PriceConfig = {
  /** The most gas that a block, and so a transaction, can use. */
  readonly maxCapacity: bigint
  /** Gas by which the capacity refills in a second. */
  readonly maxPerSecond: bigint
  /** Gas by which the excess falls in a second. */
  readonly targetPerSecond: bigint
  /** nAVAX per unit of gas. */
  readonly minPrice: bigint
  /** Excess gas at which the price is e times the minimum. */
  readonly excessConversionConstant: bigint
}

/** The part of the chain's state that decides the gas price, as `platform.getFeeState` reports. */
export type FeeState = {
  /** Gas that can be used at this second. */
  readonly capacity: bigint
  /** Gas that was used above the target and has not been worked off yet. */
  readonly excess: bigint
}

const gas: Check<bigint> = bigintFrom(0n)

const priceMembers: Members<PriceConfig> = {
  maxCapacity: gas,
  maxPerSecond: gas,
  targetPerSecond: gas,
  minPrice: gas,
  excessConversionConstant: bigintFrom(1n),
}

const priceConfig: Check<PriceConfig> = object<PriceConfig & { readonly weights?: unknown }>({
  ...priceMembers,
  weights: ignored,
})

/** The members of {@link PriceConfig} that determine the price. */
export type PriceCurve = Pick<PriceConfig, 'minPrice' | 'excessConversionConstant'>

/** Only the two members that determine the price are needed; a whole `PriceConfig` is accepted. */
const priceCurve: Check<PriceCurve> = object<
  PriceCurve & Partial<PriceConfig> & { readonly weights?: unknown }
>({
  ...priceMembers,
  weights: ignored,
  maxCapacity: optional(gas),
  maxPerSecond: optional(gas),
  targetPerSecond: optional(gas),
})

const feeState: Check<FeeState> = object<
  FeeState & { readonly price?: unknown; readonly time?: unknown }
>({
  capacity: gas,
  excess: gas,
  // Members of replies of the node, which are accepted as they are.
  price: ignored,
  time: ignored,
})

/** The values of Mainnet, Fuji and the local network. */
export const DEFAULT_PRICE_CONFIG: PriceConfig = {
  maxCapacity: 1_000_000n,
  maxPerSecond: 100_000n,
  targetPerSecond: 50_000n,
  minPrice: 1n,
  excessConversionConstant: 2_164_043n,
}

/**
 * The gas price for an excess: `minPrice · e^(excess / excessConversionConstant)` in the node's integer
 * approximation (`CalculatePrice` of `vms/components/gas`), at most 2^64 − 1.
 */
export function gasPrice(excess: bigint, config: PriceCurve): bigint {
  argument('gasPrice', excess, gas, 'excess')
  const { minPrice, excessConversionConstant: k } = argument(
    'gasPrice',
    config,
    priceCurve,
    'config',
  )
  const limit = k * MAX_U64
  let sum = 0n
  let term = minPrice * k
  for (let i = 1n; term > 0n; i++) {
    sum += term
    if (sum >= limit) return MAX_U64
    term = (term * excess) / k / i
  }
  return sum / k
}

/** The fee state after a number of seconds without transactions. */
export function advanceFeeState(state: FeeState, seconds: bigint, config: PriceConfig): FeeState {
  const before = argument('advanceFeeState', state, feeState, 'state')
  argument('advanceFeeState', seconds, gas, 'seconds')
  const { maxPerSecond, targetPerSecond, maxCapacity } = argument(
    'advanceFeeState',
    config,
    priceConfig,
    'config',
  )
  const refilled = before.capacity + maxPerSecond * seconds
  const excess = before.excess - targetPerSecond * seconds
  return {
    capacity: refilled < maxCapacity ? refilled : maxCapacity,
    excess: excess > 0n ? excess : 0n,
  }
}

/** The fee state after a transaction has used gas; `undefined` if the capacity does not suffice. */
export function consumeGas(state: FeeState, used: bigint): FeeState | undefined {
  const before = argument('consumeGas', state, feeState, 'state')
  argument('consumeGas', used, gas, 'used')
  if (used > before.capacity) return undefined
  const excess = before.excess + used
  return { capacity: before.capacity - used, excess: excess < MAX_U64 ? excess : MAX_U64 }
}
