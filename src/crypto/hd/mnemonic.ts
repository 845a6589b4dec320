import * as bip39 from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { CryptoError } from '../errors.ts'

/** How many words a mnemonic may have. */
export type MnemonicLength = 12 | 15 | 18 | 21 | 24

/** A new English mnemonic (BIP-39) from the platform's secure random source. */
export function generateMnemonic(words: MnemonicLength = 24): string {
  checkLength(words)
  return bip39.generateMnemonic(wordlist, (words / 3) * 32)
}

/**
 * Checks an English mnemonic, word by word and its checksum, and returns it with single spaces. The error
 * gives the position of an unknown word, never the word.
 *
 * @throws CryptoError `MNEMONIC_INVALID`
 */
export function parseMnemonic(text: string): string {
  const words = wordsOf(text)
  checkLength(words.length)
  const unknown = words.findIndex((word) => !wordlist.includes(word))
  if (unknown !== -1)
    throw new CryptoError(
      'MNEMONIC_INVALID',
      `word ${unknown + 1} of ${words.length} is not in the English list`,
      { reason: 'unknown-word' },
    )
  const mnemonic = words.join(' ')
  if (!bip39.validateMnemonic(mnemonic, wordlist))
    throw new CryptoError('MNEMONIC_INVALID', 'the checksum of the mnemonic is wrong', {
      reason: 'checksum',
      hint: 'a word is wrong or two are exchanged',
    })
  return mnemonic
}

/** The 64-byte seed of a mnemonic, as secret as the mnemonic. Takes some ten milliseconds on purpose. */
export function seedFromMnemonic(mnemonic: string, passphrase = ''): Uint8Array {
  return bip39.mnemonicToSeedSync(parseMnemonic(mnemonic), passphrase)
}

function checkLength(words: number): void {
  if (![12, 15, 18, 21, 24].includes(words))
    throw new CryptoError(
      'MNEMONIC_INVALID',
      `a mnemonic has 12, 15, 18, 21 or 24 words, got ${words}`,
      { reason: 'word-count' },
    )
}

function wordsOf(text: string): string[] {
  if (typeof text !== 'string')
    throw new CryptoError('MNEMONIC_INVALID', `a mnemonic must be a string, is ${typeof text}`)
  return text.normalize('NFKD').split(/\s+/).filter(Boolean)
}
