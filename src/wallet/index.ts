export type { ServerReport } from '../node/view/server-log.ts'
export type { WalletAddress } from './accounts/account-addresses.ts'
export type { AccountWalletOptions } from './accounts/options.ts'
export type { AssetFault } from './assets.ts'
export type { BalancesOptions, WalletBalance } from './balances/balances.ts'
export { formatBalances } from './balances/format.ts'
export type { WaitingAmount } from './balances/waiting.ts'
export {
  BatchError,
  type BatchPreview,
  type BatchProgress,
  type BatchResult,
  type UnspendableAsset,
} from './batches/batch-result.ts'
export type { BatchTotal } from './batches/batch-total.ts'
export type { RedraftOptions } from './batches/batch-tx.ts'
export type { BatchOptions, ConsolidateCall, ImportCall, SweepCall } from './batches/batches.ts'
export type { Shortage } from './batches/payout-funds.ts'
export {
  type Payout,
  type PayoutsCall,
  PayoutsError,
  type PayoutsOptions,
  type PayoutsPlan,
  type PayoutsResult,
} from './batches/payouts.ts'
export { WalletError, type WalletErrorCode } from './errors.ts'
export type { WalletHistoryEntry } from './history/entry.ts'
export type { WalletHistoryOptions } from './history/history.ts'
export type {
  BlockProgress,
  Confirm,
  Prepared,
  Receipt,
  RunOptions,
  SendOptions,
  WalletOptions,
  WalletWait,
} from './options.ts'
export type {
  BurnPropertyCall,
  Choose,
  CreateAssetCall,
  ExportCall,
  MintCall,
  MintNFTCall,
  MintPropertyCall,
  OperateCall,
  PayoutTxOptions,
  SendAllCall,
  TransferCall,
  TransferNFTCall,
  TxOptions,
} from './payments/calls.ts'
export type { CancelResult } from './payments/cancellation.ts'
export type { PaymentKind } from './payments/content.ts'
export type { PaymentDetails, PaymentOutput, WalletPayment } from './payments/payment-details.ts'
export type { PaymentKeys } from './payments/payment-keys.ts'
export type { Resumed, ResumeOptions } from './payments/resuming.ts'
export type { UnrecordedTx } from './recovery/catch-up.ts'
export type { RecoverOptions, Recovery } from './recovery/recovery.ts'
export type { WalletRequestOptions } from './requests.ts'
export type { Outcome } from './store/store.ts'
export type { UTXODifferences } from './utxos/compare-lists.ts'
export type { ChainBalance } from './utxos/disputed.ts'
export { createWallet } from './wallet.ts'
export type { Preparations, Wallet } from './wallet-type.ts'
