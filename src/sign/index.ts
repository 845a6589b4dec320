export { SignError, type SignErrorCode, type SignFacts } from './errors.ts'
export { explainDraft, explainRequest, explainTx } from './explain.ts'
export { formatExplanation } from './explain-text.ts'
export type {
  AssetFacts,
  ExplainedOperation,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSigners,
  ExplainedSpend,
  ExplainOptions,
  ExplainTxOptions,
  Explanation,
} from './explanation.ts'
export type { SignatureFault, SignatureFaultCode, SlotPlace } from './faults.ts'
export {
  type AddressSignature,
  type PartlySigned,
  requireSigned,
  type Signed,
  type SignResult,
} from './job.ts'
export {
  addSignature,
  createRequest,
  finishRequest,
  type RequestOptions,
  type RequestSignOptions,
  type RequestVariant,
  requestID,
  requestStatus,
  type SigningRequest,
  signRequest,
  signRequestWith,
  type VariantStatus,
} from './request.ts'
export {
  formatRequest,
  type ParseRequestOptions,
  parseRequest,
  REQUEST_FORMAT,
  REQUEST_VERSION,
} from './request-file.ts'
export { mergeRequests } from './request-merge.ts'
export {
  type AcceptCode,
  type AddressPath,
  type SignOptions,
  type SignWithOptions,
  signDraft,
  signDraftWith,
} from './sign.ts'
export {
  type HDKeys,
  hdSigner,
  type Keys,
  keyChainSigner,
  type SignatureQuery,
  type Signer,
} from './signer.ts'
export { MAX_VARIANTS } from './signer-sets.ts'
export type { MemoText } from './text.ts'
export { verifySignatures } from './verify.ts'
export type { DangerCode, DangerOptions, Warning, WarningCode } from './warnings.ts'
