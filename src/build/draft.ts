import type { AssetAmount } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'

export type { AssetAmount }

/**
 * A transaction that is ready to be signed, with everything that signing and explaining it need. It has
 * passed the stateless rules.
 */
export type Draft = {
  readonly unsignedTx: UnsignedTx
  /** What it spends, one for each credential in their order: inputs, then imported or operated ones. */
  readonly utxos: readonly UTXO[]
  readonly context: NetworkContext
  /** What the network charges, in the native asset. */
  readonly fee: bigint
  /** What comes back to the change address, per asset. */
  readonly change: readonly AssetAmount[]
  /** What is destroyed on purpose beside the fee, per asset. */
  readonly burned: readonly AssetAmount[]
  /** Bytes of the transaction once it is signed, exactly. */
  readonly signedSize: number
}
