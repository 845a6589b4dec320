export {
  complexityOf,
  DEFAULT_GAS_WEIGHTS,
  type Dimensions,
  type FeeParameters,
  feeOf,
  type GasWeights,
  gasOf,
} from './chain/p/gas.ts'
export { createdUTXOs, exportedUTXOs, hashToSign, txID } from './chain/p/ids.ts'
export { type AddressPrefix, txToJSON, utxoToJSON } from './chain/p/json.ts'
export { txFromJSON } from './chain/p/json-in.ts'
export {
  advanceFeeState,
  consumeGas,
  DEFAULT_PRICE_CONFIG,
  type FeeState,
  gasPrice,
  type PriceConfig,
} from './chain/p/price.ts'
export {
  type Input,
  type LockIn,
  type LockOut,
  type Output,
  stakeableLocktime,
  type TransferableInput,
  type TransferableOutput,
} from './chain/p/transferables.ts'
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
} from './chain/p/tx.ts'
export { decodeUTXO, encodeUTXO, type UTXO } from './chain/p/utxo.ts'
export { compareOutputs, type VerifyContext, verifyTx } from './chain/p/verify.ts'
export type { AnyUTXO, ImportPlan, LeftBehindReason, ListedUTXOs } from './draft/coins.ts'
export type { SpendOptions } from './draft/p/assemble.ts'
export type { CommonOptions, Draft } from './draft/p/draft.ts'
export {
  buildExport,
  buildExportAll,
  type ExportAllOptions,
  type ExportOptions,
} from './draft/p/export.ts'
export {
  buildImport,
  type ImportOptions,
  type ImportPlanOptions,
  planImport,
} from './draft/p/import.ts'
export { buildTransfer, type POutputArgument, type TransferOptions } from './draft/p/transfer.ts'
export type {
  AtomicExplanation,
  AtomicWarning,
  AtomicWarningCode,
  ExplainAtomicOptions,
  ExplainAtomicRequestOptions,
  ExplainedAccount,
  ExplainedOutput,
  ProvenAsset,
} from './sign/atomic/explain.ts'
export {
  formatAtomicExplanation,
  formatAtomicRequestExplanation,
} from './sign/atomic/explain-text.ts'
export type { AtomicRequestExplanation } from './sign/atomic/request.ts'
export type {
  AtomicRequest,
  AtomicRequestOptions,
  AtomicSignerSet,
  AtomicSignerSetStatus,
  RequestedDraft,
} from './sign/atomic/request-chain.ts'
export type { ParseAtomicRequestOptions } from './sign/atomic/request-file.ts'
export type { GetParent, ParentChain } from './sign/atomic/request-proofs.ts'
export type {
  AtomicRequestSignerOptions,
  AtomicRequestSignOptions,
} from './sign/atomic/request-sign.ts'
export type { AtomicRequests } from './sign/atomic/requests.ts'
export {
  type AtomicDraftOptions,
  type AtomicSignOptions,
  type AtomicTx,
  type Keys,
  type PartlySigned,
  requireSigned,
  type Signed,
  type SignResult,
} from './sign/atomic/sign.ts'
export type { AtomicSignerOptions } from './sign/atomic/signers.ts'
export { explainDraft } from './sign/p/explain.ts'
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
} from './sign/p/request.ts'
export { signDraft, signDraftWith } from './sign/p/sign.ts'
