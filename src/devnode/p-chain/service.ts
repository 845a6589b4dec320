import type { NetworkContext } from '../../core/chain/networks.ts'
import type { SharedMemory } from '../ledger/shared-memory.ts'
import type { AddressContext } from '../rpc/arguments.ts'
import type { PendingPTx, PLedger } from './ledger.ts'

/** Data that the methods of `platform.*` need. */
export type PService = {
  readonly ledger: PLedger
  readonly memory: SharedMemory
  readonly context: NetworkContext
  /** Unix seconds. */
  readonly now: () => bigint
  readonly lookup: AddressContext['lookup']
  /** Called with each transaction that was added to the mempool. */
  readonly admitted: (item: PendingPTx) => void
}
