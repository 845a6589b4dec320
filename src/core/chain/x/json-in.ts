import { argument } from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { cb58 } from '../../base/encoding/cb58.ts'
import { CodecError } from '../../base/errors.ts'
import { type AddressText, fromJSON, type Json } from '../../codec/json.ts'
import { isJSONObject, type JsonObject } from '../../codec/json-value.ts'
import { describe } from '../../codec/writer.ts'
import { type Block, block } from './block.ts'
import { credentialSlot } from './fx.ts'
import { blockID, txID } from './ids.ts'
import { bareAddresses, FX_IDS, type JSONContext, jsonContext, prefixedAddresses } from './json.ts'
import { encodeTx, type SignedTx, type UnsignedTx, unsignedTx } from './tx.ts'

/*
 * The node's JSON does not name types. Most types follow from the members and the fx ID. Where several types have the
 * same members (a mint output and an owned output in an initial state), the transaction ID in the JSON decides: only
 * one choice of types encodes to that ID.
 */

/** Maximum number of candidates tried. An asset with 60 ambiguous outputs has about 1,900. */
const MAX_TYPE_CANDIDATES = 4096

/**
 * Maximum number of bytes of wrong candidates, for all transactions of a block together. Without this limit, 128 KB of
 * ambiguous JSON would take 20 seconds; the 1,900 candidates of 60 ambiguous outputs take 5 MB.
 */
const MAX_ENCODED_BYTES = 8 * 1024 * 1024

/** Number of bytes that may still be encoded for wrong candidates. */
type Budget = { bytes: number }

/**
 * Converts the JSON of `txToJSON` or `avm.getTx` to a transaction and checks that it has the ID stated in the JSON.
 * If the JSON has no ID, the types must be unambiguous.
 *
 * @throws CodecError `CODEC_JSON_SHAPE`, `CODEC_JSON_AMBIGUOUS`
 */
export function txFromJSON(json: Json, context: JSONContext): SignedTx {
  const addresses = prefixedAddresses(argument('txFromJSON', context, jsonContext, 'context'))
  return readTx(json, addresses, { bytes: MAX_ENCODED_BYTES })
}

function readTx(json: Json, addresses: AddressText, budget: Budget): SignedTx {
  const { unsignedTx: unsignedJSON, credentials, id } = members(json, 'the transaction')
  const choices: Choice[] = []
  const typedTx = typeUnsigned(unsignedJSON ?? null, choices)
  const typedSlots = listOrNull(credentials ?? null, 'credentials').map((slot, i) =>
    typeCredential(slot, i, choices),
  )
  const expected = id === undefined ? undefined : cb58.decode(requireString(id, 'id'))
  // The types possible for an object have the same members, so the values are decoded only once, with the first type.
  const tx: SignedTx = {
    unsignedTx: fromJSON<UnsignedTx>(unsignedTx, typedTx, addresses),
    credentials: typedSlots.map((slot) => fromJSON(credentialSlot, slot, bareAddresses)),
  }
  const isAmbiguous = choices.length > 0
  if (expected === undefined) {
    if (!isAmbiguous) return tx
    throw ambiguous('ambiguous types, and no ID to decide between them')
  }
  for (const _ of candidates(tx, choices)) {
    const bytes = encodeTx(tx)
    if (equalBytes(txID(bytes), expected)) return tx
    budget.bytes -= bytes.length
    if (budget.bytes < 0) break
  }
  throw isAmbiguous
    ? ambiguous('ambiguous types, and no candidate has the stated ID')
    : new CodecError('CODEC_JSON_SHAPE', 'ID does not match the transaction', 0, 'id')
}

function ambiguous(message: string): CodecError {
  return new CodecError('CODEC_JSON_AMBIGUOUS', message, 0, 'id')
}

/**
 * Converts the JSON of `blockToJSON` or `avm.getBlock` to a block and checks every ID in it.
 *
 * @throws CodecError `CODEC_JSON_SHAPE`, `CODEC_JSON_AMBIGUOUS`
 */
export function blockFromJSON(json: Json, context: JSONContext): Block {
  const addresses = prefixedAddresses(argument('blockFromJSON', context, jsonContext, 'context'))
  const { parentID, height, time, merkleRoot, txs, id } = members(json, 'the block')
  const budget = { bytes: MAX_ENCODED_BYTES }
  const header = { type: 'StandardBlock', parentID, height, time, merkleRoot, txs: [] } as Json
  const value: Block = {
    ...fromJSON<Block>(block, header, bareAddresses),
    txs: listOrNull(txs ?? null, 'txs').map((tx) => readTx(tx, addresses, budget)),
  }
  if (id !== undefined && !equalBytes(blockID(value), cb58.decode(requireString(id, 'id'))))
    throw new CodecError('CODEC_JSON_SHAPE', 'ID does not match the block', 0, 'id')
  return value
}

/** Objects of a transaction with ambiguous types, and the options for their types. */
type Choice = {
  /** Returns the objects. */
  readonly find: (tx: SignedTx) => readonly object[]
  /** Number of options. */
  readonly options: number
  /** The type of an object, by its position in `find`, with an option. */
  readonly typeOf: (option: number, object: number) => string
}

/** Iterates over all combinations of options. For each, sets the types in `tx` and yields. */
function* candidates(tx: SignedTx, choices: readonly Choice[]): Generator<void> {
  const found = choices.map(({ find }) => find(tx) as readonly { type: string }[])
  const chosen = choices.map(() => 0)
  for (let tried = 0; tried < MAX_TYPE_CANDIDATES; tried++) {
    choices.forEach(({ typeOf }, i) => {
      found[i]!.forEach((object, k) => {
        object.type = typeOf(chosen[i]!, k)
      })
    })
    yield
    // Counts up: the first choice is the lowest digit.
    let at = 0
    while (at < choices.length && ++chosen[at]! === choices[at]!.options) chosen[at++] = 0
    if (at === choices.length) return
  }
}

function typeUnsigned(json: Json, choices: Choice[]): Json {
  const tx = members(json, 'unsignedTx')
  const base = {
    ...tx,
    outputs: listOrNull(tx.outputs ?? null, 'outputs').map((output) =>
      typeFxMember(output, 'output'),
    ),
    inputs: listOrNull(tx.inputs ?? null, 'inputs').map((input) => typeFxMember(input, 'input')),
  }
  if (tx.initialStates !== undefined)
    return {
      ...base,
      type: 'CreateAssetTx',
      initialStates: listOrNull(tx.initialStates, 'initialStates').map((state, i) =>
        typeInitialState(state, i, choices),
      ),
    }
  if (tx.operations !== undefined)
    return {
      ...base,
      type: 'OperationTx',
      operations: listOrNull(tx.operations, 'operations').map((item) =>
        typeFxMember(item, 'operation'),
      ),
    }
  if (tx.importedInputs !== undefined)
    return {
      ...base,
      type: 'ImportTx',
      importedInputs: listOrNull(tx.importedInputs, 'importedInputs').map((item) =>
        typeFxMember(item, 'input'),
      ),
    }
  if (tx.exportedOutputs !== undefined)
    return {
      ...base,
      type: 'ExportTx',
      exportedOutputs: listOrNull(tx.exportedOutputs, 'exportedOutputs').map((item) =>
        typeFxMember(item, 'output'),
      ),
    }
  return { ...base, type: 'BaseTx' }
}

/** Adds the type to an object that has one member of a feature extension and the fx ID. */
function typeFxMember(json: Json, name: string): Json {
  const holder = members(json, name)
  const member = members(holder[name] ?? null, name)
  const [type] = typesOf(member, holder.fxID)
  return { ...holder, [name]: { ...member, type: type ?? null } }
}

function typeCredential(json: Json, slot: number, choices: Choice[]): Json {
  const { fxID, credential } = members(json, 'credentials')
  const member = members(credential ?? null, 'credential')
  const types = typesOf(member, fxID)
  if (types.length > 1)
    choices.push({
      find: (tx) => [tx.credentials[slot]!],
      options: types.length,
      typeOf: (option) => types[option]!,
    })
  return { ...member, type: types[0] ?? null }
}

/** The fx index of a state does not determine the types of its outputs: the node accepts any. */
function typeInitialState(json: Json, index: number, choices: Choice[]): Json {
  const state = members(json, 'initialStates')
  const ambiguousAt: number[] = []
  const outputs = listOrNull(state.outputs ?? null, 'outputs').map((output, i) => {
    const member = members(output, 'outputs')
    const types = typesOf(member, undefined)
    if (types.length > 1) ambiguousAt.push(i)
    return { ...member, type: types[0] ?? null }
  })
  if (ambiguousAt.length > 0)
    choices.push({
      ...sortedTypings(ambiguousAt.length),
      find: ({ unsignedTx: tx }) => {
        const states = tx.type === 'CreateAssetTx' ? tx.initialStates : []
        return ambiguousAt.map((i) => states[index]!.outputs[i]!)
      },
    })
  return { ...state, outputs }
}

/**
 * The outputs of a state are sorted by type ID, so the ambiguous ones can only be: first mint outputs of secp256k1fx,
 * then those of propertyfx, then owned outputs, any number of each. With option 0, all are of the first type.
 */
function sortedTypings(count: number): Omit<Choice, 'find'> {
  return {
    options: ((count + 1) * (count + 2)) / 2,
    typeOf: (option, object) => {
      // If n outputs are of propertyfx, 0 to n of them can be owned outputs: n + 1 options, after n(n + 1)/2 others.
      const propertyOutputs = Math.floor((Math.sqrt(8 * option + 1) - 1) / 2)
      const ownedOutputs = option - (propertyOutputs * (propertyOutputs + 1)) / 2
      if (object < count - propertyOutputs) return 'secp256k1fx.MintOutput'
      return object < count - ownedOutputs ? 'propertyfx.MintOutput' : 'propertyfx.OwnedOutput'
    },
  }
}

/** Returns the types of one feature extension that have these members. */
function possibleTypes(member: JsonObject, fxIndex: number): string[] {
  const has = (...names: string[]) => names.every((name) => name in member)
  const found: string[] = []
  if (fxIndex === 0) {
    if (has('signatures')) found.push('secp256k1fx.Credential')
    else if (has('transferOutput')) found.push('secp256k1fx.MintOperation')
    else if (has('amount', 'signatureIndices')) found.push('secp256k1fx.TransferInput')
    else if (has('amount', 'addresses')) found.push('secp256k1fx.TransferOutput')
    else if (has('addresses') && !has('groupID')) found.push('secp256k1fx.MintOutput')
  } else if (fxIndex === 1) {
    if (has('signatures')) found.push('nftfx.Credential')
    else if (has('mintInput')) found.push('nftfx.MintOperation')
    else if (has('input')) found.push('nftfx.TransferOperation')
    else if (has('groupID', 'payload')) found.push('nftfx.TransferOutput')
    else if (has('groupID')) found.push('nftfx.MintOutput')
  } else {
    if (has('signatures')) found.push('propertyfx.Credential')
    else if (has('mintInput')) found.push('propertyfx.MintOperation')
    else if (has('signatureIndices')) found.push('propertyfx.BurnOperation')
    else if (has('addresses') && !has('groupID') && !has('amount'))
      found.push('propertyfx.MintOutput', 'propertyfx.OwnedOutput')
  }
  return found
}

/** Returns the types with these members, in the given feature extension or (older nodes omit fxID) in any. */
function typesOf(member: JsonObject, fxID: Json | undefined): string[] {
  if (fxID === undefined) return FX_IDS.flatMap((_, fxIndex) => possibleTypes(member, fxIndex))
  const fxIndex = FX_IDS.indexOf(requireString(fxID, 'fxID'))
  if (fxIndex < 0)
    throw new CodecError('CODEC_JSON_SHAPE', `unknown fx ID ${describe(fxID)}`, 0, 'fxID')
  return possibleTypes(member, fxIndex)
}

function members(json: Json, path: string): JsonObject {
  if (isJSONObject(json)) return json
  throw new CodecError('CODEC_JSON_SHAPE', `expected an object, found ${describe(json)}`, 0, path)
}

/** The node prints a nil list as null. */
function listOrNull(json: Json, path: string): readonly Json[] {
  if (json === null) return []
  if (!Array.isArray(json))
    throw new CodecError('CODEC_JSON_SHAPE', `expected an array, found ${describe(json)}`, 0, path)
  return json
}

function requireString(json: Json, path: string): string {
  if (typeof json !== 'string')
    throw new CodecError('CODEC_JSON_SHAPE', `expected a string, found ${describe(json)}`, 0, path)
  return json
}
