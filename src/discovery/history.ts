import { txID as idOf } from '../chain/ids.ts'
import { consumedUTXOs } from '../chain/spends.ts'
import type { SignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import { hex } from '../encoding/hex.ts'
import { formatUTXOName } from '../encoding/ids.ts'
import { requireFields } from '../encoding/require.ts'
import type { NodeClient } from '../rpc/node.ts'
import { AddressSet } from '../rpc/watched.ts'
import { ParentTxs } from './parents.ts'

/** Which transactions to report. */
export type HistoryOptions = {
  readonly client: Pick<NodeClient, 'blocks' | 'avm'>
  /** 20 bytes each. */
  readonly addresses: Iterable<Uint8Array>
  readonly fromHeight: bigint
  /**
   * Last block to read.
   *
   * @defaultValue none: new blocks are followed until the signal fires
   */
  readonly toHeight?: bigint | undefined
  /**
   * Time in milliseconds without a new block after which the iteration fails; for ranges that the node is known to
   * have.
   *
   * @defaultValue none
   */
  readonly idleTimeoutMs?: number | undefined
  /** Aborts the iteration with an AbortError. */
  readonly signal?: AbortSignal | undefined
  /** Called after every block. */
  readonly onProgress?: ((height: bigint) => void) | undefined
}

/** A transaction that created or spent UTXOs of the addresses. */
export type HistoryEntry = {
  readonly height: bigint
  /** Unix seconds. */
  readonly time: bigint
  readonly txID: Uint8Array
  readonly tx: SignedTx
  /** UTXOs with an owner among the addresses. */
  readonly created: readonly UTXO[]
  /** UTXOs with an owner among the addresses that the transaction spent. */
  readonly spent: readonly UTXO[]
}

/**
 * Transactions of some addresses, from accepted blocks. A spent UTXO is recognized if it was created in the range, if
 * it still exists when the call starts, or if the same transaction returns something to the addresses.
 *
 * @example
 * for await (const { height, created } of addressHistory({ client, addresses, fromHeight: 0n, toHeight }))
 *   console.log(height, created.length)
 */
export async function* addressHistory(
  options: HistoryOptions,
): AsyncGenerator<HistoryEntry, void, undefined> {
  requireFields(options, 'options', ['client', 'addresses', 'fromHeight'])
  const { client, fromHeight, toHeight, idleTimeoutMs, signal, onProgress } = options
  if (toHeight !== undefined && toHeight < fromHeight) return
  const owners = new AddressSet(options.addresses)
  const parents = new ParentTxs(client, owners, signal)
  const follow = { from: fromHeight, addresses: owners, idleTimeoutMs, signal }
  for await (const block of client.blocks(follow)) {
    const { height, time, created, consumed, txs } = block
    const known = new Set(consumed.map(formatUTXOName))
    for (const tx of created.length + consumed.length === 0 ? [] : txs) {
      const txID = idOf(tx)
      const key = hex.encode(txID)
      const ours = created.filter((utxo) => hex.encode(utxo.txID) === key)
      const inputs = consumedUTXOs(tx.unsignedTx)
      if (ours.length === 0 && !inputs.some((input) => known.has(formatUTXOName(input)))) continue
      parents.add(tx, txID)
      const spent = await parents.spentBy(tx)
      yield { height, time, txID, tx, created: ours, spent }
    }
    parents.limit()
    onProgress?.(height)
    if (toHeight !== undefined && height >= toHeight) return
  }
}
