import {
  createdUTXOs,
  decodeTx,
  decodeUTXO,
  encodeTx,
  encodeUTXO,
  exportedUTXOs,
  hex,
  parseJSON,
  stringifyJSON,
  txID,
  txToJSON,
  utxoID,
} from 'avmkit'
import {
  blockFromJSON,
  blockID,
  blockToJSON,
  blockTxIDs,
  consumedUTXOs,
  decodeBlock,
  decodeGenesisTx,
  decodeUnsignedTx,
  encodeBlock,
  encodeUnsignedTx,
  signedSize,
  spendsOf,
  txFromJSON,
  unsignedSize,
  utxoToJSON,
} from 'avmkit/codec'
import { bytesOf, idText, isSame, jsonContext } from './bytes.js'

// Transactions, UTXOs and blocks of the X-Chain: decoding, encoding, IDs, JSON, sizes.

/**
 * The JSON of a value, or the error for one that the node cannot render. What is rendered must be read back as the same
 * bytes, unless more types are possible than the reader tries.
 */
function rendered(toJSON, fromJSON, encode, value, context) {
  let json
  try {
    json = toJSON(value, context)
  } catch (error) {
    if (error.code !== 'CODEC_BAD_VALUE') throw error
    return { jsonErr: 'panic' }
  }
  const text = stringifyJSON(json)
  if (fromJSON !== undefined) {
    try {
      if (!isSame(encode(fromJSON(parseJSON(text), context)), encode(value)))
        return { json: `read back as another value: ${text}` }
    } catch (error) {
      if (error.code !== 'CODEC_JSON_AMBIGUOUS') throw error
    }
  }
  return { json: text }
}

/** Whether avalanchego prints JSON of a case. */
const isRendered = (item) => item.network !== undefined && item.parts === undefined

function tx(item) {
  const bytes = bytesOf(item)
  const decoded = decodeTx(bytes)
  return {
    ok: true,
    txType: decoded.unsignedTx.type,
    txID: idText(txID(bytes)),
    unsignedLength: unsignedSize(decoded.unsignedTx),
    reencode: isSame(encodeTx(decoded), bytes) && isSame(txID(decoded), txID(bytes)),
    ...(isRendered(item) && rendered(txToJSON, txFromJSON, encodeTx, decoded, jsonContext(item))),
  }
}

function genesisTx(item) {
  const bytes = bytesOf(item)
  const decoded = decodeGenesisTx(bytes)
  let standardCodec = true
  try {
    decodeTx(bytes)
  } catch {
    standardCodec = false
  }
  return {
    ok: true,
    txID: idText(txID(bytes)),
    unsignedLength: encodeUnsignedTx(decoded.unsignedTx).length,
    reencode: isSame(encodeTx(decoded), bytes),
    standardCodec,
  }
}

function utxo(item) {
  const bytes = bytesOf(item)
  const decoded = decodeUTXO(bytes)
  return {
    ok: true,
    txID: idText(decoded.txID),
    outputIndex: decoded.outputIndex,
    assetID: idText(decoded.assetID),
    utxoID: idText(utxoID(decoded.txID, decoded.outputIndex)),
    reencode: isSame(encodeUTXO(decoded), bytes),
    ...(isRendered(item) && rendered(utxoToJSON, undefined, undefined, decoded, jsonContext(item))),
  }
}

/** JSON of longer blocks is not printed: it repeats what transactions show. */
const MAX_RENDERED = 2500

function block(item) {
  const bytes = bytesOf(item)
  const decoded = decodeBlock(bytes)
  return {
    ok: true,
    blockID: idText(blockID(bytes)),
    parentID: idText(decoded.parentID),
    height: String(decoded.height),
    time: String(decoded.time),
    merkleRoot: idText(decoded.merkleRoot),
    txIDs: blockTxIDs(decoded).map(idText),
    reencode: isSame(encodeBlock(decoded), bytes) && isSame(blockID(decoded), blockID(bytes)),
    ...(item.network !== undefined &&
      bytes.length <= MAX_RENDERED &&
      rendered(blockToJSON, blockFromJSON, encodeBlock, decoded, jsonContext(item))),
  }
}

function utxosOfTx(item) {
  const decoded = decodeTx(bytesOf(item))
  const { unsignedTx } = decoded
  const id = idText(txID(decoded))
  const consumed = consumedUTXOs(unsignedTx).map((at) => utxoID(at.txID, at.outputIndex))
  return {
    ok: true,
    txType: unsignedTx.type,
    txID: id,
    utxos: createdUTXOs(decoded).map((made) => ({
      utxoID: idText(utxoID(made.txID, made.outputIndex)),
      bytes: hex.encode(encodeUTXO(made)),
    })),
    inputIDs: [...new Set(consumed.map(idText))].sort(),
    ...(unsignedTx.type === 'CreateAssetTx' && { assetID: id }),
    ...atomicRequests(decoded),
  }
}

/** What an export puts into shared memory, and an import takes out of it. */
function atomicRequests(decoded) {
  const { unsignedTx } = decoded
  if (unsignedTx.type === 'ImportTx') {
    const remove = unsignedTx.importedInputs.map((at) =>
      hex.encode(utxoID(at.txID, at.outputIndex)),
    )
    return {
      atomic: {
        peerChain: idText(unsignedTx.sourceChain),
        ...(remove.length > 0 && { remove }),
      },
    }
  }
  if (unsignedTx.type !== 'ExportTx') return {}
  const put = exportedUTXOs(decoded).map((made) => ({
    key: hex.encode(utxoID(made.txID, made.outputIndex)),
    value: hex.encode(encodeUTXO(made)),
    traits: made.output.addresses.map(hex.encode),
  }))
  return {
    atomic: { peerChain: idText(unsignedTx.destinationChain), ...(put.length > 0 && { put }) },
  }
}

function size({ unsigned }) {
  const decoded = decodeUnsignedTx(hex.decode(unsigned))
  return {
    ok: true,
    txType: decoded.type,
    unsignedLength: unsignedSize(decoded),
    signatures: spendsOf(decoded).map(({ signers }) => signers.signatureIndices.length),
    signedLength: signedSize(decoded),
  }
}

export const codecAnswers = {
  tx,
  'tx-mutated': tx,
  'genesis-tx': genesisTx,
  utxo,
  'utxo-mutated': utxo,
  block,
  'block-mutated': block,
  'utxos-of-tx': utxosOfTx,
  size,
}
