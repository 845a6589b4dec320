import type { SignedTx as CSignedTx, UnsignedTx as CUnsignedTx } from './c/tx.ts'
import type { SignedTx as PSignedTx, UnsignedTx as PUnsignedTx } from './p/tx.ts'
import type { UTXO as PUTXO } from './p/utxo.ts'
import type { SignedTx, UnsignedTx } from './x/tx.ts'
import type { UTXO } from './x/utxo.ts'

/** The structs of each chain. The C-Chain imports UTXOs of the form of the X-Chain and keeps none of its own. */
export type ChainTypes = {
  readonly X: { readonly unsignedTx: UnsignedTx; readonly signedTx: SignedTx; readonly utxo: UTXO }
  readonly P: {
    readonly unsignedTx: PUnsignedTx
    readonly signedTx: PSignedTx
    readonly utxo: PUTXO
  }
  readonly C: {
    readonly unsignedTx: CUnsignedTx
    readonly signedTx: CSignedTx
    readonly utxo: UTXO
  }
}

/** A chain of the primary network. */
export type ChainAlias = keyof ChainTypes

/** Unsigned transactions of a chain. */
export type UnsignedTxOf<A extends ChainAlias> = ChainTypes[A]['unsignedTx']

/** Signed transactions of a chain. */
export type SignedTxOf<A extends ChainAlias> = ChainTypes[A]['signedTx']

/** UTXOs of a chain. */
export type UTXOOf<A extends ChainAlias> = ChainTypes[A]['utxo']
