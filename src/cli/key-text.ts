import { equalBytes } from '../bytes/compare.ts'
import {
  accountFromMnemonic,
  HDAccount,
  type HDPosition,
  parseHDPath,
  seedFromMnemonic,
  type WatchAccount,
} from '../crypto/hd.ts'
import { CryptoError, KeyChain, type PrivateKeySource } from '../crypto/index.ts'
import type { Discovery } from '../discovery/index.ts'
import { hex } from '../encoding/index.ts'
import type { AddressPath, SigningRequest } from '../sign/index.ts'

/** Which keys of a mnemonic to use. */
export type HDChoice = {
  readonly account: number
  /** Number of receiving addresses, instead of a search. */
  readonly count: number | undefined
}

/** Finds the used addresses of an account. */
export type Discover = (account: WatchAccount) => Promise<Discovery>

/** The first receiving addresses of an account. */
export function positionsOf(count: number): HDPosition[] {
  return Array.from({ length: count }, (_, index) => ({ change: 0, index }))
}

/** The user's keys. */
export type OwnKeys = {
  readonly keys: KeyChain
  /** One address per private key or mnemonic. It stays the same when more addresses of a mnemonic are used. */
  readonly identity: readonly Uint8Array[]
  /** One per mnemonic that was searched. */
  readonly discoveries: readonly Discovery[]
}

/**
 * Parses private keys and mnemonics. With `discover`, and if no number of addresses is given, a mnemonic yields the
 * keys of its used addresses, of its first one, and of the next one for change.
 */
export async function ownKeysOf(
  texts: readonly string[],
  choice: HDChoice,
  discover?: Discover,
): Promise<OwnKeys> {
  const sources: PrivateKeySource[] = []
  const firsts: number[] = []
  const discoveries: Discovery[] = []
  for (const line of texts.flatMap(keyLines)) {
    firsts.push(sources.length)
    if (!isMnemonic(line)) {
      sources.push(line)
      continue
    }
    const hd = accountFromMnemonic(line, { account: choice.account })
    try {
      const found = choice.count === undefined ? await discover?.(hd.watch) : undefined
      if (found !== undefined) discoveries.push(found)
      const positions = found === undefined ? positionsOf(choice.count ?? 1) : positionsIn(found)
      sources.push(...positions.map((position) => hd.privateKey(position)))
    } finally {
      hd.wipe()
    }
  }
  const identity = firsts.map((at) => addressOfKey(sources[at]!))
  return { keys: keyChain(sources), identity, discoveries }
}

/** The accounts of the mnemonics among the texts. */
export function accountsOf(texts: readonly string[], { account }: HDChoice): HDAccount[] {
  return texts
    .flatMap(keyLines)
    .filter(isMnemonic)
    .map((line) => accountFromMnemonic(line, { account }))
}

function addressOfKey(source: PrivateKeySource): Uint8Array {
  const keys = new KeyChain([source])
  try {
    return keys.addresses[0]!
  } finally {
    keys.wipe()
  }
}

/** The first address, which receives change by default, then the used ones, then the next one for change. */
function positionsIn({ addresses, next }: Discovery): HDPosition[] {
  const first = { change: 0, index: 0 }
  const others = [...addresses, next.change].filter(
    ({ change, index }) => change !== 0 || index !== 0,
  )
  return [first, ...others]
}

/** The keys that sign a request, and all addresses that are known to be ours. */
export type RequestKeys = {
  readonly keys: KeyChain
  readonly ours: readonly Uint8Array[]
}

/** The facts of a request that determine its signers. */
export type RequestFacts = Pick<SigningRequest, 'paths'> & {
  readonly utxos: readonly { readonly output: { readonly addresses: readonly Uint8Array[] } }[]
}

/**
 * Parses private keys and mnemonics, and returns the keys that can sign a request. Of a mnemonic these are the keys at
 * the paths of the request. Each path is derived and its address compared, because the file is not trusted. If no path
 * leads to a signer, the first addresses of the mnemonic are used.
 */
export function requestKeysOf(
  texts: readonly string[],
  choice: HDChoice,
  { paths, utxos }: RequestFacts,
): RequestKeys {
  const spent = new Set(utxos.flatMap(({ output }) => output.addresses.map(hex.encode)))
  const found: PrivateKeySource[] = []
  const ours: Uint8Array[] = []
  for (const line of texts.flatMap(keyLines)) {
    const own = isMnemonic(line) ? deriveAt(line, paths) : []
    // Addresses that only receive something need no key.
    const signing = own.filter(({ address }) => spent.has(hex.encode(address)))
    found.push(...signing.map(({ privateKey }) => privateKey))
    if (signing.length === 0) found.push(...(isMnemonic(line) ? derive(line, choice) : [line]))
    const accounts = [choice.account, ...signing.map(({ account }) => account)]
    for (const item of own) {
      const isFindable = accounts.includes(item.account) && item.index < MAX_COUNT
      if (signing.includes(item) || isFindable) ours.push(item.address)
      if (!signing.includes(item)) item.privateKey.fill(0)
    }
  }
  const keys = keyChain(found)
  return { keys, ours: [...keys.addresses, ...ours] }
}

/**
 * The most addresses of an account that `--count` accepts. Whoever knows the extended public key can send change to a
 * later address or to another account of the same mnemonic, where its owner would not look: that is not a return.
 */
const MAX_COUNT = 10_000

type DerivedKey = {
  readonly address: Uint8Array
  readonly privateKey: Uint8Array
  readonly account: number
  readonly index: number
}

function deriveAt(mnemonic: string, paths: readonly AddressPath[]): DerivedKey[] {
  if (paths.length === 0) return []
  const accounts = new Map<number, HDAccount>()
  // Once for all paths: deriving the seed is slow by design.
  const seed = seedFromMnemonic(mnemonic)
  try {
    return paths.flatMap(({ address, path }) => {
      const { account, ...position } = parseHDPath(path)
      const hd = accounts.get(account) ?? new HDAccount(seed, { account })
      accounts.set(account, hd)
      return equalBytes(hd.watch.address(position), address)
        ? [{ address, privateKey: hd.privateKey(position), account, index: position.index }]
        : []
    })
  } finally {
    seed.fill(0)
    for (const hd of accounts.values()) hd.wipe()
  }
}

function keyChain(keys: readonly PrivateKeySource[]): KeyChain {
  if (keys.length === 0)
    throw new CryptoError('KEY_INVALID', 'the input contains no private key and no mnemonic')
  try {
    return new KeyChain(keys)
  } finally {
    // The key chain has copies.
    for (const key of keys) if (typeof key !== 'string') key.fill(0)
  }
}

/** One key or mnemonic per line; empty lines and comments (`#`) are ignored. */
function keyLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** A private key is one word. */
function isMnemonic(line: string): boolean {
  return /\s/.test(line)
}

function derive(mnemonic: string, { account, count = 1 }: HDChoice): Uint8Array[] {
  const hd = accountFromMnemonic(mnemonic, { account })
  try {
    return positionsOf(count).map((position) => hd.privateKey(position))
  } finally {
    hd.wipe()
  }
}
