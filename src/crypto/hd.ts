export { accountFromMnemonic, HDAccount, WatchAccount } from './hd/account.ts'
export {
  generateMnemonic,
  type MnemonicLength,
  parseMnemonic,
  seedFromMnemonic,
} from './hd/mnemonic.ts'
export { formatHDPath, type HDPath, type HDPosition, parseHDPath } from './hd/path.ts'
