import { AvmError, type ErrorDetails } from '../errors.ts'
import type { SignatureFault, SlotPlace } from './faults.ts'
import type { DangerCode, Warning } from './warnings.ts'

/**
 * Codes of {@link SignError}. Codes that the node also uses mean the same rule. A {@link DangerCode} means that signing
 * was refused; passing the code in `accept` allows it.
 */
export type SignErrorCode =
  | DangerCode
  | 'UTXO_UNKNOWN'
  | 'UTXO_MISMATCH'
  | 'SIGNER_UNKNOWN_OUTPUT'
  | 'SIGNER_INVALID_SIG_INDEX'
  | 'WRONG_NUMBER_OF_UTXOS'
  | 'TOO_MANY_SIGNERS'
  | 'TOO_FEW_SIGNERS'
  | 'UNUSED_KEY'
  | 'KEY_NOT_A_SIGNER'
  | 'SIGNER_FAILED'
  | 'INCOMPLETE'
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_DUPLICATE'
  | 'SIG_INVALID'
  | 'SIG_HIGH_S'
  | 'SIG_MALFORMED'
  | 'WRONG_SIGNER'
  | 'WRONG_CREDENTIAL_TYPE'
  | 'WRONG_NUMBER_OF_CREDENTIALS'
  | 'CREDENTIAL_SIGNERS_MISMATCH'
  | 'REQUEST_MALFORMED'
  | 'REQUEST_VERSION'
  | 'REQUEST_NETWORK'
  | 'REQUEST_VARIANTS'
  | 'REQUEST_ID'
  | 'REQUEST_PROOF'
  | 'REQUEST_TX_ID'
  | 'REQUEST_CONFLICT'

/** A draft, signature or signing request that is rejected. */
export class SignError extends AvmError {
  override readonly name = 'SignError'
  declare readonly code: SignErrorCode
  /** Position of the credential, which is that of its input or operation. */
  readonly credential?: number | undefined
  /** Position of the signature in the credential. */
  readonly slot?: number | undefined
  /** The signer or key in question, 20 bytes. */
  readonly address?: Uint8Array | undefined
  /** The part of the transaction or of the request file, such as `utxos[2]`. */
  readonly path?: string | undefined
  /** All faults of the signatures, not only the first. */
  readonly faults?: readonly SignatureFault[] | undefined
  /** The signatures that are missing. */
  readonly missing?: readonly SlotPlace[] | undefined
  /** The dangers that were not accepted. */
  readonly warnings?: readonly Warning[] | undefined

  constructor(code: SignErrorCode, message: string, details: ErrorDetails & SignFacts = {}) {
    super(code, message, details)
    const { hint: _hint, cause: _cause, ...facts } = details
    Object.assign(this, facts)
  }
}

/** Details of a {@link SignError}. */
export type SignFacts = Pick<
  SignError,
  'credential' | 'slot' | 'address' | 'path' | 'faults' | 'missing' | 'warnings'
>
