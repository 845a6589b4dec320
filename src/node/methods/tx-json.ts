import type { Json } from '../../core/codec/json.ts'
import type { JsonObject } from '../../core/codec/json-value.ts'
import { jsonOf } from './encoded.ts'
import type { Reply } from './reply.ts'

/** An integer in the node's JSON: `bigint` above 2^53 - 1. */
export type IntegerJSON = number | bigint

/** An output in the node's JSON. Its members identify most types; the bytes identify all. */
export type OutputJSON = {
  readonly addresses: readonly string[]
  /** Unix seconds. */
  readonly locktime: IntegerJSON
  readonly threshold: IntegerJSON
  /** Transfer outputs only. */
  readonly amount?: IntegerJSON
  /** NFT outputs only. */
  readonly groupID?: IntegerJSON
  /** NFT transfer outputs only; `0x…` hex. */
  readonly payload?: string
}

/** An output with its asset. */
export type AssetOutputJSON = {
  readonly assetID: string
  readonly fxID: string
  readonly output: OutputJSON
}

/** An input or imported input. */
export type AssetInputJSON = {
  readonly txID: string
  readonly outputIndex: IntegerJSON
  readonly assetID: string
  readonly fxID: string
  readonly input: {
    readonly amount: IntegerJSON
    readonly signatureIndices: readonly IntegerJSON[]
  }
}

/** A credential. */
export type CredentialJSON = {
  readonly fxID: string
  readonly credential: { readonly signatures: readonly string[] }
}

/** An unsigned transaction. Its members identify its type. */
export type UnsignedTxJSON = {
  readonly networkID: IntegerJSON
  readonly blockchainID: string
  /** Outputs on this chain. */
  readonly outputs: readonly AssetOutputJSON[]
  /** Inputs from this chain. */
  readonly inputs: readonly AssetInputJSON[]
  /** `0x…` hex. */
  readonly memo?: string | null
  /** ExportTx only. */
  readonly destinationChain?: string
  /** ExportTx only. */
  readonly exportedOutputs?: readonly AssetOutputJSON[]
  /** ImportTx only. */
  readonly sourceChain?: string
  /** ImportTx only. */
  readonly importedInputs?: readonly AssetInputJSON[]
  /** CreateAssetTx only. */
  readonly name?: string
  /** CreateAssetTx only. */
  readonly symbol?: string
  /** CreateAssetTx only. */
  readonly denomination?: IntegerJSON
  /** CreateAssetTx only. */
  readonly initialStates?: readonly {
    readonly fxIndex: IntegerJSON
    readonly fxID: string
    readonly outputs: readonly OutputJSON[]
  }[]
  /** OperationTx only. The members of `operation` depend on its type. */
  readonly operations?: readonly {
    readonly assetID: string
    readonly fxID: string
    readonly inputIDs: readonly { readonly txID: string; readonly outputIndex: IntegerJSON }[]
    readonly operation: JsonObject
  }[]
}

/** A signed transaction in the node's JSON; `txFromJSON` converts it. */
export type TxJSON = {
  readonly unsignedTx: UnsignedTxJSON
  /** `null` for a genesis asset on a node that has not restarted since. */
  readonly credentials: readonly CredentialJSON[] | null
  readonly id: string
}

/** A block in the node's JSON; `blockFromJSON` converts it. */
export type BlockJSON = {
  readonly parentID: string
  readonly height: IntegerJSON
  /** Unix seconds. */
  readonly time: IntegerJSON
  readonly merkleRoot: string
  /** `null` for block 0 on a node that has not restarted since. */
  readonly txs: readonly TxJSON[] | null
  readonly id: string
}

/** Checks a transaction in JSON and returns it unchanged, including unknown members. */
export function readTxJSON(r: Reply, field: string): TxJSON {
  return checked(r, field, TX) as TxJSON
}

/** Checks a block in JSON and returns it unchanged, including unknown members. */
export function readBlockJSON(r: Reply, field: string): BlockJSON {
  return checked(r, field, BLOCK) as BlockJSON
}

/** Throws if a member is missing or has the wrong type. */
type Check = (object: Reply, field: string) => void
type Shape = { readonly [field: string]: Check }

const text: Check = (r, field) => r.string(field)
const integer: Check = (r, field) => r.bareInteger(field)
const texts: Check = (r, field) => r.requiredList(field, (items, i) => items.string(i))
const integers: Check = (r, field) => r.requiredList(field, (items, i) => items.bareInteger(i))
const object =
  (shape: Shape): Check =>
  (r, field) =>
    checkShape(r.object(field), shape)
const list =
  (shape: Shape): Check =>
  (r, field) =>
    r.requiredList(field, (items, i) => checkShape(items.object(i), shape))
const optional =
  (inner: Check): Check =>
  (r, field) =>
    r.lacks(field) || inner(r, field)
const nullable =
  (inner: Check): Check =>
  (r, field) =>
    (r.has(field) || r.lacks(field)) && inner(r, field)

const OUTPUT: Shape = {
  addresses: texts,
  locktime: integer,
  threshold: integer,
  amount: optional(integer),
  groupID: optional(integer),
  payload: optional(text),
}
const ASSET_OUTPUTS: Check = list({
  assetID: text,
  fxID: text,
  output: object(OUTPUT),
})
const ASSET_INPUTS: Check = list({
  txID: text,
  outputIndex: integer,
  assetID: text,
  fxID: text,
  input: object({ amount: integer, signatureIndices: integers }),
})
const UNSIGNED_TX: Shape = {
  networkID: integer,
  blockchainID: text,
  outputs: ASSET_OUTPUTS,
  inputs: ASSET_INPUTS,
  memo: optional(nullable(text)),
  destinationChain: optional(text),
  exportedOutputs: optional(ASSET_OUTPUTS),
  sourceChain: optional(text),
  importedInputs: optional(ASSET_INPUTS),
  name: optional(text),
  symbol: optional(text),
  denomination: optional(integer),
  initialStates: optional(list({ fxIndex: integer, fxID: text, outputs: list(OUTPUT) })),
  operations: optional(
    list({
      assetID: text,
      fxID: text,
      inputIDs: list({ txID: text, outputIndex: integer }),
      operation: object({}),
    }),
  ),
}
const TX: Shape = {
  unsignedTx: object(UNSIGNED_TX),
  credentials: nullable(list({ fxID: text, credential: object({ signatures: texts }) })),
  id: text,
}
const BLOCK: Shape = {
  parentID: text,
  height: integer,
  time: integer,
  merkleRoot: text,
  txs: nullable(list(TX)),
  id: text,
}

function checked(r: Reply, field: string, shape: Shape): Json {
  const json = jsonOf(r, field)
  checkShape(r.within(field, json), shape)
  return json
}

function checkShape(r: Reply, shape: Shape): void {
  for (const [field, inner] of Object.entries(shape)) inner(r, field)
}
