import { AvmError } from '../../core/base/errors.ts'

/**
 * Codes of {@link MessageError}. `MESSAGE_SIGNATURE` the signature is not in cb58 or hex, or no key made it;
 * `MESSAGE_SIGNER` another key has signed the message.
 */
export type MessageErrorCode = 'MESSAGE_SIGNATURE' | 'MESSAGE_SIGNER'

/** A signature of a message that does not verify. */
export class MessageError extends AvmError {
  override readonly name = 'MessageError'
  declare readonly code: MessageErrorCode
}
