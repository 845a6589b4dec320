import {
  argument,
  bytesOf,
  type Check,
  capability,
  fn,
  iterable,
  msFrom,
  object,
  optional,
  signal as signalCheck,
} from '../../core/base/argument.ts'
import { ADDRESS_SIZE } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatUTXOID } from '../../core/base/encoding/ids.ts'
import { iterate } from '../../core/base/iterate.ts'
import { txID as idOf } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { AddressSet } from '../../node/blocks/watched.ts'
import { AbortError } from '../../node/errors.ts'
import { bigintHeight } from '../../node/methods/params.ts'
import type { NodeClient } from '../../node/node.ts'
import { clientWith, ParentTxs } from './parents.ts'

/** Options of {@link addressHistory}. */
export type HistoryOptions = {
  readonly client: Pick<NodeClient, 'blocks' | 'avm'>
  /** 20 bytes each. */
  readonly addresses: Iterable<Uint8Array>
  /** Height of the first block to read. */
  readonly fromHeight: bigint
  /**
   * Height of the last block to read.
   *
   * @defaultValue none: new blocks are followed until the signal is aborted
   */
  readonly toHeight?: bigint | undefined
  /**
   * Time in milliseconds without a new block after which the iteration fails; for ranges that the node is known to
   * have.
   *
   * @defaultValue none
   */
  readonly idleTimeoutMs?: number | undefined
  /**
   * Ends the iteration: with an AbortError before `toHeight` or while the parents of a transaction are requested,
   * otherwise without an error.
   */
  readonly signal?: AbortSignal | undefined
  /** Called after every block, with its height. */
  readonly onProgress?: ((height: bigint) => void) | undefined
}

const client: Check<HistoryOptions['client']> = (value, at) => {
  clientWith('getTx')(value, at)
  return capability<HistoryOptions['client']>('a node client', 'blocks')(value, at)
}

const historyOptions: Check<HistoryOptions> = object<HistoryOptions>({
  client,
  addresses: iterable(bytesOf(ADDRESS_SIZE)),
  fromHeight: bigintHeight,
  toHeight: optional(bigintHeight),
  idleTimeoutMs: optional(msFrom(0)),
  signal: optional(signalCheck),
  onProgress: optional(fn<NonNullable<HistoryOptions['onProgress']>>()),
})

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
 * Iterates over the transactions of addresses in accepted blocks. A spent UTXO is recognized if it was created in the
 * range, if it still exists when the iteration starts, or if the transaction that spends it also creates a UTXO of the
 * addresses or spends a recognized one.
 *
 * @throws AbortError if the signal is aborted before `toHeight`
 * @example
 * for await (const { height, created } of addressHistory({ client, addresses, fromHeight: 0n, toHeight }))
 *   console.log(height, created.length)
 */
export function addressHistory(
  options: HistoryOptions,
): AsyncGenerator<HistoryEntry, void, undefined> {
  return iterate(() => argument('addressHistory', options, historyOptions), readHistory)
}

async function* readHistory(
  checked: HistoryOptions,
): AsyncGenerator<HistoryEntry, void, undefined> {
  const { client, fromHeight, toHeight, idleTimeoutMs, signal, onProgress } = checked
  if (toHeight !== undefined && toHeight < fromHeight) return
  const owners = new AddressSet(checked.addresses)
  const parents = new ParentTxs(client, owners, signal)
  const follow = { from: fromHeight, addresses: owners, idleTimeoutMs, signal }
  for await (const block of client.blocks(follow)) {
    const { height, time, created, consumed, txs } = block
    const ourConsumed = new Set(consumed.map(formatUTXOID))
    for (const tx of created.length + consumed.length === 0 ? [] : txs) {
      const txID = idOf(tx)
      const key = hex.encode(txID)
      const createdByTx = created.filter((utxo) => hex.encode(utxo.txID) === key)
      const spendsOurs = consumedUTXOs(tx.unsignedTx).some((input) =>
        ourConsumed.has(formatUTXOID(input)),
      )
      if (createdByTx.length === 0 && !spendsOurs) continue
      parents.add(tx, txID)
      const spent = await parents.spentBy(tx)
      yield { height, time, txID, tx, created: createdByTx, spent }
    }
    parents.limit()
    onProgress?.(height)
    if (toHeight !== undefined && height >= toHeight) return
  }
  // Blocks end without an error only if the caller aborts.
  if (toHeight !== undefined) throw new AbortError('addressHistory', signal?.reason)
}
