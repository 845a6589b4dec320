import { hex } from '../../core/base/encoding/hex.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { DevNodeError } from '../errors.ts'
import { type ChainTx, effectsOf, type VerifiedTx } from './execute.ts'
import type { StateView } from './semantic.ts'

/**
 * The state as seen by the transactions of a block: earlier transactions of the block have taken effect, but shared
 * memory changes only when the block is accepted, so imports are tracked separately.
 */
export class BlockView implements StateView {
  readonly now: bigint
  private readonly base: StateView
  private readonly spent = new Set<string>()
  private readonly created = new Map<string, UTXO>()
  private readonly txs = new Map<string, SignedTx>()
  private readonly imported = new Set<string>()

  constructor(base: StateView) {
    this.base = base
    this.now = BigInt(base.now)
  }

  readonly utxo = (id: Uint8Array): UTXO | undefined => {
    const key = hex.encode(id)
    if (this.spent.has(key)) return undefined
    return this.created.get(key) ?? this.base.utxo(id)
  }

  readonly atomic = (chainID: Uint8Array, key: Uint8Array): Uint8Array | undefined =>
    this.base.atomic(chainID, key)

  readonly tx = (id: Uint8Array): SignedTx | undefined =>
    this.txs.get(hex.encode(id)) ?? this.base.tx(id)

  readonly subnetOf = (chainID: Uint8Array): Uint8Array | undefined => this.base.subnetOf(chainID)

  readonly isNoChain = (id: Uint8Array): boolean => this.base.isNoChain?.(id) ?? false

  /** Applies the effects of a verified transaction for those after it in the block. */
  include(item: ChainTx): VerifiedTx {
    const effects = effectsOf(item)
    const imported = effects.imported?.keys ?? []
    if (imported.some((key) => this.imported.has(key)))
      throw new DevNodeError('BLOCK_IMPORT_CONFLICT', 'block contains conflicting transactions')
    for (const key of imported) this.imported.add(key)
    for (const key of effects.consumed) this.spent.add(key)
    for (const [key, utxo] of effects.created) this.created.set(key, utxo)
    this.txs.set(item.key, item.tx)
    return { item, effects }
  }
}
