import { asciiID } from '../chain/fx.ts'
import { type JSONContext, prefixedAddresses } from '../chain/json.ts'
import { type AddressText, type Json, toJSON } from '../codec/json.ts'
import type { JsonObject } from '../codec/json-value.ts'
import { cb58 } from '../encoding/cb58.ts'
import { txID } from './ids.ts'
import { credential } from './transferables.ts'
import { encodeTx, type SignedTx, unsignedTx } from './tx.ts'
import { encodeUTXO, type UTXO, utxo } from './utxo.ts'

/**
 * The JSON that `platform.getTx` answers with for `encoding: json`: `stringifyJSON` makes the node's
 * text of it, byte for byte. All addresses are printed as `P-…`, also those of exported outputs.
 *
 * @example
 * stringifyJSON(pChain.txToJSON(tx, { hrp: 'fuji' }))
 */
export function txToJSON(tx: SignedTx, context: AddressPrefix): Json {
  // Encoding checks every field.
  const id = txID(encodeTx(tx))
  const addresses = addressesOf(context)
  return {
    unsignedTx: shape(toJSON(unsignedTx, tx.unsignedTx, addresses)),
    credentials: tx.credentials.map((each) => shape(toJSON(credential, each, addresses))),
    id: cb58.encode(id),
  }
}

/** The network's address prefix; a `NetworkContext` has it. */
export type AddressPrefix = Pick<JSONContext, 'hrp'>

/** A UTXO in the same manner, though no API of the node prints one. */
export function utxoToJSON(value: UTXO, context: AddressPrefix): Json {
  encodeUTXO(value)
  const { output, ...rest } = toJSON(utxo, value, addressesOf(context)) as JsonObject
  return { ...rest, output: shape(output!) }
}

function addressesOf(context: AddressPrefix): AddressText {
  return prefixedAddresses({ hrp: context?.hrp, chainAlias: 'P' })
}

/**
 * From a struct's own JSON to the node's: without type names, with the extension's ID in front of what
 * a transferable holds, and with the members of outputs in alphabetical order.
 */
function shape(json: Json): Json {
  if (Array.isArray(json)) return json.map(shape)
  if (json === null || typeof json !== 'object') return json
  const { type, ...members } = json as JsonObject
  let entries = Object.entries(members)
  if ('threshold' in members) entries = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const shaped: { [key: string]: Json } = {}
  for (const [key, member] of entries) {
    // A lock has an output or input too, but a type of its own.
    if (type === undefined && (key === 'output' || key === 'input')) shaped.fxID = FX_ID
    shaped[key] = shape(member)
  }
  return shaped
}

/** The ID of secp256k1fx, the only extension of the P-Chain. */
const FX_ID: string = /* @__PURE__ */ cb58.encode(/* @__PURE__ */ asciiID('secp256k1fx'))
