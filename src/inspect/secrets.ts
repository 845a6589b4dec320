import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Whether a text contains a private key in a recognizable form, complete or damaged. */
export function holdsSecret(text: string): boolean {
  return /PrivateKey-|[xt]prv[1-9A-HJ-NP-Za-km-z]{20}/.test(text) || isPhrase(text)
}

/** Whether a text is 32 bytes in hex: a private key, an ID or a hash. */
export function isHexKey(text: string): boolean {
  return /^\s*(0x)?[0-9a-f]{64}\s*$/i.test(text)
}

/** Whether a text is 32 bytes in hex with a few digits wrong, missing, added or grouped. Whole bytes in hex are not. */
export function isDamagedHexKey(text: string): boolean {
  const digits = text.trim().replace(/^0x/i, '')
  const letters = digits.replaceAll(/\s/g, '')
  const wrong = letters.replaceAll(/[0-9a-f]/gi, '').length
  const isWhole = wrong === 0 && letters === digits && letters.length % 2 === 0
  return !isWhole && wrong <= 4 && letters.length >= 60 && letters.length <= 68
}

/**
 * Whether the name of a file may be a key that was passed instead of a file, perhaps damaged: long without an
 * extension, or words of a mnemonic with any separator.
 */
export function mayNameSecret(path: string): boolean {
  const name = path.replace(/^.*[/\\]/s, '')
  const words = name.toLowerCase().split(/[^a-z]+/)
  return (name.length >= 32 && !name.includes('.')) || knownWords(words) >= 5
}

/** Whether a text is a mnemonic. A few mistyped words are tolerated: the other words are still secret. */
export function isPhrase(text: string): boolean {
  const words = text.trim().toLowerCase().split(/\s+/, 100)
  if (words.length < 12) return false
  const known = knownWords(words)
  return known >= 10 && known >= words.length * 0.8
}

function knownWords(words: readonly string[]): number {
  return words.filter((word) => wordlist.includes(word)).length
}
