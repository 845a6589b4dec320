import type { OpaqueUTXO } from '../chain/x/utxo-page.ts'
import type { UTXOStore } from './store/utxo-store.ts'

/** Selects UTXOs of the chain itself, or UTXOs that another chain exported to it. */
export type Source = {
  /**
   * ID of the chain that exported them.
   *
   * @defaultValue undefined: UTXOs of the chain itself
   */
  readonly sourceChain?: Uint8Array | undefined
}

/** A UTXO that cannot be decoded or violates a rule of the chain. It is reported but never counted or spent. */
export type OpaqueEntry = Pick<OpaqueUTXO, 'raw' | 'reason'>

/** The UTXOs of one source. */
export type Holdings = {
  /** Replaced by a compacted copy after many removals. */
  store: UTXOStore
  /** UTXOs that cannot be decoded, by content, so that each appears once. */
  readonly opaque: Map<string, OpaqueEntry>
}

/** Something with UTXOs to choose from. Implemented by `UTXOSet`; the interface avoids an import cycle. */
export interface HoldingsSource {
  /** Returns the UTXOs of one source. */
  holdings(source: Source): Holdings
}
