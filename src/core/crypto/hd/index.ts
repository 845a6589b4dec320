export {
  type AccountOptions,
  accountFromMnemonic,
  HDAccount,
  type MnemonicOptions,
  WatchAccount,
  type WatchOptions,
} from './account.ts'
export {
  generateMnemonic,
  type MnemonicLength,
  parseMnemonic,
  seedFromMnemonic,
} from './mnemonic.ts'
export { type CoinType, formatHDPath, type HDPath, type HDPosition, parseHDPath } from './path.ts'
