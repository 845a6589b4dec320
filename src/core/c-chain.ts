export {
  evmAddressBytes,
  evmAddressOf,
  formatEVMAddress,
  parseEVMAddress,
} from './chain/c/evm-address.ts'
export { feeOf, feeOfGas, gasOf, signedSize, unsignedSize, WEI_PER_NAVAX } from './chain/c/gas.ts'
export { exportedUTXOs, hashToSign, txID } from './chain/c/ids.ts'
export { txToJSON } from './chain/c/json.ts'
export {
  decodeTx,
  decodeUnsignedTx,
  type EVMInput,
  type EVMOutput,
  type ExportTx,
  encodeTx,
  encodeUnsignedTx,
  type ImportTx,
  type SignedTx,
  type UnsignedTx,
} from './chain/c/tx.ts'
export {
  compareAccounts,
  type VerifyContext,
  type VerifyOptions,
  verifyTx,
} from './chain/c/verify.ts'
export type { CommonOptions, Draft } from './draft/c/draft.ts'
export {
  type Account,
  buildExport,
  buildExportAll,
  type EVMAddressArgument,
  type ExportAllOptions,
  type ExportOptions,
} from './draft/c/export.ts'
export { buildImport, type ImportOptions, planImport } from './draft/c/import.ts'
export type { AnyUTXO, ImportPlan, LeftBehindReason, ListedUTXOs } from './draft/coins.ts'
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
export { explainDraft } from './sign/c/explain.ts'
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
} from './sign/c/request.ts'
export { type SignerOptions, signDraft, signDraftWith } from './sign/c/sign.ts'
