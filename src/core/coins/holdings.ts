import { bytesOf, type Check, type Members, object, optional } from '../base/argument.ts'
import { ID_SIZE } from '../base/encoding/ids.ts'
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

/** Members of `Source`, for descriptions of options that include it. */
export const sourceMembers: Members<Source> = {
  sourceChain: optional(bytesOf(ID_SIZE)),
}

/** Describes a source. */
export const sourceOptions: Check<Source> = object<Source>(sourceMembers)

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
