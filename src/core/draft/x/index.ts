export type {
  AddressArgument,
  AmountArgument,
  ChangeArgument,
  IDArgument,
  OutputArgument,
  OwnersArgument,
} from '../arguments.ts'
export { BuildError, type BuildErrorCode } from '../errors.ts'
export { DEFAULT_MAX_FEE } from '../fees.ts'
export type { BuildOptions } from './assemble.ts'
export {
  buildCreateAsset,
  type CreateAssetOptions,
  type InitialNFT,
  type NFTGroup,
} from './create-asset.ts'
export type { Draft } from './draft.ts'
export { buildExport, type ExportOptions } from './export.ts'
export type { CoinSource, Funds, SpendableSet } from './funds.ts'
export { buildImport, type FeeSource, type ImportOptions, planImport } from './import.ts'
export {
  type BurnPropertyArgument,
  buildBurnProperty,
  buildMint,
  buildMintNFT,
  buildMintProperty,
  buildOperations,
  buildTransferNFT,
  type MintArgument,
  type MintNFTArgument,
  type MintPropertyArgument,
  type OperationArgument,
  type OperationBuildOptions,
  type TransferNFTArgument,
} from './operations.ts'
export type { LeftBehind, LeftBehindReason, Plan } from './plan.ts'
export { buildSendAll, type SendAllOptions } from './send-all.ts'
export { CLEAR_SIGN_SIZE, planSweep, type SweepOptions } from './sweep.ts'
export { buildTransfer, needFor, type TransferOptions } from './transfer.ts'
