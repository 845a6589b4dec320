export type {
  BlockReader,
  BlockReaderOptions,
  BlockReadOptions,
  FollowedBlock,
} from './blocks/block-reader.ts'
export type { AcceptedBlock, BlocksOptions } from './blocks/blocks.ts'
export { AddressSet, type BlockChanges } from './blocks/watched.ts'
export {
  type AccountDetails,
  type CChainClient,
  createCChainClient,
  type ExportDetails,
} from './c-chain-client.ts'
export type { TxCalls } from './chain-client.ts'
export { type Clock, systemClock } from './clock.ts'
export type { ContextOptions } from './context.ts'
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
  QuorumError,
  type QuorumErrorCode,
  ReplyError,
  type ReplyErrorCode,
  RpcError,
  type RpcErrorCode,
  TimeoutError,
  type TimeoutErrorCode,
  type WaitDetails,
} from './errors.ts'
export type {
  CallOptions,
  Fetch,
  RequestAttempt,
  ServerRequest,
  TransportOptions,
} from './http.ts'
export type { ChainAccepted } from './issue/chain-issue.ts'
export type { Issued, IssueOptions } from './issue/issue.ts'
export {
  classifyRejection,
  type Rejection,
  type RejectionClass,
  type RejectionCode,
} from './issue/rejections.ts'
export type { Accepted, WaitOptions } from './issue/wait.ts'
export type {
  AssetDescription,
  avmMethods,
  Balance,
  BalanceEntry,
  IssueTxParams,
  TxFees,
  TxStatus,
  walletMethods,
} from './methods/avm.ts'
export {
  type AcceptedAtomicTx,
  type AtomicTxStatus,
  avaxMethods,
  type EVMBlock,
  ethMethods,
  type GetAtomicUTXOsParams,
  type IssueCTxParams,
} from './methods/c-chain.ts'
export type { HexEncoding } from './methods/encoded.ts'
export type {
  Health,
  HealthCheck,
  HealthParams,
  HealthRoute,
  healthMethods,
} from './methods/health.ts'
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
} from './methods/info.ts'
export type { Bound, BoundTable, Method, NoParams, Params } from './methods/method.ts'
export { methods, type Service } from './methods/methods.ts'
export type { Address, ID } from './methods/params.ts'
export {
  type AmountsByAsset,
  type IssuePTxParams,
  type PBalance,
  type PFeeConfig,
  type PFeeState,
  type PTxStatus,
  platformMethods,
} from './methods/platform.ts'
export type { Items, Reply } from './methods/reply.ts'
export type {
  AssetInputJSON,
  AssetOutputJSON,
  BlockJSON,
  CredentialJSON,
  IntegerJSON,
  OutputJSON,
  TxJSON,
  UnsignedTxJSON,
} from './methods/tx-json.ts'
export type { IssueParams } from './methods/tx-params.ts'
export type { GetUTXOsParams, PageIndex, RawUTXOPage } from './methods/utxo-reply.ts'
export type { NetworkArgument } from './network.ts'
export { createNodeClient, type NodeClient, type NodeClientOptions } from './node.ts'
export { createPChainClient, type PChainClient, type PUTXOPage } from './p-chain-client.ts'
export {
  MAX_ADDRESSES_PER_CALL,
  MAX_PAGE_SIZE,
  type UTXOPagesOptions,
  type UTXOProgress,
} from './pages/utxo-pages.ts'
export type { ReadyOptions } from './ready.ts'
export {
  createDataClient,
  type DataChain,
  type DataClient,
  type DataClientOptions,
  type DataPaths,
  type ListOptions,
  type ListPage,
  provider,
} from './services/data.ts'
export {
  type AverageTPSPage,
  createMetricsClient,
  type MetricPoint,
  type MetricsClient,
  type MetricsClientOptions,
  type MetricsPaths,
} from './services/metrics.ts'
export type { PageOptions } from './services/pages.ts'
export type { Query, ServiceHealth } from './services/service.ts'
export type { RateLimit } from './transport/rate-limit.ts'
export { createRawClient, type RawClient } from './transport/raw.ts'
export type { RetryOptions } from './transport/retry.ts'
