export { evmAddressBytes, evmAddressOf, formatEVMAddress, parseEVMAddress } from './evm-address.ts'
export { feeOf, feeOfGas, gasOf, signedSize, unsignedSize, WEI_PER_NAVAX } from './gas.ts'
export { exportedUTXOs, hashToSign, txID } from './ids.ts'
export { txToJSON } from './json.ts'
export {
  decodeTx,
  decodeUnsignedTx,
  type EVMInput,
  type EVMOutput,
  type ExportTx,
  encodeTx,
  encodeUnsignedTx,
  type ImportTx,
  type SignedTx,
  type UnsignedTx,
} from './tx.ts'
export { compareAccounts, type VerifyContext, type VerifyOptions, verifyTx } from './verify.ts'
