import type { AssetAmount } from '../chain/amounts.ts'
import type { ChainAlias, UnsignedTxOf, UTXOOf } from '../chain/chain-types.ts'
import type { NetworkContext } from '../chain/networks.ts'

/**
 * A transaction that is ready to be signed, with all the data needed to sign and explain it. It satisfies the
 * stateless rules.
 */
export type Draft<A extends ChainAlias = 'X'> = {
  /** The chain that it is for. */
  readonly chain: A
  readonly unsignedTx: UnsignedTxOf<A>
  /**
   * The UTXOs it spends, in credential order: inputs, then imported or operated ones. Exports of the C-Chain spend
   * none: they debit accounts.
   */
  readonly utxos: readonly UTXOOf<A>[]
  /** The network it is for. */
  readonly context: NetworkContext
  /** The fee in nAVAX. */
  readonly fee: bigint
  /** Amounts of the change, per asset, sorted by asset ID. */
  readonly change: readonly AssetAmount[]
  /** Amounts destroyed in addition to the fee, per asset, sorted by asset ID. */
  readonly burned: readonly AssetAmount[]
  /** Exact size of the signed transaction in bytes. */
  readonly signedSize: number
}
