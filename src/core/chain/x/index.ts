export {
  type CustomNetwork,
  customNetwork,
  hrpOf,
  type NetworkContext,
  networkName,
  networks,
  P_CHAIN_ID,
} from '../networks.ts'
export type { OutputOwners, SignerInput } from '../owners.ts'
export type {
  MintOperation,
  MintOutput,
  SecpCredential,
  TransferInput,
  TransferOutput,
} from '../secp256k1fx.ts'
export { type Block, decodeBlock, encodeBlock } from './block.ts'
export { createdUTXOs, exportedUTXOs } from './created.ts'
export {
  type Credential,
  type CredentialSlot,
  FX_NAMES,
  type FxOperation,
  isCredential,
  type Output,
} from './fx.ts'
export {
  buildGenesis,
  decodeGenesis,
  encodeGenesis,
  type Genesis,
  type GenesisAsset,
  type GenesisDefinition,
  genesisTx,
  localGenesis,
  networkOfGenesis,
  xChainID,
} from './genesis.ts'
export { blockID, blockTxIDs, hashToSign, txID, utxoID, utxoKey } from './ids.ts'
export { blockToJSON, type JSONContext, txToJSON, utxoToJSON } from './json.ts'
export { blockFromJSON, txFromJSON } from './json-in.ts'
export type {
  NFTCredential,
  NFTMintOperation,
  NFTMintOutput,
  NFTTransferOperation,
  NFTTransferOutput,
} from './nftfx.ts'
export {
  type Compare,
  compareInitialStates,
  compareInputs,
  compareOperations,
  compareOutputs,
  compareStateOutputs,
} from './order.ts'
export type {
  BurnOperation,
  OwnedOutput,
  PropertyCredential,
  PropertyMintOperation,
  PropertyMintOutput,
} from './propertyfx.ts'
export {
  credentialSize,
  MAX_TX_SIZE,
  operationSize,
  outputSize,
  signedSize,
  transferableInputSize,
  transferableOutputSize,
  unsignedSize,
} from './size.ts'
export { consumedUTXOs, type Spend, spendsOf } from './spends.ts'
export type {
  InitialState,
  Operation,
  TransferableInput,
  TransferableOutput,
  UTXOID,
} from './transferables.ts'
export {
  type BaseTx,
  type CreateAssetTx,
  decodeGenesisTx,
  decodeTx,
  decodeUnsignedTx,
  type ExportTx,
  encodeTx,
  encodeUnsignedTx,
  type ImportTx,
  type OperationTx,
  type SignedTx,
  type UnsignedTx,
} from './tx.ts'
export { decodeUTXO, encodeUTXO, type UTXO } from './utxo.ts'
export {
  decodeUTXOPage,
  type OpaqueUTXO,
  type PageEncoding,
  type UTXOPage,
} from './utxo-page.ts'
export { feeOf, MAX_MEMO_SIZE, type VerifyContext, verifyTx } from './verify/verify.ts'
export { MAX_NAME_SIZE, MAX_SYMBOL_SIZE } from './verify/verify-asset.ts'
export { MAX_PAYLOAD_SIZE } from './verify/verify-fx.ts'
