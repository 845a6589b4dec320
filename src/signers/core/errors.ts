import { AvmError, type ErrorDetails } from '../../core/base/errors.ts'

/**
 * Codes of {@link CoreError}.
 *
 * `CORE_REJECTED` the user rejected the request; `CORE_FAILED` the provider failed, which is the `cause`; `CORE_REPLY`
 * the provider returned something else than was asked for; `CORE_SENT` a transaction may
 * have been issued, which could not be verified; `CORE_METHOD` a request for a method that is not supported; `CORE_PARAMS` a
 * request whose parameters are invalid; `CORE_REFUSED` a request that the wallet refuses to sign.
 */
export type CoreErrorCode =
  | 'CORE_REJECTED'
  | 'CORE_FAILED'
  | 'CORE_REPLY'
  | 'CORE_SENT'
  | 'CORE_METHOD'
  | 'CORE_PARAMS'
  | 'CORE_REFUSED'

/** Codes that EIP-1193 and JSON-RPC use in replies. */
const RPC_CODES: { readonly [code in CoreErrorCode]: number } = {
  CORE_REJECTED: 4001,
  CORE_METHOD: 4200,
  CORE_PARAMS: -32602,
  CORE_REFUSED: -32000,
  CORE_FAILED: -32603,
  CORE_REPLY: -32603,
  CORE_SENT: -32603,
}

/** A request between a page and a wallet such as Core that was not fulfilled. */
export class CoreError extends AvmError {
  override readonly name = 'CoreError'
  declare readonly code: CoreErrorCode
  /** The number to reply with: 4001 for a user who rejects, 4200 for unknown methods. */
  readonly rpcCode: number
  /** The ID of the transaction that may have been issued. */
  readonly txID?: Uint8Array | undefined

  constructor(code: CoreErrorCode, message: string, details: ErrorDetails & CoreDetails = {}) {
    super(code, message, details)
    this.rpcCode = RPC_CODES[code]
    if (details.txID !== undefined) this.txID = details.txID
  }
}

/** Details of a {@link CoreError}. */
export type CoreDetails = Pick<CoreError, 'txID'>
