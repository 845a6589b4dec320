export { StoreError, type StoreErrorCode } from './errors.ts'
export { memoryStore } from './memory.ts'
export type {
  Acceptance,
  Attempt,
  Claim,
  ClaimedPayment,
  PaymentRecord,
  PaymentStatus,
  Store,
  StoreBinding,
} from './store.ts'
