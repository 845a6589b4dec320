export {
  ADDRESS_SIZE,
  type ExpectedAddress,
  formatAddress,
  type ParsedAddress,
  parseAddress,
} from './address.ts'
export { formatAmount, MAX_DENOMINATION, parseAmount } from './amount.ts'
export { base58 } from './base58.ts'
export { cb58 } from './cb58.ts'
export { checkedHex } from './checked-hex.ts'
export { type BytesCoder, hex } from './hex.ts'
export {
  formatID,
  formatNodeID,
  formatPrivateKey,
  formatUTXOID,
  ID_SIZE,
  parseID,
  parseNodeID,
  parsePrivateKey,
  parseUTXOID,
} from './ids.ts'
