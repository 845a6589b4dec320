import type { OpaqueUTXO } from '../chain/utxo-page.ts'
import type { UTXOStore } from './store/utxo-store.ts'

/** Which UTXOs of a set are meant: the chain's own, or those that another chain exported to it. */
export type Source = {
  /** ID of the chain that exported them. Default: those of the chain itself. */
  readonly sourceChain?: Uint8Array
}

/** A UTXO that cannot be read or breaks the chain's rules: shown, never counted, never spent. */
export type OpaqueCoin = Pick<OpaqueUTXO, 'raw' | 'reason'>

/** The UTXOs of one source, and what cannot be read among them. */
export type Holdings = {
  /** Replaced by a copy now and then, when many UTXOs were removed. */
  store: UTXOStore
  /** By what they look like, so that each is there once. */
  readonly opaque: Map<string, OpaqueCoin>
}

/** What has UTXOs to choose from: a `UTXOSet`, which the parts of it cannot import. */
export interface Holder {
  /** The UTXOs of one source. */
  holdings(source: Source): Holdings
}
