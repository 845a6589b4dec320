import {
  ArgumentError,
  addressOf,
  cb58,
  checkedHex,
  formatAddress,
  formatID,
  formatPrivateKey,
  formatUTXOID,
  hex,
  parseAddress,
  parseID,
  parsePrivateKey,
  publicKeyOf,
  utxoID,
} from 'avmkit'
import { formatNodeID, parseNodeID, parseUTXOID } from 'avmkit/codec'
import { decodeBech32, encodeBech32 } from '../../../dist/core/base/encoding/bech32.js'
import { idText } from './bytes.js'

// Texts: IDs, addresses, hex, keys. Each parser returns the answers and what is printed for the value.

/** Aliases of the X-Chain on the node that answers. */
const X_CHAIN_ALIASES = ['X', 'avm', '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed']

const value = (bytes) => ({ value: hex.encode(bytes) })

function checked(text) {
  const bytes = checkedHex.decode(text)
  return [value(bytes), checkedHex.encode(bytes)]
}

function localAddress(text) {
  const { chain, hrp, address } = parseAddress(text, { hrp: 'local' })
  if (!X_CHAIN_ALIASES.includes(chain)) throw new ArgumentError('ENC_WRONG_CHAIN', 'another chain')
  return [value(address), formatAddress({ chain: 'X', hrp, address })]
}

function shortID(text) {
  const bytes = cb58.decode(text)
  if (bytes.length !== 20) throw new ArgumentError('ENC_WRONG_LENGTH', 'not 20 bytes')
  return [value(bytes), cb58.encode(bytes)]
}

const parsers = {
  id: (text) => [value(parseID(text)), formatID(parseID(text))],
  nodeID: (text) => [value(parseNodeID(text)), formatNodeID(parseNodeID(text))],
  cb58: (text) => [value(cb58.decode(text)), cb58.encode(cb58.decode(text))],
  shortID,
  hex: checked,
  hexc: checked,
  hexnc: (text) => {
    // Without 0x this library reads hex, too; the node does not.
    if (!text.startsWith('0x')) throw new ArgumentError('ENC_MISSING_0X', 'no 0x')
    return [value(hex.decode(text)), `0x${hex.encode(hex.decode(text))}`]
  },
  privateKey: (text) => {
    const key = parsePrivateKey(text)
    const publicKey = publicKeyOf(key)
    return [
      {
        ...value(key),
        publicKey: hex.encode(publicKey),
        address: hex.encode(addressOf(publicKey)),
      },
      formatPrivateKey(key),
    ]
  },
  utxoID: (text) => {
    const id = parseUTXOID(text)
    const { txID, outputIndex } = id
    return [
      { txID: hex.encode(txID), outputIndex, utxoID: idText(utxoID(txID, outputIndex)) },
      formatUTXOID(id),
    ]
  },
  bech32: (text) => {
    const { hrp, bytes } = decodeBech32(text)
    return [{ ...value(bytes), hrp }, encodeBech32(hrp, bytes)]
  },
  address: (text) => {
    const parsed = parseAddress(text)
    const { chain, hrp, address } = parsed
    return [{ ...value(address), alias: chain, hrp }, formatAddress(parsed)]
  },
  localAddress,
  serviceAddress: (text) => {
    try {
      return shortID(text)
    } catch {
      return localAddress(text)
    }
  },
}

function text(item) {
  const parse = parsers[item.as]
  if (parse === undefined) return { unsupported: true }
  const [answers, printed] = parse(item.text)
  return { ok: true, ...answers, ...(printed !== item.text && { printed }) }
}

export const textAnswers = { text }
