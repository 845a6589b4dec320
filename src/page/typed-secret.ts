import { wordlist } from '@scure/bip39/wordlists/english.js'
import { holdsSecret, isDamagedHexKey, isHexKey } from '../inspect/secrets.ts'

/** Documents are hex, cb58 or JSON: a few words of the list of mnemonics are the beginning of one. */
const ENOUGH_WORDS = 3

/** Whether a text is a key or a mnemonic, or the beginning of one that is being typed. */
export function beginsSecret(text: string): boolean {
  return holdsSecret(text) || /^\s*(PrivateKey|[xt]prv)/i.test(text) || beginsPhrase(text)
}

/** Whether a complete text may be a secret: also 32 bytes in hex, with which a document that is typed may begin. */
export function mayBeSecret(text: string): boolean {
  return beginsSecret(text) || isHexKey(text) || isDamagedHexKey(text)
}

function beginsPhrase(text: string): boolean {
  if (text.length > 1000 || !/^[a-z\s]+$/i.test(text)) return false
  const words = text.trim().toLowerCase().split(/\s+/)
  // The last word may be unfinished.
  const finished = /\s$/.test(text) ? words : words.slice(0, -1)
  return finished.length >= ENOUGH_WORDS && finished.every((word) => wordlist.includes(word))
}
