export {
  decodeUR,
  type KeystoneContent,
  type KeystoneSignature,
  type KeystoneSignRequest,
  type KeystoneUTXO,
} from './avax.ts'
export { KeystoneError, type KeystoneErrorCode } from './errors.ts'
export {
  addKeystoneSignatures,
  type KeystoneFramesOptions,
  type KeystoneSignerOptions,
  keystoneFrames,
  keystoneSigner,
} from './signing.ts'
export { type UR, URCollector } from './ur.ts'
