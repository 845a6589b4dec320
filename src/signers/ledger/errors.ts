import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'

/**
 * Codes of {@link LedgerError}.
 *
 * `LEDGER_LOCKED` the device is locked; `LEDGER_WRONG_APP` the Avalanche app is not open; `LEDGER_APP_OUTDATED` the
 * version of the app cannot do this; `LEDGER_REJECTED` the user rejected the review on the device;
 * `LEDGER_BLIND_SIGNING` the device would have to sign what it cannot show, and this is disabled;
 * `LEDGER_DATA_REFUSED` the app cannot parse what was sent; `LEDGER_BUSY` another request is under way on the device;
 * `LEDGER_STATUS` the device answered another status word; `LEDGER_REPLY` the reply has an unexpected form or length;
 * `LEDGER_TRANSPORT` the connection failed; `LEDGER_TOO_LARGE` the transaction does not fit in the buffer of the app;
 * `LEDGER_UNSUPPORTED` the app cannot show a transaction like this; `LEDGER_PATH` a derivation path is not of the form
 * that the app accepts.
 */
export type LedgerErrorCode =
  | 'LEDGER_LOCKED'
  | 'LEDGER_WRONG_APP'
  | 'LEDGER_APP_OUTDATED'
  | 'LEDGER_REJECTED'
  | 'LEDGER_BLIND_SIGNING'
  | 'LEDGER_DATA_REFUSED'
  | 'LEDGER_BUSY'
  | 'LEDGER_STATUS'
  | 'LEDGER_REPLY'
  | 'LEDGER_TRANSPORT'
  | 'LEDGER_TOO_LARGE'
  | 'LEDGER_UNSUPPORTED'
  | 'LEDGER_PATH'

/** A Ledger device that did not do what was asked, or could not. Nothing was signed. */
export class LedgerError extends AvmError {
  override readonly name = 'LedgerError'
  declare readonly code: LedgerErrorCode
  /** The status word of the device, such as 0x6986, if it answered one. */
  readonly status?: number | undefined
  /** The part of the transaction, such as `outputs[2]`. */
  readonly path?: string | undefined

  constructor(code: LedgerErrorCode, message: string, details: ErrorDetails & LedgerDetails = {}) {
    super(code, message, details)
    const { hint: _hint, cause: _cause, ...members } = details
    Object.assign(this, members)
  }
}

/** Details of a {@link LedgerError}. */
export type LedgerDetails = Pick<LedgerError, 'status' | 'path'>
