import { AvmError, type ErrorDetails } from '../base/errors.ts'
import type { SignatureFault, SlotPlace } from './faults.ts'
import type { PolicyCode } from './policy.ts'
import type { SumUse } from './sums.ts'
import type { DangerCode, Warning } from './warnings.ts'

/**
 * Codes of {@link SignError}. Codes that the node also uses mean the same rule. A {@link DangerCode} means that signing
 * was refused; passing the code in `accept` allows it. A {@link PolicyCode} means that the policy of the signer refuses it.
 *
 * UTXOs: `UTXO_UNKNOWN` a spent UTXO is missing; `UTXO_MISMATCH` a UTXO is not the one that the input spends;
 * `SIGNER_UNKNOWN_OUTPUT` the input or operation cannot spend this type of output; `WRONG_NUMBER_OF_UTXOS` an operation
 * must spend one UTXO; `TOO_MANY_SIGNERS` an input has more signature indices than the threshold; `TOO_FEW_SIGNERS` an
 * input has fewer signature indices than the threshold; `SIGNER_INVALID_SIG_INDEX` an input names a signer that its
 * UTXO does not have.
 *
 * Signatures: `SIGNER_FAILED` an external signer failed or returned something else than signatures; `INCOMPLETE`
 * signatures are missing; `SIGNATURE_MISSING` a signature is missing where all are required; `SIG_INVALID` no public
 * key can be recovered; `SIG_HIGH_S` s is above half the group order; `SIG_MALFORMED` a signature is not 65 bytes
 * `r‖s‖v`; `WRONG_SIGNER` the signature was made by another key than that of the owner; `WRONG_CREDENTIAL_TYPE` the
 * credential belongs to another feature extension; `CREDENTIAL_SIGNERS_MISMATCH` a credential has more signatures than
 * signers.
 *
 * Signing requests: `REQUEST_MALFORMED` the file does not have the required members; `REQUEST_NETWORK` the request is
 * for another network; `REQUEST_CHAIN` the request is for another chain; `REQUEST_ID` the contents do not match the ID of the request; `REQUEST_PROOF` a proof
 * contradicts the request, proves nothing in it, or is repeated; `REQUEST_TX_ID` the file states a wrong transaction
 * ID.
 *
 * `CHAIN_NOT_IMPORTED` the document is of a chain whose entry point the program has not imported.
 */
export type SignErrorCode =
  | DangerCode
  | PolicyCode
  | 'CHAIN_NOT_IMPORTED'
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
  | 'REQUEST_CHAIN'
  | 'REQUEST_SIGNER_SETS'
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
  /** For `POLICY_SUM`: the limit, what is used and left of it, and when enough becomes free. */
  readonly sum?: SumUse | undefined

  constructor(code: SignErrorCode, message: string, details: ErrorDetails & SignDetails = {}) {
    super(code, message, details)
    const { hint: _hint, cause: _cause, ...members } = details
    Object.assign(this, members)
  }
}

/** Details of a {@link SignError}. */
export type SignDetails = Pick<
  SignError,
  'credential' | 'slot' | 'address' | 'path' | 'faults' | 'missing' | 'warnings' | 'sum'
>
