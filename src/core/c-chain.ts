import { cChain } from './sign/chains/c.ts'
import { registerChain } from './sign/registry.ts'

export {
  evmAddressBytes,
  evmAddressOf,
  formatEVMAddress,
  parseEVMAddress,
} from './chain/c/evm-address.ts'
export { feeOf, feeOfGas, gasOf, signedSize, unsignedSize, WEI_PER_NAVAX } from './chain/c/gas.ts'
export { exportedUTXOs, hashToSign, txID } from './chain/c/ids.ts'
export { txToJSON } from './chain/c/json.ts'
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
} from './chain/c/tx.ts'
export {
  compareAccounts,
  type VerifyContext,
  type VerifyOptions,
  verifyTx,
} from './chain/c/verify.ts'
export type { CommonOptions, Draft } from './draft/c/draft.ts'
export {
  type Account,
  buildExport,
  buildExportAll,
  type EVMAddressArgument,
  type ExportAllOptions,
  type ExportOptions,
} from './draft/c/export.ts'
export { buildImport, type ImportOptions, planImport } from './draft/c/import.ts'

// Signing, explanations and requests of `avmkit` know the C-Chain once this module is imported.
registerChain(cChain)
