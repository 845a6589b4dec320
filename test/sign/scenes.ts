import type { AssetAmount, Draft } from '../../src/build/draft.ts'
import {
  type BaseTx,
  type CreateAssetTx,
  compareOutputs,
  encodeTx,
  networks,
  type OutputOwners,
  type TransferableOutput,
  type TransferOutput,
  txID,
  type UnsignedTx,
  type UTXO,
} from '../../src/chain/index.ts'
import { created, draftOf, paying } from './fixtures.ts'

const { local } = networks

/** Who owns how much, in millionths of a coin: the fee is 1,000 of them. */
export type Put = readonly [of: OutputOwners, amount: number, assetID?: Uint8Array]

/** A transaction built by an attacker. */
export type Scene = {
  readonly spend: readonly Put[]
  readonly pay: readonly Put[]
  /** The change as stated in the file; by default none. */
  readonly change?: readonly Put[]
  /** Converts the transfer to another type of transaction. */
  readonly as?: (tx: BaseTx) => UnsignedTx
  /** Further UTXOs, for operations. */
  readonly operated?: readonly UTXO[]
}

/** The fee in the unit of `Put`. */
export const FEE = 1000

export function outputsOf(puts: readonly Put[]): TransferableOutput[] {
  return puts
    .map(([of, amount, assetID = local.assetID]) => ({
      assetID,
      output: paying(units(amount), of),
    }))
    .sort(compareOutputs)
}

/** The draft of a scene. All of its amounts come from one parent. */
export function drafted({ spend, pay, change = [], as, operated = [] }: Scene): Draft {
  const { utxos } = created(
    spend.map(([of, amount, assetID = local.assetID]) => ({
      assetID,
      output: paying(units(amount), of),
    })),
  )
  const base: BaseTx = {
    type: 'BaseTx',
    networkID: local.networkID,
    blockchainID: local.chainID,
    outputs: outputsOf(pay),
    inputs: utxos.map(({ output, ...id }) => ({
      ...id,
      input: {
        type: 'secp256k1fx.TransferInput',
        amount: (output as TransferOutput).amount,
        signatureIndices: Array.from({ length: output.threshold }, (_, i) => i),
      },
    })),
    memo: new Uint8Array(),
  }
  return {
    ...draftOf(as === undefined ? base : as(base), [...utxos, ...operated]),
    change: change.map(
      ([, amount, assetID = local.assetID]): AssetAmount => ({ assetID, amount: units(amount) }),
    ),
  }
}

function units(amount: number): bigint {
  return BigInt(amount) * 1000n
}

/** An asset with these names, its ID, and the bytes that prove it. */
export function asset(facts: Partial<CreateAssetTx> = {}): {
  readonly assetID: Uint8Array
  readonly proof: Uint8Array
  readonly tx: CreateAssetTx
} {
  const tx: CreateAssetTx = {
    type: 'CreateAssetTx',
    networkID: local.networkID,
    blockchainID: local.chainID,
    outputs: [],
    inputs: [],
    memo: new Uint8Array(),
    name: 'Token',
    symbol: 'TOK',
    denomination: 2,
    initialStates: [],
    ...facts,
  }
  const proof = encodeTx({ unsignedTx: tx, credentials: [] })
  return { assetID: txID(proof), proof, tx }
}
