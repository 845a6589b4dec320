export {
  type AccountOptions,
  accountFromMnemonic,
  HDAccount,
  type MnemonicOptions,
  WatchAccount,
} from './account.ts'
export {
  generateMnemonic,
  type MnemonicLength,
  parseMnemonic,
  seedFromMnemonic,
} from './mnemonic.ts'
export { formatHDPath, type HDPath, type HDPosition, parseHDPath } from './path.ts'
