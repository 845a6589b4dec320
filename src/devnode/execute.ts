import { createdUTXOs, exportedUTXOs } from '../chain/created.ts'
import { consumedUTXOs } from '../chain/spends.ts'
import type { SignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import { hex } from '../encoding/hex.ts'
import { keyOf } from './utxo-set.ts'

/** A transaction with what is derived from its bytes, so that none of it is derived twice. */
export type ChainTx = {
  readonly tx: SignedTx
  readonly bytes: Uint8Array
  readonly id: Uint8Array
  /** The ID as hex, by which everything here is kept. */
  readonly key: string
}

/** What an accepted transaction changes. Keys are UTXO IDs as hex. */
export type Effects = {
  readonly consumed: readonly string[]
  readonly created: readonly (readonly [string, UTXO])[]
  /** Chain and keys, for an import. */
  readonly imported?: { readonly chainID: Uint8Array; readonly keys: readonly string[] } | undefined
  /** Chain and UTXOs, for an export. */
  readonly exported?: {
    readonly chainID: Uint8Array
    readonly utxos: readonly (readonly [string, UTXO])[]
  }
}

/**
 * The effects of a transaction, apart from the rules that allow them. Follows avalanchego's
 * Executor.
 */
export function effectsOf({ tx, id }: ChainTx): Effects {
  const { unsignedTx } = tx
  const created = createdUTXOs(tx, id).map((utxo) => [keyOf(utxo), utxo] as const)
  switch (unsignedTx.type) {
    case 'BaseTx':
    case 'CreateAssetTx':
    case 'OperationTx':
      return { consumed: consumedUTXOs(unsignedTx).map(keyOf), created }
    case 'ImportTx':
      return {
        consumed: unsignedTx.inputs.map(keyOf),
        created,
        imported: {
          chainID: unsignedTx.sourceChain,
          keys: unsignedTx.importedInputs.map(keyOf),
        },
      }
    case 'ExportTx':
      return {
        consumed: unsignedTx.inputs.map(keyOf),
        created,
        exported: {
          chainID: unsignedTx.destinationChain,
          utxos: exportedUTXOs(tx, id).map((utxo) => [keyOf(utxo), utxo] as const),
        },
      }
  }
}

/** A transaction that was verified, and what it changes. */
export type VerifiedTx = { readonly item: ChainTx; readonly effects: Effects }

/**
 * Everything a transaction spends, wherever it lies: what two pending transactions must not share.
 */
export function inputKeysOf({ tx }: ChainTx): string[] {
  return consumedUTXOs(tx.unsignedTx).map(keyOf)
}

/** Puts a transaction together with its ID. */
export function chainTx(tx: SignedTx, bytes: Uint8Array, id: Uint8Array): ChainTx {
  return { tx, bytes, id, key: hex.encode(id) }
}
