import { type Check, capability, memberOf } from '../../core/base/argument.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../core/base/encoding/ids.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { AddressSet } from '../../node/blocks/watched.ts'
import { isNotFound } from '../../node/issue/issue.ts'
import type { NodeClient } from '../../node/node.ts'

/** Describes a node client of whose members `avm` these methods are called. */
export function clientWith(
  ...methods: readonly (keyof NodeClient['avm'])[]
): Check<Pick<NodeClient, 'avm'>> {
  const avm = capability<NodeClient['avm']>('the methods of the chain', ...methods)
  return (value, at) => {
    const client = capability<Pick<NodeClient, 'avm'>>('a node client')(value, at)
    avm(client.avm, memberOf(at, 'avm'))
    return client
  }
}

/** Number of transactions above which the cache is emptied. */
const MAX_CACHED = 10_000

/** Reads the transactions whose outputs other transactions spend from the node, with a cache. */
export class ParentTxs {
  private readonly client: Pick<NodeClient, 'avm'>
  private readonly owners: AddressSet
  private readonly signal: AbortSignal | undefined
  private readonly txs = new Map<string, SignedTx | undefined>()

  constructor(client: Pick<NodeClient, 'avm'>, owners: AddressSet, signal?: AbortSignal) {
    this.client = client
    this.owners = owners
    this.signal = signal
  }

  /** Adds a transaction that is already known. */
  add(tx: SignedTx, txID: Uint8Array): void {
    this.txs.set(hex.encode(txID), tx)
  }

  /** Empties the cache if it has become large. */
  limit(): void {
    if (this.txs.size > MAX_CACHED) this.txs.clear()
  }

  /** UTXOs of the owners that a transaction spends. */
  async spentBy(tx: SignedTx): Promise<UTXO[]> {
    const inputs = consumedUTXOs(tx.unsignedTx)
    const names = new Set(inputs.map(formatUTXOID))
    const parentIDs = new Map(inputs.map(({ txID }) => [hex.encode(txID), txID]))
    const spent: UTXO[] = []
    for (const txID of parentIDs.values()) {
      const parent = await this.find(txID)
      if (parent === undefined) continue
      const spentOfParent = createdUTXOs(parent).filter(
        (utxo) => names.has(formatUTXOID(utxo)) && this.isOurs(utxo),
      )
      spent.push(...spentOfParent)
    }
    return spent
  }

  /** Whether an owner of a UTXO is among the addresses. */
  isOurs({ output }: UTXO): boolean {
    return output.addresses.some((address) => this.owners.has(address))
  }

  /** Undefined if the node does not have it, as for an export of another chain whose UTXO was imported. */
  private async find(txID: Uint8Array): Promise<SignedTx | undefined> {
    const key = hex.encode(txID)
    if (!this.txs.has(key)) {
      const tx = await this.client.avm
        .getTx({ txID: formatID(txID) }, { signal: this.signal })
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined
          throw error
        })
      this.txs.set(key, tx)
    }
    return this.txs.get(key)
  }
}
