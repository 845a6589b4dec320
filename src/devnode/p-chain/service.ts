import type { NetworkContext } from '../../core/chain/networks.ts'
import type { SharedMemory } from '../ledger/shared-memory.ts'
import type { AddressContext } from '../rpc/arguments.ts'
import type { PendingPTx, PLedger } from './ledger.ts'

/** A blockchain that the P-Chain knows. */
export type Blockchain = {
  readonly id: Uint8Array
  /** Empty if it was added. */
  readonly name: string
  readonly subnetID: Uint8Array
  /** 32 zero bytes if it is not known what the chain runs. */
  readonly vmID: Uint8Array
}

/** Data that the methods of `platform.*` need. */
export type PService = {
  readonly ledger: PLedger
  readonly memory: SharedMemory
  readonly context: NetworkContext
  /** Unix seconds. */
  readonly now: () => bigint
  readonly lookup: AddressContext['lookup']
  /** All blockchains, those of the primary network first; the others in the order in which they were added. */
  readonly chains: () => readonly Blockchain[]
  /** Called with each transaction that was added to the mempool. */
  readonly admitted: (item: PendingPTx) => void
}
