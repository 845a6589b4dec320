import type { AssetAmount } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import { requireFields, requireList } from '../encoding/require.ts'

export type { AssetAmount }

/**
 * A transaction that is ready to be signed, with all the data needed to sign and explain it. It satisfies the
 * stateless rules.
 */
export type Draft = {
  readonly unsignedTx: UnsignedTx
  /** The UTXOs it spends, in credential order: inputs, then imported or operated ones. */
  readonly utxos: readonly UTXO[]
  /** The network it is for. */
  readonly context: NetworkContext
  /** The fee in nAVAX. */
  readonly fee: bigint
  /** Amounts of the change, per asset. */
  readonly change: readonly AssetAmount[]
  /** Amounts destroyed on purpose in addition to the fee, per asset. */
  readonly burned: readonly AssetAmount[]
  /** Exact size of the signed transaction in bytes. */
  readonly signedSize: number
}

/** Rejects values that are not a draft. */
export function requireDraft(draft: {
  readonly unsignedTx: unknown
  readonly utxos: readonly unknown[]
  readonly context: unknown
}): void {
  requireFields(draft, 'draft', ['unsignedTx', 'utxos', 'context'])
  requireList(draft.utxos, 'utxos')
}
