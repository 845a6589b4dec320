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
export type { CommonOptions, Draft } from './build/draft.ts'
export { explainDraft } from './build/explain.ts'
export {
  type Account,
  buildExport,
  buildExportAll,
  type EVMAddressArgument,
  type ExportAllOptions,
  type ExportOptions,
} from './build/export.ts'
export { buildImport, type ImportOptions, planImport } from './build/import.ts'
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
export { type SignerOptions, signDraft, signDraftWith } from './build/sign.ts'
export { evmAddressBytes, evmAddressOf, formatEVMAddress, parseEVMAddress } from './evm-address.ts'
export { feeOf, feeOfGas, gasOf, signedSize, unsignedSize, WEI_PER_NAVAX } from './gas.ts'
export { exportedUTXOs, hashToSign, txID } from './ids.ts'
export { txToJSON } from './json.ts'
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
} from './tx.ts'
export { compareAccounts, type VerifyContext, type VerifyOptions, verifyTx } from './verify.ts'
