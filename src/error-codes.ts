import type { ArgumentErrorCode, CodecErrorCode, VerifyErrorCode } from './core/base/errors.ts'
import type { FundsErrorCode } from './core/coins/errors.ts'
import type { CryptoErrorCode } from './core/crypto/errors.ts'
import type { KeyFileErrorCode } from './core/crypto/keyfile/errors.ts'
import type { BuildErrorCode } from './core/draft/errors.ts'
import type { SignErrorCode } from './core/sign/errors.ts'
import type { CustodyErrorCode } from './custody/index.ts'
import type { ServiceErrorCode } from './custody/service/errors.ts'
import type { DevNodeErrorCode } from './devnode/errors.ts'
import type {
  BlockErrorCode,
  ContextErrorCode,
  HttpErrorCode,
  IssueErrorCode,
  QuorumErrorCode,
  ReplyErrorCode,
  RpcErrorCode,
  TimeoutErrorCode,
} from './node/errors.ts'
import type { CoreErrorCode } from './signers/core/errors.ts'
import type { KeystoneErrorCode } from './signers/keystone/errors.ts'
import type { LedgerErrorCode } from './signers/ledger/errors.ts'
import type { MessageErrorCode } from './signers/message/errors.ts'
import type { PolicyErrorCode } from './signers/policy/errors.ts'
import type { KeyServiceErrorCode } from './signers/services/errors.ts'
import type { DiscoveryErrorCode } from './wallet/discovery/errors.ts'
import type { WalletErrorCode } from './wallet/errors.ts'
import type { StoreErrorCode } from './wallet/store/errors.ts'

/**
 * The `code` of every error that this library throws, except those of the command line. `docs/errors.md` lists them by
 * class.
 */
export type ErrorCode =
  | 'ABORTED'
  | ArgumentErrorCode
  | BlockErrorCode
  | BuildErrorCode
  | CodecErrorCode
  | ContextErrorCode
  | CoreErrorCode
  | CryptoErrorCode
  | CustodyErrorCode
  | DevNodeErrorCode
  | DiscoveryErrorCode
  | FundsErrorCode
  | HttpErrorCode
  | IssueErrorCode
  | KeyFileErrorCode
  | KeyServiceErrorCode
  | KeystoneErrorCode
  | MessageErrorCode
  | PolicyErrorCode
  | LedgerErrorCode
  | QuorumErrorCode
  | ReplyErrorCode
  | RpcErrorCode
  | ServiceErrorCode
  | SignErrorCode
  | StoreErrorCode
  | TimeoutErrorCode
  | VerifyErrorCode
  | WalletErrorCode
