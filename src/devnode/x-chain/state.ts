import { equalBytes } from '../../core/base/bytes/compare.ts'
import { concat } from '../../core/base/bytes/concat.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import type { Block } from '../../core/chain/x/block.ts'
import { blockID } from '../../core/chain/x/ids.ts'
import { decodeGenesisTx, type SignedTx } from '../../core/chain/x/tx.ts'
import { encodeUTXO } from '../../core/chain/x/utxo.ts'
import { DevNodeError } from '../errors.ts'
import { UTXOIndex } from '../ledger/utxo-index.ts'
import { type ChainTx, type Effects, effectsOf, type VerifiedTx } from './execute.ts'
import type { StateView } from './semantic.ts'

/** The last accepted block; its time is in unix seconds. */
export type Tip = { readonly id: Uint8Array; readonly height: bigint; readonly time: bigint }

/** The accepted state. It changes with accepted blocks and with exports and imports of other chains. */
export class ChainState {
  readonly utxos: UTXOIndex
  /** UTXOs that each other chain exported to this one, by chain ID in hex. */
  readonly incoming: Map<string, UTXOIndex> = new Map()
  /** UTXOs that this chain exported and that are not imported yet, by chain ID in hex. */
  readonly outgoing: Map<string, Map<string, Uint8Array>> = new Map()
  /** Bytes of accepted transactions, by ID in hex. */
  private readonly txs = new Map<string, Uint8Array>()
  /** Decoded transactions that created assets, because every check needs them. */
  private readonly assets = new Map<string, SignedTx>()
  /** Bytes of accepted blocks, by height. */
  private readonly blocks: Uint8Array[] = []
  /** Heights by block ID in hex. */
  private readonly heights = new Map<string, number>()
  /** Subnet IDs by chain ID in hex. */
  private readonly subnets = new Map<string, Uint8Array>()
  private head: Tip = { id: new Uint8Array(32), height: -1n, time: 0n }

  constructor(utxos: UTXOIndex = new UTXOIndex()) {
    this.utxos = utxos
  }

  get tip(): Tip {
    return this.head
  }

  /** Returns the view for the rules at a time. */
  view(now: bigint): StateView {
    return {
      now,
      utxo: (id) => this.utxos.utxo(hex.encode(id)),
      atomic: (chainID, key) => this.incoming.get(hex.encode(chainID))?.bytes(hex.encode(key)),
      tx: (id) => this.tx(hex.encode(id)),
      subnetOf: (chainID) => this.subnets.get(hex.encode(chainID)),
      isNoChain: (id) => [...this.subnets.values()].some((subnet) => equalBytes(subnet, id)),
    }
  }

  tx(key: string): SignedTx | undefined {
    const asset = this.assets.get(key)
    if (asset !== undefined) return asset
    const bytes = this.txs.get(key)
    return bytes === undefined ? undefined : decodeGenesisTx(bytes)
  }

  txBytes(key: string): Uint8Array | undefined {
    return this.txs.get(key)
  }

  blockAt(height: bigint): Uint8Array | undefined {
    return height > this.head.height ? undefined : this.blocks[Number(height)]
  }

  blockBytes(idKey: string): Uint8Array | undefined {
    const height = this.heights.get(idKey)
    return height === undefined ? undefined : this.blocks[height]
  }

  /** Makes a chain known to the P-Chain and thus to the rules. */
  addChain(chainID: Uint8Array, subnetID: Uint8Array): void {
    this.subnets.set(hex.encode(chainID), subnetID)
  }

  /** The IDs of all known chains and of their subnets, in the order in which they were added. */
  knownChains(): { readonly id: Uint8Array; readonly subnetID: Uint8Array }[] {
    return [...this.subnets].map(([key, subnetID]) => ({ id: hex.decode(key), subnetID }))
  }

  /** Adds a UTXO exported by another chain to shared memory. */
  putAtomic(chainID: Uint8Array, key: string, bytes: Uint8Array): void {
    const chain = hex.encode(chainID)
    let set = this.incoming.get(chain)
    if (set === undefined) {
      set = new UTXOIndex()
      this.incoming.set(chain, set)
    }
    set.addBytes(key, bytes)
  }

  /** Removes a UTXO exported by this chain, as an import of the other chain does. */
  takeExported(chainID: Uint8Array, key: string): Uint8Array {
    const exported = this.outgoing.get(hex.encode(chainID))
    const bytes = exported?.get(key)
    if (bytes === undefined)
      throw new DevNodeError('ATOMIC_UTXO_UNKNOWN', `UTXO ${key} is not exported to that chain`)
    exported!.delete(key)
    return bytes
  }

  /** Adds a genesis transaction. */
  addGenesisTx(item: ChainTx): void {
    this.apply(item, effectsOf(item))
  }

  /** Applies a block of verified transactions. */
  applyBlock(block: Block, bytes: Uint8Array, txs: readonly VerifiedTx[]): void {
    for (const { item, effects } of txs) this.apply(item, effects)
    const id = blockID(bytes)
    this.heights.set(hex.encode(id), this.blocks.length)
    this.blocks.push(bytes)
    this.head = { id, height: block.height, time: block.time }
  }

  clone(): ChainState {
    const copy = new ChainState(this.utxos.clone())
    for (const [chain, set] of this.incoming) copy.incoming.set(chain, set.clone())
    for (const [chain, map] of this.outgoing) copy.outgoing.set(chain, new Map(map))
    for (const [key, bytes] of this.txs) copy.txs.set(key, bytes)
    for (const [key, tx] of this.assets) copy.assets.set(key, tx)
    for (const [key, height] of this.heights) copy.heights.set(key, height)
    for (const [key, subnet] of this.subnets) copy.subnets.set(key, subnet)
    for (const block of this.blocks) copy.blocks.push(block)
    copy.head = this.head
    return copy
  }

  /** Returns a hash of everything that determines what the chain accepts next. */
  digest(): Uint8Array {
    const parts: Uint8Array[] = [this.head.id]
    const add = (label: string, entries: Iterable<readonly [string, Uint8Array]>) => {
      const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
      for (const [key, bytes] of sorted) parts.push(sha256(hex.decode(key)), sha256(bytes))
      parts.push(new TextEncoder().encode(`${label}:${sorted.length}`))
    }
    add('utxos', this.utxos.entries())
    add('txs', this.txs)
    for (const [chain, set] of sortedEntries(this.incoming)) add(chain, set.entries())
    for (const [chain, map] of sortedEntries(this.outgoing)) add(chain, map)
    add('subnets', this.subnets)
    return sha256(concat(parts))
  }

  private apply({ tx, bytes, key }: ChainTx, effects: Effects): void {
    for (const consumed of effects.consumed) this.utxos.delete(consumed)
    for (const [created, utxo] of effects.created) this.utxos.add(created, utxo)
    if (effects.imported !== undefined) {
      const set = this.incoming.get(hex.encode(effects.imported.chainID))
      for (const imported of effects.imported.keys) set?.delete(imported)
    }
    if (effects.exported !== undefined) {
      const chain = hex.encode(effects.exported.chainID)
      const exported = this.outgoing.get(chain) ?? new Map<string, Uint8Array>()
      this.outgoing.set(chain, exported)
      for (const [id, utxo] of effects.exported.utxos) exported.set(id, encodeUTXO(utxo))
    }
    this.txs.set(key, bytes)
    if (tx.unsignedTx.type === 'CreateAssetTx') this.assets.set(key, tx)
  }
}

/** Omits empty sets: an emptied set equals one that never existed. */
function sortedEntries<T extends { readonly size: number }>(map: Map<string, T>): [string, T][] {
  return [...map].filter(([, { size }]) => size > 0).sort(([a], [b]) => (a < b ? -1 : 1))
}
