import { type AddressText, type Json, toJSON } from '../codec/json.ts'
import { formatAddress, parseAddress } from '../encoding/address.ts'
import { cb58 } from '../encoding/cb58.ts'
import { CodecError } from '../errors.ts'
import type { Block } from './block.ts'
import { asciiID, credentialSlot, FX_NAMES, fxIndexOf } from './fx.ts'
import { blockID, txID } from './ids.ts'
import { type SignedTx, unsignedTx } from './tx.ts'
import { type UTXO, utxo } from './utxo.ts'

/** How addresses are written: the chain and network of the node that answers, not of the transaction. */
export type JSONContext = { readonly hrp: string; readonly chainAlias: string }

/** Addresses behind a chain and a network's prefix. */
export function prefixedAddresses({ hrp, chainAlias }: JSONContext): AddressText {
  return {
    format: (address) => formatAddress({ chain: chainAlias, hrp, address }),
    parse: (text) => parseAddress(text, { chain: chainAlias, hrp }).address,
  }
}

/** Owners in a credential's place are printed without chain and network. */
export const bareAddresses: AddressText = { format: cb58.encode, parse: cb58.decode }

/**
 * The JSON that `avm.getTx` answers with for `encoding: json`: what `stringifyJSON` makes of the result is
 * the node's text, byte for byte.
 *
 * @example
 * stringifyJSON(txToJSON(tx, networks.fuji))
 */
export function txToJSON(tx: SignedTx, context: JSONContext): Json {
  const addresses = prefixedAddresses(context)
  return {
    unsignedTx: shape(toJSON(unsignedTx, tx.unsignedTx, addresses)),
    credentials: tx.credentials.map((slot) => ({
      fxID: FX_IDS[fxIndexOf(slot)]!,
      credential: shape(toJSON(credentialSlot, slot, bareAddresses)),
    })),
    id: cb58.encode(txID(tx)),
  }
}

/** The JSON that `avm.getBlock` answers with for `encoding: json`. */
export function blockToJSON(block: Block, context: JSONContext): Json {
  return {
    parentID: cb58.encode(block.parentID),
    height: block.height,
    time: block.time,
    merkleRoot: cb58.encode(block.merkleRoot),
    txs: block.txs.map((tx) => txToJSON(tx, context)),
    id: cb58.encode(blockID(block)),
  }
}

/** A UTXO in the same manner, though no API of the node prints one. */
export function utxoToJSON(value: UTXO, context: JSONContext): Json {
  const { output, ...rest } = toJSON(utxo, value, prefixedAddresses(context)) as Members
  return { ...rest, output: shape(output!) }
}

type Members = { readonly [key: string]: Json }

/** The extensions' IDs as the node prints them, by index. */
export const FX_IDS: readonly string[] = /* @__PURE__ */ FX_NAMES.map((name) =>
  cb58.encode(asciiID(name)),
)

/** Members that hold a value of an extension, in front of which the node prints its ID. */
const FX_MEMBERS: readonly string[] = ['output', 'input', 'operation']

/**
 * From a struct's own JSON to the node's: without type names, with the extensions' IDs, and with the
 * members of outputs in alphabetical order.
 */
function shape(json: Json): Json {
  if (Array.isArray(json)) return json.map(shape)
  if (json === null || typeof json !== 'object') return json
  const { type, ...members } = json as Members
  let entries = Object.entries(members)
  if ('threshold' in members) entries = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const shaped: { [key: string]: Json } = {}
  for (const [key, member] of entries) {
    if (type === undefined && FX_MEMBERS.includes(key)) shaped.fxID = fxIDOf(member as Members)
    shaped[key] = shape(member)
    if (key === 'fxIndex') shaped.fxID = fxIDAt(member as number)
  }
  return shaped
}

function fxIDOf(member: Members): string {
  return FX_IDS[FX_NAMES.findIndex((name) => String(member.type).startsWith(`${name}.`))]!
}

function fxIDAt(index: number): string {
  const fxID = FX_IDS[index]
  if (fxID === undefined)
    throw new CodecError('CODEC_BAD_VALUE', `expected an fxIndex from 0 to 2, found ${index}`, 0)
  return fxID
}
