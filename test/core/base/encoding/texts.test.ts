import { describe, expect, it } from 'vitest'
import { formatAddress, parseAddress } from '../../../../src/core/base/encoding/address.ts'
import { base58 } from '../../../../src/core/base/encoding/base58.ts'
import { decodeBech32 } from '../../../../src/core/base/encoding/bech32.ts'
import { cb58 } from '../../../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import {
  formatNodeID,
  formatPrivateKey,
  parseID,
  parseNodeID,
  parsePrivateKey,
  parseUTXOID,
} from '../../../../src/core/base/encoding/ids.ts'
import { ArgumentError, AvmError } from '../../../../src/core/base/errors.ts'
import { codeOf, vectors } from '../../../helpers/vectors.ts'

describe('public cb58 texts', () => {
  type Vector = { name: string; kind: string; bytesHex?: string; string: string }
  const readers: { readonly [kind: string]: (text: string) => Uint8Array } = {
    nodeID: parseNodeID,
    privateKey: parsePrivateKey,
  }
  const writers: { readonly [kind: string]: (bytes: Uint8Array) => string } = {
    nodeID: formatNodeID,
    privateKey: formatPrivateKey,
  }
  for (const { name, kind, bytesHex, string } of vectors<Vector[]>('ids-cb58.json').filter(
    (vector) => vector.bytesHex !== undefined,
  ))
    it(`are read and written: ${name}`, () => {
      const bytes = hex.decode(bytesHex!)
      expect((readers[kind] ?? cb58.decode)(string)).toEqual(bytes)
      expect((writers[kind] ?? cb58.encode)(bytes)).toBe(string)
    })
})

describe('public hex texts with checksum', () => {
  type Vector = { name: string; bytesHex?: string; string: string; hexnc?: string }
  for (const vector of vectors<Vector[]>('hex-checksum.json').filter(
    (v) => v.bytesHex !== undefined,
  ))
    it(`are read and written: ${vector.name}`, () => {
      const bytes = hex.decode(vector.bytesHex!)
      if (vector.string === '') {
        // The node decodes an empty text to no bytes; this library requires a checksum.
        expect(codeOf(() => checkedHex.decode(''))).toBe('ENC_MISSING_0X')
        return
      }
      expect(checkedHex.decode(vector.string)).toEqual(bytes)
      expect(checkedHex.encode(bytes)).toBe(vector.string)
      if (vector.hexnc !== undefined) expect(hex.decode(vector.hexnc)).toEqual(bytes)
    })
})

describe('public addresses', () => {
  type Vector = {
    name: string
    addressHex?: string
    addresses?: { string: string; chain: string; hrp: string }[]
  }
  for (const { name, addressHex, addresses } of vectors<Vector[]>('addresses.json').filter(
    (vector) => vector.addressHex !== undefined,
  ))
    for (const { string, chain, hrp } of addresses ?? [])
      it(`are read and written: ${name}, ${string}`, () => {
        const address = hex.decode(addressHex!)
        expect(parseAddress(string, { chain, hrp })).toEqual({ chain, hrp, address })
        // Upper case is accepted but never written.
        const lower = chain + string.slice(chain.length).toLowerCase()
        expect(formatAddress({ chain, hrp, address })).toBe(lower)
      })
})

describe('invalid texts', () => {
  type Vector = { name: string; kind: string; string: string }
  const readers: { readonly [kind: string]: (text: string) => unknown } = {
    id: parseID,
    nodeID: parseNodeID,
    privateKey: parsePrivateKey,
    hexWithChecksum: checkedHex.decode,
    utxoID: parseUTXOID,
    address: parseAddress,
    xAddress: (text) => parseAddress(text, { chain: 'X', hrp: 'avax' }),
    cb58: cb58.decode,
    base58: base58.decode,
    bech32: decodeBech32,
  }
  // The other vectors concern JSON quotes and names of encodings, which belong to the API.
  for (const { name, kind, string } of vectors<Vector[]>('invalid-strings.json').filter(
    (vector) => vector.kind in readers,
  ))
    it(`are rejected: ${name}`, () => {
      expect(() => readers[kind]!(string)).toThrow(ArgumentError)
    })
})

describe('parseAddress', () => {
  const text = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'

  it('reports positions in the whole text', () => {
    for (const at of [4, 8, 20, text.length - 1]) {
      const damaged = `${text.slice(0, at)}\u00e9${text.slice(at + 1)}`
      expect(() => parseAddress(damaged)).toThrow(`at position ${at}`)
    }
  })

  it('checks the expected chain and network', () => {
    expect(codeOf(() => parseAddress(text, { chain: 'P' }))).toBe('ENC_WRONG_CHAIN')
    expect(codeOf(() => parseAddress(text, { hrp: 'avax' }))).toBe('ENC_WRONG_HRP')
    expect(codeOf(() => parseAddress(text, { chain: 'X', hrp: 'local' }))).toBeUndefined()
  })

  it('rejects an address of another length', () => {
    expect(codeOf(() => parseAddress('X-local1uyrat24e'))).toBe('ENC_WRONG_LENGTH')
  })

  it('rejects mixed case, also if only the prefix differs', () => {
    expect(codeOf(() => parseAddress(text.replace('local1', 'LOCAL1')))).toBe('ENC_MIXED_CASE')
    expect(codeOf(() => parseAddress(text.replace('z96u', 'Z96u')))).toBe('ENC_MIXED_CASE')
  })
})

describe('formatAddress', () => {
  it('rejects what parseAddress would not parse', () => {
    const address = new Uint8Array(20)
    expect(codeOf(() => formatAddress({ chain: '', hrp: 'avax', address }))).toBe('ENC_WRONG_CHAIN')
    expect(codeOf(() => formatAddress({ chain: 'X-X', hrp: 'avax', address }))).toBe(
      'ENC_WRONG_CHAIN',
    )
    expect(codeOf(() => formatAddress({ chain: 'X', hrp: '', address }))).toBe('ENC_BAD_BECH32')
    expect(codeOf(() => formatAddress({ chain: 'X', hrp: 'Avax', address }))).toBe('ENC_MIXED_CASE')
    expect(codeOf(() => formatAddress({ chain: 'X', hrp: 'é', address }))).toBe('ENC_BAD_BECH32')
    expect(
      codeOf(() => formatAddress({ chain: 'X', hrp: 'avax', address: new Uint8Array(19) })),
    ).toBe('ENC_WRONG_LENGTH')
  })

  it('writes no more than the 90 characters that BIP-173 allows', () => {
    const text = (hrp: string) => formatAddress({ chain: 'X', hrp, address: new Uint8Array(20) })
    expect(text('a'.repeat(51))).toHaveLength(2 + 90)
    expect(parseAddress(text('a'.repeat(51))).hrp).toBe('a'.repeat(51))
    expect(codeOf(() => text('a'.repeat(52)))).toBe('ENC_TOO_LONG')
  })
})

describe('parsePrivateKey', () => {
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

  it('rejects 0 and all values not below the group order', () => {
    for (const key of ['00'.repeat(32), order, 'ff'.repeat(32)])
      expect(codeOf(() => parsePrivateKey(`PrivateKey-${cb58.encode(hex.decode(key))}`))).toBe(
        'ENC_KEY_RANGE',
      )
    const largest = hex.decode(order.replace(/41$/, '40'))
    expect(parsePrivateKey(formatPrivateKey(largest))).toEqual(largest)
  })

  it('does not include any part of the text in its error', () => {
    const secret = 'ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'
    for (const text of [`PrivateKey-0${secret}`, `PrivateKey-${secret}x`, `Key-${secret}`, secret])
      try {
        parsePrivateKey(text)
        expect.unreachable()
      } catch (error) {
        expect(error).toBeInstanceOf(AvmError)
        const shown = `${(error as Error).message}${(error as Error).cause ?? ''}`
        for (let i = 0; i + 4 < secret.length; i++)
          expect(shown).not.toContain(secret.slice(i, i + 4))
        expect(shown).not.toMatch(/found "/)
      }
  })
})

describe('worst cases', () => {
  it('rejects base58 that is too long before converting it', () => {
    expect(codeOf(() => cb58.decode('2'.repeat(20_000)))).toBe('ENC_TOO_LONG')
    expect(codeOf(() => parseID('1'.repeat(1_000_000)))).toBe('ENC_TOO_LONG')
    expect(codeOf(() => cb58.encode(new Uint8Array(20_000)))).toBe('ENC_TOO_LONG')
    expect(cb58.decode(cb58.encode(new Uint8Array(1020).fill(255)))).toHaveLength(1020)
  })

  it('rejects hex digits that are not ASCII', () => {
    for (const filler of ['', '00'.repeat(500)])
      for (const odd of ['\u0130\u0130', '\u0430\u0431', '\uff10\uff11', '0\u0130', '\u01300'])
        expect(codeOf(() => hex.decode(filler + odd))).toBe('ENC_BAD_HEX')
  })
})
