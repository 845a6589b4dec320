import { fc, test } from '@fast-check/vitest'
import { describe, expect, it, vi } from 'vitest'
import { checkedHex } from '../../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { decodeUTXO, encodeUTXO } from '../../../../src/core/chain/x/utxo.ts'
import { decodeUTXOPage, pageBytes } from '../../../../src/core/chain/x/utxo-page.ts'
import { anyUTXO } from '../../../helpers/arbitraries.ts'
import { codeOf, vectors } from '../../../helpers/vectors.ts'

type Recorded = { name: string; request: string; response: string }
/** Every page of UTXOs in the replies recorded from a running node. */
const recordedPages = vectors<{ cases: Recorded[] }>('node-replies.json').cases.flatMap(
  ({ name, request, response }) => {
    const [, list] = /"utxos":(\[[^\]]*\])/.exec(response) ?? []
    const texts = list === undefined ? [] : (JSON.parse(list) as string[])
    const checked = !/hexnc/i.test(request) && texts.every((text) => text.startsWith('0x0000'))
    return checked && texts.length > 0 ? [{ name, texts }] : []
  },
)

/** Enough messages to enable batched hashing. */
const filler = recordedPages[0]!.texts[0]!
decodeUTXOPage(Array<string>(2048).fill(filler))

describe('decodeUTXOPage', () => {
  it('has recorded pages', () => {
    expect(recordedPages.length).toBeGreaterThan(5)
  })

  for (const { name, texts } of recordedPages)
    it(`decodes the page of: ${name}`, () => {
      const { utxos, opaque } = decodeUTXOPage(texts)
      expect(opaque).toEqual([])
      expect(utxos.map((utxo) => checkedHex.encode(encodeUTXO(utxo)))).toEqual(texts)
    })

  test.prop([fc.array(anyUTXO, { maxLength: 8 })])(
    'returns the same as decodeUTXO for hex, hex without checksum, and bytes',
    (utxos) => {
      const entries = utxos.map(encodeUTXO)
      const expected = { utxos: entries.map(decodeUTXO), opaque: [] }
      expect(decodeUTXOPage(entries.map(checkedHex.encode))).toEqual(expected)
      expect(
        decodeUTXOPage(
          entries.map((bytes) => `0x${hex.encode(bytes)}`),
          { encoding: 'hexnc' },
        ),
      ).toEqual(expected)
      expect(decodeUTXOPage(entries)).toEqual(expected)
    },
  )

  test.prop([fc.array(anyUTXO, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), fc.nat(255)])(
    'returns undecodable entries separately',
    (utxos, which, at, byte) => {
      const entries = utxos.map(encodeUTXO)
      const index = which % entries.length
      const damaged = Uint8Array.from(entries[index]!)
      damaged[at % damaged.length] = byte
      entries[index] = damaged
      const code = codeOf(() => decodeUTXO(damaged))
      for (const page of [entries, entries.map(checkedHex.encode)]) {
        const { utxos: read, opaque } = decodeUTXOPage(page)
        expect(read).toHaveLength(entries.length - opaque.length)
        expect(
          opaque.map(({ index: position, raw, reason }) => [position, raw, reason.code]),
        ).toEqual(code === undefined ? [] : [[index, page[index], code]])
      }
    },
  )

  it('reports the error of every undecodable entry and decodes the rest', () => {
    const good = checkedHex.encode(hex.decode(filler.slice(2, -8)))
    const odd: readonly [unknown, string][] = [
      ['', 'ENC_MISSING_0X'],
      [good.slice(2), 'ENC_MISSING_0X'],
      ['0x', 'ENC_MISSING_CHECKSUM'],
      ['0x123', 'ENC_BAD_HEX'],
      [good.replace(/..$/, 'zz'), 'ENC_BAD_HEX'],
      [good.replace(/^0x0000/, '0x\u0130000'), 'ENC_BAD_HEX'],
      [good.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), 'ENC_BAD_CHECKSUM'],
      [checkedHex.encode(new Uint8Array(0)), 'CODEC_VERSION_MISSING'],
      [checkedHex.encode(new Uint8Array(262_145)), 'CODEC_TOO_BIG'],
      [null, 'ENC_INVALID'],
      [17, 'ENC_INVALID'],
    ]
    const page = odd.flatMap(([entry]) => [good, entry]) as string[]
    const { utxos, opaque } = decodeUTXOPage(page)
    expect(utxos).toEqual(odd.map(() => decodeUTXO(checkedHex.decode(good))))
    expect(opaque.map(({ index, raw, reason }) => [index, raw, reason.code])).toEqual(
      odd.map(([entry, code], i) => [2 * i + 1, entry, code]),
    )
  })

  it('decodes what it can of a page of texts without checksums', () => {
    const bytes = hex.decode(filler.slice(2, -8))
    const good = `0x${hex.encode(bytes)}`
    const { utxos, opaque } = decodeUTXOPage([good, good.slice(2), bytes, '0x123', good], {
      encoding: 'hexnc',
    })
    expect(utxos).toEqual([good, good, good].map(() => decodeUTXO(bytes)))
    expect(opaque.map(({ index, reason }) => [index, reason.code])).toEqual([
      [1, 'ENC_MISSING_0X'],
      [3, 'ENC_BAD_HEX'],
    ])
  })

  it('decodes one by one in browsers', async () => {
    vi.resetModules()
    vi.doMock('#sha256x4', () => import('../../../../src/core/base/hash/sha256x4-browser.ts'))
    const inBrowser = await import('../../../../src/core/chain/x/utxo-page.ts')
    vi.doUnmock('#sha256x4')
    // Other test files share the modules.
    vi.resetModules()
    const texts = Array<string>(2048).fill(filler)
    // Only entries that are decoded one by one have faults.
    expect(inBrowser.pageBytes(texts, 'hex').faults).toEqual(new Map())
    expect(pageBytes(texts, 'hex').faults).toBeUndefined()
    expect(inBrowser.decodeUTXOPage(texts)).toEqual(decodeUTXOPage(texts))
  })

  it('decodes every output type', () => {
    const types = recordedPages
      .flatMap(({ texts }) => decodeUTXOPage(texts).utxos)
      .map(({ output }) => output.type)
    expect(new Set(types).size).toBeGreaterThanOrEqual(3)
  })

  it('shares no memory with its input', () => {
    const bytes = hex.decode(filler.slice(2, -8))
    const { utxos } = decodeUTXOPage([bytes])
    const before = encodeUTXO(utxos[0]!)
    bytes.fill(0)
    expect(encodeUTXO(utxos[0]!)).toEqual(before)
  })
})
