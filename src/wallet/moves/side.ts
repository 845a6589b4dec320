import type { AtomicExplanation } from '../../atomic/explain.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { TransferOutput } from '../../chain/secp256k1fx.ts'
import type { UTXOID } from '../../chain/transferables.ts'
import type { UTXO } from '../../chain/utxo.ts'
import type { UTXO as PUTXO } from '../../p-chain/utxo.ts'
import type { CallOptions } from '../../rpc/http.ts'
import type { Explanation } from '../../sign/explanation.ts'
import type { Attempt } from '../../store/store.ts'
import type { AttemptGroup } from '../attempts.ts'

/** A chain of the primary network. */
export type MoveChain = 'X' | 'P' | 'C'

/** A UTXO that one chain exported to another. */
export type AtomicUTXO = UTXOID & {
  readonly assetID: Uint8Array
  readonly output: TransferOutput
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
export type HalfDraft = {
  /** All that is burned, in nAVAX. */
  readonly fee: bigint
  readonly inputs: readonly UTXOID[]
  /** What leaves the chain; empty for an import. */
  readonly exported: readonly AssetAmount[]
  /** What the recipient of an import gets; empty for an export. */
  readonly arrives: readonly AssetAmount[]
  readonly explanation: Explanation | AtomicExplanation
  /** First block of the X-Chain that may hold it. */
  readonly fromHeight: bigint
  readonly sign: () => Promise<Uint8Array>
  /** Releases UTXOs that are reserved for it. */
  readonly release: () => void
}

/** A call with a limit for everything it waits for. */
export type SideCall = CallOptions & { readonly totalMs: number }

/** The nonce of a C-Chain export that is not the next one of its account, so that the export cannot be accepted now. */
export type NonceMismatch = {
  /** The account, `0x…`. */
  readonly account: string
  readonly export: bigint
  /** The next nonce of the account, as the node reports it. */
  readonly next: bigint
}

/** One chain, as moves see it. */
export type Side = {
  /**
   * Drafts an export.
   *
   * @param replaced - whose attempts the draft must conflict with. `all` then is what the first of them spent: no more
   * was confirmed, and the balance may have grown since
   */
  readonly draftExport: (
    order: ExportOrder,
    call: SideCall,
    replaced?: AttemptGroup,
  ) => Promise<HalfDraft>
  readonly draftImport: (order: ImportOrder, call: SideCall) => Promise<HalfDraft>
  /** Drafts the import of everything that can be imported now. */
  readonly planImports: (
    order: ImportOrder,
    call: SideCall,
  ) => Promise<{
    readonly drafts: readonly HalfDraft[]
    readonly leftBehind: readonly { readonly utxo: UTXOID; readonly reason: string }[]
  }>
  /** What an export leaves for its destination once it is accepted. */
  readonly exportedBy: (bytes: Uint8Array) => AtomicUTXO[]
  /** What an import spends of another chain. */
  readonly importedBy: (bytes: Uint8Array) => readonly UTXOID[]
  /** What the recipient of an import gets once it is accepted. */
  readonly paidBy: (bytes: Uint8Array) => readonly AssetAmount[]
  /** All UTXOs that a chain exported to this one for the wallet. */
  readonly atomicUTXOs: (sourceChain: MoveChain, call: CallOptions) => Promise<AtomicUTXO[]>
  /** Whether a transaction pays less than the chain asks for now, or debits more than its account holds. */
  readonly isUnderpaid: (bytes: Uint8Array, call: CallOptions) => Promise<boolean>
  /** Compares the nonce of an export with that of its account; absent for chains without accounts. */
  readonly nonceMismatch?: (
    bytes: Uint8Array,
    call: CallOptions,
  ) => Promise<NonceMismatch | undefined>
  /** By how much a fee may rise between export and import: the quoted fee is multiplied by it. */
  readonly feeReserve: bigint
}

/** The export of a move that was claimed first: the one that was confirmed. */
export function firstExport(group: AttemptGroup | undefined): Attempt | undefined {
  return group?.attempts.find(({ kind }) => kind === 'export')
}

/** Attempts on other chains are never decided by blocks of the X-Chain. */
export const NO_HEIGHT: bigint = 2n ** 64n - 1n

/** An amount, if a UTXO of any chain holds one; nothing else crosses chains. */
export function transferable({ output, ...id }: UTXO | PUTXO): AtomicUTXO[] {
  return output.type === 'secp256k1fx.TransferOutput' ? [{ ...id, output }] : []
}

/** All amounts of a walk. */
export async function transferablesIn(
  pages: AsyncIterable<{ readonly utxos: readonly (UTXO | PUTXO)[] }>,
): Promise<AtomicUTXO[]> {
  const found: AtomicUTXO[] = []
  for await (const { utxos } of pages) found.push(...utxos.flatMap(transferable))
  return found
}

/** What a transaction of any chain imports. */
export function importedIn({
  unsignedTx,
}: {
  readonly unsignedTx: { readonly type: string; readonly importedInputs?: readonly UTXOID[] }
}): readonly UTXOID[] {
  return unsignedTx.importedInputs ?? []
}

/** The three chains of a wallet. */
export type Sides = { readonly [chain in MoveChain]: Side }
