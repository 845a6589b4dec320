import type { WatchAccount } from './account.ts'
import type { HDPosition } from './path.ts'

/** A used address of an account. */
export type DiscoveredAddress = HDPosition & {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** Derivation path, such as `m/44'/9000'/0'/0/0`. */
  readonly path: string
  /** Number of UTXOs that it owns now, alone or with others, including those exported by `sourceChains`. */
  readonly utxos: number
}

/** What a search found. */
export type Discovery = {
  readonly account: WatchAccount
  /** Used addresses: the receiving ones first, then those for change, both in the order of their index. */
  readonly addresses: readonly DiscoveredAddress[]
  /** Number of addresses that were checked, on both branches. */
  readonly checked: number
  /** The position after the last used one, on each branch. */
  readonly next: { readonly receive: HDPosition; readonly change: HDPosition }
  /**
   * What counted as use. With `utxos`, addresses whose UTXOs are all spent count as unused, so funds after a long gap
   * of such addresses may be missed. With `history`, `wasUsed` was asked too.
   */
  readonly evidence: 'utxos' | 'history'
}
