export type { Outcome } from '../store/store.ts'
export type { AssetFault } from './assets.ts'
export {
  BatchError,
  type BatchPreview,
  type BatchProgress,
  type BatchResult,
  type UnspendableAsset,
} from './batch-result.ts'
export type { BatchTotal } from './batch-total.ts'
export type { RedraftOptions } from './batch-tx.ts'
export type { BatchOptions, ConsolidateCall, ImportCall, SweepCall } from './batches.ts'
export type { CancelResult } from './cancellation.ts'
export { WalletError, type WalletErrorCode } from './errors.ts'
export type { UTXODifferences } from './fetch-utxos.ts'
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
} from './intents.ts'
export type {
  Confirm,
  Prepared,
  Receipt,
  RunOptions,
  SendOptions,
  WalletOptions,
  WalletWait,
} from './options.ts'
export type { PaymentKeys } from './payment-keys.ts'
export type { UnrecordedTx } from './recovery.ts'
export type { WalletRequestOptions } from './requests.ts'
export type { Resumed, ResumeOptions } from './resuming.ts'
export { createWallet, type Preparations, type Wallet } from './wallet.ts'
