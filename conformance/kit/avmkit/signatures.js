import { addressOf, decodeUTXO, hex, KeyChain, networks, requireSigned, signDraft } from 'avmkit'
import { decodeUnsignedTx, hashToSign, nobleBackend, signedSize } from 'avmkit/codec'
import { loadNativeBackend } from 'avmkit/native'
import { loadWasmBackend } from 'avmkit/wasm'
import { idText } from './bytes.js'

// Signatures of hashes and transactions, and whose they are.

const wasm = await loadWasmBackend()

/** The fastest one that loads. */
export const backend = await loadNativeBackend().catch(() => wasm)

/** One case in 64 is answered by plain JavaScript, and one in 8 by WebAssembly. */
function backendFor(hash) {
  if (hash[0] % 64 === 0) return nobleBackend
  return hash[0] % 8 === 1 ? wasm : backend
}

function sign(item) {
  if (item.what === 'tx') return signTx(item)
  // The node's signer keeps signatures that it cannot check and passes over unknown UTXOs.
  if (item.what === 'partial') return { unsupported: true }
  const privateKey = hex.decode(item.privateKey)
  const hash =
    item.message === undefined ? hex.decode(item.hash) : hashToSign(hex.decode(item.message))
  const { sign, publicKey } = backendFor(hash)
  const key = publicKey(privateKey)
  return {
    ok: true,
    ...(item.message !== undefined && { hash: hex.encode(hash) }),
    signature: hex.encode(sign(hash, privateKey)),
    publicKey: hex.encode(key),
    address: hex.encode(addressOf(key)),
  }
}

/** The transaction is signed whatever it does: that is what these cases ask. */
const accept = [
  'BURN',
  'BURNED_PROPERTY',
  'HIGH_FEE',
  'LOCKED_RETURN',
  'OPEN_OUTPUT',
  'SHARED_OUTPUT',
  'STUCK_EXPORT',
  'UNUSED_KEY',
]

function signTx({ unsigned, utxos, keys }) {
  const unsignedTx = decodeUnsignedTx(hex.decode(unsigned))
  const draft = {
    chain: 'X',
    unsignedTx,
    utxos: utxos.map((text) => decodeUTXO(hex.decode(text))),
    context: networks.local,
    fee: networks.local.txFee,
    change: [],
    burned: [],
    signedSize: signedSize(unsignedTx),
  }
  const signed = requireSigned(signDraft(draft, new KeyChain(keys, { backend }), { accept }))
  return {
    ok: true,
    hash: hex.encode(hashToSign(unsignedTx)),
    txType: unsignedTx.type,
    signed: hex.encode(signed.bytes),
    txID: idText(signed.txID),
  }
}

function recover({ hash, signature }) {
  const bytes = hex.decode(hash)
  const key = backendFor(bytes).recover(bytes, hex.decode(signature))
  return { ok: true, publicKey: hex.encode(key), address: hex.encode(addressOf(key)) }
}

export const signatureAnswers = { sign, recover }
