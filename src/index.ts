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
  ArgumentError,
  type ArgumentErrorCode,
  type ArgumentErrorDetails,
  AvmError,
  CodecError,
  type CodecErrorCode,
  type ErrorDetails,
  VerifyError,
  type VerifyErrorCode,
} from './core/base/errors.ts'
export type { AssetAmount } from './core/chain/amounts.ts'
export type {
  ChainAlias,
  ChainTypes,
  SignedTxOf,
  UnsignedTxOf,
  UTXOOf,
} from './core/chain/chain-types.ts'
export { type NetworkProfile, parseNetworkProfile } from './core/chain/network-profile.ts'
export { type NetworkContext, networks, P_CHAIN_ID } from './core/chain/networks.ts'
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
export type { ChainUTXO, ListedUTXOs } from './core/coins/listed.ts'
export type {
  ChoiceOptions,
  Consolidation,
  Need,
  Selection,
  SelectOptions,
  Strategy,
} from './core/coins/need.ts'
export type { Coin, PoolOptions } from './core/coins/pool.ts'
export { type StreamedSelection, type StreamOptions, selectFromPages } from './core/coins/stream.ts'
export {
  type AddResult,
  type OpaqueEntry,
  type Page,
  type ReserveOptions,
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
export type { Draft } from './core/draft/draft.ts'
export { BuildError, type BuildErrorCode } from './core/draft/errors.ts'
export type { LeftBehind, LeftBehindReason, Plan } from './core/draft/plan.ts'
export type { BuildOptions, SpendAllOptions } from './core/draft/x/assemble.ts'
export {
  buildCreateAsset,
  type CreateAssetOptions,
  type InitialNFT,
  type NFTGroup,
} from './core/draft/x/create-asset.ts'
export { buildExport, type ExportOptions } from './core/draft/x/export.ts'
export type { CoinSource, Funds, SpendableSet } from './core/draft/x/funds.ts'
export {
  buildImport,
  type FeeSource,
  type ImportFunds,
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
  type OperationsOptions,
  type TransferNFTArgument,
} from './core/draft/x/operations.ts'
export type { SweepRules } from './core/draft/x/pack-sweep.ts'
export { buildSendAll, type SendAllOptions } from './core/draft/x/send-all.ts'
export { planSweep, type SweepOptions } from './core/draft/x/sweep.ts'
export {
  type PagedSweep,
  type SweepPagesOptions,
  sweepPages,
} from './core/draft/x/sweep-pages.ts'
export { buildTransfer, needFor, type TransferOptions } from './core/draft/x/transfer.ts'
export type { OutputType } from './core/sign/chain.ts'
export { type SignDetails, SignError, type SignErrorCode } from './core/sign/errors.ts'
export { explainDraft, explainTx } from './core/sign/explain/explain.ts'
export { type ExplanationStyle, formatExplanation } from './core/sign/explain/explain-text.ts'
export type {
  AssetDetails,
  AssetTotal,
  ExplainedAsset,
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
export type {
  AddressSignature,
  SignatureFault,
  SignatureFaultCode,
  SlotPlace,
} from './core/sign/faults.ts'
export { type PartlySigned, requireSigned, type Signed, type SignResult } from './core/sign/job.ts'
export type { Ownership } from './core/sign/ownership.ts'
export { collectProofs, type GetTx } from './core/sign/proofs/collect.ts'
export { explainRequest } from './core/sign/request/explain-request.ts'
export {
  addSignature,
  createRequest,
  finishRequest,
  type RequestOptions,
  requestID,
  requestStatus,
  type SignerSetStatus,
} from './core/sign/request/request.ts'
export {
  formatRequest,
  type ParseRequestOptions,
  parseRequest,
} from './core/sign/request/request-file.ts'
export { mergeRequests } from './core/sign/request/request-merge.ts'
export {
  type RequestSignOptions,
  type RequestSignWithOptions,
  signRequest,
  signRequestWith,
} from './core/sign/request/request-sign.ts'
export type {
  AnySigningRequest,
  RequestOf,
  SignerSet,
  SigningRequest,
} from './core/sign/request/signing-request.ts'
export {
  type AcceptCode,
  type SignOptions,
  type SignWithOptions,
  signDraft,
  signDraftWith,
} from './core/sign/sign.ts'
export type {
  AddressPath,
  HDKeys,
  Keys,
  SignAllQuery,
  SignatureQuery,
  Signer,
} from './core/sign/signer.ts'
export { hdSigner, keyChainSigner } from './core/sign/signers.ts'
export type { MemoText } from './core/sign/text.ts'
export { type VerifySignaturesOptions, verifySignatures } from './core/sign/verify.ts'
export type {
  DangerCode,
  DangerOptions,
  RequestDangerCode,
  Warning,
  WarningCode,
} from './core/sign/warnings.ts'
export type { ErrorCode } from './error-codes.ts'
