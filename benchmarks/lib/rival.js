import * as avalanchejs from '@avalabs/avalanchejs'

export { avalanchejs }

export const RIVAL = 'avalanchejs 5.2.0'

const manager = avalanchejs.utils.getManagerForVM('AVM')
const codec = manager.getDefaultCodec()

/** The same operations with the public functions of avalanchejs. */
export const rival = {
  decodeTx: (bytes) => manager.unpack(bytes, avalanchejs.avaxSerial.SignedTx),
  encodeTx: (tx) => tx.toBytes(codec),
  decodeUTXO: (bytes) => manager.unpack(bytes, avalanchejs.Utxo),
  encodeUTXO: (utxo) => utxo.toBytes(codec),
  /** As its `getUTXOs` decodes a reply: without verifying the checksum. */
  decodePage: (texts) =>
    texts.map((text) => manager.unpack(avalanchejs.utils.hexToBuffer(text), avalanchejs.Utxo)),
  encodeCB58: (bytes) => avalanchejs.utils.base58check.encode(bytes),
  decodeCB58: (text) => avalanchejs.utils.base58check.decode(text),
  formatAddress: (chain, hrp, bytes) => avalanchejs.utils.format(chain, hrp, bytes),
  parseAddress: (text) => avalanchejs.utils.parse(text),
}
