import { describe, expect, it } from 'vitest'
import { decodeNote, encodeNote, type MoveNote } from '../../../src/wallet/moves/note.ts'

const note: MoveNote = {
  from: 'C',
  to: 'X',
  amount: 2n ** 64n - 1n,
  assetID: new Uint8Array(32).fill(7),
  recipient: new Uint8Array(20).fill(9),
  maxFee: 5n,
}
const TEXT = `{"version":1,"from":"C","to":"X","amount":"18446744073709551615","assetID":"${'07'.repeat(32)}","recipient":"${'09'.repeat(20)}","maxFee":"5"}`
const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('decodeNote', () => {
  it('reads what encodeNote writes, which is the format of stores', () => {
    expect(new TextDecoder().decode(encodeNote(note))).toBe(TEXT)
    expect(decodeNote(bytesOf(TEXT))).toEqual(note)
    const all: MoveNote = { ...note, from: 'P', to: 'C', amount: 'all' }
    expect(decodeNote(encodeNote(all))).toEqual(all)
  })

  const cases = {
    'another version': TEXT.replace('"version":1', '"version":2'),
    'no version': TEXT.replace('"version":1,', ''),
    'an unknown source': TEXT.replace('"C"', '"D"'),
    'an unknown destination': TEXT.replace('"X"', '"D"'),
    'an amount that is no number': TEXT.replace('"18446744073709551615"', '"much"'),
    'an asset that is no hex': TEXT.replace('0707', '07zz'),
    'no recipient': TEXT.replace('recipient', 'to'),
    'no maxFee': TEXT.replace(',"maxFee":"5"', ''),
    'no end': TEXT.slice(0, -1),
  }
  for (const [name, text] of Object.entries(cases))
    it(`refuses a note with ${name}`, () => {
      expect(text).not.toBe(TEXT)
      expect(() => decodeNote(bytesOf(text))).toThrow(
        expect.objectContaining({ name: 'StoreError', code: 'STORE_CORRUPT' }),
      )
    })

  it('refuses bytes that are not UTF-8', () => {
    const bytes = bytesOf(TEXT.replace('{', '{"more":"?",'))
    expect(decodeNote(bytes)).toEqual(note)
    bytes[bytes.indexOf('?'.charCodeAt(0))] = 255
    expect(() => decodeNote(bytes)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }))
  })
})
