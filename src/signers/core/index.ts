export { type CoreDetails, CoreError, type CoreErrorCode } from './errors.ts'
export { type AvalancheRequest, handleAvalancheRequest } from './handle.ts'
export {
  type CoreProviderOptions,
  type CoreSendOptions,
  type CoreSigner,
  coreProvider,
  type EIP1193Provider,
} from './provider.ts'
export type { AccountPosition, AnsweringWallet, ConsentQuery, HandleOptions } from './wallet.ts'
