import { fc } from '@fast-check/vitest'
import type { OutputOwners, SignerInput } from '../../src/core/chain/owners.ts'
import type { SecpCredential, TransferOutput } from '../../src/core/chain/secp256k1fx.ts'
import type { Block } from '../../src/core/chain/x/block.ts'
import type { CredentialSlot, FxOperation, Output } from '../../src/core/chain/x/fx.ts'
import type {
  InitialState,
  Operation,
  TransferableInput,
  TransferableOutput,
} from '../../src/core/chain/x/transferables.ts'
import type { SignedTx, UnsignedTx } from '../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../src/core/chain/x/utxo.ts'

// Any value that has an encoding, whether or not the chain would accept it.

const sized = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const list = <T>(item: fc.Arbitrary<T>, maxLength = 3) => fc.array(item, { maxLength })
const constant = <T extends string>(text: T) => fc.constant(text)

export const u32: fc.Arbitrary<number> = fc.oneof(
  fc.nat(5),
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff),
)
export const u64: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 0n, max: 5n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n),
)
export const anyID: fc.Arbitrary<Uint8Array> = sized(32)
export const anyAddress: fc.Arbitrary<Uint8Array> = sized(20)
const payload = fc.uint8Array({ maxLength: 40 })

const ownerFields = { locktime: u64, threshold: u32, addresses: list(anyAddress) }
const signerFields = { signatureIndices: list(u32) }
const owners: fc.Arbitrary<OutputOwners> = fc.record(ownerFields)
const signer: fc.Arbitrary<SignerInput> = fc.record(signerFields)

const transferOutput: fc.Arbitrary<TransferOutput> = fc.record({
  type: constant('secp256k1fx.TransferOutput'),
  amount: u64,
  ...ownerFields,
})
const mintOutput = fc.record({ type: constant('secp256k1fx.MintOutput'), ...ownerFields })
const nftOutput = fc.record({
  type: constant('nftfx.TransferOutput'),
  groupID: u32,
  payload,
  ...ownerFields,
})
const propertyMint = fc.record({ type: constant('propertyfx.MintOutput'), ...ownerFields })
const owned = fc.record({ type: constant('propertyfx.OwnedOutput'), ...ownerFields })

export const anyOutput: fc.Arbitrary<Output> = fc.oneof(
  transferOutput,
  mintOutput,
  fc.record({ type: constant('nftfx.MintOutput'), groupID: u32, ...ownerFields }),
  nftOutput,
  propertyMint,
  owned,
)

const transferInput = fc.record({
  type: constant('secp256k1fx.TransferInput'),
  amount: u64,
  ...signerFields,
})

const fxOperation: fc.Arbitrary<FxOperation> = fc.oneof(
  fc.record({
    type: constant('secp256k1fx.MintOperation'),
    mintInput: signer,
    mintOutput,
    transferOutput,
  }),
  fc.record({
    type: constant('nftfx.MintOperation'),
    mintInput: signer,
    groupID: u32,
    payload,
    outputs: list(owners),
  }),
  fc.record({ type: constant('nftfx.TransferOperation'), input: signer, output: nftOutput }),
  fc.record({
    type: constant('propertyfx.MintOperation'),
    mintInput: signer,
    mintOutput: propertyMint,
    ownedOutput: owned,
  }),
  fc.record({ type: constant('propertyfx.BurnOperation'), ...signerFields }),
)

export const anyTransferableOutput: fc.Arbitrary<TransferableOutput> = fc.record({
  assetID: anyID,
  output: transferOutput,
})
export const anyTransferableInput: fc.Arbitrary<TransferableInput> = fc.record({
  txID: anyID,
  outputIndex: u32,
  assetID: anyID,
  input: transferInput,
})
export const anyOperation: fc.Arbitrary<Operation> = fc.record({
  assetID: anyID,
  inputIDs: list(fc.record({ txID: anyID, outputIndex: u32 })),
  operation: fxOperation,
})
export const anyInitialState: fc.Arbitrary<InitialState> = fc.record({
  fxIndex: fc.nat(2),
  outputs: list(anyOutput),
})

const baseFields = {
  networkID: u32,
  blockchainID: anyID,
  outputs: list(anyTransferableOutput),
  inputs: list(anyTransferableInput),
  memo: fc.uint8Array({ maxLength: 40 }),
}

export const anyUnsignedTx: fc.Arbitrary<UnsignedTx> = fc.oneof(
  fc.record({ type: constant('BaseTx'), ...baseFields }),
  fc.record({
    type: constant('CreateAssetTx'),
    ...baseFields,
    name: fc
      .string({ unit: 'binary', maxLength: 20 })
      .filter((text) => !/\p{Surrogate}/u.test(text)),
    symbol: fc.string({ maxLength: 5 }),
    denomination: fc.nat(255),
    initialStates: list(anyInitialState),
  }),
  fc.record({ type: constant('OperationTx'), ...baseFields, operations: list(anyOperation) }),
  fc.record({
    type: constant('ImportTx'),
    ...baseFields,
    sourceChain: anyID,
    importedInputs: list(anyTransferableInput),
  }),
  fc.record({
    type: constant('ExportTx'),
    ...baseFields,
    destinationChain: anyID,
    exportedOutputs: list(anyTransferableOutput),
  }),
)

const signatures = list(sized(65))
const credential: fc.Arbitrary<SecpCredential> = fc.record({
  type: constant('secp256k1fx.Credential'),
  signatures,
})
export const anySlot: fc.Arbitrary<CredentialSlot> = fc.oneof(
  { arbitrary: credential, weight: 4 },
  fc.record({ type: constant('nftfx.Credential'), signatures }),
  fc.record({ type: constant('propertyfx.Credential'), signatures }),
  transferInput,
  anyOutput,
  fxOperation,
)

export const anyTx: fc.Arbitrary<SignedTx> = fc.record({
  unsignedTx: anyUnsignedTx,
  credentials: list(anySlot),
})

export const anyUTXO: fc.Arbitrary<UTXO> = fc.record({
  txID: anyID,
  outputIndex: u32,
  assetID: anyID,
  output: anyOutput,
})

export const anyBlock: fc.Arbitrary<Block> = fc.record({
  type: constant('StandardBlock'),
  parentID: anyID,
  height: u64,
  time: u64,
  merkleRoot: anyID,
  txs: list(anyTx, 2),
})
