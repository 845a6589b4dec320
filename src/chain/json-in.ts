import { equalBytes } from '../bytes/compare.ts'
import { fromJSON, type Json } from '../codec/json.ts'
import { describe } from '../codec/writer.ts'
import { cb58 } from '../encoding/cb58.ts'
import { CodecError } from '../errors.ts'
import { type Block, block } from './block.ts'
import { credentialSlot } from './fx.ts'
import { blockID, txID } from './ids.ts'
import { bareAddresses, FX_IDS, type JSONContext, prefixedAddresses } from './json.ts'
import { encodeTx, type SignedTx, type UnsignedTx, unsignedTx } from './tx.ts'

/*
 * The node's JSON names no types. Most follow from the members present and the extension's ID; what is left
 * open (a mint right and a property look alike inside an initial state) is settled by the ID that the
 * JSON states: only one reading has it.
 */

/** Readings that are tried before giving up; an asset with 60 open outputs has about 1,900. */
const MAX_READINGS = 4096

/**
 * Bytes that are encoded and hashed before giving up. Without this limit 128 KB of ambiguous JSON would take 20
 * seconds; all 1,900 readings of 60 open outputs take 5 MB.
 */
const MAX_ENCODED_BYTES = 8 * 1024 * 1024

type Members = { readonly [key: string]: Json }

/**
 * Reads what `txToJSON` wrote or `avm.getTx` answered, and checks that it has the ID it states. Where the
 * JSON states none, it must have one reading only.
 */
export function txFromJSON(json: Json, context: JSONContext): SignedTx {
  const { unsignedTx: unsignedJSON, credentials, id } = members(json, 'the transaction')
  const choices: Choice[] = []
  const typedTx = typeUnsigned(unsignedJSON ?? null, choices)
  const typedSlots = list(credentials ?? null, 'credentials').map((slot, i) =>
    typeCredential(slot, i, choices),
  )
  const expected = id === undefined ? undefined : cb58.decode(text(id, 'id'))
  // Types that are still open have the same members, so all readings have the same values.
  const tx: SignedTx = {
    unsignedTx: fromJSON<UnsignedTx>(unsignedTx, typedTx, prefixedAddresses(context)),
    credentials: typedSlots.map((slot) => fromJSON(credentialSlot, slot, bareAddresses)),
  }
  if (expected === undefined && choices.length === 0) return tx
  let encoded = 0
  for (const _ of expected === undefined ? [] : readings(tx, choices)) {
    const bytes = encodeTx(tx)
    if (equalBytes(txID(bytes), expected!)) return tx
    encoded += bytes.length
    if (encoded > MAX_ENCODED_BYTES) break
  }
  throw choices.length === 0
    ? new CodecError('CODEC_JSON_SHAPE', 'expected the ID of these members, found another', 0, 'id')
    : new CodecError(
        'CODEC_JSON_AMBIGUOUS',
        `expected one reading of these members to have the stated ID, found ${
          expected === undefined ? 'no ID' : 'none'
        }`,
        0,
        'id',
      )
}

/** Reads what `blockToJSON` wrote or `avm.getBlock` answered, and checks every ID in it. */
export function blockFromJSON(json: Json, context: JSONContext): Block {
  const { parentID, height, time, merkleRoot, txs, id } = members(json, 'the block')
  const header = { type: 'StandardBlock', parentID, height, time, merkleRoot, txs: [] } as Json
  const value: Block = {
    ...fromJSON<Block>(block, header, bareAddresses),
    txs: list(txs ?? null, 'txs').map((tx) => txFromJSON(tx, context)),
  }
  if (id !== undefined && !equalBytes(blockID(value), cb58.decode(text(id, 'id'))))
    throw new CodecError(
      'CODEC_JSON_SHAPE',
      'expected the ID of these members, found another',
      0,
      'id',
    )
  return value
}

/** Members of a transaction whose types are open, and the ways to choose them. */
type Choice = {
  readonly find: (tx: SignedTx) => readonly object[]
  /** How many ways there are. */
  readonly options: number
  /** The type of each member in one of the ways. */
  readonly typeOf: (option: number, member: number) => string
}

/** Goes through the combinations of options, setting the open types of the transaction for each. */
function* readings(tx: SignedTx, choices: readonly Choice[]): Generator<void> {
  const found = choices.map(({ find }) => find(tx) as readonly { type: string }[])
  const chosen = choices.map(() => 0)
  for (let tried = 0; tried < MAX_READINGS; tried++) {
    choices.forEach(({ typeOf }, i) => {
      found[i]!.forEach((member, k) => {
        member.type = typeOf(chosen[i]!, k)
      })
    })
    yield
    let at = 0
    while (at < choices.length && ++chosen[at]! === choices[at]!.options) chosen[at++] = 0
    if (at === choices.length) return
  }
}

function typeUnsigned(json: Json, choices: Choice[]): Json {
  const tx = members(json, 'unsignedTx')
  const base = {
    ...tx,
    outputs: list(tx.outputs ?? null, 'outputs').map((output) => typeFxMember(output, 'output')),
    inputs: list(tx.inputs ?? null, 'inputs').map((input) => typeFxMember(input, 'input')),
  }
  if (tx.initialStates !== undefined)
    return {
      ...base,
      type: 'CreateAssetTx',
      initialStates: list(tx.initialStates, 'initialStates').map((state, i) =>
        typeInitialState(state, i, choices),
      ),
    }
  if (tx.operations !== undefined)
    return {
      ...base,
      type: 'OperationTx',
      operations: list(tx.operations, 'operations').map((item) => typeFxMember(item, 'operation')),
    }
  if (tx.importedInputs !== undefined)
    return {
      ...base,
      type: 'ImportTx',
      importedInputs: list(tx.importedInputs, 'importedInputs').map((item) =>
        typeFxMember(item, 'input'),
      ),
    }
  if (tx.exportedOutputs !== undefined)
    return {
      ...base,
      type: 'ExportTx',
      exportedOutputs: list(tx.exportedOutputs, 'exportedOutputs').map((item) =>
        typeFxMember(item, 'output'),
      ),
    }
  return { ...base, type: 'BaseTx' }
}

/** An object with one member of an extension, and the extension's ID. */
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

/** The extension of a state does not tell those of its outputs: the node takes any in any. */
function typeInitialState(json: Json, index: number, choices: Choice[]): Json {
  const state = members(json, 'initialStates')
  const open: number[] = []
  const outputs = list(state.outputs ?? null, 'outputs').map((output, i) => {
    const member = members(output, 'outputs')
    const types = typesOf(member, undefined)
    if (types.length > 1) open.push(i)
    return { ...member, type: types[0] ?? null }
  })
  if (open.length > 0)
    choices.push({
      ...sortedTypings(open.length),
      find: ({ unsignedTx: tx }) => {
        const states = tx.type === 'CreateAssetTx' ? tx.initialStates : []
        return open.map((i) => states[index]!.outputs[i]!)
      },
    })
  return { ...state, outputs }
}

/**
 * Outputs of a state are in the order of their types, so only these ways are possible: first mint rights, then
 * property rights, then properties. Option 0 has mint rights only.
 */
function sortedTypings(count: number): Omit<Choice, 'find'> {
  return {
    options: ((count + 1) * (count + 2)) / 2,
    typeOf: (option, object) => {
      // With r mint rights fewer than possible there are r + 1 ways.
      const fewer = Math.floor((Math.sqrt(8 * option + 1) - 1) / 2)
      const rights = count - fewer
      const properties = option - (fewer * (fewer + 1)) / 2
      if (object < rights) return 'secp256k1fx.MintOutput'
      return object < count - properties ? 'propertyfx.MintOutput' : 'propertyfx.OwnedOutput'
    },
  }
}

/** The types of one extension that have exactly the members given, as far as these tell. */
function possibleTypes(member: Members, fxIndex: number): string[] {
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

/** The types that have these members, in the extension named or (older nodes named none) in any. */
function typesOf(member: Members, fxID: Json | undefined): string[] {
  if (fxID === undefined) return FX_IDS.flatMap((_, fxIndex) => possibleTypes(member, fxIndex))
  const fxIndex = FX_IDS.indexOf(text(fxID, 'fxID'))
  if (fxIndex < 0)
    throw new CodecError(
      'CODEC_JSON_SHAPE',
      `expected the ID of an extension, found ${describe(fxID)}`,
      0,
      'fxID',
    )
  return possibleTypes(member, fxIndex)
}

function members(json: Json, path: string): Members {
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw new CodecError('CODEC_JSON_SHAPE', `expected an object, found ${describe(json)}`, 0, path)
  return json as Members
}

/** The node prints a list that was never set as null. */
function list(json: Json, path: string): readonly Json[] {
  if (json === null) return []
  if (!Array.isArray(json))
    throw new CodecError('CODEC_JSON_SHAPE', `expected an array, found ${describe(json)}`, 0, path)
  return json
}

function text(json: Json, path: string): string {
  if (typeof json !== 'string')
    throw new CodecError('CODEC_JSON_SHAPE', `expected a string, found ${describe(json)}`, 0, path)
  return json
}
