import type { AtomicExplanation } from '../../atomic/explain.ts'
import type { IDArgument } from '../../build/arguments.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { UTXOID } from '../../chain/transferables.ts'
import type { ErrorDetails } from '../../errors.ts'
import type { Explanation } from '../../sign/explanation.ts'
import { WalletError, type WalletErrorCode } from '../errors.ts'
import type { SendOptions } from '../options.ts'
import type { MoveChain, NonceMismatch } from './side.ts'

/** A move between chains. */
export type MoveCall = {
  readonly from: MoveChain
  readonly to: MoveChain
  /**
   * Amount that arrives, in the asset's smallest unit. Both fees are added: the export takes along twice the quoted fee
   * of an import to the P- or C-Chain, and what the import does not need arrives as well. If that fee rises further, it is
   * taken from the amount, up to `maxFee`; if there is a confirmation, it is asked again before the import is signed.
   * `all` moves all AVAX that can be spent when the export is first drafted, less both fees; what the source chain
   * receives later stays there.
   */
  readonly amount: bigint | 'all'
  /** @defaultValue AVAX */
  readonly assetID?: IDArgument | undefined
  /**
   * An address of the destination chain, or an account (`0x…`) on the C-Chain.
   *
   * @defaultValue the wallet's first address, or its account
   */
  readonly recipient?: string | Uint8Array | undefined
  /**
   * The highest fee of each half, in nAVAX. A half whose fee has risen is signed again within it.
   *
   * @defaultValue 100_000_000n
   */
  readonly maxFee?: bigint | undefined
}

/** What a move costs and does, before it is signed. `importStray` has a quote for each import, without an export. */
export type MoveQuote = {
  readonly from: MoveChain
  readonly to: MoveChain
  /** What leaves the source chain, or has left it, without the fee of the export. */
  readonly exported: readonly AssetAmount[]
  /** What arrives if the fee of the import stays as it is; {@link MoveReceipt.arrived} is what did. */
  readonly arrives: readonly AssetAmount[]
  /** In nAVAX; 0n if there is no export to sign. */
  readonly exportFee: bigint
  /** In nAVAX. */
  readonly importFee: bigint
  /** Address or account as text. */
  readonly recipient: string
  /** What each half does, read from its transaction. `export` is absent if there is no export to sign. */
  readonly explanations: {
    readonly export?: Explanation | AtomicExplanation | undefined
    readonly import: Explanation | AtomicExplanation
  }
}

/** Options of a move. */
export type MoveOptions = Pick<SendOptions, 'wait' | 'signal'> & {
  /** Idempotency key: a move is made at most once per key. */
  readonly key?: string | undefined
  /**
   * Called before anything is signed; nothing is signed unless it returns true. A move calls it again before its import
   * is signed if less than `amount` would arrive: the exported UTXOs then stay where they are unless it returns true.
   * `importStray` calls it for each import before it signs the first.
   */
  readonly confirm?: ((quote: MoveQuote) => boolean | Promise<boolean>) | undefined
}

/** A move that arrived. */
export type MoveReceipt = {
  /** The import. */
  readonly txID: Uint8Array
  /** The export; absent if the move had been made before, under the same key. */
  readonly exportTxID?: Uint8Array | undefined
  /**
   * What the recipient got, after all fees. Absent if the move had been made before, under the same key, or if another
   * process or holder of the keys imported.
   */
  readonly arrived?: readonly AssetAmount[] | undefined
  /** What was confirmed before the export was signed; absent if an earlier call started the move. */
  readonly quote?: MoveQuote | undefined
}

/** Which exported UTXOs to import. */
export type ImportStrayCall = {
  readonly sourceChain: MoveChain
  readonly destinationChain: MoveChain
  /** @defaultValue the wallet's first address, or its account on the C-Chain */
  readonly recipient?: string | Uint8Array | undefined
  /**
   * The highest fee of each transaction, in nAVAX.
   *
   * @defaultValue 100_000_000n
   */
  readonly maxFee?: bigint | undefined
}

/** What was imported. */
export type StrayResult = {
  readonly txIDs: readonly Uint8Array[]
  /**
   * UTXOs that stay where they are: locked, of other owners, worth less than they cost, tokens for which no AVAX of the
   * same export pays on the P-Chain, or no AVAX on the C-Chain.
   */
  readonly leftBehind: readonly { readonly utxo: UTXOID; readonly reason: string }[]
}

/** A move that is not finished. */
export type MoveRecord = {
  readonly key: string
  readonly from: MoveChain
  readonly to: MoveChain
  readonly amount: bigint | 'all'
  readonly assetID: Uint8Array
  readonly recipient: string
  /** `exporting`: the export may be accepted. `exported`: it is. `importing`: the import may be accepted. */
  readonly stage: 'exporting' | 'exported' | 'importing'
  /** Absent for an import of UTXOs that no move of this store exported. */
  readonly exportTxID?: Uint8Array | undefined
  /** Absent until the import is claimed. */
  readonly importTxID?: Uint8Array | undefined
  /** Where the funds are. */
  readonly location: string
  /** The exported UTXOs, which owners of the keys can import at any time. */
  readonly utxos: readonly UTXOID[]
  /** What is needed to finish. */
  readonly needs: string
  /** Present if a C-Chain export cannot be accepted because of its nonce. */
  readonly nonce?: NonceMismatch | undefined
  /** Why the last request did not lead to acceptance. */
  readonly error?: unknown
}

/** A move that did not end in time. `move` describes where the funds are and what is needed. */
export class MoveError extends WalletError {
  override readonly name: string = 'MoveError'
  readonly move: MoveRecord

  constructor(code: WalletErrorCode, message: string, move: MoveRecord, details: ErrorDetails) {
    super(code, message, {
      ...details,
      keys: [move.key],
      txID: move.importTxID ?? move.exportTxID,
    })
    this.move = move
  }
}
