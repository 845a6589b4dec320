export {
  type TestAccount,
  type TestAccounts,
  type TestAccountsOptions,
  testAccounts,
} from './accounts.ts'
export type { Account } from './c-chain/rules.ts'
export type {
  AddedChainControl,
  CChainControl,
  PChainControl,
  PRecipient,
} from './control/chain-controls.ts'
export type { BlockOptions } from './control/produce-block.ts'
export { createDevNode } from './create.ts'
export { DevNodeError, type DevNodeErrorCode } from './errors.ts'
export type { Fault, FaultKind } from './faults.ts'
export type { HttpAPIOptions, SimulatedHealth } from './http-apis/apis.ts'
export type { ErrorStatus } from './http-apis/errors.ts'
export type { ExpiredTokens } from './http-apis/page-tokens.ts'
export type { DevNode, ListenOptions } from './node.ts'
export { type DevNodeOptions, publicServerRefusals } from './options.ts'
export type { BlockMode } from './pace.ts'
export type { DevPeer, DevProposal } from './peers.ts'
export type { Recipient } from './recipients.ts'
export type { Bootstrapping } from './routes.ts'
export type { DevNodeSnapshot } from './saved/snapshot.ts'
export type { Allocation, ChainSettings } from './settings.ts'
export { type SemanticContext, type StateView, verifyAgainstState } from './x-chain/semantic.ts'
