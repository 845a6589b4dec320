export { ADDRESS_SIZE } from './core/base/encoding/address.ts'
export { MAX_DENOMINATION } from './core/base/encoding/amount.ts'
export { base58 } from './core/base/encoding/base58.ts'
export type { BytesCoder } from './core/base/encoding/hex.ts'
export { formatNodeID, ID_SIZE, parseNodeID, parseUTXOID } from './core/base/encoding/ids.ts'
export { hrpOf, networkName } from './core/chain/networks.ts'
export type { SignerInput } from './core/chain/owners.ts'
export type {
  MintOperation,
  MintOutput,
  SecpCredential,
  TransferInput,
  TransferOutput,
} from './core/chain/secp256k1fx.ts'
export { type Block, decodeBlock, encodeBlock } from './core/chain/x/block.ts'
export {
  type Credential,
  type CredentialSlot,
  FX_NAMES,
  type FxOperation,
  isCredential,
  type Output,
} from './core/chain/x/fx.ts'
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
} from './core/chain/x/genesis.ts'
export { blockID, blockTxIDs, hashToSign, utxoKey } from './core/chain/x/ids.ts'
export { blockToJSON, utxoToJSON } from './core/chain/x/json.ts'
export { blockFromJSON, txFromJSON } from './core/chain/x/json-in.ts'
export type {
  NFTCredential,
  NFTMintOperation,
  NFTMintOutput,
  NFTTransferOperation,
  NFTTransferOutput,
} from './core/chain/x/nftfx.ts'
export {
  type Compare,
  compareInitialStates,
  compareInputs,
  compareOperations,
  compareOutputs,
  compareStateOutputs,
} from './core/chain/x/order.ts'
export type {
  BurnOperation,
  OwnedOutput,
  PropertyCredential,
  PropertyMintOperation,
  PropertyMintOutput,
} from './core/chain/x/propertyfx.ts'
export {
  credentialSize,
  MAX_TX_SIZE,
  operationSize,
  outputSize,
  signedSize,
  transferableInputSize,
  transferableOutputSize,
  unsignedSize,
} from './core/chain/x/size.ts'
export { consumedUTXOs, type Spend, spendsOf } from './core/chain/x/spends.ts'
export type {
  InitialState,
  Operation,
  TransferableInput,
  TransferableOutput,
} from './core/chain/x/transferables.ts'
export {
  type BaseTx,
  type CreateAssetTx,
  decodeGenesisTx,
  decodeUnsignedTx,
  type ExportTx,
  encodeUnsignedTx,
  type ImportTx,
  type OperationTx,
} from './core/chain/x/tx.ts'
export {
  decodeUTXOPage,
  type OpaqueUTXO,
  type PageEncoding,
  type PageOptions,
  type UTXOPage,
} from './core/chain/x/utxo-page.ts'
export { type Fees, feeOf, MAX_MEMO_SIZE } from './core/chain/x/verify/verify.ts'
export { MAX_NAME_SIZE, MAX_SYMBOL_SIZE } from './core/chain/x/verify/verify-asset.ts'
export { MAX_PAYLOAD_SIZE } from './core/chain/x/verify/verify-fx.ts'
export { checkedBackend } from './core/crypto/backend.ts'
export { nobleBackend } from './core/crypto/secp256k1.ts'
export { normalizeSignature, type SignatureCheck } from './core/crypto/signature.ts'
