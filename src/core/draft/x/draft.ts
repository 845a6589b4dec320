import { requireFields, requireList } from '../../base/require.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import { type NetworkContext, requireNetwork } from '../../chain/networks.ts'
import { type UnsignedTx, unsignedTx } from '../../chain/x/tx.ts'
import { type UTXO, utxo } from '../../chain/x/utxo.ts'
import { requireEncodable } from '../../codec/codec.ts'
import type { Codec } from '../../codec/io.ts'

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
  /** Amounts of the change, per asset, sorted by asset ID. */
  readonly change: readonly AssetAmount[]
  /** Amounts destroyed on purpose in addition to the fee, per asset, sorted by asset ID. */
  readonly burned: readonly AssetAmount[]
  /** Exact size of the signed transaction in bytes. */
  readonly signedSize: number
}

/** Rejects values that are not a draft. */
export function requireDraft(draft: Pick<Draft, 'unsignedTx' | 'utxos' | 'context'>): void {
  requireAnyDraft(draft, { unsignedTx, utxo })
}

/** Like `requireDraft`, for any chain. Encoding the draft checks every field, and the error names the wrong one. */
export function requireAnyDraft<Tx, U>(
  draft: {
    readonly unsignedTx: Tx
    readonly utxos: readonly U[]
    readonly context: NetworkContext
  },
  codecs: { readonly unsignedTx: Codec<Tx>; readonly utxo: Codec<U> },
): void {
  requireFields(draft, 'draft', ['context'])
  requireNetwork(draft.context)
  const contents: Codec<Omit<typeof draft, 'context'>> = (io, v) => ({
    unsignedTx: io.struct(v.unsignedTx, codecs.unsignedTx),
    utxos: io.list(v.utxos, codecs.utxo),
  })
  requireList(draft.utxos, 'utxos')
  // A UTXO may be unknown; the function that needs it reports its ID.
  const utxos = draft.utxos.filter((utxo) => utxo !== undefined)
  requireEncodable(contents, { unsignedTx: draft.unsignedTx, utxos })
}
