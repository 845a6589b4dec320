export type { MoveChain, NonceMismatch } from './side.ts'
export type { SigningOptions } from './signing.ts'
export {
  type ImportStrayCall,
  type MoveCall,
  MoveError,
  type MoveOptions,
  type MoveQuote,
  type MoveReceipt,
  type MoveRecord,
  StrayError,
  type StrayResult,
} from './types.ts'
export {
  type CrossChainWallet,
  type CrossChainWalletOptions,
  createCrossChainWallet,
} from './wallet.ts'
