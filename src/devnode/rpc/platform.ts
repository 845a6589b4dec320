import { stringifyJSON } from '../../codec/json-text.ts'
import type { Method } from './envelope.ts'

/**
 * The one method of the P-Chain that is answered: the reference JavaScript client asks for it
 * before it builds anything, also on the X-Chain. The figures are those of every network
 * (avalanchego `genesis/`).
 */
export function platformMethods(): { readonly [name: string]: Method } {
  return {
    getFeeConfig: () =>
      stringifyJSON({
        weights: [1, 1000, 1000, 4],
        maxCapacity: 1_000_000,
        maxPerSecond: 100_000,
        targetPerSecond: 50_000,
        minPrice: 1,
        excessConversionConstant: 2_164_043,
      }),
  }
}
