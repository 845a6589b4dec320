export type { AssetFault } from './assets.ts'
export {
  BatchError,
  type BatchPreview,
  type BatchProgress,
  type BatchResult,
  type RefusedPart,
  type SetAside,
} from './batch-result.ts'
export type { BatchTotal } from './batch-total.ts'
export type { BatchOptions, ConsolidateCall, ImportCall, SweepCall } from './batches.ts'
export type { Settled } from './dispatch.ts'
export { WalletError, type WalletErrorCode } from './errors.ts'
export {
  type Journal,
  type JournalEntry,
  memoryJournal,
  type Payment,
  type PaymentKeys,
  readPayments,
} from './journal.ts'
export type {
  Confirm,
  Prepared,
  Receipt,
  RunOptions,
  SendOptions,
  WalletOptions,
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
  SendAllCall,
  TransferCall,
  TransferNFTCall,
  TxOptions,
} from './recipes.ts'
export {
  createWallet,
  type Preparations,
  type Wallet,
} from './wallet.ts'
