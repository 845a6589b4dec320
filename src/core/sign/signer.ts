import { hex } from '../base/encoding/hex.ts'
import { requireFields, requireIterable, requireList } from '../base/require.ts'
import type { BackendOption } from '../crypto/backend.ts'
import type { KeyChain } from '../crypto/keychain.ts'

/** The derivation path of an address, `m/44'/9000'/a'/c/i`. */
export type AddressPath = { readonly address: Uint8Array; readonly path: string }

/** Rejects values from plain JavaScript that are not keys. */
export function requireKeys(keys: Keys): void {
  requireFields(keys, 'keys', ['addresses', 'has', 'sign'])
}

/** Rejects values that are not a list of signers. */
export function requireSigners(signers: readonly Signer[]): void {
  requireList(signers, 'signers')
  for (const signer of signers) {
    requireFields(signer, 'signer', ['sign'])
    if (signer.addresses !== undefined) requireList(signer.addresses, 'addresses')
  }
}

/** Rejects values that are not a list of addresses with their paths. */
export function requirePaths(paths: readonly AddressPath[]): void {
  requireList(paths, 'paths')
  for (const item of paths) requireFields(item, 'path', ['address', 'path'])
}

/** A request for one signature. */
export type SignatureQuery = {
  /** The signing address, 20 bytes. */
  readonly address: Uint8Array
  /** The 32 bytes to sign. */
  readonly hash: Uint8Array
  /** The unsigned transaction, whose SHA-256 is `hash`, for devices that display it. */
  readonly unsignedBytes: Uint8Array
  /** The derivation path of the key, `m/44'/9000'/a'/c/i`, if known. */
  readonly path?: string | undefined
  /** 32 bytes that should also enter the nonce (RFC 6979, section 3.6); may be ignored. */
  readonly extraEntropy?: Uint8Array | undefined
}

/** A request for the signatures of several addresses. */
export type SignAllQuery = {
  /** The unsigned transaction, whose SHA-256 is `hash`. */
  readonly unsignedBytes: Uint8Array
  /** The 32 bytes to sign. */
  readonly hash: Uint8Array
  /** The signing addresses, each with its derivation path if known. */
  readonly signers: readonly { readonly address: Uint8Array; readonly path?: string | undefined }[]
  /**
   * Stated paths of owners of outputs, so that a device can hide its own change from the review. They may come from a
   * request file: the device must derive the address of each and compare it with the output.
   */
  readonly changePaths: readonly string[]
  /** 32 bytes for the nonces; may be ignored. */
  readonly extraEntropy?: Uint8Array | undefined
}

/**
 * Anything that signs: a key, a hardware device, a key service, a remote machine. Its signatures are checked, so it
 * need not be trusted to use the right key.
 *
 * @example
 * const kms: Signer = { addresses: [address], sign: async ({ hash }) => (await service.sign(hash)).der }
 */
export type Signer = {
  /** The addresses that it signs for. Without them it receives a query for every signer. */
  readonly addresses?: readonly Uint8Array[] | undefined
  /** The derivation paths of its keys, if known. Signing requests of a wallet include them. */
  readonly paths?: readonly AddressPath[] | undefined
  /** Returns 65 bytes `r‖s‖v`, 64 bytes `r‖s` or DER; `undefined` if it does not sign for the address. */
  readonly sign: (query: SignatureQuery) => Promise<Uint8Array | undefined> | Uint8Array | undefined
  /**
   * Signs for several addresses with one approval; used instead of `sign` if present. Returns signatures in the order
   * of `signers`, `undefined` for addresses that it does not sign for.
   */
  readonly signAll?: (
    query: SignAllQuery,
  ) => Promise<readonly (Uint8Array | undefined)[]> | readonly (Uint8Array | undefined)[]
}

/** What signing needs of a `KeyChain`. */
export type Keys = Pick<KeyChain, 'addresses' | 'has' | 'sign'>

/** The part of an `HDAccount` that {@link hdSigner} uses. Importing the class would load the word lists. */
export type HDKeys<Position> = {
  readonly watch: {
    address(position: Position): Uint8Array
    path(position: Position): string
  }
  /** Derives the keys at positions; the caller wipes them. */
  keyChain(positions: Iterable<Position>): Keys & { wipe(): void }
}

/** Makes a signer from keys in memory. */
export function keyChainSigner(keys: Keys, options?: BackendOption): Signer {
  requireKeys(keys)
  return {
    addresses: keys.addresses,
    sign: ({ address, hash, extraEntropy }) =>
      keys.has(address) ? keys.sign(address, hash, extraEntropy, options?.backend) : undefined,
  }
}

/**
 * Makes a signer from an HD account. Each private key exists in memory only while it signs.
 *
 * @example
 * const signer = hdSigner(accountFromMnemonic(words), [{ change: 0, index: 0 }])
 */
export function hdSigner<Position>(
  account: HDKeys<Position>,
  positions: Iterable<Position>,
  options?: BackendOption,
): Signer {
  requireFields(account, 'account', ['watch', 'keyChain'])
  requireIterable(positions, 'positions')
  const known = Array.from(positions, (position) => ({
    position,
    address: account.watch.address(position),
    path: account.watch.path(position),
  }))
  const byAddress = new Map(known.map(({ position, address }) => [hex.encode(address), position]))
  return {
    addresses: known.map(({ address }) => address),
    paths: known.map(({ address, path }) => ({ address, path })),
    sign({ address, hash, extraEntropy }) {
      const position = byAddress.get(hex.encode(address))
      if (position === undefined) return undefined
      const keys = account.keyChain([position])
      try {
        return keys.sign(address, hash, extraEntropy, options?.backend)
      } finally {
        keys.wipe()
      }
    },
  }
}
