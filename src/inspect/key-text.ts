import { equalBytes } from '../core/base/bytes/compare.ts'
import { formatAddress, parseAddress } from '../core/base/encoding/address.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { evmAddressBytes } from '../core/chain/c/evm-address.ts'
import { CryptoError } from '../core/crypto/errors.ts'
import {
  accountFromMnemonic,
  HDAccount,
  type HDPath,
  type HDPosition,
  parseHDPath,
  seedFromMnemonic,
  type WatchAccount,
} from '../core/crypto/hd/index.ts'
import { KeyChain, type PrivateKeySource } from '../core/crypto/keychain.ts'
import { addressOf } from '../core/crypto/secp256k1.ts'
import { malformed } from '../core/sign/request/request-json.ts'
import type { SigningRequest } from '../core/sign/request/signing-request.ts'

/** Which keys of a mnemonic to use. */
export type HDChoice = {
  readonly account: number
  /** Number of receiving addresses, instead of a search. */
  readonly count: number | undefined
  /** The passphrase of BIP-39, of all mnemonics. */
  readonly passphrase?: string | undefined
}

/** Finds the used addresses of an account. */
export type FindUsed = (account: WatchAccount) => Promise<readonly HDPosition[]>

/** The first receiving addresses of an account. */
export function positionsOf(count: number): HDPosition[] {
  return Array.from({ length: count }, (_, index) => ({ change: 0, index }))
}

/** The user's keys. */
export type OwnKeys = {
  readonly keys: KeyChain
  /** One address per private key or mnemonic. It stays the same when more addresses of a mnemonic are used. */
  readonly identity: readonly Uint8Array[]
}

/**
 * Parses private keys and mnemonics. With `findUsed`, and if no number of addresses is given, a mnemonic yields the
 * keys of its first address, which receives change by default, and of the used ones.
 */
export async function ownKeysOf(
  texts: readonly string[],
  choice: HDChoice,
  findUsed?: FindUsed,
): Promise<OwnKeys> {
  const sources: PrivateKeySource[] = []
  const firsts: number[] = []
  for (const line of texts.flatMap(keyLines)) {
    firsts.push(sources.length)
    if (!isMnemonic(line)) {
      sources.push(line)
      continue
    }
    const hd = openAccount(line, choice)
    try {
      const used = (choice.count === undefined && (await findUsed?.(hd.watch))) || []
      const others = used.filter(({ change, index }) => change !== 0 || index !== 0)
      const positions = [...positionsOf(choice.count ?? 1), ...others]
      sources.push(...positions.map((position) => hd.privateKey(position)))
    } finally {
      hd.wipe()
    }
  }
  const identity = firsts.map((at) => addressOfKey(sources[at]!))
  return { keys: keyChain(sources), identity }
}

/** The account of the only key, if that is a mnemonic of which no number of addresses is chosen. */
export function onlyAccountOf(texts: readonly string[], choice: HDChoice): HDAccount | undefined {
  const [line, ...others] = texts.flatMap(keyLines)
  const isAccount = line !== undefined && others.length === 0 && isMnemonic(line)
  return isAccount && choice.count === undefined ? openAccount(line, choice) : undefined
}

/** The accounts of the mnemonics among the texts. */
export function accountsOf(texts: readonly string[], choice: HDChoice): HDAccount[] {
  return texts
    .flatMap(keyLines)
    .filter(isMnemonic)
    .map((line) => openAccount(line, choice))
}

function openAccount(mnemonic: string, { account, passphrase }: HDChoice): HDAccount {
  return accountFromMnemonic(mnemonic, { account, passphrase })
}

/** Whether there is a mnemonic among the texts. */
export function hasMnemonic(texts: readonly string[]): boolean {
  return texts.flatMap(keyLines).some(isMnemonic)
}

/** What identifies keys without revealing them: the xpub of each mnemonic, the X-address of each private key. */
export function publicTextsOf(
  texts: readonly string[],
  choice: HDChoice,
  hrp: string,
): readonly string[] {
  return texts.flatMap(keyLines).map((line) => {
    if (!isMnemonic(line)) return formatAddress({ chain: 'X', hrp, address: addressOfKey(line) })
    const hd = openAccount(line, choice)
    try {
      return hd.watch.extendedPublicKey
    } finally {
      hd.wipe()
    }
  })
}

/** Whether two lists of public texts identify the same keys; addresses may be of different networks. */
export function samePublicTexts(a: readonly string[], b: readonly string[]): boolean {
  const plain = (text: string) =>
    text.startsWith('xpub') ? text : hex.encode(parseAddress(text).address)
  return a.length === b.length && a.every((text, i) => plain(text) === plain(b[i]!))
}

function addressOfKey(source: PrivateKeySource): Uint8Array {
  const keys = new KeyChain([source])
  try {
    return keys.addresses[0]!
  } finally {
    keys.wipe()
  }
}

/** The keys that sign a request, and all addresses that are known to be ours. */
export type RequestKeys = {
  readonly keys: KeyChain
  readonly ours: readonly Uint8Array[]
}

/** The details of a request that determine its signers. */
export type RequestOwners = Pick<SigningRequest, 'paths'> & {
  /** Owners of what it spends: addresses, or the accounts that an export of the C-Chain debits. */
  readonly payers: readonly Uint8Array[]
  readonly areAccounts: boolean
}

/**
 * Parses private keys and mnemonics, and returns the keys that can sign a request. Of a mnemonic these are the keys at
 * the paths of the request. Each path is derived and its address compared, because the file is not trusted. If no path
 * leads to a signer, the first addresses of the mnemonic are used.
 *
 * @throws SignError `REQUEST_MALFORMED` if deriving all paths would take too long
 */
export function requestKeysOf(
  texts: readonly string[],
  choice: HDChoice,
  details: RequestOwners,
): RequestKeys {
  const found: PrivateKeySource[] = []
  const received: Uint8Array[] = []
  const unfindable = new Set<string>()
  for (const line of texts.flatMap(keyLines)) {
    if (!isMnemonic(line)) {
      found.push(line)
      continue
    }
    const { signing, receiving } = deriveAt(line, choice, details)
    if (signing.length === 0) found.push(...derivePrivateKeys(line, choice))
    for (const key of signing) {
      found.push(key.privateKey)
      if (!isFindable(key)) unfindable.add(hex.encode(key.address))
    }
    received.push(...receiving.map(({ address }) => address))
  }
  const keys = keyChain(found)
  const signers = keys.addresses.filter((address) => !unfindable.has(hex.encode(address)))
  return { keys, ours: [...signers, ...received] }
}

/**
 * Whether the owner of an account would find a key: `--count` accepts up to 10,000 addresses, and searches look at
 * receiving and change addresses only. Whoever knows the extended public key can send change to other addresses of the
 * account, and can pay to them first so that their keys sign: that is not a return.
 */
function isFindable({ change, index }: HDPosition): boolean {
  return change <= 1 && index < 10_000
}

/** Deriving an account takes about 30 ms and an address 4 ms, during which the page does not respond. */
const MAX_ACCOUNTS = 100
const MAX_PATHS = 3000

/** An address in a request, and the path of its key. */
type AddressKey = HDPath & { readonly address: Uint8Array }

/** Keys of a mnemonic that a request concerns. */
type ConcernedKeys = {
  readonly signing: readonly (AddressKey & { readonly privateKey: Uint8Array })[]
  /** Addresses that need no key and that their owner would find, in the chosen account or in one that signs. */
  readonly receiving: readonly AddressKey[]
}

function deriveAt(
  mnemonic: string,
  choice: HDChoice,
  { paths, payers: owners, areAccounts }: RequestOwners,
): ConcernedKeys {
  if (paths.length === 0) return { signing: [], receiving: [] }
  const opened = new Map<string, HDAccount>()
  // Once for all paths: deriving the seed is slow by design.
  const seed = seedFromMnemonic(mnemonic, choice.passphrase)
  const open = ({ account, coinType }: HDPath) => {
    const name = accountName({ account, coinType })
    const hd = opened.get(name) ?? new HDAccount(seed, { account, coinType })
    opened.set(name, hd)
    return hd
  }
  const publicKeyOf = (key: AddressKey) => open(key).watch.publicKey(key)
  // Derives each key, because a path is only a claim of the file.
  const verified = (keys: readonly AddressKey[]) => {
    if (keys.length > MAX_PATHS || new Set(keys.map(accountName)).size > MAX_ACCOUNTS)
      throw malformed('paths', `at most ${MAX_PATHS} paths of ${MAX_ACCOUNTS} accounts`)
    return keys.filter((key) => equalBytes(addressOf(publicKeyOf(key)), key.address))
  }
  const payers = new Set(owners.map(hex.encode))
  try {
    const keys = paths.map(({ address, path }) => ({ address, ...parseHDPath(path) }))
    // The address of an account does not follow from the address of its key, only from the public key.
    const signing = areAccounts
      ? verified(keys).filter((key) => payers.has(hex.encode(evmAddressBytes(publicKeyOf(key)))))
      : verified(keys.filter(({ address }) => payers.has(hex.encode(address))))
    const signers = new Set(signing)
    const searched = new Set([accountName(choice), ...signing.map(accountName)])
    const receiving = keys.filter(
      (key) => !signers.has(key) && searched.has(accountName(key)) && isFindable(key),
    )
    return {
      signing: signing.map((key) => ({ ...key, privateKey: open(key).privateKey(key) })),
      receiving: verified(receiving),
    }
  } finally {
    seed.fill(0)
    for (const hd of opened.values()) hd.wipe()
  }
}

function accountName({ account, coinType = 9000 }: Pick<HDPath, 'account' | 'coinType'>): string {
  return `${coinType}/${account}`
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

function derivePrivateKeys(mnemonic: string, choice: HDChoice): Uint8Array[] {
  const hd = openAccount(mnemonic, choice)
  try {
    return positionsOf(choice.count ?? 1).map((position) => hd.privateKey(position))
  } finally {
    hd.wipe()
  }
}
