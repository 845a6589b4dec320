export {
  type ExpectedAddress,
  formatAddress,
  type ParsedAddress,
  parseAddress,
} from './core/base/encoding/address.ts'
export { formatAmount, parseAmount } from './core/base/encoding/amount.ts'
export { cb58 } from './core/base/encoding/cb58.ts'
export { checkedHex } from './core/base/encoding/checked-hex.ts'
export { hex } from './core/base/encoding/hex.ts'
export {
  formatID,
  formatPrivateKey,
  formatUTXOID,
  parseID,
  parsePrivateKey,
} from './core/base/encoding/ids.ts'
export {
  AvmError,
  CodecError,
  type CodecErrorCode,
  EncodingError,
  type EncodingErrorCode,
  type ErrorDetails,
  VerifyError,
  type VerifyErrorCode,
} from './core/base/errors.ts'
export type { AssetAmount } from './core/chain/amounts.ts'
export {
  type CustomNetwork,
  customNetwork,
  type NetworkContext,
  networks,
  P_CHAIN_ID,
} from './core/chain/networks.ts'
export type { OutputOwners } from './core/chain/owners.ts'
export { createdUTXOs, exportedUTXOs } from './core/chain/x/created.ts'
export { txID, utxoID } from './core/chain/x/ids.ts'
export { type JSONContext, txToJSON } from './core/chain/x/json.ts'
export type { UTXOID } from './core/chain/x/transferables.ts'
export { decodeTx, encodeTx, type SignedTx, type UnsignedTx } from './core/chain/x/tx.ts'
export { decodeUTXO, encodeUTXO, type UTXO } from './core/chain/x/utxo.ts'
export { type VerifyContext, verifyTx } from './core/chain/x/verify/verify.ts'
export type { Json } from './core/codec/json.ts'
export { parseJSON, stringifyJSON } from './core/codec/json-text.ts'
export type { JsonObject } from './core/codec/json-value.ts'
export type { AssetBalance } from './core/coins/balances.ts'
export { type ChosenCoins, chooseCoins } from './core/coins/chosen.ts'
export { FundsError, type FundsErrorCode, type Shortfall } from './core/coins/errors.ts'
export type {
  ChoiceOptions,
  Consolidation,
  Need,
  Selection,
  SelectOptions,
  Strategy,
} from './core/coins/need.ts'
export type { Coin, PoolOptions } from './core/coins/pool.ts'
export { type StreamedSelection, selectFromPages } from './core/coins/stream.ts'
export {
  type AddResult,
  type OpaqueEntry,
  type Page,
  type Source,
  UTXOSet,
} from './core/coins/utxo-set.ts'
export type { Viewpoint } from './core/coins/viewpoint.ts'
export type {
  BackendOption,
  RecoveryID,
  Secp256k1Backend,
  Secp256k1Engine,
} from './core/crypto/backend.ts'
export { CryptoError, type CryptoErrorCode, type CryptoErrorReason } from './core/crypto/errors.ts'
export {
  generatePrivateKey,
  KeyChain,
  type KeyChainOptions,
  type PrivateKeySource,
} from './core/crypto/keychain.ts'
export {
  addressOf,
  nobleBackend,
  publicKeyOf,
  recoverPublicKey,
  type SignHashOptions,
  signHash,
} from './core/crypto/secp256k1.ts'
export type {
  AddressArgument,
  AmountArgument,
  ChangeArgument,
  IDArgument,
  OutputArgument,
  OwnersArgument,
} from './core/draft/arguments.ts'
export { BuildError, type BuildErrorCode } from './core/draft/errors.ts'
export type { BuildOptions } from './core/draft/x/assemble.ts'
export {
  buildCreateAsset,
  type CreateAssetOptions,
  type InitialNFT,
  type NFTGroup,
} from './core/draft/x/create-asset.ts'
export type { Draft } from './core/draft/x/draft.ts'
export { buildExport, type ExportOptions } from './core/draft/x/export.ts'
export type { CoinSource, Funds, SpendableSet } from './core/draft/x/funds.ts'
export {
  buildImport,
  type FeeSource,
  type ImportOptions,
  planImport,
} from './core/draft/x/import.ts'
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
} from './core/draft/x/operations.ts'
export type { LeftBehind, LeftBehindReason, Plan } from './core/draft/x/plan.ts'
export { buildSendAll, type SendAllOptions } from './core/draft/x/send-all.ts'
export { planSweep, type SweepOptions } from './core/draft/x/sweep.ts'
export { buildTransfer, needFor, type TransferOptions } from './core/draft/x/transfer.ts'
export { collectProofs, type GetAtomicParent, type GetTx } from './core/sign/collect.ts'
export { type SignDetails, SignError, type SignErrorCode } from './core/sign/errors.ts'
export { explainDraft, explainTx } from './core/sign/explain/explain.ts'
export { type ExplanationStyle, formatExplanation } from './core/sign/explain/explain-text.ts'
export type {
  AssetDetails,
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
} from './core/sign/explain/explanation.ts'
export type { SignatureFault, SignatureFaultCode, SlotPlace } from './core/sign/faults.ts'
export {
  type AddressSignature,
  type PartlySigned,
  requireSigned,
  type Signed,
  type SignResult,
} from './core/sign/job.ts'
export type { Ownership } from './core/sign/ownership.ts'
export type { ProofSubject, ProvableChain } from './core/sign/proofs.ts'
export { explainRequest } from './core/sign/request/explain-request.ts'
export {
  addSignature,
  createRequest,
  finishRequest,
  type RequestOptions,
  requestID,
  requestStatus,
  type SignerSet,
  type SignerSetStatus,
  type SigningRequest,
} from './core/sign/request/request.ts'
export {
  formatRequest,
  type ParseRequestOptions,
  parseRequest,
} from './core/sign/request/request-file.ts'
export { mergeRequests } from './core/sign/request/request-merge.ts'
export {
  type RequestSignOptions,
  signRequest,
  signRequestWith,
} from './core/sign/request/request-sign.ts'
export {
  type AcceptCode,
  type SignOptions,
  type SignWithOptions,
  signDraft,
  signDraftWith,
} from './core/sign/sign.ts'
export {
  type AddressPath,
  type HDKeys,
  hdSigner,
  type Keys,
  keyChainSigner,
  type SignAllQuery,
  type SignatureQuery,
  type Signer,
} from './core/sign/signer.ts'
export type { MemoText } from './core/sign/text.ts'
export { verifySignatures } from './core/sign/verify.ts'
export type {
  DangerCode,
  DangerOptions,
  RequestDangerCode,
  Warning,
  WarningCode,
} from './core/sign/warnings.ts'
export type { ErrorCode } from './error-codes.ts'
