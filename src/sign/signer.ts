import type { BackendOption } from '../crypto/backend.ts'
import type { KeyChain } from '../crypto/keychain.ts'
import { hex } from '../encoding/hex.ts'

/** Where the key of an address is, `m/44'/9000'/a'/c/i`. */
export type AddressPath = { readonly address: Uint8Array; readonly path: string }

/** What a signer is asked for. */
export type SignatureQuery = {
  /** Whose signature, 20 bytes. */
  readonly address: Uint8Array
  /** The 32 bytes to sign. */
  readonly hash: Uint8Array
  /** The unsigned transaction, of which `hash` is the SHA-256: for devices that show what they sign. */
  readonly unsignedBytes: Uint8Array
  /** Where the key is, `m/44'/9000'/a'/c/i`, if known. */
  readonly path?: string
  /** 32 bytes for the nonce (RFC 6979, section 3.6), if the caller wants another signature; may be ignored. */
  readonly extraEntropy?: Uint8Array
}

/** What a signer is asked for that signs for all of its addresses at once. */
export type SignAllQuery = {
  /** The unsigned transaction, of which `hash` is the SHA-256. */
  readonly unsignedBytes: Uint8Array
  /** The 32 bytes to sign. */
  readonly hash: Uint8Array
  /** Whose signatures, each with the path of its key if it is known. */
  readonly signers: readonly { readonly address: Uint8Array; readonly path?: string }[]
  /** The known paths of owners of outputs: a device can derive them and leave its own change out of the review. */
  readonly changePaths: readonly string[]
  /** 32 bytes for the nonces; may be ignored. */
  readonly extraEntropy?: Uint8Array
}

/**
 * Anything that signs: a key, a hardware device, a key service, a remote machine. What it answers is
 * checked, so it need not be trusted to pick the right key.
 *
 * @example
 * const kms: Signer = { addresses: [address], sign: async ({ hash }) => (await service.sign(hash)).der }
 */
export type Signer = {
  /** The addresses it signs for. Without them it is asked for every signature and answers some. */
  readonly addresses?: readonly Uint8Array[]
  /** Where its keys are, if it knows: signing requests of a wallet name these paths. */
  readonly paths?: readonly AddressPath[]
  /** 65 bytes `r‖s‖v`, 64 bytes `r‖s` or DER; `undefined` if it does not sign for the address. */
  readonly sign: (query: SignatureQuery) => Promise<Uint8Array | undefined> | Uint8Array | undefined
  /**
   * Signs for several addresses with one approval and is used instead of `sign` if it is there. The answers are
   * in the order of `signers`, `undefined` for addresses it does not sign for.
   */
  readonly signAll?: (
    query: SignAllQuery,
  ) => Promise<readonly (Uint8Array | undefined)[]> | readonly (Uint8Array | undefined)[]
}

/** What signing needs of a `KeyChain`. */
export type Keys = Pick<KeyChain, 'addresses' | 'has' | 'sign'>

/** What is needed of an `HDAccount` of the entry point `hd`, so that the word lists stay out of here. */
export type HDKeys<Position> = {
  readonly watch: {
    address(position: Position): Uint8Array
    path(position: Position): string
  }
  keyChain(positions: Iterable<Position>): Keys & { wipe(): void }
}

/** Makes a signer from keys in memory. */
export function keyChainSigner(keys: Keys, { backend }: BackendOption = {}): Signer {
  return {
    addresses: keys.addresses,
    sign: ({ address, hash, extraEntropy }) =>
      keys.has(address) ? keys.sign(address, hash, extraEntropy, backend) : undefined,
  }
}

/**
 * A signer from an account of a mnemonic. Each private key exists only while it signs.
 *
 * @example
 * const signer = hdSigner(accountFromMnemonic(words), [{ change: 0, index: 0 }])
 */
export function hdSigner<Position>(
  account: HDKeys<Position>,
  positions: Iterable<Position>,
  { backend }: BackendOption = {},
): Signer {
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
        return keys.sign(address, hash, extraEntropy, backend)
      } finally {
        keys.wipe()
      }
    },
  }
}
