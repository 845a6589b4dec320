import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Whether a text contains a private key in a recognizable form, complete or damaged. */
export function holdsSecret(text: string): boolean {
  return /PrivateKey-|[xt]prv[1-9A-HJ-NP-Za-km-z]{20}/.test(text) || isPhrase(text)
}

/** Whether a text is 32 bytes in hex: a private key, an ID or a hash. */
export function isHexKey(text: string): boolean {
  return /^\s*(0x)?[0-9a-f]{64}\s*$/i.test(text)
}

/** Whether a text is a mnemonic. A few mistyped words are tolerated: the other words are still secret. */
export function isPhrase(text: string): boolean {
  const words = text.trim().toLowerCase().split(/\s+/, 100)
  if (words.length < 12) return false
  const known = words.filter((word) => wordlist.includes(word)).length
  return known >= 10 && known >= words.length * 0.8
}
