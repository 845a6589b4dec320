export type {
  AssetDescription,
  avmMethods,
  Balance,
  BalanceEntry,
  IssueTxParams,
  TxFees,
  TxStatus,
  walletMethods,
} from './avm.ts'
export type {
  BlockReader,
  BlockReaderOptions,
  BlockReadOptions,
  FollowedBlock,
} from './block-reader.ts'
export type { AcceptedBlock, BlocksOptions } from './blocks.ts'
export {
  type AtomicTx,
  type AtomicTxStatus,
  avaxMethods,
  type EVMBlock,
  ethMethods,
  type GetAtomicUTXOsParams,
  type IssueCTxParams,
} from './c-chain.ts'
export {
  type AccountFacts,
  type CChainClient,
  createCChainClient,
  type ExportFacts,
} from './c-chain-client.ts'
export type { TxCalls } from './chain-client.ts'
export type { ChainAccepted } from './chain-issue.ts'
export { type Clock, systemClock } from './clock.ts'
export type { ContextOptions } from './context.ts'
export {
  createDataClient,
  type DataChain,
  type DataClient,
  type DataClientOptions,
  type DataPaths,
  type ListOptions,
  type ListPage,
  provider,
} from './data.ts'
export type { HexEncoding } from './encoded.ts'
export {
  AbortError,
  BlockError,
  type BlockErrorCode,
  ContextError,
  type ContextErrorCode,
  type ErrorBody,
  HttpError,
  type HttpErrorCode,
  IssueError,
  type IssueErrorCode,
  ReplyError,
  type ReplyErrorCode,
  RpcError,
  type RpcErrorCode,
  TimeoutError,
  type TimeoutErrorCode,
  type WaitFacts,
} from './errors.ts'
export type { Health, HealthCheck, HealthParams, HealthRoute, healthMethods } from './health.ts'
export type { CallOptions, Fetch, RequestAttempt, TransportOptions } from './http.ts'
export type {
  AllTxFees,
  InstalledVMs,
  infoMethods,
  NodeIdentity,
  NodeVersion,
  Peer,
  Peers,
  ProposalPreference,
  Upgrades,
  UpgradeTime,
  Uptime,
} from './info.ts'
export type { Issued, IssueOptions } from './issue.ts'
export type { Bound, BoundTable, Method, NoParams, Params } from './method.ts'
export { methods, type Service } from './methods.ts'
export {
  type AverageTPSPage,
  createMetricsClient,
  type MetricPoint,
  type MetricsClient,
  type MetricsClientOptions,
  type MetricsPaths,
} from './metrics.ts'
export { createNodeClient, type NodeClient, type NodeClientOptions } from './node.ts'
export { createPChainClient, type PChainClient, type PUTXOPage } from './p-chain-client.ts'
export type { PageOptions } from './pages.ts'
export type { Address, ID } from './params.ts'
export {
  type AmountsByAsset,
  type IssuePTxParams,
  type PBalance,
  type PFeeConfig,
  type PFeeState,
  type PTxStatus,
  platformMethods,
} from './platform.ts'
export type { RateLimit } from './rate-limit.ts'
export { createRawClient, type RawClient } from './raw.ts'
export type { ReadyOptions } from './ready.ts'
export {
  classifyRejection,
  type Rejection,
  type RejectionClass,
  type RejectionCode,
} from './rejections.ts'
export type { Items, Reply } from './reply.ts'
export type { RetryOptions } from './retry.ts'
export type { Query, ServiceHealth } from './service.ts'
export type {
  AssetInputJSON,
  AssetOutputJSON,
  BlockJSON,
  CredentialJSON,
  IntegerJSON,
  OutputJSON,
  TxJSON,
  UnsignedTxJSON,
} from './tx-json.ts'
export type { IssueParams } from './tx-params.ts'
export {
  MAX_ADDRESSES_PER_CALL,
  MAX_PAGE_SIZE,
  type UTXOPagesOptions,
  type UTXOProgress,
} from './utxo-pages.ts'
export type { GetUTXOsParams, PageIndex, RawUTXOPage } from './utxo-reply.ts'
export type { Accepted, WaitOptions } from './wait.ts'
export { AddressSet, type BlockChanges } from './watched.ts'
