import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import {
  generateMnemonic,
  parseMnemonic,
  seedFromMnemonic,
} from '../../../../src/core/crypto/hd/index.ts'

/** From trezor/python-mnemonic, vectors.json: mnemonic and the seed with the passphrase TREZOR. */
const published: readonly (readonly [string, string])[] = [
  [
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
    'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04',
  ],
  [
    'legal winner thank year wave sausage worth useful legal winner thank yellow',
    '2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee6260e8d9739fce1f607',
  ],
]
const words = published[0]![0]

describe('seedFromMnemonic', () => {
  for (const [mnemonic, seed] of published)
    it(`returns the published seed of "${mnemonic.slice(0, 12)}…"`, () => {
      expect(hex.encode(seedFromMnemonic(mnemonic, 'TREZOR'))).toBe(seed)
    })

  it('rejects a mnemonic with a wrong checksum', () => {
    expect(() => seedFromMnemonic(words.replace(/about$/, 'above'))).toThrow(
      expect.objectContaining({ code: 'MNEMONIC_INVALID', reason: 'checksum' }),
    )
  })
})

describe('parseMnemonic', () => {
  it('accepts any white space between the words', () => {
    expect(parseMnemonic(`  ${words.replaceAll(' ', '\n ')}\t`)).toBe(words)
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['no words', '', 'word-count'],
    ['11 words', words.replace(/ about$/, ''), 'word-count'],
    ['13 words', `${words} about`, 'word-count'],
    ['27 words', Array(27).fill('abandon').join(' '), 'word-count'],
    ['a word outside the list', words.replace(/about$/, 'abouts'), 'unknown-word'],
    ['upper case', words.toUpperCase(), 'unknown-word'],
    ['a wrong checksum', words.replace(/about$/, 'abandon'), 'checksum'],
    ['exchanged words', published[1]![0].replace('legal winner', 'winner legal'), 'checksum'],
  ]
  for (const [name, text, reason] of refused)
    it(`rejects ${name}`, () => {
      expect(() => parseMnemonic(text)).toThrow(
        expect.objectContaining({ code: 'MNEMONIC_INVALID', reason }),
      )
    })
})

describe('generateMnemonic', () => {
  for (const length of [12, 15, 18, 21, 24] as const)
    it(`returns valid mnemonics of ${length} words`, () => {
      const mnemonic = generateMnemonic(length)
      expect(mnemonic.split(' ')).toHaveLength(length)
      expect(parseMnemonic(mnemonic)).toBe(mnemonic)
      expect(generateMnemonic(length)).not.toBe(mnemonic)
    })

  it('rejects other lengths', () => {
    expect(() => generateMnemonic(13 as 12)).toThrow(
      expect.objectContaining({ code: 'MNEMONIC_INVALID', reason: 'word-count' }),
    )
  })
})
