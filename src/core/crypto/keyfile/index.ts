export { KeyFileError, type KeyFileErrorCode } from './errors.ts'
export type { KeyFileCost } from './kdf.ts'
export {
  decryptKeyFile,
  encryptKeyFile,
  isEncryptedKeyFile,
  KEY_FILE_FORMAT,
  type KeyFileOptions,
} from './keyfile.ts'
