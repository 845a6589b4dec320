export { collectProofs, type GetAtomicParent, type GetTx } from './collect.ts'
export { SignError, type SignErrorCode, type SignFacts } from './errors.ts'
export { explainDraft, explainTx } from './explain/explain.ts'
export { type ExplanationStyle, formatExplanation } from './explain/explain-text.ts'
export type {
  AssetFacts,
  AssetTotal,
  ExplainedChain,
  ExplainedOperation,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSigners,
  ExplainedSpend,
  ExplainOptions,
  ExplainTxOptions,
  Explanation,
  OurAddresses,
} from './explain/explanation.ts'
export type { SignatureFault, SignatureFaultCode, SlotPlace } from './faults.ts'
export {
  type AddressSignature,
  type PartlySigned,
  requireSigned,
  type Signed,
  type SignResult,
} from './job.ts'
export type { Ownership } from './ownership.ts'
export { atomicProofIDs, type ProofSubject, type ProvableChain, proofIDs } from './proofs.ts'
export { explainRequest } from './request/explain-request.ts'
export {
  addSignature,
  createRequest,
  finishRequest,
  type RequestOptions,
  type RequestVariant,
  requestID,
  requestStatus,
  type SigningRequest,
  type VariantStatus,
} from './request/request.ts'
export {
  formatRequest,
  type ParseRequestOptions,
  parseRequest,
  REQUEST_VERSION,
} from './request/request-file.ts'
export { REQUEST_FORMAT } from './request/request-json.ts'
export { mergeRequests } from './request/request-merge.ts'
export { type RequestSignOptions, signRequest, signRequestWith } from './request/request-sign.ts'
export {
  type AcceptCode,
  type SignOptions,
  type SignWithOptions,
  signDraft,
  signDraftWith,
} from './sign.ts'
export {
  type AddressPath,
  type HDKeys,
  hdSigner,
  type Keys,
  keyChainSigner,
  type SignAllQuery,
  type SignatureQuery,
  type Signer,
} from './signer.ts'
export { MAX_VARIANTS } from './signer-sets.ts'
export type { MemoText } from './text.ts'
export { verifySignatures } from './verify.ts'
export type {
  DangerCode,
  DangerOptions,
  RequestDangerCode,
  Warning,
  WarningCode,
} from './warnings.ts'
