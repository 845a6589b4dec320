export {
  type LedgerAccountOptions,
  type LedgerApp,
  type LedgerAppInfo,
  type LedgerKeyOptions,
  type LedgerMessageOptions,
  type LedgerSignOptions,
  ledgerApp,
} from './app.ts'
export { type LedgerDetails, LedgerError, type LedgerErrorCode } from './errors.ts'
export { hidTransport, type NodeHIDDevice, type WebHIDDevice } from './hid.ts'
export type { LedgerScreen } from './items.ts'
export { type LedgerOmission, type LedgerOmissionCode, ledgerOmissions } from './omissions.ts'
export {
  type LedgerBytesOptions,
  type LedgerScreenOptions,
  ledgerScreens,
  ledgerScreensOf,
} from './screens.ts'
export {
  LEDGER_MAX_SIZE,
  type LedgerAccount,
  type LedgerSignerOptions,
  ledgerSigner,
} from './signer.ts'
export type { LedgerTransport } from './transport.ts'
