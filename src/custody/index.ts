export type { DepositKind, WalletName } from './chain/outputs.ts'
export type { LimitUse } from './control/limit-checks.ts'
export type {
  AllowRule,
  AmountLimit,
  ApprovalRule,
  DelayRule,
  LimitAsset,
  LimitRule,
} from './control/limit-rules.ts'
export type { Limit } from './control/limits.ts'
export {
  type Custody,
  type CustodyActions,
  openCustody,
  type SignalOptions,
  type WatchXpubOptions,
} from './custody.ts'
export type { DatabaseClient, DatabasePool, DatabaseResult } from './database/database.ts'
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from './database/store.ts'
export type { WatchedAddress, WatchOptions } from './deposits/addresses.ts'
export type { Deposit, DepositsQuery } from './deposits/deposits.ts'
export type { CustodyAccount } from './deposits/derived-keys.ts'
export { CustodyError, type CustodyErrorCode } from './errors.ts'
export type {
  AssetAudit,
  Audit,
  AuditDifference,
  AuditDispute,
  AuditOptions,
} from './operations/audit.ts'
export type { AuditFault } from './operations/audit-rows.ts'
export type { EventKind, EventsQuery, StatusEvent } from './operations/events.ts'
export {
  type OperationsOptions,
  type OperationsServer,
  serveOperations,
} from './operations/http.ts'
export { type CustodyHealth, formatMetrics, healthOf } from './operations/metrics.ts'
export type { CustodyProblem, CustodyStatus, Reserve } from './operations/status.ts'
export type { CustodyOptions } from './options.ts'
export type { PayoutRequest, PayoutResult, Requested } from './payouts/payout-requests.ts'
export type { Payout, PayoutStatus, PayoutsQuery } from './payouts/payouts.ts'
export type { Policy, PolicyDecision, PolicyQueries, QueuedPayout } from './payouts/policy.ts'
export type { Attribution, ReconciliationQuery, UnknownPayment } from './payouts/reconciliation.ts'
export type { CustodyEvent, CustodyLimits, Log } from './settings.ts'
export type { RefillRequest } from './sweeps/refill.ts'
export type {
  CollectRule,
  ConsolidateRule,
  RefillRule,
  StoreRule,
  SweepRule,
} from './sweeps/sweep-rules.ts'
