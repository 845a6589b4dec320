export type { DiscoveredAddress, Discovery } from '../../core/crypto/hd/discovery.ts'
export {
  type IndexedEntry,
  type IndexedHistoryOptions,
  type IndexOptions,
  indexedHistory,
  usedByDataAPI,
} from './data-api.ts'
export {
  DEFAULT_GAP_LIMIT,
  type DiscoveryClient,
  type DiscoveryOptions,
  discoverAccount,
} from './discover.ts'
export { DiscoveryError, type DiscoveryErrorCode } from './errors.ts'
export { addressHistory, type HistoryEntry, type HistoryOptions } from './history.ts'
