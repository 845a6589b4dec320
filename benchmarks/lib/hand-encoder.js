/*
 * An encoder written by hand for one kind of transaction, with the checks that the codec makes: a signed BaseTx of
 * secp256k1fx. It shows how fast JavaScript can encode at all, without a description of structs that also decodes,
 * converts JSON and names the invalid field.
 */

const TYPE = {
  BaseTx: 0,
  'secp256k1fx.TransferInput': 5,
  'secp256k1fx.TransferOutput': 7,
  'secp256k1fx.Credential': 9,
}

const bytes = new Uint8Array(1 << 16)
const view = new DataView(bytes.buffer)
let at = 0

export function encodeBaseTx({ unsignedTx, credentials }) {
  at = 0
  reserve(2)
  view.setUint16(0, 0)
  type(unsignedTx, 'BaseTx')
  u32(unsignedTx.networkID)
  fixed(unsignedTx.blockchainID, 32)
  count(unsignedTx.outputs)
  for (const { assetID, output } of unsignedTx.outputs) {
    fixed(assetID, 32)
    type(output, 'secp256k1fx.TransferOutput')
    u64(output.amount)
    u64(output.locktime)
    u32(output.threshold)
    count(output.addresses)
    for (const address of output.addresses) fixed(address, 20)
  }
  count(unsignedTx.inputs)
  for (const { txID, outputIndex, assetID, input } of unsignedTx.inputs) {
    fixed(txID, 32)
    u32(outputIndex)
    fixed(assetID, 32)
    type(input, 'secp256k1fx.TransferInput')
    u64(input.amount)
    count(input.signatureIndices)
    for (const index of input.signatureIndices) u32(index)
  }
  u32(unsignedTx.memo.length)
  fixed(unsignedTx.memo, unsignedTx.memo.length)
  count(credentials)
  for (const credential of credentials) {
    type(credential, 'secp256k1fx.Credential')
    count(credential.signatures)
    for (const signature of credential.signatures) fixed(signature, 65)
  }
  return bytes.slice(0, at)
}

function type(value, name) {
  if (value.type !== name) throw new TypeError(`expected ${name}`)
  u32(TYPE[name])
}

function count(list) {
  if (!Array.isArray(list)) throw new TypeError('expected an array')
  u32(list.length)
}

function u32(value) {
  if (typeof value !== 'number' || value >>> 0 !== value) throw new RangeError('expected a u32')
  view.setUint32(reserve(4), value)
}

function u64(value) {
  if (typeof value !== 'bigint' || BigInt.asUintN(64, value) !== value)
    throw new RangeError('expected a u64')
  view.setBigUint64(reserve(8), value)
}

function fixed(value, size) {
  if (!(value instanceof Uint8Array) || value.length !== size)
    throw new RangeError(`expected ${size} bytes`)
  bytes.set(value, reserve(size))
}

function reserve(size) {
  const start = at
  at += size
  if (at > bytes.length) throw new RangeError('too long')
  return start
}
