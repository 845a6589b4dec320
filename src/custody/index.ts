export type { WatchedAddress, WatchOptions } from './addresses.ts'
export type { AssetAudit, Audit, AuditDifference, AuditOptions } from './audit.ts'
export { type Custody, openCustody, type RefillRequest, type WatchXpubOptions } from './custody.ts'
export type { DatabaseClient, DatabasePool, DatabaseResult } from './database.ts'
export type { Deposit, DepositsQuery } from './deposits.ts'
export type { CustodyAccount } from './derived-keys.ts'
export { CustodyError, type CustodyErrorCode } from './errors.ts'
export { type OperationsOptions, type OperationsServer, serveOperations } from './http.ts'
export { type CustodyHealth, formatMetrics, healthOf } from './metrics.ts'
export type { CustodyOptions } from './options.ts'
export type { DepositKind, WalletName } from './outputs.ts'
export type { PayoutRequest, Requested } from './payout-requests.ts'
export type { Payout, PayoutStatus, PayoutsQuery } from './payouts.ts'
export type { Policy, PolicyDecision, PolicyFacts, QueuedPayout } from './policy.ts'
export type { CustodyEvent, CustodyLimits, Log } from './settings.ts'
export type { CustodyStatus, Reserve } from './status.ts'
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from './store.ts'
export type {
  CollectRule,
  ConsolidateRule,
  RefillRule,
  StoreRule,
  SweepRule,
} from './sweep-rules.ts'
