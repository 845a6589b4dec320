import { equalBytes } from '../../base/bytes/compare.ts'
import { parseID } from '../../base/encoding/ids.ts'
import { AvmError, CodecError } from '../../base/errors.ts'
import { fromJSON, type Json } from '../../codec/json.ts'
import { isJSONObject, type JsonObject } from '../../codec/json-value.ts'
import { txID } from './ids.ts'
import { type AddressPrefix, pAddresses } from './json.ts'
import { type SignedTx, signedTx } from './tx.ts'

/**
 * Reads the JSON of `platform.getTx` for a BaseTx, ImportTx or ExportTx, without loss if it was parsed by
 * `parseJSON`. The node prints no type names: the type is derived from the members. The ID is recomputed and
 * compared, which detects a wrong type.
 *
 * @throws CodecError `CODEC_JSON_SHAPE` if it is not such a transaction or has another ID.
 */
export function txFromJSON(json: Json, context: AddressPrefix): SignedTx {
  const addresses = pAddresses('txFromJSON', context)
  const { unsignedTx, credentials, id } = objectIn(json, 'a transaction')
  const fields = objectIn(unsignedTx, 'unsignedTx')
  const typed = {
    unsignedTx: {
      ...fields,
      type:
        fields.importedInputs !== undefined
          ? 'ImportTx'
          : fields.exportedOutputs !== undefined
            ? 'ExportTx'
            : 'BaseTx',
      outputs: eachOf(fields.outputs, withOutput),
      inputs: eachOf(fields.inputs, withInput),
      ...(fields.importedInputs !== undefined && {
        importedInputs: eachOf(fields.importedInputs, withInput),
      }),
      ...(fields.exportedOutputs !== undefined && {
        exportedOutputs: eachOf(fields.exportedOutputs, withOutput),
      }),
    },
    credentials: eachOf(credentials, (each) => ({ ...each, type: 'secp256k1fx.Credential' })),
  }
  const tx = fromJSON(signedTx, typed as Json, addresses)
  if (!equalBytes(txID(tx), idIn(id)))
    throw new CodecError('CODEC_JSON_SHAPE', 'id does not match the transaction', 0)
  return tx
}

function withOutput(each: JsonObject): JsonObject {
  return { ...each, output: lockable(each.output, 'output', 'LockOut', 'TransferOutput') }
}

function withInput(each: JsonObject): JsonObject {
  return { ...each, input: lockable(each.input, 'input', 'LockIn', 'TransferInput') }
}

/**
 * Adds the type names to an output or input. The JSON of a stakeable lock has the locked value in a member of the same
 * name.
 */
function lockable(value: Json | undefined, name: string, lock: string, plain: string): JsonObject {
  const members = objectIn(value, name)
  if (members[name] === undefined) return { ...members, type: `secp256k1fx.${plain}` }
  const inner = objectIn(members[name], name)
  return {
    ...members,
    type: `stakeable.${lock}`,
    [name]: { ...inner, type: `secp256k1fx.${plain}` },
  }
}

function eachOf(list: Json | undefined, change: (each: JsonObject) => JsonObject): Json {
  // The reader rejects a value that is not a list, with its path.
  if (!Array.isArray(list)) return (list ?? null) as Json
  return list.map((each: Json) => change(objectIn(each, 'an object')))
}

function objectIn(json: Json | undefined, what: string): JsonObject {
  if (isJSONObject(json)) return json
  throw wrong(`${what} as an object`, Array.isArray(json) ? 'a list' : typeof json)
}

function idIn(id: Json | undefined): Uint8Array {
  try {
    return parseID(typeof id === 'string' ? id : '')
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    throw wrong('an ID in cb58', typeof id)
  }
}

function wrong(expected: string, found: string): CodecError {
  return new CodecError('CODEC_JSON_SHAPE', `expected ${expected}, found ${found}`, 0)
}
