import { createdUTXOs } from '../../core/chain/x/created.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXOPage } from '../../core/chain/x/utxo-page.ts'
import type { Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import { type DisputedUTXO, notIn, utxosIn } from '../../node/view/utxo-votes.ts'
import type { AgreedUTXOs } from '../../node/view/view.ts'

/** How the wallet's UTXOs differ from those that the node lists. A UTXO whose content differs is in both lists. */
export type UTXODifferences = {
  /** Listed by the node, not known here. */
  readonly missing: readonly UTXOID[]
  /** Known here, not listed by the node. */
  readonly extra: readonly UTXOID[]
}

/** What a walk of `getUTXOs` has found. */
export type WalkedUTXOs = Pick<AgreedUTXOs, 'set' | 'disputed'>

/** Compares a set with a walk. What servers disagree about now is no difference: they have agreed on it before. */
export function differences(known: UTXOSet, { set, disputed }: WalkedUTXOs): UTXODifferences {
  const undecided = new Set(disputed.map(({ utxo }) => utxoKey(utxo)))
  const extra = notIn(set, known).filter((utxo) => !undecided.has(utxoKey(utxo)))
  return { missing: notIn(known, set), extra }
}

/**
 * Makes a set and the list of an agreed walk equal. What is in agreed blocks is newer than the list, and decides where they
 * differ.
 *
 * @param isSpent - whether a block has spent a UTXO since the walk began
 * @returns whether the list had UTXOs that blocks do not explain: some of its servers may be behind these blocks
 */
export function reconcile(
  known: UTXOSet,
  list: UTXOSet,
  isSpent: (id: UTXOID) => boolean,
): boolean {
  const { added } = known.add(utxosIn(list, {}).filter((utxo) => !isSpent(utxo)))
  list.add(utxosIn(known, {}))
  list.remove(notIn(known, list))
  return added > 0
}

/** Everything that a set has of a source, those entries included that cannot be decoded. */
export function pageOf(set: UTXOSet, source: Source): UTXOPage {
  const opaque = set.opaque(source).map((entry, index) => ({ ...entry, index }))
  return { utxos: utxosIn(set, source), opaque }
}

/** The disputes that remain after transactions, which decide those about UTXOs that they create or consume. */
export function undecidedAfter(
  disputed: readonly DisputedUTXO[],
  txs: readonly SignedTx[],
): readonly DisputedUTXO[] {
  if (disputed.length === 0) return disputed
  const decided = txs.flatMap((tx) => [...consumedUTXOs(tx.unsignedTx), ...createdUTXOs(tx)])
  const names = new Set(decided.map(utxoKey))
  return disputed.filter(({ utxo }) => !names.has(utxoKey(utxo)))
}
