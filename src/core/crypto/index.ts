export {
  type BackendOption,
  checkedBackend,
  type RecoveryID,
  type Secp256k1Backend,
  type Secp256k1Engine,
} from './backend.ts'
export { CryptoError, type CryptoErrorCode, type CryptoErrorReason } from './errors.ts'
export {
  generatePrivateKey,
  KeyChain,
  type KeyChainOptions,
  type PrivateKeySource,
} from './keychain.ts'
export {
  addressOf,
  nobleBackend,
  publicKeyOf,
  recoverPublicKey,
  type SignHashOptions,
  signHash,
} from './secp256k1.ts'
export { normalizeSignature, type SignatureCheck } from './signature.ts'
