import type { ChainAlias } from '../chain/chain-types.ts'
import type { KeyChain } from '../crypto/keychain.ts'

/** The derivation path of an address, `m/44'/9000'/a'/c/i`. */
export type AddressPath = { readonly address: Uint8Array; readonly path: string }

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
  /** The chain of the transaction. */
  readonly chain: ChainAlias
  /** The encoded UTXOs that it spends, in the order of the credentials; none for an export of the C-Chain. */
  readonly utxos: readonly Uint8Array[]
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

/** What signing needs of a `KeyChain`. Accounts of the C-Chain are found by the public keys. */
export type Keys = Pick<KeyChain, 'addresses' | 'has' | 'sign'> &
  Partial<Pick<KeyChain, 'publicKeys' | 'derivedEntropy'>>

/** The part of an `HDAccount` that {@link hdSigner} uses. Importing the class would load the word lists. */
export type HDKeys<Position> = {
  readonly watch: {
    address(position: Position): Uint8Array
    path(position: Position): string
  }
  /** Derives the keys at positions; the caller wipes them. */
  keyChain(positions: Iterable<Position>): Keys & { wipe(): void }
}
