import { hex } from '../../core/base/encoding/hex.ts'
import { createdUTXOs, exportedUTXOs } from '../../core/chain/x/created.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { storageKey } from '../ledger/utxo-index.ts'

/** A transaction with data derived from its bytes. */
export type ChainTx = {
  readonly tx: SignedTx
  readonly bytes: Uint8Array
  readonly id: Uint8Array
  /** ID as hex, used as the key everywhere. */
  readonly key: string
}

/** Changes made by an accepted transaction. Keys are UTXO IDs as hex. */
export type Effects = {
  readonly consumed: readonly string[]
  readonly created: readonly (readonly [string, UTXO])[]
  /** Source chain and keys of an import. */
  readonly imported?: { readonly chainID: Uint8Array; readonly keys: readonly string[] } | undefined
  /** Destination chain and UTXOs of an export. */
  readonly exported?: {
    readonly chainID: Uint8Array
    readonly utxos: readonly (readonly [string, UTXO])[]
  }
}

/** Returns the effects of a transaction, without checking the rules. Follows avalanchego's Executor. */
export function effectsOf({ tx, id }: ChainTx): Effects {
  const { unsignedTx } = tx
  const created = createdUTXOs(tx, id).map((utxo) => [storageKey(utxo), utxo] as const)
  switch (unsignedTx.type) {
    case 'BaseTx':
    case 'CreateAssetTx':
    case 'OperationTx':
      return { consumed: consumedUTXOs(unsignedTx).map(storageKey), created }
    case 'ImportTx':
      return {
        consumed: unsignedTx.inputs.map(storageKey),
        created,
        imported: {
          chainID: unsignedTx.sourceChain,
          keys: unsignedTx.importedInputs.map(storageKey),
        },
      }
    case 'ExportTx':
      return {
        consumed: unsignedTx.inputs.map(storageKey),
        created,
        exported: {
          chainID: unsignedTx.destinationChain,
          utxos: exportedUTXOs(tx, id).map((utxo) => [storageKey(utxo), utxo] as const),
        },
      }
  }
}

/** A verified transaction and its effects. */
export type VerifiedTx = { readonly item: ChainTx; readonly effects: Effects }

/** Returns the keys of everything a transaction spends on any chain. Two pending transactions must not share one. */
export function inputKeysOf({ tx }: ChainTx): string[] {
  return consumedUTXOs(tx.unsignedTx).map(storageKey)
}

/** Combines a transaction with its ID. */
export function chainTx(tx: SignedTx, bytes: Uint8Array, id: Uint8Array): ChainTx {
  return { tx, bytes, id, key: hex.encode(id) }
}
