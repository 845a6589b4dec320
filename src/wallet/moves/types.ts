import {
  bigintFrom,
  boolean,
  bytesOf,
  type Check,
  fn,
  kinds,
  object,
  omissible,
  oneOf,
  optional,
  text,
} from '../../core/base/argument.ts'
import { ADDRESS_SIZE } from '../../core/base/encoding/address.ts'
import { id } from '../../core/base/encoding/ids.ts'
import type { ErrorDetails } from '../../core/base/errors.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { IDArgument } from '../../core/draft/arguments.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import { WalletError, type WalletErrorCode } from '../errors.ts'
import { type SendOptions, waitMembers } from '../options.ts'
import type { MoveChain, NonceMismatch } from './side.ts'

/** A move between chains. */
export type MoveCall = {
  readonly from: MoveChain
  readonly to: MoveChain
  /**
   * Amount that arrives, in the asset's smallest unit. Both fees are added: for an import to the P- or C-Chain the
   * export includes twice the quoted fee, and what the import does not need of it arrives as well. If that fee rises
   * further, the difference is taken from the amount, up to `maxFee`; `confirm` is then called again before the import
   * is signed. `all` moves all AVAX that can be spent when the export is first drafted, less both fees, but at most
   * what fits in one transaction (see {@link MoveQuote.leftBehind}); what the source chain receives later stays there.
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
   * The highest fee of each of the two transactions, in nAVAX. If a fee rises, the transaction is signed again with a
   * higher fee up to this limit.
   *
   * @defaultValue 100_000_000n
   */
  readonly maxFee?: bigint | undefined
}

const chain: Check<MoveChain> = oneOf('X', 'P', 'C')

/** Parsed when the chain is known. */
const recipient: Check<string | Uint8Array | undefined> = optional(
  kinds<string | Uint8Array>({ string: text, bytes: bytesOf(ADDRESS_SIZE) }),
)

/** Description of `MoveCall`. */
export const moveCall: Check<MoveCall> = object<MoveCall>({
  from: chain,
  to: chain,
  amount: kinds<bigint | 'all'>({ bigint: bigintFrom(0n), string: oneOf('all') }),
  assetID: optional(id),
  recipient,
  maxFee: optional(bigintFrom(0n)),
})

/** Costs and effects of a move, before it is signed. Quotes of `importStray`, one per import, have no export. */
export type MoveQuote = {
  readonly from: MoveChain
  readonly to: MoveChain
  /** Amounts that leave the source chain, or have left it, without the fee of the export. */
  readonly exported: readonly AssetAmount[]
  /**
   * Amounts that arrive if the fee of the import does not change; see {@link MoveReceipt.arrived} for the actual ones.
   */
  readonly arrives: readonly AssetAmount[]
  /**
   * With `amount: 'all'`, nAVAX that stay on the source chain although they could be spent: UTXOs that are worth no
   * more than the fee of their input, or the smallest ones, if all of them do not fit in one transaction. It includes
   * UTXOs that servers disagree about. Otherwise 0n.
   */
  readonly leftBehind: bigint
  /** In nAVAX; 0n if there is no export to sign. */
  readonly exportFee: bigint
  /** In nAVAX. */
  readonly importFee: bigint
  /** Address or account as text. */
  readonly recipient: string
  /** Explanations of the two transactions. `export` is absent if there is no export to sign. */
  readonly explanations: {
    readonly export?: Explanation | undefined
    readonly import: Explanation
  }
}

/** Options of a move. */
export type MoveOptions = Pick<SendOptions, 'wait' | 'signal'> & {
  /** Idempotency key: a move is made at most once per key. */
  readonly key?: string | undefined
  /**
   * Move although an own transaction that the store does not know may have made the move, or although only one server has
   * shown that it was rejected, by a transaction of which no output belongs to the wallet.
   *
   * @defaultValue false
   */
  readonly again?: boolean | undefined
  /**
   * Called before anything is signed; nothing is signed unless it returns true. A move calls it again before its import
   * is signed if less than `amount` would arrive: the exported UTXOs then stay where they are unless it returns true.
   * `importStray` calls it for each import before it signs the first.
   */
  readonly confirm?: ((quote: MoveQuote) => boolean | Promise<boolean>) | undefined
}

/** Description of `MoveOptions['confirm']`. */
export const confirmMove: Check<MoveOptions['confirm']> = optional(
  fn<NonNullable<MoveOptions['confirm']>>(),
)

/** Description of `MoveOptions | undefined`. */
export const moveOptions: Check<MoveOptions> = omissible(
  object<MoveOptions>({
    ...waitMembers,
    key: optional(text),
    again: optional(boolean),
    confirm: confirmMove,
  }),
)

/** A move that arrived. */
export type MoveReceipt = {
  /** The import. */
  readonly txID: Uint8Array
  /** The export; absent if the move had been made before, under the same key. */
  readonly exportTxID?: Uint8Array | undefined
  /**
   * Amounts that the recipient got, after all fees. Absent if the move had been made before, under the same key, or if
   * another process or holder of the keys made the import.
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

/** Description of `ImportStrayCall`. */
export const importStrayCall: Check<ImportStrayCall> = object<ImportStrayCall>({
  sourceChain: chain,
  destinationChain: chain,
  recipient,
  maxFee: optional(bigintFrom(0n)),
})

/** What was imported. */
export type StrayResult = {
  readonly txIDs: readonly Uint8Array[]
  /**
   * UTXOs that were not imported: locked, of other owners, worth less than the fee, on the P-Chain tokens without AVAX
   * to pay the fee, or on the C-Chain assets other than AVAX.
   */
  readonly leftBehind: readonly LeftBehind[]
}

/** An import of stray UTXOs that stopped after some of its transactions were accepted. Another call imports the rest. */
export class StrayError extends WalletError {
  override readonly name = 'StrayError'
  /** The result up to that point. */
  readonly result: StrayResult

  constructor(result: StrayResult, cause: unknown) {
    super('BATCH_UNFINISHED', `import stopped: ${result.txIDs.length} transactions accepted`, {
      cause,
      txID: cause instanceof WalletError ? cause.txID : undefined,
      hint: 'call resume, then import again: nothing is imported twice',
    })
    this.result = result
  }
}

/** A move that is not finished. */
export type MoveRecord = {
  readonly key: string
  readonly from: MoveChain
  readonly to: MoveChain
  /** As in {@link MoveCall.amount}. */
  readonly amount: bigint | 'all'
  readonly assetID: Uint8Array
  /** Address or account as text. */
  readonly recipient: string
  /** `exporting`: the export is pending. `exported`: it is accepted. `importing`: the import is pending. */
  readonly stage: 'exporting' | 'exported' | 'importing'
  /** Absent for an import of UTXOs that no move of this store exported. */
  readonly exportTxID?: Uint8Array | undefined
  /** Absent until the import is claimed. */
  readonly importTxID?: Uint8Array | undefined
  /** Where the funds are, in words. */
  readonly location: string
  /** The exported UTXOs, which any holder of the keys can import at any time; empty while `exporting`. */
  readonly utxos: readonly UTXOID[]
  /**
   * Those of `utxos` that the destination does not list: another holder of the keys has imported them, or the node is
   * behind. Empty if the node does not answer.
   */
  readonly missing: readonly UTXOID[]
  /** What is needed to finish the move, in words. */
  readonly needs: string
  /** Present if a C-Chain export cannot be accepted because of its nonce. */
  readonly nonce?: NonceMismatch | undefined
  /** Error of the last request, if it failed. */
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
