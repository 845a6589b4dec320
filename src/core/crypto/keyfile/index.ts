export { KeyFileError, type KeyFileErrorCode } from './errors.ts'
export {
  decryptKeyFile,
  encryptKeyFile,
  isEncryptedKeyFile,
  KEY_FILE_FORMAT,
  type KeyFileCost,
} from './keyfile.ts'
