import type { AssetAmount } from '../../chain/amounts.ts'
import type { ChainAlias, UnsignedTxOf, UTXOOf } from '../../chain/chain-types.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { AddressSignature } from '../faults.ts'
import type { AddressPath } from '../signer.ts'

/** One signer set of a request: the transaction that names the signers, and their signatures so far. */
export type SignerSet<A extends ChainAlias = 'X'> = {
  readonly unsignedTx: UnsignedTxOf<A>
  /** By address, ascending; an export of the C-Chain is signed by accounts. */
  readonly signatures: readonly AddressSignature[]
}

/**
 * A transaction for several signers, with everything that they need to check it. `formatRequest` and `parseRequest`
 * convert it to a file and back. Its signer sets differ only in their signers.
 */
export type SigningRequest<A extends ChainAlias = 'X'> = {
  /** The chain of the transaction. */
  readonly chain: A
  readonly context: NetworkContext
  /** The spent UTXOs, in the order of the credentials; none for an export of the C-Chain. */
  readonly utxos: readonly UTXOOf<A>[]
  /** Change as stated by the builder, one entry per asset, by asset ID ascending. Not trusted by explanations. */
  readonly change: readonly AssetAmount[]
  /** Known derivation paths, by address ascending. Hints for signers, not trusted. */
  readonly paths: readonly AddressPath[]
  /**
   * Signed transactions that prove the UTXOs and the decimals of the assets, by ID ascending. The request's ID does
   * not cover them, but covers the UTXOs that they prove.
   */
  readonly proofs: readonly Uint8Array[]
  /** At least one, by the bytes of the unsigned transaction ascending. */
  readonly signerSets: readonly SignerSet<A>[]
}

/** A signing request of one of several chains; `chain` tells them apart. */
export type RequestOf<A extends ChainAlias> = { readonly [B in A]: SigningRequest<B> }[A]

/** A signing request of any chain. */
export type AnySigningRequest = RequestOf<ChainAlias>
