import { accountFromMnemonic, type HDPosition } from '../crypto/hd.ts'
import { CryptoError, KeyChain, type PrivateKeySource } from '../crypto/index.ts'

/** Which keys of a mnemonic are meant. */
export type HDChoice = { readonly account: number; readonly count: number }

/** The first addresses of an account that are given away. */
export function positionsOf(count: number): HDPosition[] {
  return Array.from({ length: count }, (_, index) => ({ change: 0, index }))
}

/**
 * Reads keys: one a line as `PrivateKey-…` or 64 hex digits, or a mnemonic; empty lines and those that
 * begin with `#` do not count.
 */
function parseKeys(text: string, choice: HDChoice): PrivateKeySource[] {
  return keyLines(text).flatMap((line): PrivateKeySource[] =>
    isPhrase(line) ? derive(line, choice) : [line],
  )
}

/** A key chain of everything that some texts hold. */
export function keyChainOf(texts: readonly string[], choice: HDChoice): KeyChain {
  const keys = texts.flatMap((text) => parseKeys(text, choice))
  if (keys.length === 0)
    throw new CryptoError('KEY_INVALID', 'expected a private key or a mnemonic, found none')
  return new KeyChain(keys)
}

function keyLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function isPhrase(line: string): boolean {
  return /\s/.test(line)
}

function derive(mnemonic: string, { account, count }: HDChoice): Uint8Array[] {
  const hd = accountFromMnemonic(mnemonic, { account })
  try {
    return positionsOf(count).map((position) => hd.privateKey(position))
  } finally {
    hd.wipe()
  }
}
