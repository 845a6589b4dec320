import * as bip39 from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { utf8 } from '../../base/require.ts'
import { CryptoError } from '../errors.ts'

/** Number of words of a mnemonic. */
export type MnemonicLength = 12 | 15 | 18 | 21 | 24

/** Generates an English mnemonic (BIP-39) from the platform's secure random source. */
export function generateMnemonic(words: MnemonicLength = 24): string {
  checkWordCount(words)
  return bip39.generateMnemonic(wordlist, (words / 3) * 32)
}

/**
 * Checks the words and the checksum of an English mnemonic, and returns it with single spaces. The error gives the
 * position of an unknown word, never the word.
 *
 * @throws CryptoError `MNEMONIC_INVALID`
 */
export function parseMnemonic(text: string): string {
  const words = wordsOf(text)
  checkWordCount(words.length)
  const unknown = words.findIndex((word) => !wordlist.includes(word))
  if (unknown !== -1)
    throw new CryptoError(
      'MNEMONIC_INVALID',
      `word ${unknown + 1} of ${words.length} is not in the English list`,
      { reason: 'unknown-word' },
    )
  const mnemonic = words.join(' ')
  if (!bip39.validateMnemonic(mnemonic, wordlist))
    throw new CryptoError('MNEMONIC_INVALID', 'invalid mnemonic checksum', {
      reason: 'checksum',
      hint: 'a word is wrong, or two words are swapped',
    })
  return mnemonic
}

/** The 64-byte seed of a mnemonic, as secret as the mnemonic. Slow by design: 2,048 rounds of PBKDF2 (BIP-39). */
export function seedFromMnemonic(mnemonic: string, passphrase = ''): Uint8Array {
  // Rejects other types, and lone surrogates, which BIP-39 would silently replace.
  utf8(passphrase, 'passphrase')
  return bip39.mnemonicToSeedSync(parseMnemonic(mnemonic), passphrase)
}

function checkWordCount(words: number): void {
  if (![12, 15, 18, 21, 24].includes(words))
    throw new CryptoError(
      'MNEMONIC_INVALID',
      `a mnemonic must have 12, 15, 18, 21 or 24 words, has ${words}`,
      { reason: 'word-count' },
    )
}

function wordsOf(text: string): string[] {
  if (typeof text !== 'string')
    throw new CryptoError('MNEMONIC_INVALID', `a mnemonic must be a string, is ${typeof text}`)
  return text.normalize('NFKD').split(/\s+/).filter(Boolean)
}
