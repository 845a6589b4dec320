export { MessageError, type MessageErrorCode } from './errors.ts'
export {
  encodeMessage,
  type SignMessageOptions,
  signMessage,
  type VerifyMessageOptions,
  verifyMessage,
} from './message.ts'
