import type { NetworkContext } from '../../chain/networks.ts'
import type { TransferOutput } from '../../chain/secp256k1fx.ts'
import type { OtherChain } from '../../chain/view.ts'
import type { UTXOID } from '../../chain/x/transferables.ts'
import type { AnyUTXO } from '../../draft/coins.ts'
import type { SlotPlace } from '../faults.ts'
import type { AddressSignature } from '../job.ts'
import type { RequestCodecs } from '../request/request-check.ts'
import type { AddressPath } from '../signer.ts'
import type { PickSigners } from '../signer-sets.ts'
import type { AtomicDetails } from './explain.ts'
import type { Signable } from './sign.ts'

/** A UTXO of the P-Chain, or one that the C-Chain imports. */
export type RequestUTXO = AnyUTXO & { readonly output: object }

/** One signer set of a request: the transaction that names the signers, and their signatures so far. */
export type AtomicSignerSet<Tx> = {
  readonly unsignedTx: Tx
  /** By signer ascending: addresses, or the accounts of a C-Chain export. */
  readonly signatures: readonly AddressSignature[]
}

/**
 * A transaction of the P- or C-Chain for several signers, with everything that they need to check it. Its signer sets
 * differ only in their signers.
 */
export type AtomicRequest<Tx, U> = {
  readonly context: NetworkContext
  /** The spent UTXOs, in the order of the credentials; none for a C-Chain export. */
  readonly utxos: readonly U[]
  /** Known derivation paths of keys, by address ascending. Hints for signers, not trusted. */
  readonly paths: readonly AddressPath[]
  /** Signed transactions that prove the UTXOs, by ID ascending. */
  readonly proofs: readonly Uint8Array[]
  /** At least one, by the bytes of the unsigned transaction ascending. */
  readonly signerSets: readonly AtomicSignerSet<Tx>[]
}

/** The part of a draft that requests use. */
export type RequestedDraft<Tx, U> = {
  readonly unsignedTx: Tx
  /** The spent UTXOs, in the order of the credentials; none for a C-Chain export. */
  readonly utxos: readonly U[]
  readonly context: NetworkContext
}

/** The functions of a chain that requests use. */
export type RequestChain<Tx, U extends RequestUTXO> = {
  readonly alias: OtherChain
  readonly codecs: RequestCodecs<Tx, U>
  readonly encodeUnsignedTx: (tx: Tx) => Uint8Array
  readonly decodeUnsignedTx: (bytes: Uint8Array) => Tx
  readonly encodeUTXO: (utxo: U) => Uint8Array
  readonly decodeUTXO: (bytes: Uint8Array) => U
  /** Returns the signers, after comparing the inputs with the UTXOs. */
  readonly signable: (draft: {
    readonly unsignedTx: Tx
    readonly utxos: readonly U[]
  }) => Signable<Tx>
  /** Applies the stateless rules. */
  readonly verify: (tx: Tx, context: NetworkContext) => void
  /** Replaces the signature indices. */
  readonly withSigners: (tx: Tx, pick: PickSigners) => Tx
  /** The output of a UTXO, without its stakeable lock. */
  readonly outputOf: (utxo: U) => TransferOutput
  /** The UTXOs that are spent, in the order of the credentials; none for a C-Chain export. */
  readonly spent: (tx: Tx) => readonly UTXOID[]
  /** The number of credentials for UTXOs of this chain, which come first, and the chain of the imported UTXOs. */
  readonly sources: (tx: Tx) => { readonly local: number; readonly sourceChain?: Uint8Array }
  /** The UTXOs that a signed transaction creates on this chain; undefined for another network or chain. */
  readonly createdBy: (bytes: Uint8Array, context: NetworkContext) => readonly U[] | undefined
  /**
   * The contents of a transaction. `utxos` are in the order of the credentials; undefined if the owners are unproven.
   */
  readonly detailsOf: (draft: {
    readonly unsignedTx: Tx
    readonly context: NetworkContext
    readonly utxos?: readonly (U | undefined)[] | undefined
  }) => AtomicDetails
  /** How a transaction names a signer: by the address or by the account of the public key. */
  readonly signerOf: (tx: Tx) => (publicKey: Uint8Array) => Uint8Array
  /** The account of a public key; absent on chains without accounts. */
  readonly accountOf?: (publicKey: Uint8Array) => Uint8Array
  readonly formatSigner: (tx: Tx, signer: Uint8Array, context: NetworkContext) => string
  readonly parseSigner: (tx: Tx, text: string, context: NetworkContext) => Uint8Array
}

/** Options of `createRequest`. */
export type AtomicRequestOptions = {
  /**
   * The signers: `'all'` includes every signer set of the owners, addresses only sets of these signers. The accounts
   * of a C-Chain export must all sign.
   *
   * @defaultValue the signer set of the draft
   */
  readonly signers?: 'all' | readonly Uint8Array[] | undefined
  /**
   * Signed transactions that created the UTXOs; `collectProofs` reads them from a node. Irrelevant ones are omitted.
   * Signing refuses what is unproven unless the signer accepts it.
   */
  readonly parents?: readonly Uint8Array[] | undefined
  /** Paths of signing keys, as hints. */
  readonly paths?: readonly AddressPath[] | undefined
}

/** The state of one signer set of a request. */
export type AtomicSignerSetStatus = {
  /** The hash that its signatures sign, 32 bytes. */
  readonly hash: Uint8Array
  /** Its signers, in the order of their first slots. */
  readonly signers: readonly Uint8Array[]
  /** The slots without a signature; empty if the signer set is complete. */
  readonly missing: readonly SlotPlace[]
}
