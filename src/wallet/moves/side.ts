import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { AssetAmount } from '../../core/chain/amounts.ts'
import type { UTXO as PUTXO } from '../../core/chain/p/utxo.ts'
import type { TransferOutput } from '../../core/chain/secp256k1fx.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import type { CallOptions } from '../../node/http.ts'
import type { OtherUTXOs } from '../../node/view/other-view.ts'
import type { Attempt, EndedAttempt } from '../store/store.ts'
import { leftAsDisputed } from '../utxos/disputed.ts'

/** A chain of the primary network, by its alias. */
export type MoveChain = 'X' | 'P' | 'C'

/** A UTXO that one chain exported to another. */
export type AtomicUTXO = UTXOID & {
  readonly assetID: Uint8Array
  readonly output: TransferOutput
}

/** Exported UTXOs that servers list, and those that they disagree about. */
export type AtomicUTXOs = {
  readonly utxos: readonly AtomicUTXO[]
  readonly disputed: readonly LeftBehind[]
}

/** What to export. */
export type ExportOrder = {
  readonly destinationChain: MoveChain
  /** `all`: all AVAX that can be spent now, less the fee. */
  readonly amounts: readonly AssetAmount[] | 'all'
  /** Who may import it, 20 bytes. */
  readonly owner: Uint8Array
  /** In nAVAX. */
  readonly maxFee: bigint
}

/** What to import, and to whom. */
export type ImportOrder = {
  readonly sourceChain: MoveChain
  readonly utxos: readonly AtomicUTXO[]
  /** An address, or an account on the C-Chain; 20 bytes. */
  readonly recipient: Uint8Array
  /** In nAVAX. */
  readonly maxFee: bigint
}

/** An export or import that is ready to be signed. */
export type LegDraft = {
  /** All that is burned, in nAVAX. */
  readonly fee: bigint
  /** The price that the fee was computed with, in the unit of {@link Side.priceAbove}. */
  readonly price: bigint
  readonly inputs: readonly UTXOID[]
  /** Amounts that leave the chain; empty for an import. */
  readonly exported: readonly AssetAmount[]
  /**
   * nAVAX that an export of `all` does not spend, although it could be spent or servers disagree about it; 0n otherwise.
   */
  readonly leftBehind: bigint
  /** Amounts that the recipient of an import gets; empty for an export. */
  readonly arrives: readonly AssetAmount[]
  readonly explanation: Explanation
  /** Height of the first X-Chain block that may contain it; {@link NO_HEIGHT} on other chains. */
  readonly fromHeight: bigint
  readonly sign: () => Promise<Uint8Array>
  /** Releases the UTXOs that are reserved for the draft. */
  readonly release: () => void
}

/** Options of a call with a time limit. */
export type SideCall = CallOptions & { readonly totalMs: number }

/** The nonce of a C-Chain export that is not the next one of its account, so that the export cannot be accepted now. */
export type NonceMismatch = {
  /** The account, `0x…`. */
  readonly account: string
  /** The nonce of the export. */
  readonly export: bigint
  /** The next nonce of the account, as the node reports it. */
  readonly next: bigint
}

/** An accepted transaction that was not made by this wallet, and what it spends. */
export type FoundTx = { readonly txID: Uint8Array; readonly inputs: readonly UTXOID[] }

/** The operations on one chain that moves need. */
export type Side = {
  /**
   * Drafts an export.
   *
   * @param replaced - pending attempts that the draft must conflict with. `all` then means at most what the first one
   * spent: only that was confirmed, and the balance may have grown since
   * @param ended - attempts for the same move that have ended, with the outputs of which a draft on X must spend one
   */
  readonly draftExport: (
    order: ExportOrder,
    call: SideCall,
    replaced: readonly Attempt[],
    ended: readonly EndedAttempt[],
  ) => Promise<LegDraft>
  readonly draftImport: (order: ImportOrder, call: SideCall) => Promise<LegDraft>
  /** Drafts the import of everything that can be imported now. */
  readonly planImports: (
    order: ImportOrder,
    call: SideCall,
  ) => Promise<{
    readonly drafts: readonly LegDraft[]
    readonly leftBehind: readonly LeftBehind[]
  }>
  /** The UTXOs that an export creates for its destination. */
  readonly exportedBy: (bytes: Uint8Array) => AtomicUTXO[]
  /** The UTXOs of another chain that an import spends. */
  readonly importedBy: (bytes: Uint8Array) => readonly UTXOID[]
  /** The amounts that an import pays to its recipient. */
  readonly paidBy: (bytes: Uint8Array) => readonly AssetAmount[]
  /** All UTXOs that a chain exported to this one for the wallet. */
  readonly atomicUTXOs: (sourceChain: MoveChain, call: CallOptions) => Promise<AtomicUTXOs>
  /**
   * An accepted import that another program made of one of these UTXOs, if it is found. Absent for the X-Chain, whose
   * blocks the wallet reads, and for the C-Chain, where an import can only be found by its ID.
   */
  readonly findImport?: (
    utxos: readonly UTXOID[],
    recipient: Uint8Array,
    call: SideCall,
  ) => Promise<FoundTx | undefined>
  /**
   * The current price if a transaction pays less than the fee at this price; undefined if it pays enough. The price is
   * that of gas on the P- and C-Chain, the fee itself on the X-Chain.
   */
  readonly priceAbove: (bytes: Uint8Array, call: CallOptions) => Promise<bigint | undefined>
  /**
   * Whether the node lists the UTXOs that a transaction spends, with the same assets and amounts. For an export of the
   * C-Chain, whether its account has what it debits.
   */
  readonly spendsListed: (bytes: Uint8Array, call: CallOptions) => Promise<boolean>
  /** Compares the nonce of an export with that of its account; absent for chains without accounts. */
  readonly nonceMismatch?: (
    bytes: Uint8Array,
    call: CallOptions,
  ) => Promise<NonceMismatch | undefined>
  /**
   * An accepted transaction that has used the nonce of an export, with a signature of the account; undefined if none is
   * found. Absent for chains without accounts.
   */
  readonly findRival?: (bytes: Uint8Array, call: SideCall) => Promise<FoundTx | undefined>
  /** Factor by which the fee of an import may rise between export and import: the export adds so many times the fee. */
  readonly feeReserve: bigint
}

/** The export of a move that was claimed first, which is the one that was confirmed. */
export function firstExport(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.find(({ kind }) => kind === 'export')
}

/** `fromHeight` of attempts on other chains: no block of the X-Chain decides them. */
export const NO_HEIGHT: bigint = 2n ** 64n - 1n

/**
 * The UTXO if it is an amount that is not stakeable-locked, else an empty list: nothing else is moved between chains.
 */
export function transferable({ output, ...id }: UTXO | PUTXO): AtomicUTXO[] {
  return output.type === 'secp256k1fx.TransferOutput' ? [{ ...id, output }] : []
}

/** The UTXOs of a list that can be moved. */
export function transferablesIn({ utxos, disputed }: OtherUTXOs<UTXO | PUTXO>): AtomicUTXOs {
  return {
    utxos: utxos.flatMap(transferable),
    disputed: leftAsDisputed(
      disputed.flatMap(({ utxo, ...servers }) =>
        transferable(utxo).map((one) => ({ ...servers, utxo: one })),
      ),
    ),
  }
}

/** The sum of amounts. */
export function sumOf(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n)
}

/** Whether a list has the UTXOs of all inputs, with the same assets and amounts. */
export function listsAll(
  utxos: readonly (UTXO | PUTXO)[],
  inputs: readonly (UTXOID & AssetAmount)[],
): boolean {
  const listed = new Map(utxos.flatMap(transferable).map((utxo) => [utxoKey(utxo), utxo]))
  return inputs.every(({ assetID, amount, ...id }) => {
    const utxo = listed.get(utxoKey(id))
    return utxo?.output.amount === amount && equalBytes(utxo.assetID, assetID)
  })
}

/** The imported UTXOs of a transaction of any chain. */
export function importedIn({
  unsignedTx,
}: {
  readonly unsignedTx: { readonly type: string; readonly importedInputs?: readonly UTXOID[] }
}): readonly UTXOID[] {
  return unsignedTx.importedInputs ?? []
}

/** The operations on all three chains. */
export type Sides = { readonly [chain in MoveChain]: Side }
