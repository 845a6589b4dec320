import { fc } from '@fast-check/vitest'
import type * as cChain from '../../src/core/c-chain.ts'
import type { SecpCredential } from '../../src/core/chain/secp256k1fx.ts'
import type * as pChain from '../../src/core/p-chain.ts'
import {
  anyAddress,
  anyID,
  anyTransferableInput,
  anyTransferableOutput,
  u32,
  u64,
} from './arbitraries.ts'

// Any value of the P- and C-Chain that has an encoding, whether or not the chain would accept it.

const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 3 })
const type = <T extends string>(text: T) => fc.constant(text)

const signatures = list(fc.uint8Array({ minLength: 65, maxLength: 65 }))
const credential: fc.Arbitrary<SecpCredential> = fc.record({
  type: type('secp256k1fx.Credential'),
  signatures,
})

const plainOutput = anyTransferableOutput.map(({ output }) => output)
const plainInput = anyTransferableInput.map(({ input }) => input)

export const anyPOutput: fc.Arbitrary<pChain.Output> = fc.oneof(
  plainOutput,
  fc.record({ type: type('stakeable.LockOut'), locktime: u64, output: plainOutput }),
)
const anyPInput: fc.Arbitrary<pChain.Input> = fc.oneof(
  plainInput,
  fc.record({ type: type('stakeable.LockIn'), locktime: u64, input: plainInput }),
)
export const anyPTransferableOutput: fc.Arbitrary<pChain.TransferableOutput> = fc.record({
  assetID: anyID,
  output: anyPOutput,
})
const pInput: fc.Arbitrary<pChain.TransferableInput> = fc.record({
  txID: anyID,
  outputIndex: u32,
  assetID: anyID,
  input: anyPInput,
})

const pBase = {
  networkID: u32,
  blockchainID: anyID,
  outputs: list(anyPTransferableOutput),
  inputs: list(pInput),
  memo: fc.uint8Array({ maxLength: 40 }),
}

export const anyPUnsignedTx: fc.Arbitrary<pChain.UnsignedTx> = fc.oneof(
  fc.record({ type: type('BaseTx'), ...pBase }),
  fc.record({ type: type('ImportTx'), ...pBase, sourceChain: anyID, importedInputs: list(pInput) }),
  fc.record({
    type: type('ExportTx'),
    ...pBase,
    destinationChain: anyID,
    exportedOutputs: list(anyPTransferableOutput),
  }),
)

export const anyPTx: fc.Arbitrary<pChain.SignedTx> = fc.record({
  unsignedTx: anyPUnsignedTx,
  credentials: list(credential),
})

export const anyPUTXO: fc.Arbitrary<pChain.UTXO> = fc.record({
  txID: anyID,
  outputIndex: u32,
  assetID: anyID,
  output: anyPOutput,
})

const account = { address: anyAddress, amount: u64, assetID: anyID }
const cBase = { networkID: u32, blockchainID: anyID }

export const anyCUnsignedTx: fc.Arbitrary<cChain.UnsignedTx> = fc.oneof(
  fc.record({
    type: type('ImportTx'),
    ...cBase,
    sourceChain: anyID,
    importedInputs: list(anyTransferableInput),
    outputs: list(fc.record(account)),
  }),
  fc.record({
    type: type('ExportTx'),
    ...cBase,
    destinationChain: anyID,
    inputs: list(fc.record({ ...account, nonce: u64 })),
    exportedOutputs: list(anyTransferableOutput),
  }),
)

export const anyCTx: fc.Arbitrary<cChain.SignedTx> = fc.record({
  unsignedTx: anyCUnsignedTx,
  credentials: list(credential),
})
