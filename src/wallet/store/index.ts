export { type KeyConflict, StoreError, type StoreErrorCode } from './errors.ts'
export { type FileStore, type FileStoreOptions, fileStore } from './file/store.ts'
export { memoryStore } from './memory.ts'
export type {
  Acceptance,
  AccountIndexes,
  Attempt,
  BlockReference,
  Claim,
  ClaimedLeg,
  ClaimedPayment,
  EndedAttempt,
  FoundTx,
  PaymentRecord,
  PaymentStatus,
  Store,
  StoreBinding,
  StoreState,
} from './store.ts'
