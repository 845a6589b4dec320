import { pChain } from './sign/chains/p.ts'
import { registerChain } from './sign/registry.ts'

export {
  complexityOf,
  DEFAULT_GAS_WEIGHTS,
  type Dimensions,
  type FeeParameters,
  feeOf,
  type GasWeights,
  gasOf,
  signedSize,
} from './chain/p/gas.ts'
export { createdUTXOs, exportedUTXOs, hashToSign, txID } from './chain/p/ids.ts'
export { type AddressPrefix, txToJSON, utxoToJSON } from './chain/p/json.ts'
export { txFromJSON } from './chain/p/json-in.ts'
export {
  advanceFeeState,
  consumeGas,
  DEFAULT_PRICE_CONFIG,
  type FeeState,
  gasPrice,
  type PriceConfig,
  type PriceCurve,
} from './chain/p/price.ts'
export {
  type Input,
  type LockIn,
  type LockOut,
  type Output,
  stakeableLocktime,
  type TransferableInput,
  type TransferableOutput,
} from './chain/p/transferables.ts'
export {
  type BaseTx,
  decodeTx,
  decodeUnsignedTx,
  type ExportTx,
  encodeTx,
  encodeUnsignedTx,
  type ImportTx,
  type SignedTx,
  type UnsignedTx,
} from './chain/p/tx.ts'
export { decodeUTXO, encodeUTXO, type UTXO } from './chain/p/utxo.ts'
export { compareOutputs, type VerifyContext, verifyTx } from './chain/p/verify.ts'
export type { SpendFunds, SpendOptions } from './draft/p/assemble.ts'
export type { CommonOptions, Draft } from './draft/p/draft.ts'
export {
  buildExport,
  buildExportAll,
  type ExportAllOptions,
  type ExportOptions,
} from './draft/p/export.ts'
export {
  buildImport,
  type ImportFunds,
  type ImportOptions,
  type ImportPlanOptions,
  planImport,
} from './draft/p/import.ts'
export { buildTransfer, type POutputArgument, type TransferOptions } from './draft/p/transfer.ts'

// Signing, explanations and requests of `avmkit` know the P-Chain once this module is imported.
registerChain(pChain)
