import { argument, type Check } from '../../base/argument.ts'
import { readAddress, writeAddress } from '../../base/encoding/address.ts'
import { cb58 } from '../../base/encoding/cb58.ts'
import { CodecError } from '../../base/errors.ts'
import { type AddressText, type Json, toJSON } from '../../codec/json.ts'
import type { JsonObject } from '../../codec/json-value.ts'
import { contextWith } from '../networks.ts'
import { type Block, encodeBlock } from './block.ts'
import { asciiID, credentialSlot, FX_NAMES, fxIndexOf } from './fx.ts'
import { blockID, txID } from './ids.ts'
import { encodeTx, type SignedTx, unsignedTx } from './tx.ts'
import { encodeUTXO, type UTXO, utxo } from './utxo.ts'

/** How addresses are formatted: with the alias and network of the node that answers. */
export type JSONContext = {
  /** Human-readable part of addresses. */
  readonly hrp: string
  /** Chain alias in front of addresses. */
  readonly chainAlias: string
}

/** Describes how addresses are formatted; a `NetworkContext` is accepted. */
export const jsonContext: Check<JSONContext> = /* @__PURE__ */ contextWith('hrp', 'chainAlias')

/** Addresses with chain alias and network prefix. */
export function prefixedAddresses({ hrp, chainAlias }: JSONContext): AddressText {
  return {
    format: (address) => writeAddress(chainAlias, hrp, address),
    parse: (text) => readAddress(text, chainAlias, hrp).address,
  }
}

/** Addresses as plain cb58, which the node prints for the owners of an output in a credential's position. */
export const bareAddresses: AddressText = { format: cb58.encode, parse: cb58.decode }

/**
 * Converts a transaction to the JSON that `avm.getTx` returns for `encoding: json`. `stringifyJSON` of the result
 * equals the node's text byte for byte.
 *
 * @throws CodecError `CODEC_BAD_VALUE`
 *
 * @example
 * stringifyJSON(txToJSON(tx, networks.fuji))
 */
export function txToJSON(tx: SignedTx, context: JSONContext): Json {
  return toTxJSON(tx, prefixedAddresses(argument('txToJSON', context, jsonContext, 'context')))
}

function toTxJSON(tx: SignedTx, addresses: AddressText): Json {
  // Encoding checks every field.
  const id = txID(encodeTx(tx))
  return {
    unsignedTx: toNodeForm(toJSON(unsignedTx, tx.unsignedTx, addresses)),
    credentials: tx.credentials.map((slot) => ({
      fxID: FX_IDS[fxIndexOf(slot)]!,
      credential: toNodeForm(toJSON(credentialSlot, slot, bareAddresses)),
    })),
    id: cb58.encode(id),
  }
}

/**
 * Converts a block to the JSON that `avm.getBlock` returns for `encoding: json`.
 *
 * @throws CodecError `CODEC_BAD_VALUE`
 */
export function blockToJSON(block: Block, context: JSONContext): Json {
  const addresses = prefixedAddresses(argument('blockToJSON', context, jsonContext, 'context'))
  const id = blockID(encodeBlock(block))
  return {
    parentID: cb58.encode(block.parentID),
    height: block.height,
    time: block.time,
    merkleRoot: cb58.encode(block.merkleRoot),
    txs: block.txs.map((tx) => toTxJSON(tx, addresses)),
    id: cb58.encode(id),
  }
}

/** Converts a UTXO to JSON in the same form, although no API of the node returns it. */
export function utxoToJSON(value: UTXO, context: JSONContext): Json {
  const addresses = prefixedAddresses(argument('utxoToJSON', context, jsonContext, 'context'))
  // Encoding checks every field.
  encodeUTXO(value)
  const { output, ...rest } = toJSON(utxo, value, addresses) as JsonObject
  return { ...rest, output: toNodeForm(output!) }
}

/** IDs of the feature extensions as the node prints them, by fx index. */
export const FX_IDS: readonly string[] = /* @__PURE__ */ FX_NAMES.map((name) =>
  cb58.encode(asciiID(name)),
)

/** Members with a value of a feature extension; the node prints the fx ID before them. */
const FX_MEMBERS: readonly string[] = ['output', 'input', 'operation']

/**
 * Converts the JSON of a struct to that of the node: without type names, with fx IDs, and with the members of
 * outputs in alphabetical order.
 */
function toNodeForm(json: Json): Json {
  if (Array.isArray(json)) return json.map(toNodeForm)
  if (json === null || typeof json !== 'object') return json
  const { type, ...members } = json as JsonObject
  let entries = Object.entries(members)
  if ('threshold' in members) entries = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const converted: { [key: string]: Json } = {}
  for (const [key, member] of entries) {
    if (type === undefined && FX_MEMBERS.includes(key))
      converted.fxID = fxIDOf(member as JsonObject)
    converted[key] = toNodeForm(member)
    if (key === 'fxIndex') converted.fxID = fxIDAt(member as number)
  }
  return converted
}

function fxIDOf(member: JsonObject): string {
  return FX_IDS[FX_NAMES.findIndex((name) => String(member.type).startsWith(`${name}.`))]!
}

function fxIDAt(index: number): string {
  const fxID = FX_IDS[index]
  if (fxID === undefined)
    throw new CodecError('CODEC_BAD_VALUE', `fxIndex must be from 0 to 2, is ${index}`, 0)
  return fxID
}
