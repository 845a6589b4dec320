export type { AssetAmount } from '../chain/amounts.ts'
export type { AssetBalance } from './balances.ts'
export { type ChosenCoins, chooseCoins } from './chosen.ts'
export { FundsError, type FundsErrorCode, type Shortfall } from './errors.ts'
export type {
  ChoiceOptions,
  Consolidation,
  Need,
  Selection,
  SelectOptions,
  Strategy,
} from './need.ts'
export type { Coin, PoolOptions } from './pool.ts'
export { type StreamedSelection, selectFromPages } from './stream.ts'
export {
  type AddResult,
  type OpaqueEntry,
  type Page,
  type Source,
  UTXOSet,
} from './utxo-set.ts'
export type { Viewpoint } from './viewpoint.ts'
