import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { CodecError, VerifyError } from '../../core/base/errors.ts'
import type { ChainState } from '../x-chain/state.ts'
import { UTXOIndex } from './utxo-index.ts'

/**
 * UTXOs that chains have exported to each other and that are not imported yet. Those from and to the X-Chain are part
 * of its state, which a snapshot can replace; those between P and C are stored here.
 */
export class SharedMemory {
  private readonly xChainID: Uint8Array
  private readonly xState: () => ChainState
  /** UTXOs between P and C, by the hex of source and destination chain. */
  private readonly others = new Map<string, UTXOIndex>()

  constructor(xChainID: Uint8Array, xState: () => ChainState) {
    this.xChainID = xChainID
    this.xState = xState
  }

  /** Returns the bytes of a UTXO by its ID in hex. */
  get(source: Uint8Array, destination: Uint8Array, key: string): Uint8Array | undefined {
    if (this.isX(source)) return this.xState().outgoing.get(hex.encode(destination))?.get(key)
    if (this.isX(destination)) return this.xState().incoming.get(hex.encode(source))?.bytes(key)
    return this.between(source, destination).bytes(key)
  }

  /** Adds a UTXO, as the export of the source chain does. */
  put(source: Uint8Array, destination: Uint8Array, key: string, bytes: Uint8Array): void {
    if (this.isX(destination)) this.xState().putAtomic(source, key, bytes)
    else this.between(source, destination).addBytes(key, bytes)
  }

  /** Removes a UTXO, as the import of the destination chain does. */
  take(source: Uint8Array, destination: Uint8Array, key: string): void {
    if (this.isX(source)) this.xState().takeExported(destination, key)
    else this.between(source, destination).delete(key)
  }

  /** Returns all UTXOs of one direction, by owner. */
  list(source: Uint8Array, destination: Uint8Array): UTXOIndex {
    if (!this.isX(source)) return this.between(source, destination)
    const set = new UTXOIndex()
    for (const [key, bytes] of this.xState().outgoing.get(hex.encode(destination)) ?? [])
      set.addBytes(key, bytes)
    return set
  }

  snapshot(): ReadonlyMap<string, UTXOIndex> {
    return new Map([...this.others].map(([name, set]) => [name, set.clone()]))
  }

  restore(snapshot: ReadonlyMap<string, UTXOIndex>): void {
    this.others.clear()
    for (const [name, set] of snapshot) this.others.set(name, set.clone())
  }

  /** Iterates over the UTXOs between P and C, for digests. */
  *entries(): Generator<readonly [string, Uint8Array]> {
    for (const [name, set] of [...this.others].sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const [key, bytes] of set.entries()) yield [name + key, bytes]
  }

  private isX(chainID: Uint8Array): boolean {
    return equalBytes(chainID, this.xChainID)
  }

  private between(source: Uint8Array, destination: Uint8Array): UTXOIndex {
    const name = hex.encode(source) + hex.encode(destination)
    let set = this.others.get(name)
    if (set === undefined) {
      set = new UTXOIndex()
      this.others.set(name, set)
    }
    return set
  }
}

/** Decodes a UTXO of the shared memory; errors have the text of the P-Chain and C-Chain, which begins with `prefix`. */
export function decodeShared<U>(
  decode: (bytes: Uint8Array) => U,
  bytes: Uint8Array,
  path: string,
  prefix = 'failed to unmarshal UTXO',
): U {
  try {
    return decode(bytes)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    throw new VerifyError(error.code, `${prefix}: ${error.message}`, path)
  }
}
