import type { AssetAmount } from '../../../src/core/chain/amounts.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import type { FxOperation, Output } from '../../../src/core/chain/x/fx.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { compareOutputs } from '../../../src/core/chain/x/order.ts'
import type { TransferableOutput } from '../../../src/core/chain/x/transferables.ts'
import {
  type BaseTx,
  type CreateAssetTx,
  encodeTx,
  type OperationTx,
  type UnsignedTx,
} from '../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import { createRequest } from '../../../src/core/sign/request/request.ts'
import { formatRequest } from '../../../src/core/sign/request/request-file.ts'
import type { SigningRequest } from '../../../src/core/sign/request/signing-request.ts'
import { created, draftOf, owners, parentsOf, paying } from './fixtures.ts'

const { local } = networks

/** Who owns how much, in millionths of a coin: the fee is 1,000 of them. */
export type Put = readonly [of: OutputOwners, amount: number, assetID?: Uint8Array]

/** A transaction, often built by an attacker. */
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
export function asset(details: Partial<CreateAssetTx> = {}): {
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
    ...details,
  }
  const proof = encodeTx({ unsignedTx: tx, credentials: [] })
  return { assetID: txID(proof), proof, tx }
}

/** The request of a scene, with proofs of all its UTXOs but the operated ones. */
export function requestOf(scene: Scene, moreProofs: readonly Uint8Array[] = []): SigningRequest {
  const draft = drafted(scene)
  return createRequest(draft, { parents: [...parentsOf(draft), ...moreProofs] })
}

/** The file of `requestOf`. */
export function fileOf(scene: Scene, moreProofs: readonly Uint8Array[] = []): string {
  return formatRequest(requestOf(scene, moreProofs))
}

// People 0 and 1 own a vault of which both must sign. 4 and 5 attack. 2 and 3 are others.
export const vault: OutputOwners = owners(2, 0, 1)
export const thief: OutputOwners = owners(1, 5)
/** Two of the vault's owners and two attackers, of whom any two can sign. */
export const wide: OutputOwners = owners(2, 0, 1, 4, 5)
export const nobody: OutputOwners = { locktime: 0n, threshold: 0, addresses: [] }

/** What is left of an amount after the fee. */
export const rest = (amount: number): number => amount - FEE

/** An honest payment of the vault. */
export const plain: Scene = {
  spend: [[vault, 100_000_000]],
  pay: [
    [owners(1, 3), 1_000_000],
    [vault, rest(99_000_000)],
  ],
  change: [[vault, rest(99_000_000)]],
}

/** The payment of the vault, in which others get the change. */
export function changeTo(of: OutputOwners): Scene {
  return {
    ...plain,
    pay: [
      [owners(1, 3), 1_000_000],
      [of, rest(99_000_000)],
    ],
  }
}

/** The same outputs, none of which is stated to be change. */
export function withoutChange(of: OutputOwners): Scene {
  return { ...changeTo(of), change: [] }
}

/** A payment of a token to a thief. */
export function payingToken(assetID: Uint8Array): Scene {
  return {
    spend: [
      [vault, 1_000_000 + FEE],
      [vault, 5_000_000, assetID],
    ],
    pay: [
      [vault, 1_000_000],
      [thief, 5_000_000, assetID],
    ],
  }
}

/** An output of an asset, and the operation on it. */
export type Operated = readonly [Output, FxOperation]

/**
 * A transaction with operations on outputs of one asset, and the proof of the asset. Outputs of secp256k1fx come first,
 * then those of nftfx.
 */
export function operating(...pairs: readonly Operated[]): [Scene, Uint8Array[]] {
  const states = ['secp256k1fx', 'nftfx', 'propertyfx'].map((fx, fxIndex) => ({
    fxIndex,
    outputs: pairs.flatMap(([output]) => (output.type.startsWith(fx) ? [output] : [])),
  }))
  const initialStates = states.filter(({ outputs }) => outputs.length > 0)
  const { assetID, proof } = asset({ initialStates })
  const id = (outputIndex: number) => ({ txID: assetID, outputIndex })
  const scene: Scene = {
    spend: [[vault, 1_000_000 + FEE]],
    pay: [[vault, 1_000_000]],
    operated: pairs.map(([output], i) => ({ ...id(i), assetID, output })),
    as: (tx): OperationTx => ({
      ...tx,
      type: 'OperationTx',
      operations: pairs.map(([, operation], i) => ({ assetID, inputIDs: [id(i)], operation })),
    }),
  }
  return [scene, [proof]]
}
