import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { argument, type Check, iterable, object, optional, text } from '../../base/argument.ts'
import { isBytes } from '../../base/require.ts'
import { CryptoError } from '../errors.ts'
import { inspectAsText } from '../inspect.ts'
import { KeyChain, type KeyChainOptions, keyChainOptions } from '../keychain.ts'
import { addressOf } from '../secp256k1.ts'
import { seedFromMnemonic } from './mnemonic.ts'
import {
  COIN_TYPE,
  type CoinType,
  coinTypeArgument,
  type HDPosition,
  PURPOSE,
  pathNumber,
  positionIn,
  writeHDPath,
} from './path.ts'

/**
 * An account without private keys: derives addresses from the extended public key and cannot sign.
 *
 * @example
 * const account = new WatchAccount('xpub6C…')
 * account.address({ change: 0, index: 0 }) // 20 bytes
 */
export class WatchAccount {
  /** Account number: `a` in `m/44'/9000'/a'`. */
  readonly account: number
  /** The second number of its paths. An extended public key does not contain it. */
  readonly coinType: CoinType
  /** `xpub…` of `m/44'/9000'/a'`. Not secret, but it links all addresses of the account. */
  readonly extendedPublicKey: string
  readonly #node: HDKey
  readonly #position: Check<HDPosition>
  /** Parents of the keys, by `change`. */
  readonly #chains: Map<number, HDKey> = new Map()

  constructor(extendedPublicKey: string, options: WatchOptions = {}) {
    this.coinType = argument('new WatchAccount', options, watchOptions).coinType ?? COIN_TYPE
    this.#node = readExtendedPublicKey(extendedPublicKey)
    this.account = this.#node.index - HARDENED_OFFSET
    this.extendedPublicKey = extendedPublicKey
    this.#position = positionIn(this.account)
  }

  /** 33 bytes, compressed. */
  publicKey(position: HDPosition): Uint8Array {
    return this.#publicKey(argument('publicKey', position, this.#position))
  }

  #publicKey({ change, index }: HDPosition): Uint8Array {
    const parent = changeKeyOf(this.#chains, this.#node, change)
    return parent.deriveChild(index).publicKey!.slice()
  }

  /** 20 bytes. */
  address(position: HDPosition): Uint8Array {
    return addressOf(this.#publicKey(argument('address', position, this.#position)))
  }

  /** The full path of a key, `m/44'/9000'/a'/change/index`, as signing devices expect it. */
  path(position: HDPosition): string {
    return this.#path(argument('path', position, this.#position))
  }

  /** Addresses (20 bytes) with their paths, for signing requests and signers. */
  paths(
    positions: Iterable<HDPosition>,
  ): { readonly address: Uint8Array; readonly path: string }[] {
    return argument('paths', positions, iterable(this.#position), 'positions').map((position) => ({
      address: addressOf(this.#publicKey(position)),
      path: this.#path(position),
    }))
  }

  #path(position: HDPosition): string {
    return writeHDPath({ coinType: this.coinType, account: this.account, ...position })
  }
}

/** How the paths of an account are written. */
export type WatchOptions = {
  /** @defaultValue 9000 */
  readonly coinType?: CoinType | undefined
}

const watchOptions: Check<WatchOptions> = object<WatchOptions>({
  coinType: optional(coinTypeArgument),
})

/**
 * An account with its private keys, which are never shown: printing or serializing it gives the account number and
 * nothing else.
 *
 * @example
 * const account = new HDAccount(seedFromMnemonic(words))
 * const keys = account.keyChain([{ change: 0, index: 0 }])
 * account.watch.address({ change: 0, index: 0 }) // equals keys.addresses[0]
 */
export class HDAccount {
  static {
    inspectAsText(HDAccount.prototype)
  }

  /** The same account without private keys. */
  readonly watch: WatchAccount
  #node: HDKey | undefined
  readonly #position: Check<HDPosition>
  readonly #chains: Map<number, HDKey> = new Map()

  /** @param seed 16 to 64 bytes; not needed after the call, so the caller can zero it. */
  constructor(seed: Uint8Array, options: AccountOptions = {}) {
    const { account = 0, coinType = COIN_TYPE } = argument('new HDAccount', options, accountOptions)
    if (!isBytes(seed) || seed.length < 16 || seed.length > 64)
      throw new CryptoError('KEY_INVALID', 'seed must have 16 to 64 bytes', { reason: 'length' })
    let node = HDKey.fromMasterSeed(seed)
    for (const number of [PURPOSE, coinType, account]) {
      const next = node.deriveChild(HARDENED_OFFSET + number)
      node.wipePrivateData()
      node = next
    }
    this.#node = node
    this.watch = new WatchAccount(node.publicExtendedKey, { coinType })
    this.#position = positionIn(account)
  }

  /** The private key (32 bytes) at a position: a copy, which the caller must protect and zero after use. */
  privateKey(position: HDPosition): Uint8Array {
    return this.#privateKey(argument('privateKey', position, this.#position))
  }

  #privateKey({ change, index }: HDPosition): Uint8Array {
    if (this.#node === undefined)
      throw new CryptoError('KEY_WIPED', 'the keys of this account were wiped')
    const node = changeKeyOf(this.#chains, this.#node, change).deriveChild(index)
    const privateKey = node.privateKey!.slice()
    node.wipePrivateData()
    return privateKey
  }

  /** The keys at the given positions, ready to sign. They remain usable after the account is wiped. */
  keyChain(positions: Iterable<HDPosition>, options: KeyChainOptions = {}): KeyChain {
    const checked = argument('keyChain', positions, iterable(this.#position), 'positions')
    const settings = argument('keyChain', options, keyChainOptions)
    const privateKeys = checked.map((position) => this.#privateKey(position))
    try {
      return new KeyChain(privateKeys, settings)
    } finally {
      for (const key of privateKeys) key.fill(0)
    }
  }

  /** Zeroes the private keys. From then on deriving a private key throws `KEY_WIPED`. */
  wipe(): void {
    for (const node of [...this.#chains.values(), this.#node]) node?.wipePrivateData()
    this.#chains.clear()
    this.#node = undefined
  }

  /** What `JSON.stringify` prints: the account number, never a key. */
  toJSON(): { readonly account: number } {
    return { account: this.watch.account }
  }

  /** The derivation path of the account, never a key. */
  toString(): string {
    const { coinType, account } = this.watch
    return `HDAccount (m/${PURPOSE}'/${coinType}'/${account}')`
  }
}

/** Which account of a seed. */
export type AccountOptions = {
  /** @defaultValue 0 */
  readonly account?: number | undefined
  /**
   * 60 for keys of the C-Chain as EVM wallets derive them: `m/44'/60'/0'/0/i`, or `m/44'/60'/a'/0/0` with one account
   * per address.
   *
   * @defaultValue 9000
   */
  readonly coinType?: CoinType | undefined
}

const accountOptions: Check<AccountOptions> = object<AccountOptions>({
  account: optional(pathNumber),
  coinType: optional(coinTypeArgument),
})

/** Options of {@link accountFromMnemonic}. */
export type MnemonicOptions = AccountOptions & {
  /** @defaultValue empty */
  readonly passphrase?: string | undefined
}

const mnemonicOptions: Check<MnemonicOptions> = object<MnemonicOptions>({
  account: optional(pathNumber),
  coinType: optional(coinTypeArgument),
  passphrase: optional(text),
})

/** Derives an account from a mnemonic, and zeroes the seed. */
export function accountFromMnemonic(mnemonic: string, options: MnemonicOptions = {}): HDAccount {
  const { passphrase, ...place } = argument('accountFromMnemonic', options, mnemonicOptions)
  const seed = seedFromMnemonic(mnemonic, passphrase)
  try {
    return new HDAccount(seed, place)
  } finally {
    seed.fill(0)
  }
}

/** Parses the `xpub…` of an account. Errors do not quote the text: it may be an `xprv…`. */
function readExtendedPublicKey(text: string): HDKey {
  let node: HDKey
  try {
    node = HDKey.fromExtendedKey(text)
  } catch {
    throw new CryptoError('XPUB_INVALID', 'invalid extended public key: expected xpub…')
  }
  if (node.privateKey !== null) {
    node.wipePrivateData()
    throw new CryptoError('XPUB_INVALID', 'expected an extended public key, found a private one')
  }
  if (node.depth !== 3 || node.index < HARDENED_OFFSET)
    throw new CryptoError(
      'XPUB_INVALID',
      `expected the key of an account, m/44'/9000'/a', found a key of depth ${node.depth}`,
    )
  return node
}

/** Returns the parent of all keys with the given `change`, which is derived once. */
function changeKeyOf(chains: Map<number, HDKey>, account: HDKey, change: number): HDKey {
  let chain = chains.get(change)
  if (chain === undefined) {
    chain = account.deriveChild(change)
    chains.set(change, chain)
  }
  return chain
}
