import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { bytesFromText, textFromBytes } from '../../../src/core/codec/text.ts'

/** Whether every surrogate is part of a pair. */
const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text)

describe('textFromBytes and bytesFromText', () => {
  test.prop([fc.uint8Array({ maxLength: 60 })])('are inverse for any bytes', (bytes) => {
    expect(bytesFromText(textFromBytes(bytes))).toEqual(bytes)
  })

  test.prop([fc.string({ unit: 'binary', maxLength: 30 })])(
    'agree with TextDecoder on UTF-8',
    (text) => {
      const bytes = new TextEncoder().encode(text)
      expect(textFromBytes(bytes)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
      if (isWellFormed(text)) expect(bytesFromText(text)).toEqual(bytes)
    },
  )

  test.prop([fc.uint8Array({ maxLength: 12 })])(
    'agree with TextDecoder on which bytes are valid UTF-8',
    (bytes) => {
      let valid = true
      try {
        new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      } catch {
        valid = false
      }
      expect(isWellFormed(textFromBytes(bytes))).toBe(valid)
    },
  )

  it('map each byte that is not valid UTF-8 separately', () => {
    // Truncated, overlong, a surrogate, above U+10FFFF, a lone continuation byte.
    for (const bytes of [
      [0xe2, 0x82],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0x85],
    ]) {
      const text = textFromBytes(Uint8Array.from(bytes))
      expect([...text].map((letter) => letter.charCodeAt(0) - 0xdc00)).toEqual(bytes)
    }
  })

  it('return undefined for a surrogate that represents no byte', () => {
    for (const text of ['\ud800', 'a\udc7f', '\udd00', '\udbff\u0041'])
      expect(bytesFromText(text)).toBeUndefined()
  })
})
