import { MAX_U64 } from '../../base/encoding/amount.ts'
import { EncodingError } from '../../base/errors.ts'
import { requireBigint, requireBigints } from '../../base/require.ts'

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
export function gasPrice(
  excess: bigint,
  config: Pick<PriceConfig, 'minPrice' | 'excessConversionConstant'>,
): bigint {
  requireBigint(excess, 'excess')
  requireBigints(config, 'config', ['minPrice', 'excessConversionConstant'])
  const { minPrice, excessConversionConstant: k } = config
  if (excess < 0n || k <= 0n)
    throw new EncodingError(
      'ENC_INVALID',
      'excess must be at least 0 and excessConversionConstant above 0',
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
  requireBigints(state, 'state', ['capacity', 'excess'])
  requireBigint(seconds, 'seconds')
  requireBigints(config, 'config', ['maxPerSecond', 'targetPerSecond', 'maxCapacity'])
  const refilled = state.capacity + config.maxPerSecond * seconds
  const excess = state.excess - config.targetPerSecond * seconds
  return {
    capacity: refilled < config.maxCapacity ? refilled : config.maxCapacity,
    excess: excess > 0n ? excess : 0n,
  }
}

/** The fee state after a transaction has used gas; `undefined` if the capacity does not suffice. */
export function consumeGas(state: FeeState, gas: bigint): FeeState | undefined {
  requireBigints(state, 'state', ['capacity', 'excess'])
  requireBigint(gas, 'gas')
  if (gas > state.capacity) return undefined
  const excess = state.excess + gas
  return { capacity: state.capacity - gas, excess: excess < MAX_U64 ? excess : MAX_U64 }
}
