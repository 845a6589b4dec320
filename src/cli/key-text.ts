import { equalBytes } from '../bytes/compare.ts'
import {
  accountFromMnemonic,
  HDAccount,
  type HDPosition,
  parseHDPath,
  seedFromMnemonic,
} from '../crypto/hd.ts'
import { CryptoError, KeyChain, type PrivateKeySource } from '../crypto/index.ts'
import { hex } from '../encoding/index.ts'
import type { AddressPath, SigningRequest } from '../sign/index.ts'

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
  return keyChain(keys)
}

/** The keys that sign a request, and everything that is known to be ours. */
export type RequestKeys = {
  readonly keys: KeyChain
  readonly ours: readonly Uint8Array[]
}

/**
 * The keys of some texts for a request. Of a mnemonic these are the keys at the paths that the request names for
 * it: each path is derived and its address compared, since the file may name any. Without such a path they are the
 * usual first ones.
 */
export function requestKeysOf(
  texts: readonly string[],
  choice: HDChoice,
  { paths, utxos }: Pick<SigningRequest, 'paths' | 'utxos'>,
): RequestKeys {
  const spent = new Set(utxos.flatMap(({ output }) => output.addresses.map(hex.encode)))
  const found: PrivateKeySource[] = []
  const ours: Uint8Array[] = []
  for (const line of texts.flatMap(keyLines)) {
    const own = isPhrase(line) ? deriveAt(line, paths) : []
    // Of addresses that only receive something no key is needed.
    const signing = own.filter(({ address }) => spent.has(hex.encode(address)))
    found.push(...signing.map(({ privateKey }) => privateKey))
    if (signing.length === 0) found.push(...(isPhrase(line) ? derive(line, choice) : [line]))
    for (const item of own) {
      ours.push(item.address)
      if (!signing.includes(item)) item.privateKey.fill(0)
    }
  }
  const keys = keyChain(found)
  return { keys, ours: [...keys.addresses, ...ours] }
}

function deriveAt(
  mnemonic: string,
  paths: readonly AddressPath[],
): { readonly address: Uint8Array; readonly privateKey: Uint8Array }[] {
  if (paths.length === 0) return []
  const accounts = new Map<number, HDAccount>()
  // Once for all paths: the seed is made to be expensive.
  const seed = seedFromMnemonic(mnemonic)
  try {
    return paths.flatMap(({ address, path }) => {
      const { account, ...position } = parseHDPath(path)
      const hd = accounts.get(account) ?? new HDAccount(seed, { account })
      accounts.set(account, hd)
      return equalBytes(hd.watch.address(position), address)
        ? [{ address, privateKey: hd.privateKey(position) }]
        : []
    })
  } finally {
    seed.fill(0)
    for (const hd of accounts.values()) hd.wipe()
  }
}

function keyChain(keys: readonly PrivateKeySource[]): KeyChain {
  if (keys.length === 0)
    throw new CryptoError('KEY_INVALID', 'expected a private key or a mnemonic, found none')
  try {
    return new KeyChain(keys)
  } finally {
    // The key chain has copies.
    for (const key of keys) if (typeof key !== 'string') key.fill(0)
  }
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
