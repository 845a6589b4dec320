import { randomBytes } from 'node:crypto'
import { encodeUTXO } from 'avmkit'

const bytes = (size) => new Uint8Array(randomBytes(size))

/** The asset of all fixtures: most wallets hold only one. */
export const assetID = bytes(32)

/** A signed BaseTx with one-signature inputs; its signatures are random. */
export function baseTx(inputs, outputs) {
  return {
    unsignedTx: {
      type: 'BaseTx',
      networkID: 1,
      blockchainID: bytes(32),
      outputs: Array.from({ length: outputs }, (_, i) => ({
        assetID,
        output: transferOutput(1_000_000_000n * BigInt(i + 1)),
      })),
      inputs: Array.from({ length: inputs }, (_, i) => ({
        txID: bytes(32),
        outputIndex: i,
        assetID,
        input: {
          type: 'secp256k1fx.TransferInput',
          amount: 1_000_000_000n + BigInt(i),
          signatureIndices: [0],
        },
      })),
      memo: new Uint8Array(0),
    },
    credentials: Array.from({ length: inputs }, () => ({
      type: 'secp256k1fx.Credential',
      signatures: [bytes(65)],
    })),
  }
}

/** A P-Chain ImportTx with the inputs and credentials of {@link baseTx}, from the X-Chain. */
export function importTx(inputs) {
  const { unsignedTx, credentials } = baseTx(inputs, 1)
  return {
    unsignedTx: {
      ...unsignedTx,
      type: 'ImportTx',
      blockchainID: new Uint8Array(32),
      inputs: [],
      sourceChain: unsignedTx.blockchainID,
      importedInputs: unsignedTx.inputs,
    },
    credentials,
  }
}

/** Encoded UTXOs of 118 bytes, each with an owner of its own or with the given one. */
export function utxoBytes(count, owner) {
  return Array.from({ length: count }, (_, i) =>
    encodeUTXO({
      txID: bytes(32),
      outputIndex: i % 7,
      assetID,
      output: transferOutput(1_000_000_000n + BigInt(i), owner),
    }),
  )
}

function transferOutput(amount, owner = bytes(20)) {
  return {
    type: 'secp256k1fx.TransferOutput',
    amount,
    locktime: 0n,
    threshold: 1,
    addresses: [owner],
  }
}
