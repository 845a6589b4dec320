import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import metal from '@metalblockchain/metaljs'

// How metaljs answers, the SDK of Metal's networks. It has the functions of avalanchejs up to version 3, which it continues.

const { avm, platformvm, evm, BinTools, Buffer, utils } = metal
const tools = BinTools.getInstance()
const hex = (text) => Buffer.from(text, 'hex')
const toHex = (bytes) => bytes.toString('hex')
const bytesOf = ({ bytes, parts }) =>
  hex(parts?.map(([piece, times]) => piece.repeat(times)).join('') ?? bytes)
const sha256 = (bytes) => Buffer.from(createHash('sha256').update(bytes).digest())

function read(value, bytes) {
  value.fromBuffer(bytes)
  return value
}

function tx(value, bytes) {
  const again = read(value, bytes).toBuffer()
  return { ok: true, txID: tools.cb58Encode(sha256(bytes)), reencode: again.equals(bytes) }
}

function utxo(bytes) {
  const value = read(new avm.UTXO(), bytes)
  return {
    ok: true,
    txID: tools.cb58Encode(value.getTxID()),
    outputIndex: value.getOutputIdx().readUInt32BE(0),
    assetID: tools.cb58Encode(value.getAssetID()),
    reencode: value.toBuffer().equals(bytes),
  }
}

/** The kit's answers for P and C tell the encoding by the size. */
function atomicTx(value, bytes) {
  const { reencode, ...answer } = tx(value, bytes)
  return { ...answer, decodedOnly: true, ...(reencode ? {} : { size: 'encodes otherwise' }) }
}

const texts = {
  cb58: (text) => tools.cb58Decode(text),
  nodeID: (text) => utils.NodeIDStringToBuffer(text),
  privateKey: (text) => utils.privateKeyStringToBuffer(text),
  // The caller names the prefix of its network.
  address: (text) => tools.stringToAddress(text, text.slice(text.indexOf('-') + 1).split('1')[0]),
}

function keyPair(privateKey) {
  const pair = new avm.KeyPair('local', 'X')
  if (privateKey !== undefined && !pair.importKey(hex(privateKey))) throw new Error('no key')
  return pair
}

const addressOf = (publicKey) => toHex(avm.KeyPair.addressFromPublicKey(publicKey))

function sign({ what, privateKey, hash, message }) {
  if (what !== 'hash' && what !== 'message') return { unsupported: true }
  const pair = keyPair(privateKey)
  const signature = pair.sign(what === 'hash' ? hex(hash) : sha256(hex(message)))
  const address = toHex(pair.getAddress())
  return { ok: true, signature: toHex(signature), publicKey: toHex(pair.pubk), address }
}

function recover({ hash, signature }) {
  const publicKey = keyPair().recover(hex(hash), hex(signature))
  return { ok: true, publicKey: toHex(publicKey), address: addressOf(publicKey) }
}

const kinds = {
  tx: (item) => tx(new avm.Tx(), bytesOf(item)),
  utxo: (item) => utxo(bytesOf(item)),
  'p-tx': ({ signed }) => atomicTx(new platformvm.Tx(), hex(signed)),
  'c-tx': ({ signed }) => atomicTx(new evm.Tx(), hex(signed)),
  text: (item) => {
    const parse = texts[item.as]
    return parse === undefined
      ? { unsupported: true }
      : { ok: true, value: toHex(parse(item.text)) }
  },
  sign,
  recover,
}

function answer(item) {
  const run = kinds[item.kind]
  if (run === undefined) return { unsupported: true }
  try {
    return run(item)
  } catch {
    return { ok: false }
  }
}

parentPort.on('message', (item) => parentPort.postMessage(answer(item)))
