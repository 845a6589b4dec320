import { describe, expect, it } from 'vitest'
import { formatAddress, parseAddress } from '../../../../src/core/base/encoding/address.ts'
import { decodeBech32, encodeBech32 } from '../../../../src/core/base/encoding/bech32.ts'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import {
  formatID,
  formatNodeID,
  formatPrivateKey,
  formatUTXOID,
  parseID,
  parseNodeID,
  parsePrivateKey,
  parseUTXOID,
} from '../../../../src/core/base/encoding/ids.ts'
import { ArgumentError, AvmError } from '../../../../src/core/base/errors.ts'
import { utxoID } from '../../../../src/core/chain/x/ids.ts'
import { codeOf, type GeneratedCase, vectors } from '../../../helpers/vectors.ts'

// Verdicts of the node's own parsers (avalanchego 1.14.2) on valid and damaged texts.

type Case = GeneratedCase & {
  as: string
  text: string
  value?: string
  alias?: string
  hrp?: string
  txID?: string
  outputIndex?: number
  utxoID?: string
  printed?: string
}
type Parsed = { value: string; printed: string; alias?: string; hrp?: string }

const parseHex = (text: string): Parsed => ({
  value: hex.encode(checkedHex.decode(text)),
  printed: checkedHex.encode(checkedHex.decode(text)),
})

const parsers: { readonly [kind: string]: (text: string) => Parsed } = {
  id: (text) => ({ value: hex.encode(parseID(text)), printed: formatID(parseID(text)) }),
  nodeID: (text) => ({
    value: hex.encode(parseNodeID(text)),
    printed: formatNodeID(parseNodeID(text)),
  }),
  cb58: (text) => ({
    value: hex.encode(cb58.decode(text)),
    printed: cb58.encode(cb58.decode(text)),
  }),
  shortID: (text) => {
    const bytes = cb58.decode(text)
    if (bytes.length !== 20) throw new ArgumentError('ENC_WRONG_LENGTH', 'not 20 bytes')
    return { value: hex.encode(bytes), printed: cb58.encode(bytes) }
  },
  hex: parseHex,
  hexc: parseHex,
  privateKey: (text) => ({
    value: hex.encode(parsePrivateKey(text)),
    printed: formatPrivateKey(parsePrivateKey(text)),
  }),
  bech32: (text) => {
    const { hrp, bytes } = decodeBech32(text)
    return { value: hex.encode(bytes), hrp, printed: encodeBech32(hrp, bytes) }
  },
  address: (text) => {
    const parsed = parseAddress(text)
    const { chain, hrp, address } = parsed
    return { value: hex.encode(address), alias: chain, hrp, printed: formatAddress(parsed) }
  },
  localAddress: (text) => {
    const { chain, hrp, address } = parseAddress(text, { hrp: 'local' })
    const aliases = ['X', 'avm', '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed']
    if (!aliases.includes(chain)) throw new ArgumentError('ENC_WRONG_CHAIN', 'not this chain')
    return { value: hex.encode(address), printed: formatAddress({ chain: 'X', hrp, address }) }
  },
}

const cases = vectors<Case[]>('generated/text.json')

for (const kind of Object.keys(parsers))
  describe(`parsing ${kind}`, () => {
    for (const item of cases.filter((candidate) => candidate.as === kind))
      it(`agrees with the node on ${item.id}`, () => {
        const parse = () => parsers[kind]!(item.text)
        if (!item.ok) {
          expect(parse).toThrow(AvmError)
          if (item.code !== undefined) expect(codeOf(parse)).toBe(item.code)
        } else if (item.lenient !== undefined) {
          // Unusual forms that the node accepts and this library rejects on purpose.
          expect(parse).toThrow(AvmError)
        } else {
          expect(parse()).toMatchObject({
            value: item.value,
            printed: item.printed ?? item.text,
            ...(item.alias === undefined ? {} : { alias: item.alias }),
            ...(item.hrp === undefined ? {} : { hrp: item.hrp }),
          })
        }
      })
  })

describe('parsing utxoID', () => {
  for (const item of cases.filter((candidate) => candidate.as === 'utxoID'))
    it(`agrees with the node on ${item.id}`, () => {
      if (!item.ok) return expect(() => parseUTXOID(item.text)).toThrow(AvmError)
      const { txID, outputIndex } = parseUTXOID(item.text)
      expect(hex.encode(txID)).toBe(item.txID)
      expect(outputIndex).toBe(item.outputIndex)
      expect(cb58.encode(utxoID(txID, outputIndex))).toBe(item.utxoID)
      expect(formatUTXOID({ txID, outputIndex })).toBe(item.printed ?? item.text)
      return undefined
    })
})

describe('parsing hexnc', () => {
  for (const item of cases.filter(({ as, text }) => as === 'hexnc' && text.startsWith('0x')))
    it(`agrees with the node on ${item.id}`, () => {
      if (!item.ok) expect(codeOf(() => hex.decode(item.text))).toBe(item.code)
      else expect(hex.encode(hex.decode(item.text))).toBe(item.value)
    })
})
