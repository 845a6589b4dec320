import { argumentErrors, codecErrors } from './base.ts'
import { cliErrors, inspectErrors, usageErrors } from './cli.ts'
import { custodyErrors } from './custody.ts'
import { devNodeErrors } from './devnode.ts'
import { buildErrors, fundsErrors } from './draft.ts'
import type { ErrorText } from './error-text.ts'
import { cryptoErrors, keyFileErrors } from './keys.ts'
import {
  abortErrors,
  blockErrors,
  contextErrors,
  httpErrors,
  issueErrors,
  quorumErrors,
  replyErrors,
  rpcErrors,
  timeoutErrors,
} from './node.ts'
import { serviceErrors } from './service.ts'
import { signErrors } from './sign.ts'
import {
  coreErrors,
  keyServiceErrors,
  keystoneErrors,
  ledgerErrors,
  messageErrors,
  policyErrors,
} from './signers.ts'
import { verifyErrors } from './verify.ts'
import { discoveryErrors, storeErrors, walletErrors } from './wallet.ts'

/**
 * What every error code means, what causes it and what to do, by class. The command `avmkit error`, docs/errors.md and
 * the error pages of the site are made from this table. Its types require a text for each code.
 */
export const errorTexts: { readonly [name: string]: { readonly [code: string]: ErrorText } } = {
  ArgumentError: argumentErrors,
  CodecError: codecErrors,
  VerifyError: verifyErrors,
  CryptoError: cryptoErrors,
  KeyFileError: keyFileErrors,
  FundsError: fundsErrors,
  BuildError: buildErrors,
  SignError: signErrors,
  LedgerError: ledgerErrors,
  KeyServiceError: keyServiceErrors,
  CoreError: coreErrors,
  KeystoneError: keystoneErrors,
  MessageError: messageErrors,
  PolicyError: policyErrors,
  RpcError: rpcErrors,
  HttpError: httpErrors,
  TimeoutError: timeoutErrors,
  ReplyError: replyErrors,
  AbortError: abortErrors,
  IssueError: issueErrors,
  BlockError: blockErrors,
  QuorumError: quorumErrors,
  ContextError: contextErrors,
  DiscoveryError: discoveryErrors,
  WalletError: walletErrors,
  StoreError: storeErrors,
  CustodyError: custodyErrors,
  ServiceError: serviceErrors,
  DevNodeError: devNodeErrors,
  InspectError: inspectErrors,
  UsageError: usageErrors,
  CliError: cliErrors,
}
