export { StoreError, type StoreErrorCode } from './errors.ts'
export { type FileStore, type FileStoreOptions, fileStore } from './file/store.ts'
export { memoryStore } from './memory.ts'
export type {
  Acceptance,
  Attempt,
  Claim,
  ClaimedLeg,
  ClaimedPayment,
  PaymentRecord,
  PaymentStatus,
  Store,
  StoreBinding,
} from './store.ts'
