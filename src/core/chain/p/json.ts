import { argument, type Check } from '../../base/argument.ts'
import { cb58 } from '../../base/encoding/cb58.ts'
import { type AddressText, type Json, toJSON } from '../../codec/json.ts'
import type { JsonObject } from '../../codec/json-value.ts'
import { contextWith } from '../networks.ts'
import { asciiID } from '../x/fx.ts'
import { type JSONContext, prefixedAddresses } from '../x/json.ts'
import { txID } from './ids.ts'
import { credential } from './transferables.ts'
import { encodeTx, type SignedTx, unsignedTx } from './tx.ts'
import { encodeUTXO, type UTXO, utxo } from './utxo.ts'

/**
 * The JSON of a transaction as `platform.getTx` returns it for `encoding: json`. Its text by `stringifyJSON` equals
 * that of the node byte for byte. All addresses start with `P-`, also those of exported outputs.
 *
 * @example
 * stringifyJSON(pChain.txToJSON(tx, { hrp: 'fuji' }))
 */
export function txToJSON(tx: SignedTx, context: AddressPrefix): Json {
  const addresses = pAddresses('txToJSON', context)
  // Encoding checks every field.
  const id = txID(encodeTx(tx))
  return {
    unsignedTx: toNodeJSON(toJSON(unsignedTx, tx.unsignedTx, addresses)),
    credentials: tx.credentials.map((each) => toNodeJSON(toJSON(credential, each, addresses))),
    id: cb58.encode(id),
  }
}

/** The network's address prefix; a `NetworkContext` has it. */
export type AddressPrefix = Pick<JSONContext, 'hrp'>

/** The JSON of a UTXO in the format of {@link txToJSON}. The node has no API that returns it. */
export function utxoToJSON(value: UTXO, context: AddressPrefix): Json {
  const addresses = pAddresses('utxoToJSON', context)
  // Encoding checks every field.
  encodeUTXO(value)
  const { output, ...rest } = toJSON(utxo, value, addresses) as JsonObject
  return { ...rest, output: toNodeJSON(output!) }
}

/** Describes the address prefix; a `NetworkContext` is accepted. */
export const addressPrefix: Check<AddressPrefix> = /* @__PURE__ */ contextWith('hrp')

/** Checks the context of a call, and returns how it represents addresses. */
export function pAddresses(call: string, context: AddressPrefix): AddressText {
  return prefixedAddresses({
    hrp: argument(call, context, addressPrefix, 'context').hrp,
    chainAlias: 'P',
  })
}

/**
 * Converts the JSON of a struct to the node's: without type names, with the ID of the feature extension before the
 * output or input of a transferable, and with the members of outputs in alphabetical order.
 */
function toNodeJSON(json: Json): Json {
  if (Array.isArray(json)) return json.map(toNodeJSON)
  if (json === null || typeof json !== 'object') return json
  const { type, ...members } = json as JsonObject
  let entries = Object.entries(members)
  if ('threshold' in members) entries = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const shaped: { [key: string]: Json } = {}
  for (const [key, member] of entries) {
    // A stakeable lock also has an output or input, but the node prints no fxID there. It is told by its `type`.
    if (type === undefined && (key === 'output' || key === 'input')) shaped.fxID = FX_ID
    shaped[key] = toNodeJSON(member)
  }
  return shaped
}

/** The ID of secp256k1fx, the only extension of the P-Chain. */
const FX_ID: string = /* @__PURE__ */ cb58.encode(/* @__PURE__ */ asciiID('secp256k1fx'))
