export type { AnyUTXO, ImportPlan, LeftBehindReason, ListedUTXOs } from '../atomic/coins.ts'
export type {
  AtomicExplanation,
  AtomicWarning,
  AtomicWarningCode,
  ExplainAtomicOptions,
  ExplainAtomicRequestOptions,
  ExplainedAccount,
  ExplainedOutput,
  ProvenAsset,
} from '../atomic/explain.ts'
export { formatAtomicExplanation, formatAtomicRequestExplanation } from '../atomic/explain-text.ts'
export type { AtomicRequestExplanation } from '../atomic/request.ts'
export type {
  AtomicRequest,
  AtomicRequestOptions,
  AtomicVariant,
  AtomicVariantStatus,
  RequestedDraft,
} from '../atomic/request-chain.ts'
export type { ParseAtomicRequestOptions } from '../atomic/request-file.ts'
export type { GetParent, ParentChain } from '../atomic/request-proofs.ts'
export type {
  AtomicRequestSignerOptions,
  AtomicRequestSignOptions,
} from '../atomic/request-sign.ts'
export type { AtomicRequests } from '../atomic/requests.ts'
export {
  type AtomicDraftOptions,
  type AtomicSignOptions,
  type AtomicTx,
  type Keys,
  type PartlySigned,
  requireSigned,
  type Signed,
  type SignResult,
} from '../atomic/sign.ts'
export type { AtomicSignerOptions } from '../atomic/signers.ts'
export type { SpendOptions } from './build/assemble.ts'
export type { CommonOptions, Draft } from './build/draft.ts'
export { explainDraft } from './build/explain.ts'
export {
  buildExport,
  buildExportAll,
  type ExportAllOptions,
  type ExportOptions,
} from './build/export.ts'
export {
  buildImport,
  type ImportOptions,
  type ImportPlanOptions,
  planImport,
} from './build/import.ts'
export {
  addSignature,
  collectProofs,
  createRequest,
  explainRequest,
  finishRequest,
  formatRequest,
  mergeRequests,
  parseRequest,
  requestID,
  requestStatus,
  type SigningRequest,
  signRequest,
  signRequestWith,
  verifySignatures,
} from './build/request.ts'
export { signDraft, signDraftWith } from './build/sign.ts'
export { buildTransfer, type POutputArgument, type TransferOptions } from './build/transfer.ts'
export {
  complexityOf,
  DEFAULT_GAS_WEIGHTS,
  type Dimensions,
  type FeeFacts,
  feeOf,
  type GasWeights,
  gasOf,
} from './gas.ts'
export { createdUTXOs, exportedUTXOs, hashToSign, txID } from './ids.ts'
export { type AddressPrefix, txToJSON, utxoToJSON } from './json.ts'
export { txFromJSON } from './json-in.ts'
export {
  advanceFeeState,
  consumeGas,
  DEFAULT_PRICE_CONFIG,
  type FeeState,
  gasPrice,
  type PriceConfig,
} from './price.ts'
export {
  type Input,
  type LockIn,
  type LockOut,
  type Output,
  stakeableLocktime,
  type TransferableInput,
  type TransferableOutput,
} from './transferables.ts'
export {
  type BaseTx,
  decodeTx,
  decodeUnsignedTx,
  type ExportTx,
  encodeTx,
  encodeUnsignedTx,
  type ImportTx,
  type SignedTx,
  type UnsignedTx,
} from './tx.ts'
export { decodeUTXO, encodeUTXO, type UTXO } from './utxo.ts'
export { compareOutputs, type VerifyContext, verifyTx } from './verify.ts'
